"""The version that every signature carries."""

__version__ = "0.2.0.dev0"
