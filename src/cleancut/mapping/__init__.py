"""Objects of the library ``datasets`` go in, the same kind comes out.

A ``Dataset``, ``DatasetDict`` or ``IterableDataset`` keeps its schema: columns are added, targets filtered, rows
chosen.
"""
