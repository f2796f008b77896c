"""Put gold and predictions on common tokens where both are given at the characters of the same texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from .corpus import Corpus
from .notices import say


def on_common_tokens(gold: Corpus, pred: Corpus) -> tuple[Corpus, Corpus]:
    """Return gold and predictions on the same tokens, if the tokens of both were made from the same texts.

    The tokens of a text are cut at the edges of its mentions (``Corpus.from_text``), so gold and predictions have
    different tokens. Here both are cut wherever one of them is. Mentions are then equal if they are at the same
    characters. If a side came with tokens of its own, or the texts differ, both are returned as they are.

    Args:
        gold: the gold samples.
        pred: the predicted samples.

    >>> gold = replace(Corpus.of([["서울", "에서"]], entities=[[(0, 1, "LOC")]]), from_text=True)
    >>> pred = replace(Corpus.of([["서울에서"]], entities=[[(0, 1, "LOC")]]), from_text=True)
    >>> on_common_tokens(gold, pred)[1].entities()
    [[{'start': 0, 'end': 2, 'label': 'LOC'}]]
    """
    if not gold.from_text or not pred.from_text or len(gold) != len(pred):
        return gold, pred
    gold_tokens = gold.tokens()
    pred_tokens = pred.tokens()
    if gold_tokens == pred_tokens:
        return gold, pred
    pairs = list(zip(gold_tokens, pred_tokens, strict=True))
    if any("".join(own) != "".join(other) for own, other in pairs):
        return gold, pred
    common = [_cut(own, other) for own, other in pairs]
    cut_gold = _moved(gold, common)
    cut_pred = _moved(pred, common)
    size_before = gold.mentions.end - gold.mentions.start
    size_after = cut_gold.mentions.end - cut_gold.mentions.start
    n_cut = int((size_after > size_before).sum())
    if n_cut:
        say(
            f"{n_cut} of {len(gold.mentions)} gold mentions are cut inside a word by the edge of a prediction: what "
            "training has shown of them, and of their tokens, is looked up in pieces."
        )
    return cut_gold, cut_pred


def _ends(tokens: Sequence[str]) -> list[int]:
    """Return where each token ends, in characters of the text without spaces."""
    return list(accumulate(map(len, tokens)))


def _cut(tokens: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the tokens of a text that is cut wherever one of two tokenisations cuts it."""
    text = "".join(tokens)
    ends = sorted({*_ends(tokens), *_ends(others)})
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _moved(corpus: Corpus, common: Sequence[Sequence[str]]) -> Corpus:
    """Return a corpus with finer tokens, its mentions at the same characters."""
    entities = []
    for spans, tokens, finer in zip(corpus.entities(), corpus.tokens(), common, strict=True):
        token_at = {character: token for token, character in enumerate(_ends(finer), 1)}
        token_at[0] = 0
        character_of = [0, *_ends(tokens)]
        moved_spans = []
        for span in spans:
            start = token_at[character_of[span["start"]]]
            end = token_at[character_of[span["end"]]]
            moved_spans.append((start, end, span["label"]))
        entities.append(moved_spans)
    relations = None if corpus.relations is None else corpus.relation_lists()
    moved = Corpus.of(
        common, entities=entities, relations=relations, ids=corpus.ids, docs=corpus.docs, where=corpus.mentions.where
    )
    return replace(moved, from_text=True, entity_ids=corpus.entity_ids)  # the mentions have the same order
