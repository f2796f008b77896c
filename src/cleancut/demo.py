"""A first look without any data of one's own: generated sentences, a look-up tagger, its scores."""

from __future__ import annotations

import random
from pathlib import Path

from .exposure import Exposure
from .leakage import audit
from .reading import write
from .report import scores_text
from .scores import clean_f1, exact_f1, hardeval, partial_f1
from .spans import Corpus

_ONSETS = "b br d dr f fl g gr h j k kl l m n p pl r s sh st t tr v w z".split()
_VOWELS = "a e i o u ai ea ia oo".split()
_CODAS = ["", "", "l", "n", "r", "s", "th", "m", "nd", "rk"]
_TEMPLATES = [
    "{PER} arrived in {LOC} on {day} .",
    "{PER} and {PER} signed for {ORG} after a long {day} .",
    "Shares of {ORG} fell {number} percent as {PER} left the board .",
    "The river near {LOC} rose by {number} inches , said {PER} .",
    "{ORG} opened an office in {LOC} .",
    "In {LOC} , {ORG} beat {ORG} by {number} goals .",
    "Nobody expected {number} inches of {thing} before {day} , with {thing} still on the roads .",
    "A spokesman for {ORG} met {PER} in {LOC} about {thing} .",
]
_FILLERS = {
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "number": "two three four five six seven eight nine ten twelve twenty forty".split(),
    "thing": "rain snow fog hail steel grain paper coal wool sugar coffee timber salt fruit milk corn".split(),
}


def generate(n_samples: int, seed: int = 13) -> Corpus:
    """Readable sentences with invented names, few of them common and most of them rare, as names are.

    >>> generate(1, seed=1).texts() == generate(1, seed=1).texts()
    True
    """
    rng = random.Random(seed)
    places = [
        [_word(rng)] if rng.random() < 0.7 else [rng.choice(["New", "Port"]), _word(rng)] for _ in range(n_samples)
    ]
    names = {
        "LOC": places,
        "PER": [[_word(rng), _word(rng)] for _ in range(n_samples)],
        "ORG": [[*rng.choice(places), rng.choice(["United", "Group", "Bank"])] for _ in range(n_samples)],
    }
    tokens, entities = [], []
    for _ in range(n_samples):
        words: list[str] = []
        spans = []
        for part in rng.choice(_TEMPLATES).split():
            label = part.strip("{}")
            if label not in names:
                words.append(rng.choice(_FILLERS[label]) if label in _FILLERS else part)
                continue
            # a long tail: the rank of a name falls off as in running text
            name = names[label][int(n_samples ** rng.random()) - 1]
            spans.append({"start": len(words), "end": len(words) + len(name), "label": label})
            words += name
        tokens.append(words)
        entities.append(spans)
    return Corpus.of(tokens, entities=entities)


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(part) for part in (_ONSETS, _VOWELS, _CODAS, _ONSETS, _VOWELS)).capitalize()


def run(folder: str = "cleancut-demo", *, colour: bool = False) -> str:
    """Generate, audit, tag, score; leave the files behind for a first command of one's own."""
    corpus = generate(2000)
    train, test = corpus.select(slice(0, 1600)), corpus.select(slice(1600, 2000))
    shown = Exposure.of(train)
    tagged = test.with_predictions(shown.view(test).memorised)
    target = Path(folder)
    target.mkdir(exist_ok=True)
    for name, part in (("train", train), ("test", test), ("lookup", tagged)):
        write(part, target / f"{name}.conll")
    results = {
        "look-up": {
            "exact_f1": exact_f1(test, tagged),
            "partial_f1": partial_f1(test, tagged),
            "clean_f1": clean_f1(test, tagged, shown),
            "hardeval": hardeval(test, tagged, shown),
        }
    }
    pair = audit({"train": train, "test": test}).pairs["test_vs_train"]
    files = {name: target / f"{name}.conll" for name in ("train", "test", "lookup")}
    lines = [
        f"{len(train)} training and {len(test)} test sentences were generated, with invented names, and split at "
        "random.",
        f"{pair['n_mentions_contaminated']} of {pair['n_mentions']} test mentions are in the training set. The tagger "
        "only looks those up: no model at all.",
        "",
        scores_text(results, colour=colour),
        "",
        "The F1 looks fine, but all of it is memory: on names that training has not shown, nothing is left.",
        "The files are yours to try:",
        f"  cleancut score --gold {files['test']} --pred {files['lookup']} --train {files['train']}",
        f"  cleancut audit {target}",
    ]
    return "\n".join(lines)
