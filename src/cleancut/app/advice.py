"""Advice in messages that is for the command line or for Python, as it reads in the app."""

from __future__ import annotations

import re

ADVICE = {
    "log in with 'hf auth login' if it is private": "the app reads public datasets only",
    "Ask for access on its page, then log in with 'hf auth login' and try again.": (
        "The app reads public datasets only: use the command line where you are logged in."
    ),
    "is neither a path on this machine nor a dataset on the Hub that you may see": "is not on the Hub for everyone",
    "Give labels= (Python: a list, id2label or a file; command line: --labels a,b,c or a file with one name a line, or "
    "JSON with label2id or id2label).": (
        "Write the tags by their names, or use the command line, which takes the names with --labels."
    ),
    "Split with unit='doc' (--unit doc).": 'Choose "doc" for what stays whole.',
    "which stay whole. Give unit='doc'.": 'which stay whole. Choose "doc".',
    "so that unit='doc' is undefined. Use unit='sample'.": 'so that "doc" is undefined. Choose "sample".',
    "such as '80/10/10' or (80, 10, 10).": "such as 80/10/10 or 80/20.",
    "Give {name: predictions}.": "Give a file of predictions for each.",
    "Join it to the name: --join-at, or join_at(corpus).": "On the command line, --join-at joins it to the name.",
}
"""Parts of messages of other rooms, verbatim, and what the app writes in their place."""
RATIOS = "Ratios"
SEED = "Seed"
LEAST = "Least mentions of a type"
DISCARD = "What may be discarded"
UNIT = "What stays whole"
SAME = "Which names count as the same"
BETA = "Beta"
TYPES = "Other names for types"
"""The label of the box for names of types, as those above are labels of other inputs."""
_INPUTS = {
    "ratios": RATIOS,
    "seed": SEED,
    "min_per_type": LEAST,
    "discard": DISCARD,
    "unit": UNIT,
    "same": SAME,
    "beta": BETA,
}
"""The options of the public functions, and the labels of their inputs in the app."""
_MAPPED = re.compile(r"give --map (?P<pairs>\S+(?: and so on)?) \(types= in Python\)|give --map for\b")
"""Advice to rename types."""
_OF_INPUT = re.compile(rf"\b({'|'.join(_INPUTS)})=")
"""An option that has an input in the app."""
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+|(?<![\w.'\"])[a-z_]+=(?=[\s,.;:)'\"]|$)")
"""An option of the command line, or a keyword of Python, that a message asks for."""


def in_the_app(message: str) -> str:
    """Return a message whose advice can be followed in the app, or which says where it can be followed.

    Args:
        message: a message of another room.

    >>> in_the_app("row 3 holds several samples. Split with unit='doc' (--unit doc).")
    'row 3 holds several samples. Choose "doc" for what stays whole.'
    >>> in_the_app("seed=-1 is out of range.")
    'Seed: -1 is out of range.'
    >>> in_the_app("if they mean the same, give --map person=PER (types= in Python).")
    'if they mean the same, write person=PER under "Other names for types".'
    >>> in_the_app("Choose another with --word-column.")
    'Choose another with --word-column. (The app has no such option: use the command line.)'
    """
    for elsewhere, here in ADVICE.items():
        message = message.replace(elsewhere, here)
    message = _MAPPED.sub(_under_types, message)
    message = _OF_INPUT.sub(lambda option: f"{_INPUTS[option[1]]}: ", message)
    if _OPTION.search(message) and "ommand line" not in message:
        message += " (The app has no such option: use the command line.)"
    return message


def _under_types(advice: re.Match[str]) -> str:
    """Return advice to rename types as it can be followed in the app."""
    if advice["pairs"] is None:
        return f'use "{TYPES}" for'
    return f'write {advice["pairs"]} under "{TYPES}"'
