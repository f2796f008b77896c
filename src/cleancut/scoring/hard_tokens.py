"""hardeval: how often the labels of unseen words, and unusual labels of known words, are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import checks
from ..core.arrays import bounds_of, ranges
from ..core.corpus import Corpus, overlaps
from ..core.exceptions import CleancutError, parse_choice
from ..core.pairing import pair
from ..core.type_names import types_setting
from .alignment import Aligner, Counts
from .exposure import Exposure
from .exposure_view import HARD
from .metric import Metric
from .resampling import Part, Rows, parse_resampling
from .score import Score, Sums, Value, resampling_settings, share, view_of_text, with_text


def mention_statistics(train: Corpus, test: Corpus) -> dict[str, dict[str, int]]:
    """Return the figures of Tables 1 and 2 of the hardeval paper.

    A name is a surface, whatever its type. In train it is *ambiguous* if it is labelled with two or more types. In
    test it is *unseen* if it is never labelled in train; it may occur there unlabelled.

    Args:
        train: the training samples.
        test: the test samples.

    Returns:
        The counts of mentions and names, under ``train`` and ``test``.
    """
    shown = Exposure.of(train, typed=False)
    train_names = shown.view(train).entity
    name_of_each_type = np.unique(np.stack([train_names, train.mentions.label]), axis=1)[0]
    ambiguous = np.bincount(name_of_each_type, minlength=shown.n_entities) > 1
    unseen = ~shown.view(test).seen
    return {
        "train": {
            "mentions": len(train.mentions),
            "ambiguous_mentions": int(ambiguous[train_names].sum()),
            "unique_names": shown.n_entities,
            "ambiguous_names": int(ambiguous.sum()),
        },
        "test": {
            "mentions": len(test.mentions),
            "unseen_mentions": int(unseen.sum()),
            "unique_names": Exposure.of(test, typed=False).n_entities,
            "unseen_names": Exposure.of(test.keep(unseen), typed=False).n_entities,
        },
    }


class Encoding(StrEnum):
    """The token labels that hardeval compares: with boundaries at both ends, with those at the start, or without."""

    BILOU = "bilou"
    BIO = "bio"
    IO = "io"


def hardeval(
    gold: Any,
    pred: Any,
    exposure: Exposure,
    strict: bool = False,
    *,
    encoding: str = "bilou",
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Mapping[str, str] | None = None,
    ci: int | None = None,
    seed: int = 13,
) -> Score:
    """Compute token error rates where memory does not help: on new words, and on unusual labels of known words.

    *unseen*: the word is not a training word (``_i`` inside gold mentions, ``_o`` outside). *diff*: the label is not
    the usual one of the word, on two levels. Gold O is diff (``_o``) if training has the word more often inside
    mentions. Gold I is diff (``_i``) if it has it more often outside; else it is diff (``_e``) if the type is not the
    word's most frequent one. ``hardeval`` is the mean of ``ter_unseen`` and ``ter_diff``.

    Args:
        gold: a corpus, mentions, or lists of tags, label ids or spans.
        pred: the same, or answers of a language model as texts.
        exposure: the index of the training data, ``Exposure.of(train)``.
        strict: a label is diff only if training never has the word with it, at that level.
        encoding: the token labels to compare: ``bilou`` (boundaries count), ``bio`` or ``io``.
        tokens: the words of each sample, where gold and predictions are lists.
        labels: the names of label ids: a list, an id2label dict or a ``ClassLabel``.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions: ``conlleval``, ``discard`` or ``error``.
        types: new names of types by old ones (``{"person": "PER"}``), for all sides.
        ci: the number of resamples for 95% intervals (``f1_low``, ``f1_high``). Documents are resampled where they are
            known, samples otherwise. Without it there are no intervals.
        seed: the seed of the resamples.

    Returns:
        The score, a mapping of names to values.

    Raises:
        CleancutError: mentions overlap, so that tokens have no one label; or an option is not valid.

    >>> from cleancut.core.corpus import Corpus
    >>> shown = Exposure.of(Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]]))
    >>> s = hardeval([["B-PER", "O"]], [["O", "O"]], shown, tokens=[["Grace", "spoke"]])
    >>> s.ter, s.ter_unseen, s.n_unseen_i
    (0.5, 1.0, 1)
    """
    compared = parse_choice(Encoding, encoding, "encoding")
    strict = checks.switch(strict, "strict")
    resamples, seed = parse_resampling(ci, seed)
    both = pair(gold, pred, tokens=tokens, labels=labels, scheme=scheme, repair=repair, types=types)
    scored, text = with_text("hardeval", both)
    shown = view_of_text("hardeval", exposure, text, scored.types)
    for side, mentions in (("gold", scored.gold), ("predicted", scored.pred)):
        if overlaps(mentions):
            raise CleancutError(
                f"hardeval is undefined: {side} mentions overlap, so that tokens have no one label. Use a span score."
            )
    hard = shown.hard_tokens_strict if strict else shown.hard_tokens
    wrong = _wrong_tokens(Aligner(scored.gold, scored.pred), compared)
    n_wrong = np.bincount(hard.of_token[wrong], minlength=len(HARD))
    sums = {f"n_{name}": int(n) for name, n in zip(HARD, hard.counts, strict=True)}
    sums |= {f"errors_{name}": int(n) for name, n in zip(HARD, n_wrong, strict=True)}
    counts = Counts({"all": sums}, tuple(sums))
    settings: dict[str, Value] = {"encoding": compared.value, "diff": "strict" if strict else "lax"}
    settings["train"] = exposure.fingerprint
    rows = None
    if resamples:
        assert scored.gold.lengths is not None
        rows = Rows.of(_HARDEVAL, _sums_by_sample(hard.of_token, wrong, scored.gold.lengths), text.docs)
    settings |= {**types_setting(scored.types), **resampling_settings(resamples, seed)}
    sums_of_all = Sums.of(counts, scored, exposure, rows=rows)
    return Score(METRIC, sums_of_all, settings, _hardeval_values, _HARDEVAL)


def _sums_by_sample(
    of_token: NDArray[np.uint8], wrong: NDArray[np.int64], lengths: NDArray[np.int64]
) -> dict[str, NDArray[np.integer]]:
    """Return the tokens, and the errors, of each class in each sample."""
    n_samples = len(lengths)
    group = np.repeat(np.arange(n_samples), lengths) * len(HARD) + of_token
    sums: dict[str, NDArray[np.integer]] = {}
    for what, groups in (("n", group), ("errors", group[wrong])):
        table = np.bincount(groups, minlength=n_samples * len(HARD)).reshape(n_samples, len(HARD))
        for number, name in enumerate(HARD):
            sums[f"{what}_{name}"] = table[:, number]
    return sums


def _wrong_tokens(aligner: Aligner, encoding: Encoding) -> NDArray[np.int64]:
    """Return the tokens at which the labels of gold and predictions differ.

    Tokens of exactly matched mentions have equal labels, and flat mentions do not touch those of others. So only
    mentions without an exact match need to be compared.
    """
    assert aligner.gold.lengths is not None
    bounds = bounds_of(aligner.gold.lengths)
    places = []
    labels = []
    narrow = np.min_scalar_type(4 * len(aligner.labels))  # fewer bytes mean fewer misses of the processor's cache
    sides = (aligner.gold, aligner.gold_label), (aligner.pred, aligner.pred_label)
    for (side, label_of), left in zip(sides, aligner.left_over(), strict=True):
        begin = bounds[side.sample[left]] + side.start[left]
        size = (side.end[left] - side.start[left]).astype(np.int64)
        place = ranges(begin, size)
        label = np.zeros(int(bounds[-1]), narrow)  # 0 is O
        label[place] = 4 * np.repeat(label_of[left], size) + 1
        if encoding is not Encoding.IO:
            label[begin] += 1
        if encoding is Encoding.BILOU:
            label[begin + size - 1] += 2
        places.append(place)
        labels.append(label)
    gold_places, pred_places = places
    gold, pred = labels
    spurious = pred_places[gold[pred_places] == 0]
    return np.append(gold_places[gold[gold_places] != pred[gold_places]], spurious)


def _hardeval_values(score: Score) -> dict[str, Any]:
    """Return the values of a score under flat keys."""
    values = score.row(score.sums.counts.total())
    return values | score.sums.repairs() | {"signature": score.signature}


_SUBSETS = {
    "all": HARD, "unseen": ("unseen_i", "unseen_o"), "unseen_i": ("unseen_i",), "unseen_o": ("unseen_o",),
    "diff": ("diff_i", "diff_o", "diff_e"), "diff_i": ("diff_i",), "diff_o": ("diff_o",), "diff_e": ("diff_e",),
    "other": ("other",),
}  # fmt: skip
"""The sets of tokens that have an error rate, and the classes that each consists of."""


def _counted(what: str, *names: str) -> dict[str, tuple[str, ...]]:
    """Return the sums of some sets of tokens: their names, and the columns that each adds up."""
    return {f"{what}_{name}": tuple(f"{what}_{part}" for part in _SUBSETS[name]) for name in names}


def _hardeval_part(sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return hardeval, with the two error rates whose mean it is."""
    rates = _rate_part("unseen", sums) | _rate_part("diff", sums)
    return {"hardeval": (rates["ter_unseen"] + rates["ter_diff"]) / 2, **rates}


def _rate_part(name: str, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return the error rate of a set of tokens, with its counts."""
    rate = share(sums[f"errors_{name}"], sums[f"n_{name}"])
    return {"ter" if name == "all" else f"ter_{name}": rate, **sums}


def _share_part(name: str, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return the share of all errors that are on a set of tokens."""
    return {f"share_{name}": share(sums[f"errors_{name}"], sums["errors_all"])}


_HARDEVAL = (
    Part(
        _counted("n", "unseen", "diff") | _counted("errors", "unseen", "diff"),
        _hardeval_part,
        means={"hardeval": ("ter_unseen", "ter_diff")},
        behind={"ter_unseen": ("n_unseen",), "ter_diff": ("n_diff",)},
    ),
    *(
        Part(_counted("n", name) | _counted("errors", name), partial(_rate_part, name))
        for name in _SUBSETS
        if name not in ("unseen", "diff")
    ),
    *(Part(_counted("errors", name, "all"), partial(_share_part, name)) for name in ("unseen", "diff", "other")),
)
"""The groups of values that follow from the same sums."""


METRIC = Metric(
    name="hardeval",
    function=hardeval,
    short="hardeval",
    order=40,
    title="Token error rates, lower is better (%)",
    description=(
        "Token error rates where memory does not help: new words, and labels that are not a word's usual one."
    ),
    titles={
        "hardeval": "hardeval", "ter": "TER", "ter_unseen": "TER unseen", "ter_diff": "TER diff",
        "ter_unseen_i": "unseen words in mentions", "ter_unseen_o": "unseen words outside",
        "ter_diff_i": "usually outside", "ter_diff_o": "usually in mentions", "ter_diff_e": "usually of another type",
        "share_unseen": "errors: unseen", "share_diff": "diff", "share_other": "other",
    },
    shown=("hardeval", "ter", "ter_unseen", "ter_diff", "share_unseen", "share_diff", "share_other"),
    headline=("hardeval", "ter_unseen", "ter_diff", "ter"),
    logged=("hardeval", "ter_unseen", "ter_diff"),
    compared=("hardeval", "ter_unseen", "ter_diff"),
    ranked="hardeval",
    lower_is_better=True,
    flat_only=True,
    by_type=False,
    few={"n_unseen": (50, "tokens of unseen words"), "n_diff": (50, "tokens with unusual labels")},
)  # fmt: skip
