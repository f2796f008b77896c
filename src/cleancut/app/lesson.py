"""The metrics in two minutes: a worked example that explains what each number is made of."""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from ..core.corpus import Corpus
from ..core.exceptions import CleancutError
from ..core.shown import percent
from ..scoring.clean import clean_f1
from ..scoring.exact import exact_f1
from ..scoring.exposure import Exposure
from ..scoring.hard_tokens import hardeval
from ..showing.escaping import visible

MOST = 5000
"""The greatest number of characters of a text, since the server itself reads it."""
_BRACKETS = re.compile(r"\[([^\[\]]*)\]|([^\s\[\]]+)")
"""A name with its type in brackets, or a word."""


def bracketed(text: str, what: str) -> Corpus:
    """Return a corpus from a text whose mentions are in brackets with their type; a line is a sentence.

    Args:
        text: the text.
        what: the name of the text, for messages.

    Raises:
        CleancutError: the text is too long or empty, or a bracket is not right.

    >>> bracketed("[Alice King PER] met Bob", "gold").texts()
    ['Alice King']
    """
    if len(text) > MOST:
        raise CleancutError(f"{what}: {len(text)} characters are too many for a lesson. Give {MOST} at most.")
    tokens, entities = [], []
    for line in filter(str.strip, text.splitlines()):
        words: list[str] = []
        spans = []
        if _BRACKETS.sub("", line).strip():
            raise CleancutError(f"{what}: a bracket is open, or none was opened. Write [Alice PER].")
        for inside, word in _BRACKETS.findall(line):
            *name, label = inside.split() or [""]
            if not word and not name:
                raise CleancutError(f"{what}: [{inside}] is not a name and its type. Write [Alice PER].")
            if not word:
                spans.append((len(words), len(words) + len(name), label))
            words += [word] if word else name
        tokens.append(words)
        entities.append(spans)
    if not tokens:
        raise CleancutError(f"{what}: there are no words. Write a sentence, with names as [Alice PER].")
    return Corpus.of(tokens, entities=entities)


class Taught(NamedTuple):
    """A number of the lesson."""

    name: str
    """The name of the number."""
    value: float
    """The number, as a fraction."""
    how: str
    """What the number is made of."""
    why: str
    """What the number says."""


def lesson(training: str, gold: str, prediction: str) -> list[Taught]:
    """Return what a prediction scores, from sentences with names in brackets.

    Args:
        training: the sentences of the training data.
        gold: the test sentences with the right names.
        prediction: the same sentences with the names that were predicted.

    >>> numbers = lesson("[Alice PER] sang", "[Alice PER] met [Bob PER]", "[Alice PER] met Bob")
    >>> [(number.name, number.value) for number in numbers if number.name.startswith("Clean")]
    [('Clean recall', 0.0), ('Clean F1', 0.0)]
    """
    gold_corpus, predicted, exposure = _read(training, gold, prediction)
    exact = exact_f1(gold_corpus, predicted)
    clean = clean_f1(gold_corpus, predicted, exposure)
    hard = hardeval(gold_corpus, predicted, exposure)
    n_right_clean = round(clean.clean_recall * clean.n_clean) if clean.n_clean else 0
    return [
        Taught(
            "Precision",
            exact.precision,
            f"{exact.n_exact} right of {exact.n_pred} predicted",
            "Of what was predicted, how much is right?",
        ),
        Taught(
            "Recall",
            exact.recall,
            f"{exact.n_exact} found of {exact.n_gold}",
            "Of what is there, how much was found?",
        ),
        Taught("F1", exact.f1, "harmonic mean of precision and recall", "The number that papers report."),
        Taught(
            "Clean recall",
            clean.clean_recall,
            f"{n_right_clean} found of {clean.n_clean} unseen in training",
            "What was found without having been seen before.",
        ),
        Taught(
            "Clean F1",
            clean.clean_f1,
            "harmonic mean of precision and clean recall",
            "What F1 is worth without memory.",
        ),
        Taught("Delta F1", clean.delta_f1, "F1 minus clean F1", "What memory adds to F1."),
        Taught(
            "Look-up F1",
            clean.memorisation_f1,
            "F1 of a tagger that only knows the training names",
            "What needs no model at all.",
        ),
        Taught(
            "Errors on new words",
            hard.ter_unseen,
            f"{hard.errors_unseen} wrong of {hard.n_unseen} tokens",
            "One half of hardeval, where memory does not help; lower is better.",
        ),
    ]


def _read(training: str, gold: str, prediction: str) -> tuple[Corpus, Corpus, Exposure]:
    """Return the gold annotation, the prediction and what training has shown."""
    gold_corpus = bracketed(gold, "gold")
    predicted = bracketed(prediction, "prediction")
    if gold_corpus.tokens() != predicted.tokens():
        raise CleancutError("gold and prediction must be the same words: only the brackets may differ.")
    return gold_corpus, predicted, Exposure.of(bracketed(training, "training"))


def lesson_html(training: str, gold: str, prediction: str) -> str:
    """Return the numbers as a table, below a line that says which gold mentions are contaminated.

    Args:
        training: the sentences of the training data.
        gold: the test sentences with the right names.
        prediction: the same sentences with the names that were predicted.
    """
    gold_corpus, _, exposure = _read(training, gold, prediction)
    sentences = []
    for text, seen in zip(gold_corpus.texts(), exposure.view(gold_corpus).seen.tolist(), strict=True):
        kind = "contaminated" if seen else "clean"
        sentences.append(f"<b>{escape(visible(text))}</b> is {kind}")
    mentions = ", ".join(sentences)
    rows = "".join(
        f'<tr><th scope="row">{name}<small>{why}</small></th><td>{how}</td><td><b>{percent(value)}</b></td></tr>'
        for name, value, how, why in lesson(training, gold, prediction)
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("", "what it is made of", "%"))
    return (
        f'<section><p class="lead">{mentions or "There are no gold mentions"}.</p>'
        f'<table class="lesson"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>'
    )
