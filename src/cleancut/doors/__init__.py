"""Ways from evaluation harnesses to the scores: one file for each harness, which is imported when it is used.

A door turns what the harness has into samples and answers, and a result into what the harness shows.
"""
