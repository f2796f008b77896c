"""Pair gold and predicted mentions of the same samples, in whatever form they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import checks
from .common_tokens import on_common_tokens
from .corpus import Corpus, Mentions, check_lengths, is_tagged, kept_tokens, mentions_of, on_lengths, spans_if_empty
from .exceptions import CleancutError, counted, quoted
from .hashing import text_hashes
from .inputs import Raw, RawTags, in_sample, intern_words, place_of, recognise
from .projection import Projection, on_gold_tokens
from .tags import Repair, Where, prefix_letter
from .type_names import parse_types


class Pair(NamedTuple):
    """Gold and predicted mentions of the same samples, checked against each other, and the text if it is known."""

    gold: Mentions
    pred: Mentions
    corpus: Corpus | None
    types: Mapping[str, str] = MappingProxyType({})
    """New names of types by old ones."""
    projection: Projection | None = None
    """How predictions were put on the gold tokens; None if both sides have the same tokens."""


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
    """Read gold and predictions of any form together, and check that they belong to the same samples.

    Positions whose gold label id is -100 are dropped on both sides before anything is decoded. Predictions on
    other tokens than gold are put on the gold tokens by means of the text.

    Args:
        gold: tags, label ids, spans, ``Mentions`` or a ``Corpus``.
        pred: the same, or answers of a language model as texts.
        tokens: the words of each sample, where they are not in a corpus.
        labels: the names of label ids.
        scheme: the scheme of the tags; by default it is inferred where it is needed.
        repair: what to do with ill-formed mentions.
        types: new names of types by old ones.

    Raises:
        CleancutError: the two sides do not fit, or a value is not valid.
    """
    names = parse_types(types)
    projection = None
    if are_answers(pred):
        of_gold = gold if isinstance(gold, Corpus | Mentions) else _decoded(gold, tokens, labels, scheme, repair)
        pred = _answered(of_gold, checks.in_order(pred), tokens, names)
        if isinstance(of_gold, Corpus) and of_gold is not gold:
            tokens = None  # they are the words of the corpus now
        # Gold is decoded now: the options that say how it is decoded have had their effect.
        gold = of_gold
        labels = None
        scheme = None
        repair = "conlleval"
    if isinstance(gold, Corpus) and isinstance(pred, Corpus):
        gold, pred, projection = _beside(gold, by_id(gold, pred), names)
    corpus = next((side for side in (gold, pred) if isinstance(side, Corpus)), None)
    is_of_gold = isinstance(gold, Corpus)
    if corpus is not None and tokens is not None:
        raise CleancutError("tokens= has no effect: the corpus has its words already. Leave it out.")
    gold = gold.mentions if isinstance(gold, Corpus) else gold
    pred = pred.mentions if isinstance(pred, Corpus) else pred
    if isinstance(gold, Mentions) and isinstance(pred, Mentions):
        _refuse_unused(labels, scheme, repair)
    of_gold, of_pred = _decoded_sides(gold, pred, labels, scheme, repair)
    if tokens is not None:
        words, lengths, vocabulary = intern_words(tokens, in_sample("gold"))
        of_gold = on_lengths(of_gold, lengths, "tokens")
        corpus = Corpus(words, vocabulary, of_gold)
    if of_gold.lengths is not None:
        of_pred = on_lengths(of_pred, of_gold.lengths, "gold tokens")
    elif of_pred.lengths is not None:
        of_gold = on_lengths(of_gold, of_pred.lengths, "predicted tokens")
    of_gold = of_gold.renamed(names)
    of_pred = of_pred.renamed(names)
    if corpus is not None and corpus.mentions is not of_gold:  # renamed, or only the predictions came with their text
        entity_ids = corpus.renamed(names).entity_ids if is_of_gold else None
        corpus = replace(corpus, mentions=of_gold, entity_ids=entity_ids)
    return Pair(of_gold, of_pred, corpus, names, projection)


def _refuse_unused(labels: Any, scheme: str | None, repair: str) -> None:
    """Refuse options of decoding that have no effect, since both sides are decoded already."""
    is_default = isinstance(repair, str) and repair == "conlleval"
    unused = {"labels": labels, "scheme": scheme, "repair": None if is_default else repair}
    for name, value in unused.items():
        if value is not None:
            raise CleancutError(
                f"{name}={quoted(value)} has no effect: gold and predictions are decoded already. Give it when reading."
            )


def _decoded_sides(gold: Any, pred: Any, labels: Any, scheme: str | None, repair: str) -> tuple[Mentions, Mentions]:
    """Return the mentions of gold and predictions, without the positions that the gold labels mask."""
    in_gold = in_sample("gold")
    in_pred = in_sample("predicted")
    raw_gold = gold if isinstance(gold, Mentions) else recognise(gold, labels, in_gold)
    raw_pred = pred if isinstance(pred, Mentions) else recognise(pred, labels, in_pred)
    n_gold = _n_samples(raw_gold)
    n_pred = _n_samples(raw_pred)
    if n_gold != n_pred:
        raise CleancutError(
            f"{counted(n_gold, 'gold sample')} but {n_pred} predicted. Give one prediction for each sample."
        )
    raw_gold, raw_pred, in_gold, in_pred = _drop_masked(raw_gold, raw_pred, in_gold, in_pred)
    # A batch of empty lists does not show its form: it takes that of the other side.
    if isinstance(raw_pred, RawTags) and not is_tagged(raw_gold):
        raw_pred = spans_if_empty(raw_pred)
    if isinstance(raw_gold, RawTags) and not is_tagged(raw_pred):
        raw_gold = spans_if_empty(raw_gold)
    of_gold = mentions_of(raw_gold, scheme, repair, in_gold)
    if scheme is None and repair != Repair.CONLLEVAL and isinstance(raw_pred, RawTags):
        # The scheme of the gold tags decides what is ill-formed in the predictions.
        tagging = mentions_of(raw_pred, None, Repair.CONLLEVAL, in_pred).tagging
        scheme = tagging.scheme_beside(of_gold.tagging) if tagging else None
    return of_gold, mentions_of(raw_pred, scheme, repair, in_pred)


def are_answers(pred: Any) -> bool:
    """Return whether predictions are answers of a language model: texts, or mentions without offsets.

    Args:
        pred: predictions of any form.

    >>> are_answers(['[{"text": "Ada", "label": "PER"}]']), are_answers([["B-PER"]])
    (True, False)
    """
    answers = checks.in_order(pred) if isinstance(pred, list | tuple) else []
    if not answers:
        return False
    if all(isinstance(answer, str) for answer in answers):
        # Texts that are all tags are a single sample, which was not put into a list of its own.
        return not all(answer == "O" or prefix_letter(answer) for answer in answers)
    mentions = [mention for answer in answers if isinstance(answer, list | tuple) for mention in answer]
    return bool(mentions) and all(_is_without_offsets(mention) for mention in mentions)


def _is_without_offsets(mention: Any) -> bool:
    """Return whether a mention states its text and no offset."""
    return isinstance(mention, Mapping) and "text" in mention and "start" not in mention


def _decoded(gold: Any, tokens: Any, labels: Any, scheme: str | None, repair: str) -> Corpus:
    """Return the gold samples that answers are given for; their words must be known."""
    if tokens is None:
        raise CleancutError("answers are placed in the words of the samples. Give tokens=, or gold as a Corpus.")
    raw = recognise(gold, labels, in_sample("gold"))
    if isinstance(raw, RawTags):
        raw = spans_if_empty(raw)
    mentions = mentions_of(raw, scheme, repair, in_sample("gold"))
    words, lengths, vocabulary = intern_words(tokens, in_sample("gold"))
    return Corpus(words, vocabulary, on_lengths(mentions, lengths, "tokens"))


def _answered(gold: Corpus | Mentions, answers: Any, tokens: Any, types: Mapping[str, str]) -> Mentions:
    """Return the mentions that answers name, at their places in the gold samples."""
    from .answer_mentions import AnswerReading, Said, answered  # what parses answers takes long to import

    if isinstance(gold, Mentions) and tokens is None:
        raise CleancutError("answers are placed in the words of the samples. Give tokens=, or gold as a Corpus.")
    words = gold.tokens() if isinstance(gold, Corpus) else [list(sample) for sample in tokens]
    mentions = gold.mentions if isinstance(gold, Corpus) else gold
    if len(words) != len(answers):
        sizes = f"{counted(len(words), 'gold sample')} but {counted(len(answers), 'answer')}"
        raise CleancutError(f"{sizes}. Give one answer for each sample.")
    reading = AnswerReading.of([*mentions.labels, *types, *types.values()])
    return answered(words, [[Said(answer)] for answer in answers], reading)


def by_id(gold: Corpus, pred: Corpus) -> Corpus:
    """Return predictions in the order of the gold samples, if both sides have an id for each sample.

    Args:
        gold: the gold samples.
        pred: the predicted samples; without ids that tell them apart they are returned as they are.

    Raises:
        CleancutError: the two sides have different ids.

    >>> gold = Corpus.of([["a"], ["b"]], tags=[["O"], ["O"]], ids=["1", "2"])
    >>> by_id(gold, gold.select([1, 0])).ids
    ('1', '2')
    """
    if gold.ids is None or pred.ids is None or gold.ids == pred.ids:
        return pred
    place = {name: i for i, name in enumerate(pred.ids)}
    wanted = set(gold.ids)
    if None in place or None in wanted or len(place) < len(pred.ids) or len(wanted) < len(gold.ids):
        return pred  # the ids do not tell samples apart: the order of samples is checked instead
    if place.keys() != wanted:
        only_gold = [f"{quoted(name)} is in the gold only" for name in gold.ids if name not in place]
        only_pred = [f"{quoted(name)} is in the predictions only" for name in pred.ids if name not in wanted]
        raise CleancutError(
            f"{len(gold)} gold and {len(pred)} predicted samples are not of the same ids: "
            f"{', '.join(only_gold[:1] + only_pred[:1])}. Give one prediction for each gold sample, under its id."
        )
    return pred.select([place[name] for name in gold.ids])


def _beside(gold: Corpus, pred: Corpus, types: Mapping[str, str]) -> tuple[Corpus, Corpus, Projection | None]:
    """Return gold and predictions on the same tokens.

    These are the gold tokens. If a part of a gold word would then be taken for the word, both sides are cut wherever
    one of them is. Where the numbers of tokens differ, both are returned as they are: the check of lengths, which
    comes next, has a better message.

    Raises:
        CleancutError: the predictions belong to another text, or come in another order.
    """
    _refuse_other_ids(gold, pred)
    if len(gold) != len(pred):
        return gold, pred, None
    same_lengths = np.array_equal(gold.lengths, pred.lengths)
    differ = _differing_words(gold, pred) if same_lengths else None
    if differ is not None and not len(differ):
        return gold, pred, None
    projected = on_gold_tokens(gold, pred, types)
    if projected is not None:
        return gold, *projected
    cut_gold, cut_pred = on_common_tokens(gold, pred)
    if cut_gold is not gold:
        return cut_gold, cut_pred, None
    _refuse_other_order(gold, pred)
    if differ is not None:
        at = int(differ[0])
        gold_word = gold.vocabulary[gold.words[at]]
        pred_word = pred.vocabulary[pred.words[at]]
        where = gold.mentions.where(*place_of(at, gold.lengths))
        raise CleancutError(
            f"{where}: the gold token is {quoted(gold_word)} but the predicted one is {quoted(pred_word)}. "
            "Give predictions for the same text in the same order."
        )
    return gold, pred, None


def _refuse_other_ids(gold: Corpus, pred: Corpus) -> None:
    """Refuse predictions of which one has another id than the gold sample at the same place."""
    if gold.ids is pred.ids:
        return
    for i, (gold_id, pred_id) in enumerate(zip(gold.ids or (), pred.ids or (), strict=False)):
        if gold_id is not None and pred_id is not None and gold_id != pred_id:
            raise CleancutError(
                f"{gold.mentions.where(i)}: gold id {quoted(gold_id)} but predicted id {quoted(pred_id)}. "
                "Give both in the same order."
            )


def _differing_words(gold: Corpus, pred: Corpus) -> NDArray[np.int64]:
    """Return the tokens at which the words of two corpora of the same lengths differ."""
    if gold.vocabulary is pred.vocabulary:
        if gold.words is pred.words:
            return np.zeros(0, np.int64)
        return np.flatnonzero(pred.words != gold.words)
    if _have_equal_words(gold, pred):
        return np.zeros(0, np.int64)
    gold_code = {word: code for code, word in enumerate(gold.vocabulary)}
    table = np.array([gold_code.get(word, -1) for word in pred.vocabulary] or [0])
    return np.flatnonzero(table[pred.words] != gold.words)


def _have_equal_words(gold: Corpus, pred: Corpus) -> bool:
    """Return whether two corpora of the same lengths have the same words, by comparing each distinct word once."""
    gold_code = np.zeros(len(pred.vocabulary), np.int64)
    gold_code[pred.words] = gold.words
    if not np.array_equal(gold_code[pred.words], gold.words):
        return False
    is_used = np.zeros(len(pred.vocabulary), bool)
    is_used[pred.words] = True
    used = np.flatnonzero(is_used)
    gold_words = map(gold.vocabulary.__getitem__, gold_code[used].tolist())
    return list(gold_words) == list(map(pred.vocabulary.__getitem__, used.tolist()))


def on_same_words(gold: Corpus, pred: Corpus) -> Corpus:
    """Return predictions that share the word arrays of gold, if their words are equal, so that they compare fast.

    Args:
        gold: the gold samples.
        pred: the predicted samples; with other words they are returned as they are.
    """
    if len(gold) != len(pred) or not np.array_equal(gold.lengths, pred.lengths) or len(_differing_words(gold, pred)):
        return pred
    return replace(pred, words=gold.words, vocabulary=gold.vocabulary)


def _refuse_other_order(gold: Corpus, pred: Corpus) -> None:
    """Refuse predictions that belong to the gold samples, but come in another order."""
    gold_texts = text_hashes(gold)
    pred_texts = text_hashes(pred)
    if np.array_equal(np.sort(gold_texts), np.sort(pred_texts)):
        i = int(np.argmax(gold_texts != pred_texts))
        at = int(np.argmax(pred_texts == gold_texts[i]))
        raise CleancutError(
            f"{gold.mentions.where(i)}: the predictions are for the same samples in another order; this one is at "
            f"{pred.mentions.where(at)}. Give both in the same order, or both with ids."
        )


# --- masks ---------------------------------------------------------------------------------------------


def _drop_masked(
    gold: Raw | Mentions, pred: Raw | Mentions, in_gold: Where, in_pred: Where
) -> tuple[Raw | Mentions, Raw | Mentions, Where, Where]:
    """Return both sides without the positions whose gold label is -100, and what names their places.

    Raises:
        CleancutError: a prediction is -100 where the gold label is not, or predictions are spans.
    """
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
    (kept_gold, in_gold), (kept_pred, in_pred) = kept_tokens(keep, (gold, in_gold), (pred, in_pred))
    return kept_gold, kept_pred, in_gold, in_pred


# --- checking and decoding ------------------------------------------------------------------------------


def _n_samples(raw: Raw | Mentions) -> int:
    """Return the number of samples of recognised input, or of mentions."""
    return len(raw.lengths) if isinstance(raw, RawTags) else raw.n_samples


def token_agreement(gold: Mentions, pred: Mentions) -> tuple[int, int]:
    """Return the number of tokens, and the number of tokens with the right tag.

    Args:
        gold: the gold mentions.
        pred: the predicted mentions.

    Returns:
        Both numbers. Tags are compared as they were given; the second number is -1 if a side came as spans.
    """
    n_tokens = int(gold.lengths.sum()) if gold.lengths is not None else 0
    if not n_tokens and not len(gold) and not len(pred):
        return 0, 0
    if gold.tagged is None or pred.tagged is None:
        return n_tokens, -1
    gold_code = {tag: code for code, tag in enumerate(gold.tagged.tags)}
    table = np.array([gold_code.get(tag, -1) for tag in pred.tagged.tags])
    step = 1 << 20  # a part at a time, since translated codes take eight bytes for each token
    n_right = 0
    for at in range(0, n_tokens, step):
        translated = table.take(pred.tagged.codes[at : at + step])
        n_right += int(np.count_nonzero(translated == gold.tagged.codes[at : at + step]))
    return n_tokens, n_right
