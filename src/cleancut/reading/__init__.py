"""A path, a text, a dataset or a Hub id goes in; a ``Corpus`` comes out, and its rows can be written again.

This room knows the formats of files and datasets; it imports from ``core`` alone.
"""
