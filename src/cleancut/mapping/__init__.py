"""Functions that take objects of the library ``datasets`` and return objects of the same kind.

A ``Dataset``, ``DatasetDict`` or ``IterableDataset`` keeps its schema: columns are added, mentions filtered, rows
selected.
"""
