"""The version that every signature carries."""

__version__ = "0.1.0"
