"""Reading: a path, a text, a dataset or a Hub id becomes a ``Corpus``, whose samples can be written again.

This room knows the formats of files and datasets. It imports from ``core`` alone.
"""
