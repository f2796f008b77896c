"""Corpora go in; a result with sums and a signature comes out.

Importing it needs numpy alone, and it reads no file: with ``core`` it is what a metric's Space is made of.
"""
