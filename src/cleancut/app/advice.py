"""Advice in messages that is for the command line or for Python, as it reads in the app."""

from __future__ import annotations

ADVICE = {
    "log in with 'hf auth login' if it is private": "the app reads public datasets only",
    "Ask for access on its page, then log in with 'hf auth login' and try again.": (
        "The app reads public datasets only: use the command line where you are logged in."
    ),
    "is neither a path here nor on the Hub for you": "is not on the Hub for everyone",
    "Give labels= (Python: a list, id2label or a file; command line: --labels a,b,c or a file with one name a line, or "
    "JSON with label2id or id2label).": (
        "Write the tags by their names, or use the command line, which takes the names with --labels."
    ),
    "Split with unit='doc' (--unit doc).": 'Choose "doc" for what stays whole.',
    "Join it to the name: --join-at, or join_at(corpus).": "On the command line, --join-at joins it to the name.",
}
"""What is said elsewhere, and what is said here: each stands in a message of another room, word for word."""


def in_the_app(message: str) -> str:
    """Return a message whose advice can be followed in the app.

    >>> in_the_app("row 3 holds several samples. Split with unit='doc' (--unit doc).")
    'row 3 holds several samples. Choose "doc" for what stays whole.'
    """
    for elsewhere, here in ADVICE.items():
        message = message.replace(elsewhere, here)
    return message
