"""What splits share, and plans that share less.

A cut sees entities and hashes of samples, never a file or its format; a plan is the product, and all else is derived
from it.
"""
