"""Round trips: the gold annotation of every shared corpus as perfect answers, parsed and placed again."""

from __future__ import annotations

import json
import random

import pytest
from needs import SHARED

from cleancut import Corpus, exact_f1, read, read_answers

pytestmark = [pytest.mark.shared, pytest.mark.slow]
CORPORA = sorted(path.name for path in (SHARED / "corpora").iterdir()) if SHARED.exists() else []


def joined(tokens):
    """Text as people write it, rather than tokens apart."""
    text = " ".join(tokens)
    for apart, together in ((" ,", ","), (" .", "."), (" 's", "'s"), (" n't", "n't"), ("( ", "("), (" )", ")")):
        text = text.replace(apart, together)
    return text


def names(tokens, spans):
    return [(joined(tokens[span["start"] : span["end"]]), span["label"]) for span in spans]


def objects(tokens, spans):
    return json.dumps([{"text": name, "label": label} for name, label in names(tokens, spans)])


def fenced(tokens, spans):
    items = [{"entity": name, "type": label.upper()} for name, label in names(tokens, spans)]
    return f"<think>Hm.</think>Sure:\n```json\n{json.dumps({'entities': items}, indent=1)}\n```\nDone."


def by_type(tokens, spans):
    found = {}
    for name, label in names(tokens, spans):
        found.setdefault(label, []).append(name)
    return json.dumps(found)


def pairs(tokens, spans):
    return repr(names(tokens, spans))


def calls(tokens, spans):
    made = [f"{label.replace('-', '_').title()}(span={json.dumps(name)})" for name, label in names(tokens, spans)]
    return f"result = [{', '.join(made)}]"


def table(tokens, spans):
    return "\n".join(["| Mention | Type |", "|---|---|", *(f"| {name} | {y} |" for name, y in names(tokens, spans))])


def bullets(tokens, spans):
    return "\n".join(f"- {name} ({label})" for name, label in names(tokens, spans)) or "No entities."


def marked(tokens, spans, opening, closing):
    begin = {span["start"]: span["label"] for span in spans}
    end = {span["end"]: span["label"] for span in spans}
    words = [
        (opening.format(begin[i]) if i in begin else "") + token + (closing.format(end[i + 1]) if i + 1 in end else "")
        for i, token in enumerate(tokens)
    ]
    return " ".join(words)


def elements(tokens, spans):
    return marked(tokens, spans, "<{}>", "</{}>")


def links(tokens, spans):
    return marked(tokens, spans, "[", "]({})")


def bars(tokens, spans):
    return marked(tokens, spans, "[", " | {}]")


def tags(tokens, spans):
    found = ["O"] * len(tokens)
    for span in spans:
        found[span["start"]] = f"B-{span['label']}"
        for i in range(span["start"] + 1, span["end"]):
            found[i] = f"I-{span['label']}"
    return "\n".join(f"{token} {tag}" for token, tag in zip(tokens, found, strict=True))


def lists(tokens, spans, last=", "):
    """The names of each type on one line."""
    lines = []
    for label, named in json.loads(by_type(tokens, spans)).items():
        lines.append(f"{label}: {', '.join(named[:-1])}{last if len(named) > 1 else ''}{named[-1]}")
    return "\n".join(lines) or "None"


def lists_by_and(tokens, spans):
    return lists(tokens, spans, " and ")


def lists_in_json(tokens, spans):
    return json.dumps({label: ", ".join(own) for label, own in json.loads(by_type(tokens, spans)).items()})


def shuffled(tokens, spans):
    spans = list(spans)
    random.Random(len(tokens)).shuffle(spans)
    return objects(tokens, spans)


FLAT = [objects, fenced, pairs, calls, table, bullets, elements, links, bars, tags]


PARTS = [
    *((name, slice(0, 500)) for name in CORPORA),
    *(pytest.param((name, slice(None)), marks=pytest.mark.exhaustive, id=f"{name}, whole") for name in CORPORA),
]


@pytest.fixture(scope="module", params=PARTS, ids=lambda part: part[0])
def gold(request) -> Corpus:
    name, part = request.param
    folder = SHARED / "corpora" / name
    whole = read(next(path for path in (folder / "test.jsonl", folder / "train.jsonl") if path.exists()))
    return whole.select(part)


def score(gold, write):
    said = [write(tokens, spans) for tokens, spans in zip(gold.tokens(), gold.entities(), strict=True)]
    return exact_f1(gold, read_answers(said, gold))


@pytest.mark.parametrize("write", FLAT)
def test_perfect_answers_have_a_perfect_score(gold, write):
    found = score(gold, write)
    assert found.f1 >= 0.9995 and found.n_unparsed == 0 and found.n_invented == 0
    assert found.f1_lowest <= found.f1 <= found.f1_highest


@pytest.mark.parametrize("write", [objects, fenced, by_type, shuffled])
def test_the_short_way_says_what_the_long_one_says(gold, write, monkeypatch):
    said = [write(tokens, spans) for tokens, spans in zip(gold.tokens(), gold.entities(), strict=True)]
    quickly = read_answers(said, gold)
    monkeypatch.setattr("cleancut.core.answers.plain_answer", lambda *_: None)
    monkeypatch.setattr("cleancut.core.grounding.only_places", lambda *_: None)
    slowly = read_answers(said, gold)
    assert quickly.entities() == slowly.entities() and quickly.mentions.answers == slowly.mentions.answers


def test_answers_by_type_lie_within_their_bounds(gold):
    found = score(gold, by_type)
    assert found.f1 >= 0.9895 and found.n_unparsed == 0
    assert found.f1_highest == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("write", [lists, lists_by_and, lists_in_json])
def test_lists_on_one_line_lie_within_their_bounds(gold, write):
    """Names with commas and "and" inside, and lists that stand in the text so, cannot be told from one another."""
    found = score(gold, write)
    assert found.f1 >= 0.97 and found.n_unparsed == 0
    assert found.f1_highest == pytest.approx(1.0, abs=1e-12)


def test_answers_in_no_order_are_ambiguous_and_lie_within_their_bounds(gold):
    ordered, found = score(gold, objects), score(gold, shuffled)
    assert found.n_ambiguous > ordered.n_ambiguous
    assert found.f1_lowest <= found.f1 and found.f1_highest == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("write", [objects, links, elements])
def test_nested_mentions_come_back(write, gold):
    """The first token of some mentions is a mention of another type, inside of it."""
    rng = random.Random(5)
    entities = []
    for spans in gold.entities():
        inner = [
            {**span, "end": span["start"] + 1, "label": "inner"}
            for span in spans
            if span["end"] - span["start"] > 1 and rng.random() < 0.2
        ]
        entities.append([*spans, *inner])
    nested = Corpus.of(gold.tokens(), entities=entities)
    if write is objects:
        outer_first = [sorted(own, key=lambda s: (s["start"], -s["end"])) for own in nested.entities()]
        said = [objects(tokens, own) for tokens, own in zip(nested.tokens(), outer_first, strict=True)]
    else:
        opening, closing = ("[", "]({})") if write is links else ("<{}>", "</{}>")
        said = [
            _nested_marks(t, own, opening, closing) for t, own in zip(nested.tokens(), nested.entities(), strict=True)
        ]
    assert exact_f1(nested, read_answers(said, nested)).f1 >= 0.997


def _nested_marks(tokens, spans, opening, closing):
    """Marks inside of marks: what begins first and ends last is outside."""
    words = []
    for i, token in enumerate(tokens):
        begun = sorted((s for s in spans if s["start"] == i), key=lambda s: -s["end"])
        ended = sorted((s for s in spans if s["end"] == i + 1), key=lambda s: -s["start"])
        before = "".join(opening.format(s["label"]) for s in begun)
        words.append(before + token + "".join(closing.format(s["label"]) for s in ended))
    return " ".join(words)
