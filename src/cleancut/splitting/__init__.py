"""The audit of what splits share, and the splitter that makes plans whose splits share less.

A cut sees entities and hashes of samples, never a file or its format. Its product is a plan, from which files, datasets
and published configs are derived.
"""
