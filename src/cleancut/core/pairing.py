"""Gold and predicted mentions of the same samples, whatever they are given as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answer_mentions import AnswerReading, Said, answered
from .common_tokens import on_common_tokens
from .corpus import Corpus, Mentions, check_lengths, is_tagged, kept_tokens, mentions_of, on_lengths, spans_if_empty
from .exceptions import CleancutError, quoted
from .hashing import text_hashes
from .inputs import Raw, RawTags, in_sample, intern_words, place_of, recognise
from .projection import Projection, on_gold_tokens
from .tags import Repair, Where, prefix_letter
from .type_names import parse_types


class Pair(NamedTuple):
    """Gold and predicted mentions of the same samples, checked against each other; the text where known."""

    gold: Mentions
    pred: Mentions
    corpus: Corpus | None
    types: Mapping[str, str] = MappingProxyType({})
    """The names of types that stand for others, by these."""
    projection: Projection | None = None
    """What became of predictions on other tokens than gold; None where both have the same."""


def pair(
    gold: Any,
    pred: Any,
    *,
    tokens: Any = None,
    labels: Any = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    types: Any = None,
) -> Pair:
    """Read gold and predictions of any form together, and check that they speak of the same samples.

    Positions whose gold label id is -100 are dropped on both sides before anything is decoded. Predictions on
    other tokens than gold are put on the gold tokens through the text. ``types`` are other names for types, by those
    that the data have.
    """
    names, projection = parse_types(types), None
    if are_answers(pred):
        of_gold = gold if isinstance(gold, Corpus | Mentions) else _decoded(gold, tokens, labels, scheme, repair)
        pred = _answered(of_gold, pred, tokens, names)
        gold, labels, scheme, repair = of_gold, None, None, "conlleval"
        tokens = None if isinstance(gold, Corpus) else tokens
    if isinstance(gold, Corpus) and isinstance(pred, Corpus):
        gold, pred, projection = _beside(gold, by_id(gold, pred), names)
    text = gold, pred
    corpus = next((side for side in text if isinstance(side, Corpus)), None)
    if corpus is not None and tokens is not None:
        raise CleancutError("tokens= has no effect: the corpus has its words already. Leave it out.")
    gold, pred = (side.mentions if isinstance(side, Corpus) else side for side in text)
    if isinstance(gold, Mentions) and isinstance(pred, Mentions):
        unused = {"labels": labels, "scheme": scheme, "repair": None if repair == "conlleval" else repair}
        for name, value in unused.items():
            if value is not None:
                raise CleancutError(
                    f"{name}={value!r} has no effect: gold and predictions are decoded already. Give it when reading."
                )
    in_gold, in_pred = in_sample("gold"), in_sample("predicted")
    raw_gold = gold if isinstance(gold, Mentions) else recognise(gold, labels, in_gold)
    raw_pred = pred if isinstance(pred, Mentions) else recognise(pred, labels, in_pred)
    n_gold, n_pred = _n_samples(raw_gold), _n_samples(raw_pred)
    if n_gold != n_pred:
        raise CleancutError(f"{n_gold} gold samples but {n_pred} predicted ones. Give one prediction for each sample.")
    raw_gold, raw_pred, in_gold, in_pred = _drop_masked(raw_gold, raw_pred, in_gold, in_pred)
    # a batch without a single mention says nothing of its form: take that of the other side
    if isinstance(raw_pred, RawTags) and not is_tagged(raw_gold):
        raw_pred = spans_if_empty(raw_pred)
    if isinstance(raw_gold, RawTags) and not is_tagged(raw_pred):
        raw_gold = spans_if_empty(raw_gold)

    of_gold = mentions_of(raw_gold, scheme, repair, in_gold)
    if scheme is None and repair != Repair.CONLLEVAL and isinstance(raw_pred, RawTags):
        # what is ill-formed in the predictions is judged by the scheme of the gold tags
        shown = mentions_of(raw_pred, None, Repair.CONLLEVAL, in_pred).tagging
        scheme = shown.scheme_beside(of_gold.tagging) if shown else None
    of_pred = mentions_of(raw_pred, scheme, repair, in_pred)
    if tokens is not None:
        words, lengths, vocabulary = intern_words(tokens, in_gold)
        of_gold = on_lengths(of_gold, lengths, "tokens")
        corpus = Corpus(words, vocabulary, of_gold)
    if of_gold.lengths is not None:
        of_pred = on_lengths(of_pred, of_gold.lengths, "gold tokens")
    elif of_pred.lengths is not None:
        of_gold = on_lengths(of_gold, of_pred.lengths, "predicted tokens")
    of_gold, of_pred = of_gold.renamed(names), of_pred.renamed(names)
    if corpus is not None and corpus.mentions is not of_gold:  # only the predictions came with their text
        corpus = replace(corpus, mentions=of_gold)
    return Pair(of_gold, of_pred, corpus, names, projection)


def are_answers(pred: Any) -> bool:
    """Are predictions answers of a language model: a text for each sample, or mentions without offsets?

    >>> are_answers(['[{"text": "Ada", "label": "PER"}]']), are_answers([["B-PER"]])
    (True, False)
    """
    if not isinstance(pred, list | tuple) or not pred:
        return False
    if all(isinstance(answer, str) for answer in pred):
        # tags of a single sample, which belongs into a list of its own
        return not all(answer == "O" or prefix_letter(answer) for answer in pred)
    mentions = [mention for answer in pred if isinstance(answer, list | tuple) for mention in answer]
    named = [isinstance(mention, Mapping) and "text" in mention and "start" not in mention for mention in mentions]
    return bool(named) and all(named)


def _decoded(gold: Any, tokens: Any, labels: Any, scheme: str | None, repair: str) -> Corpus:
    """Return gold samples that answers are given for, whose words must be known."""
    if tokens is None:
        raise CleancutError("answers are placed in the words of the samples. Give tokens=, or gold as a Corpus.")
    raw = recognise(gold, labels, in_sample("gold"))
    mentions = mentions_of(spans_if_empty(raw) if isinstance(raw, RawTags) else raw, scheme, repair, in_sample("gold"))
    words, lengths, vocabulary = intern_words(tokens, in_sample("gold"))
    return Corpus(words, vocabulary, on_lengths(mentions, lengths, "tokens"))


def _answered(gold: Corpus | Mentions, answers: Any, tokens: Any, types: Mapping[str, str]) -> Mentions:
    """Return the mentions that answers name, where they stand in the gold samples."""
    if isinstance(gold, Mentions) and tokens is None:
        raise CleancutError("answers are placed in the words of the samples. Give tokens=, or gold as a Corpus.")
    words = gold.tokens() if isinstance(gold, Corpus) else [list(sample) for sample in tokens]
    mentions = gold.mentions if isinstance(gold, Corpus) else gold
    if len(words) != len(answers):
        raise CleancutError(f"{len(words)} gold samples but {len(answers)} answers. Give one answer for each sample.")
    reading = AnswerReading.of([*mentions.labels, *types, *types.values()])
    return answered(words, [[Said(answer)] for answer in answers], reading)


def by_id(gold: Corpus, pred: Corpus) -> Corpus:
    """Return the predictions in the order of the gold samples, where both sides have an id for each sample.

    >>> gold = Corpus.of([["a"], ["b"]], tags=[["O"], ["O"]], ids=["1", "2"])
    >>> by_id(gold, gold.select([1, 0])).ids
    ('1', '2')
    """
    if gold.ids is None or pred.ids is None or gold.ids == pred.ids:
        return pred
    place = {name: i for i, name in enumerate(pred.ids)}
    wanted = set(gold.ids)
    if None in place or None in wanted or len(place) < len(pred.ids) or len(wanted) < len(gold.ids):
        return pred  # ids that do not tell samples apart: their order is checked
    if place.keys() != wanted:
        only_gold = [f"{quoted(name)} is in the gold only" for name in gold.ids if name not in place]
        only_pred = [f"{quoted(name)} is in the predictions only" for name in pred.ids if name not in wanted]
        raise CleancutError(
            f"{len(gold)} gold and {len(pred)} predicted samples are not of the same ids: "
            f"{', '.join(only_gold[:1] + only_pred[:1])}. Give one prediction for each gold sample, under its id."
        )
    return pred.select([place[name] for name in gold.ids])


def _beside(gold: Corpus, pred: Corpus, types: Mapping[str, str]) -> tuple[Corpus, Corpus, Projection | None]:
    """Return gold and predictions on the same tokens, those of gold; an error where they are for another text.

    Where that would make a part of a gold word the word, both have tokens that are cut where either side is.

    Tokens that differ in number are left for the check of lengths, whose error says more.
    """
    ids = () if gold.ids is pred.ids else zip(gold.ids or (), pred.ids or (), strict=False)
    for i, (a, b) in enumerate(ids):
        if a != b and a is not None and b is not None:
            raise CleancutError(
                f"{gold.mentions.where(i)}: gold id {quoted(a)} but predicted id {quoted(b)}. "
                "Give both in the same order."
            )
    if len(gold) != len(pred):
        return gold, pred, None
    same_lengths = np.array_equal(gold.lengths, pred.lengths)
    differ = _differing_words(gold, pred) if same_lengths else None
    if differ is not None and not len(differ):
        return gold, pred, None
    projected = on_gold_tokens(gold, pred, types)
    if projected is not None:
        return gold, *projected
    ours, theirs = on_common_tokens(gold, pred)
    if ours is not gold:
        return ours, theirs, None
    _refuse_other_order(gold, pred)
    if differ is not None:
        at = int(differ[0])
        sample, token = place_of(at, gold.lengths)
        of_gold, of_pred = gold.vocabulary[gold.words[at]], pred.vocabulary[pred.words[at]]
        where = gold.mentions.where(sample, token)
        raise CleancutError(
            f"{where}: the gold token is {quoted(of_gold)} but the predicted one is {quoted(of_pred)}. "
            "Give predictions for the same text in the same order."
        )
    return gold, pred, None


def _differing_words(gold: Corpus, pred: Corpus) -> NDArray[np.int64]:
    """The tokens of two corpora of the same lengths whose words differ."""
    if gold.vocabulary is pred.vocabulary:
        if gold.words is pred.words:
            return np.zeros(0, np.int64)
        return np.flatnonzero(pred.words != gold.words)
    of_gold = {word: code for code, word in enumerate(gold.vocabulary)}
    table = np.array([of_gold.get(word, -1) for word in pred.vocabulary] or [0])
    return np.flatnonzero(table[pred.words] != gold.words)


def on_same_words(gold: Corpus, pred: Corpus) -> Corpus:
    """Return predictions with the words of gold in memory where both are the same, so that they compare at once."""
    if len(gold) != len(pred) or not np.array_equal(gold.lengths, pred.lengths) or len(_differing_words(gold, pred)):
        return pred
    return replace(pred, words=gold.words, vocabulary=gold.vocabulary)


def _refuse_other_order(gold: Corpus, pred: Corpus) -> None:
    """Raise an error where the predictions are for the gold samples, in another order."""
    ours, theirs = text_hashes(gold), text_hashes(pred)
    if np.array_equal(np.sort(ours), np.sort(theirs)):
        i = int(np.argmax(ours != theirs))
        at = int(np.argmax(theirs == ours[i]))
        raise CleancutError(
            f"{gold.mentions.where(i)}: the predictions are for the same samples in another order; this one is at "
            f"{pred.mentions.where(at)}. Give both in the same order, or both with ids."
        )


# --- masks ---------------------------------------------------------------------------------------------


def _drop_masked(
    gold: Raw | Mentions, pred: Raw | Mentions, in_gold: Where, in_pred: Where
) -> tuple[Raw | Mentions, Raw | Mentions, Where, Where]:
    """Both sides without the positions whose gold label is -100, and their places; a -100 elsewhere is refused."""
    if isinstance(gold, RawTags) and isinstance(pred, RawTags) and (gold.kept is not None or pred.kept is not None):
        check_lengths(pred.lengths, gold.lengths, "gold labels", in_pred)
    keep = gold.kept if isinstance(gold, RawTags) else None
    if isinstance(pred, RawTags) and pred.kept is not None:
        stray = ~pred.kept if keep is None else keep & ~pred.kept
        if stray.any():
            raise CleancutError(
                f"{in_pred(*place_of(int(np.argmax(stray)), pred.lengths))}: -100 where the gold label is not -100. "
                "Only the gold labels may mask positions."
            )
    if not isinstance(gold, RawTags) or keep is None:
        return gold, pred, in_gold, in_pred
    if not isinstance(pred, RawTags):
        raise CleancutError(
            "gold labels with -100 need predictions of the same shape (label ids or tags), not spans. "
            "Drop the masked positions before making spans."
        )
    (ours, in_gold), (theirs, in_pred) = kept_tokens(keep, (gold, in_gold), (pred, in_pred))
    return ours, theirs, in_gold, in_pred


# --- checking and decoding ------------------------------------------------------------------------------


def _n_samples(raw: Raw | Mentions) -> int:
    return len(raw.lengths) if isinstance(raw, RawTags) else raw.n_samples


def token_agreement(gold: Mentions, pred: Mentions) -> tuple[int, int]:
    """Tokens, and tokens whose tag is right as tags were given; -1 where there are no tags to compare."""
    n_tokens = int(gold.lengths.sum()) if gold.lengths is not None else 0
    if not n_tokens and not len(gold) and not len(pred):
        return 0, 0
    if gold.tagged is None or pred.tagged is None:
        return n_tokens, -1
    of_gold = {tag: code for code, tag in enumerate(gold.tagged.tags)}
    table = np.array([of_gold.get(tag, -1) for tag in pred.tagged.tags])
    step = 1 << 20  # the translated codes take eight bytes a token: never all at once
    right = (
        np.count_nonzero(table.take(pred.tagged.codes[at : at + step]) == gold.tagged.codes[at : at + step])
        for at in range(0, n_tokens, step)
    )
    return n_tokens, int(sum(right))
