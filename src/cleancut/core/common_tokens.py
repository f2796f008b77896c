"""Gold and predictions at the characters of one text, on tokens that have the edges of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from .corpus import Corpus
from .notices import say


def on_common_tokens(gold: Corpus, pred: Corpus) -> tuple[Corpus, Corpus]:
    """Return both sides on the same tokens, where the tokens of both were made from the same texts.

    The tokens of a text are cut at the edges of its mentions (``Corpus.from_text``), so that gold and predictions have
    others. Here each is cut where either side is: mentions are then equal if they stand at the same characters. Sides
    of which one came with tokens of its own, or whose texts differ, are returned as they are.

    >>> gold = replace(Corpus.of([["서울", "에서"]], entities=[[(0, 1, "LOC")]]), from_text=True)
    >>> pred = replace(Corpus.of([["서울에서"]], entities=[[(0, 1, "LOC")]]), from_text=True)
    >>> on_common_tokens(gold, pred)[1].entities()
    [[{'start': 0, 'end': 2, 'label': 'LOC'}]]
    """
    if not gold.from_text or not pred.from_text or len(gold) != len(pred):
        return gold, pred
    ours, theirs = gold.tokens(), pred.tokens()
    if ours == theirs or any("".join(a) != "".join(b) for a, b in zip(ours, theirs, strict=True)):
        return gold, pred
    common = [_cut(a, b) for a, b in zip(ours, theirs, strict=True)]
    both = _moved(gold, common), _moved(pred, common)
    n_cut = int((both[0].mentions.end - both[0].mentions.start > gold.mentions.end - gold.mentions.start).sum())
    if n_cut:
        say(
            f"{n_cut} of {len(gold.mentions)} gold mentions are cut inside a word by the edge of a prediction: what "
            "training has shown of them, and of their tokens, is looked up in pieces."
        )
    return both


def _ends(tokens: Sequence[str]) -> list[int]:
    """Return where each token ends, in characters of the text without spaces."""
    return list(accumulate(map(len, tokens)))


def _cut(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the tokens of a text that end wherever those of one of two sides do."""
    text = "".join(ours)
    ends = sorted({*_ends(ours), *_ends(theirs)})
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def _moved(corpus: Corpus, common: Sequence[Sequence[str]]) -> Corpus:
    """Return a corpus with finer tokens, its mentions at the same characters."""
    entities = []
    for own, tokens, finer in zip(corpus.entities(), corpus.tokens(), common, strict=True):
        at = {end: k + 1 for k, end in enumerate(_ends(finer))} | {0: 0}
        edges = [0, *_ends(tokens)]
        entities.append([(at[edges[s["start"]]], at[edges[s["end"]]], s["label"]) for s in own])
    relations = None if corpus.relations is None else corpus.relation_lists()
    moved = Corpus.of(
        common, entities=entities, relations=relations, ids=corpus.ids, docs=corpus.docs, where=corpus.mentions.where
    )
    return replace(moved, from_text=True)
