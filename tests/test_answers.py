"""Answers of language models: what they name, and where it stands."""

from __future__ import annotations

import json
import random
from itertools import permutations
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleancut import Corpus, exact_f1, read_answers
from cleancut.core.answer_records import Answer, KnownTypes, Named, Order, Style
from cleancut.core.answers import parse_answer
from cleancut.core.grounding import ground
from cleancut.core.loose_json import values_in
from cleancut.core.sample_text import SampleText, normalised

TYPES = ("PER", "LOC", "ORG", "creative-work")
TOKENS = "Ada Lovelace met Charles in New York 's Hyde Park . Ada left London .".split()
ADA, CHARLES, YORK, LONDON = ("Ada", "PER"), ("Charles", "PER"), ("New York", "LOC"), ("London", "LOC")

UNDERSTOOD = {
    "objects": ('[{"text": "Charles", "label": "PER"}, {"text": "London", "label": "LOC"}]', [CHARLES, LONDON]),
    "other keys": ('[{"entity": "Charles", "type": "per"}]', [CHARLES]),
    "more keys": ('{"named_entities": [{"mention": "Charles", "category": "Per", "confidence": 0.9}]}', [CHARLES]),
    "a pipeline's keys": ('[{"word": "Charles", "entity_group": "PER", "score": 0.99}]', [CHARLES]),
    "label before text": ('[{"type": "LOC", "value": "London"}]', [LONDON]),
    "fenced": ('Sure!\n```json\n[{"text": "Charles", "label": "PER"}]\n```\nAnything else?', [CHARLES]),
    "thinking": ('<think>[{"text": "Ada", "label": "LOC"}]?</think>\n[{"text": "Charles", "label": "PER"}]', [CHARLES]),
    "thinking without a start": ('Maybe {"LOC": ["Ada"]}</think>{"PER": ["Charles"]}', [CHARLES]),
    "final answer": ('I see ("Ada", "LOC"). Final answer: [("Charles", "PER")]', [CHARLES]),
    "an answer tag": ("Well. <answer>{'PER': ['Charles']}</answer>", [CHARLES]),
    "prose around": ('The entities are [{"name": "London", "label": "LOC"}], I think.', [LONDON]),
    "a trailing comma": ('[{"text": "Charles", "label": "PER",},]', [CHARLES]),
    "single quotes": ("[{'text': 'Charles', 'label': 'PER'}]", [CHARLES]),
    "an apostrophe": ("[{'text': 'New York's', 'label': 'LOC'}]", [("New York's", "LOC")]),
    "curly quotes": ("[{\u201ctext\u201d: \u201cCharles\u201d, \u201clabel\u201d: \u201cPER\u201d}]", [CHARLES]),
    "quotes inside": ('[{"text": "the "Big" one", "label": "PER"}]', [('the "Big" one', "PER")]),
    "no quotes": ("{entities: [{text: Charles, label: PER}]}", [CHARLES]),
    "a missing comma": ('[{"text": "Charles", "label": "PER"} {"text": "London", "label": "LOC"}]', [CHARLES, LONDON]),
    "a missing end": ('[{"text": "Charles", "label": "PER"}, {"text": "Lond', [CHARLES]),
    "an end inside a label": ('[{"text": "Charles", "label": "PER"}, {"text": "London", "label": "L', [CHARLES]),
    "an end after a name": ('{"PER": ["Charles", "Ada', [CHARLES]),
    "an object a line": ('{"text": "Charles", "label": "PER"}\n{"text": "London", "label": "LOC"}', [CHARLES, LONDON]),
    "by type": ('{"PER": ["Charles"], "LOC": ["London"], "ORG": []}', [CHARLES, LONDON]),
    "by type, none": ('{"PER": ["Charles"], "LOC": null, "ORG": "None"}', [CHARLES]),
    "a key twice": ('{"PER": "Charles", "PER": "Ada"}', [CHARLES, ADA]),
    "by name": ('{"Charles": "PER", "London": "LOC"}', [CHARLES, LONDON]),
    "groups": ('[{"type": "PER", "entities": ["Charles", "Ada"]}]', [CHARLES, ADA]),
    "extractions": ('{"extractions": [{"PER": "Charles", "PER_attributes": {"x": "y"}}]}', [CHARLES]),
    "pairs": ('[["Charles", "PER"], ["London", "LOC"]]', [CHARLES, LONDON]),
    "pairs, turned": ('[["PER", "Charles"], ["LOC", "London"]]', [CHARLES, LONDON]),
    "tuples": ("[('Charles', 'PER'), ('London', 'LOC')]", [CHARLES, LONDON]),
    "tuples without a list": ('("Charles", "PER"), ("London", "LOC")', [CHARLES, LONDON]),
    "tuples without quotes": ("(Charles, PER), (London, LOC)", [CHARLES, LONDON]),
    "strings with types": ('["Charles (PER)", "LOC: London"]', [CHARLES, LONDON]),
    "elements": ("<PER>Charles</PER> in <LOC>London</LOC>", [CHARLES, LONDON]),
    "elements with attributes": ('<entity type="PER">Charles</entity>', [CHARLES]),
    "an element with hyphens": ("<creative-work>Ada</creative-work>", [("Ada", "creative-work")]),
    "empty elements": ('<entity text="Charles" type="PER"/>', [CHARLES]),
    "described elements": ("<entity><text>Charles</text><type>PER</type></entity>", [CHARLES]),
    "links": ("[Charles](PER) in [London](LOC)", [CHARLES, LONDON]),
    "bars": ("[Charles | PER] in [London | LOC]", [CHARLES, LONDON]),
    "nested links": ("[[New York](LOC) 's Hyde Park](LOC)", [("New York 's Hyde Park", "LOC"), YORK]),
    "markers with types": ("@@Charles##(PER) left", [CHARLES]),
    "calls": ('[Per(span="Charles"), Loc(span="London")]', [CHARLES, LONDON]),
    "calls of a class": ('result.append(Entity(text="Charles", label="PER"))', [CHARLES]),
    "tags": ("Charles B-PER\nin O\nNew B-LOC\nYork I-LOC", [CHARLES, YORK]),
    "tags after slashes": ("Charles/B-PER in/O London/B-LOC", [CHARLES, LONDON]),
    "a table": ("| Entity | Type |\n|---|---|\n| Charles | PER |\n| London | LOC |", [CHARLES, LONDON]),
    "a table, turned": ("| Label | Text |\n|:--|--:|\n| PER | Charles |", [CHARLES]),
    "bullets": ("- Charles (PER)\n- London: LOC", [CHARLES, LONDON]),
    "numbers and stars": ("1. **Charles** - PER\n2. **London** -> LOC", [CHARLES, LONDON]),
    "types with names": ("PER: Charles, Ada\nLOC: London\nORG: None", [CHARLES, ADA, LONDON]),
    "headings": ("**PER**\n- Charles\n- Ada\n\n**LOC**\n- London", [CHARLES, ADA, LONDON]),
    "an unknown type": ('[{"text": "Charles", "label": "PERSON"}]', [("Charles", "PERSON")]),
    "an invented name": ('[{"text": "Zoe", "label": "PER"}]', [("Zoe", "PER")]),
    "a name that means none": ('[{"text": "None", "label": "PER"}, {"text": "Charles", "label": "PER"}]', [CHARLES]),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_answers_are_understood(case):
    text, expected = UNDERSTOOD[case]
    names = KnownTypes(TYPES)
    found = parse_answer(text, types=names, tokens=TOKENS)
    assert found.unparsed is None
    assert [(m.text, names.find(m.label) or m.label) for m in found.mentions] == expected


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", "", "  \n", "None", "N/A", "```json\n[]\n```", '{"entities": []}', '{"PER": [], "LOC": []}',
     "There are no named entities in this text.", "I'm sorry, but I cannot help with that.",
     "<think>Hm.</think>\nNo entities found.", " ".join(TOKENS), "Output: " + " ".join(TOKENS)],
)  # fmt: skip
def test_refusals_and_empty_lists_are_answers(text):
    found = parse_answer(text, types=TYPES, tokens=TOKENS)
    assert found.is_empty and found.unparsed is None


@pytest.mark.parametrize(
    "text",
    ["Lorem ipsum dolor sit amet", "[[[[[[", '{"', '["Ada", "Charles"]', "<think>Let me see: ", None, 7,
     "@@Charles## left", "Ada Lovelace was a person of note."],
)  # fmt: skip
def test_what_is_not_understood_has_a_reason(text):
    found = parse_answer(text, types=TYPES, tokens=TOKENS)
    assert found.unparsed and not found.mentions and not found.is_empty


def test_answers_to_one_type():
    assert parse_answer('["Ada", "Charles"]', types=TYPES, label="PER").mentions == (Named(*ADA), Named(*CHARLES))
    assert parse_answer("@@Charles## left", types=["PER"]).mentions == (Named("Charles", "PER", 0, 7),)
    assert parse_answer("[]", label="PER").is_empty
    assert parse_answer('["Ada", "Bo"]', types=["PER"]).mentions == (Named(*ADA), Named("Bo", "PER"))
    assert parse_answer('[["Ada", "PER"]]', types=["PER"]).mentions == (Named(*ADA),)


@pytest.mark.parametrize(
    ("line", "expected"),
    [("LOC: Oslo, Washington , D.C., Paris", ["Oslo", "Washington , D.C.", "Paris"]),
     ("LOC: Oslo, Paris", ["Oslo", "Paris"]),
     ("LOC: 1 - ( 1 , 2 - x ) y, Oslo", ["1 - ( 1 , 2 - x ) y", "Oslo"]),
     ("LOC: Oslo , Paris", ["Oslo", "Paris"])],
)  # fmt: skip
def test_a_comma_that_stands_in_the_text_belongs_to_a_name(line, expected):
    tokens = "Oslo and Paris or Washington , D.C. and 1 - ( 1 , 2 - x ) y".split()
    assert [named.text for named in parse_answer(line, types=TYPES, tokens=tokens).mentions] == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("LOC: Washington, D.C., Paris", ["Washington, D.C.", "Paris"]),
     ("LOC: Trinidad and Tobago", ["Trinidad", "Tobago"]),
     ("LOC: Paris, Trinidad and Tobago, Oslo", ["Paris", "Trinidad and Tobago", "Oslo"]),
     ("LOC: Paris and Oslo", ["Paris", "Oslo"]),
     ("LOC: Paris, Oslo and Rome", ["Paris", "Oslo", "Rome"]),
     ("LOC: Paris, Oslo, and Rome", ["Paris", "Oslo", "Rome"]),
     ("LOC: Paris and Oslo and Rome and Lima", ["Paris", "Oslo", "Rome", "Lima"]),
     ("LOC: Oslo & Rome", ["Oslo", "Rome"]),
     ("LOC: Oslo / Paris / Rome", ["Oslo", "Paris", "Rome"]),
     ("LOC: Oslo/Paris", ["Oslo", "Paris"]),
     ("LOC: Paris; Washington, D.C.; Oslo", ["Paris", "Washington, D.C.", "Oslo"]),
     ("LOC: Paris, Atlantis, Eldorado", ["Paris", "Atlantis", "Eldorado"]),
     ("LOC: Bed and Breakfast, Oslo", ["Bed and Breakfast", "Oslo"]),
     ('{"LOC": "Paris, Washington, D.C. and Oslo", "PER": "none"}', ["Paris", "Washington, D.C.", "Oslo"]),
     ('{"LOC": "Paris, Trinidad and Tobago", "PER": "Oslo, Rome"}', ["Paris", "Trinidad and Tobago", "Oslo", "Rome"]),
     ("| Type | Names |\n|--|--|\n| LOC | Oslo and Paris |", ["Oslo", "Paris"]),
     ("### LOC\n- Paris, Washington, D.C.", ["Paris", "Washington, D.C."]),
     ("- Paris, Oslo (LOC)", ["Paris", "Oslo"])],
)  # fmt: skip
def test_lists_are_cut_where_the_text_allows_it(answer, expected):
    tokens = "Trinidad and Tobago or Washington , D.C. or Paris or Oslo , Rome and Lima".split()
    assert [named.text for named in parse_answer(answer, types=TYPES, tokens=tokens).mentions] == expected


@pytest.mark.parametrize(
    "answer",
    ['PER = [\n  "Ada",\n  "LOC"\n]\nLOC = ["Oslo"]',
     '("entity"<|>Ada<|>PER<|>a name)##("entity"<|>LOC<|>PER<|>a name)\n("entity"<|>Oslo<|>LOC<|>a city)',
     "<Ada, PER>\n<LOC, PER>\n<Oslo, LOC>",
     '"Ada" is a PER. "LOC" is a PER, and "Oslo" is a LOC.',
     "Ada ## PER\nLOC ## PER\nOslo ## LOC",
     "- Ada :: PER\n- LOC :: PER\n- Oslo :: LOC",
     "<table><tr><th>Name</th><th>Type</th></tr><tr><td>Ada</td><td>PER</td></tr><tr><td>LOC</td><td>PER</td></tr>"
     "<tr><td>Oslo</td><td>LOC</td></tr></table>",
     '{"names": ["Ada", "LOC", "Oslo"], "types": ["PER", "PER", "LOC"]}',
     'names = ["Ada", "LOC", "Oslo"]\ntypes = ["PER", "PER", "LOC"]',
     '[{"text": "Ada", "label": {"name": "PER", "score": 0.9}}, {"mention": {"text": "LOC"}, "label": "PER"},'
     ' {"text": "Oslo", "label": "LOC"}]',
     "[Entity(span='Ada', type=Kind.PER), Entity(span='LOC', type=Kind.PER), Entity(span='Oslo', type=Kind.LOC)]",
     '[[entities]]\ntext = "Ada"\nlabel = "PER"\n[[entities]]\ntext = "LOC"\nlabel = "PER"\n'
     '[[entities]]\ntext = "Oslo"\nlabel = "LOC"',
     "name=Ada; type=PER\nname=LOC; type=PER\nname=Oslo; type=LOC",
     '<PER class="x">Ada</PER> and <PER class="x">LOC</PER> in <LOC class="x">Oslo</LOC>',
     "[PER]Ada[/PER] and [PER]LOC[/PER] in [LOC]Oslo[/LOC]",
     "[[Ada|PER]] and [[LOC|PER]] in [[Oslo|LOC]]",
     "[[Ada :: PER]] and [[LOC :: PER]] in [[Oslo :: LOC]]",
     "{Ada|PER} and {LOC|PER} in {Oslo|LOC}",
     "{{Ada}}(PER) and {{LOC}}(PER) in {{Oslo}}(LOC)",
     "[PER Ada] and [PER LOC] in [LOC Oslo]",
     '<type name="PER"><entity>Ada</entity><entity>LOC</entity></type><type name="LOC"><entity>Oslo</entity></type>',
     "PERs: Ada, LOC\nLOCs: Oslo",
     '{"PERs": ["Ada", "LOC"], "LOCs": ["Oslo"]}',
     'Draft: [["Ada", "PER"]]\n\nAnd now all: [["Ada", "PER"], ["LOC", "PER"], ["Oslo", "LOC"]]',
     json.dumps({"tool_calls": [{"type": "function", "function": {"name": "ner", "arguments": json.dumps({"items": [
         {"text": "Ada", "label": "PER"}, {"text": "LOC", "label": "PER"}, {"text": "Oslo", "label": "LOC"}]})}}]})],
)  # fmt: skip
def test_rarer_forms_are_understood_though_a_name_is_that_of_a_type(answer):
    mentions = parse_answer(answer, types=TYPES, tokens="Ada and LOC in Oslo".split()).mentions
    find = KnownTypes(TYPES).find
    assert [(named.text, find(named.label)) for named in mentions] == [("Ada", "PER"), ("LOC", "PER"), ("Oslo", "LOC")]


@pytest.mark.parametrize(
    "answer",
    ['People: ["Ada"]\nPlaces: []', '("entity"<|>Ada<|>group<|>a name)', "None of the men met ~~Ada~~PER"],
)
def test_what_is_not_understood_is_not_taken_for_an_empty_list(answer):
    assert parse_answer(answer, types=["PER", "LOC"], tokens="None of the men met Ada".split()).unparsed is not None


def test_a_given_style_is_the_only_one_tried():
    answer = '[{"text": "Charles", "label": "PER"}]'
    assert parse_answer(answer, "json", types=TYPES).style is Style.JSON
    assert parse_answer(answer, "xml", types=TYPES).unparsed


def test_a_list_keeps_the_order_of_the_text_and_types_keep_their_own():
    assert parse_answer('{"PER": ["Ada"], "LOC": ["London"]}').order is Order.TYPE
    assert parse_answer('[{"PER": "Ada"}, {"LOC": "London"}]', types=TYPES).order is Order.TEXT


# --- places -------------------------------------------------------------------------------------------

PLACED = {
    "whole tokens": ([("Charles", "PER")], [(3, 4)]),
    "several tokens": ([("New York", "LOC")], [(5, 7)]),
    "joined tokens": ([("New York's Hyde Park", "LOC")], [(5, 10)]),
    "another case": ([("new york", "LOC")], [(5, 7)]),
    "other quotes": ([("New York\u2019s", "LOC")], [(5, 8)]),
    "wide letters": ([("\uff21da Lovelace", "PER")], [(0, 2)]),
    "a full stop": ([("London.", "LOC")], [(13, 15)]),
    "in quotes": ([('"Charles"', "PER")], [(3, 4)]),
    "repeats take different places": ([("Ada", "PER"), ("Ada", "PER")], [(0, 1), (11, 12)]),
    "order tells": ([("Charles", "PER"), ("Ada", "PER")], [(3, 4), (11, 12)]),
    "a long name first": ([("Ada Lovelace", "PER"), ("Ada", "PER")], [(0, 2), (11, 12)]),
    "a name inside a name": ([("Hyde Park", "LOC"), ("Park", "LOC")], [(8, 10), (9, 10)]),
    "out of order": ([("London", "LOC"), ("Charles", "PER")], [(13, 14), (3, 4)]),
    "two types at one place": ([("Charles", "PER"), ("Charles", "ORG")], [(3, 4), (3, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("case", PLACED)
def test_mentions_are_placed(case):
    mentions, expected = PLACED[case]
    found = ground(TOKENS, mentions)
    assert [(span["start"], span["end"]) for span in found.spans] == expected
    assert not found.invented


def test_what_is_not_in_the_text_is_invented():
    found = ground(TOKENS, [("Ada", "PER"), ("Ada", "PER"), ("Ada", "PER"), ("Bo", "PER"), ("ark", "LOC")])
    assert [named.text for named in found.invented] == ["Ada", "Bo", "ark"]
    assert len(found.spans) == 2


def test_a_place_that_the_answer_leaves_open_is_ambiguous():
    assert ground(TOKENS, [("Ada", "PER")]).n_ambiguous == 1
    assert ground(TOKENS, [("Charles", "PER"), ("Ada", "PER")]).n_ambiguous == 0  # behind Charles there is one
    assert ground(TOKENS, [("London", "LOC"), ("Ada", "PER")]).n_ambiguous == 1  # this answer keeps no order
    assert not ground(TOKENS, [("London", "LOC"), ("Ada", "PER")]).in_order


def test_marks_tell_the_place():
    answer = "Ada Lovelace met Charles in New York 's Hyde Park . <PER>Ada</PER> left London ."
    found = ground(TOKENS, parse_answer(answer, types=TYPES, tokens=TOKENS))
    assert found.spans == [{"start": 11, "end": 12, "label": "PER"}] and found.n_ambiguous == 0


@pytest.mark.parametrize(
    "answer",
    ["with [Disease: coronary [Disease: disease]] and [Chemical: 5 - { 2 - [ 4 ] x } , one]",
     "with [coronary [disease: Disease]: Disease] and [5 - { 2 - [ 4 ] x } , one: Chemical]",
     "with [coronary [disease/Disease]/Disease] and [5 - { 2 - [ 4 ] x } , one/Chemical]"],
)  # fmt: skip
def test_brackets_may_hold_brackets_and_words_that_name_types(answer):
    tokens = "with coronary disease and 5 - { 2 - [ 4 ] x } , one".split()
    found = ground(tokens, parse_answer(answer, types=["Disease", "Chemical"], tokens=tokens))
    assert [(span["start"], span["end"], span["label"]) for span in found.spans] == [
        (1, 3, "Disease"), (2, 3, "Disease"), (4, 16, "Chemical"),
    ]  # fmt: skip


@pytest.mark.parametrize("answer", ["<LOC>Rome</LOC>\n<LOC>Rome B</LOC>", "[Rome](LOC)\n[Rome B](LOC)"])
def test_marks_in_a_list_tell_no_place(answer):
    """The first name of a list is also the first word of the text, and means another place of it."""
    spans = [[(0, 2, "LOC"), (3, 4, "LOC")], [(0, 1, "LOC"), (1, 2, "LOC")]]
    gold = Corpus.of(["Rome B and Rome".split(), ["Oslo", "Ulm"]], entities=spans)
    in_no_order = '{"LOC": ["Ulm", "Oslo"]}'
    score = exact_f1(gold, read_answers([answer, in_no_order], gold))
    assert (score.n_ambiguous, score.f1_highest) == (1, 1.0)


def test_a_name_in_brackets_may_begin_with_an_apostrophe():
    tokens = "from Chang 'an to Oslo".split()
    found = ground(tokens, parse_answer("from [Chang ['an/LOC]/LOC] to [Oslo/LOC]", types=TYPES, tokens=tokens))
    assert [(span["start"], span["end"]) for span in found.spans] == [(1, 3), (2, 3), (4, 5)]


def test_offsets_that_agree_with_the_text_tell_the_place():
    def place(start, end):
        return ground(TOKENS, Answer((Named("Ada", "PER", start, end),))).spans[0]["start"]

    text = " ".join(TOKENS)
    assert place(11, 12) == 11  # tokens
    assert place(text.rindex("Ada"), text.rindex("Ada") + 3) == 11  # characters
    assert place(7, 10) == 0  # neither: the offsets are wrong


def test_fuzzy_places_are_taken_if_asked_for():
    assert ground(TOKENS, [("Ada Lovelaze", "PER")]).n_invented == 1
    assert ground(TOKENS, [("Ada Lovelaze", "PER")], fuzzy=True).spans[0]["end"] == 2


def test_texts_have_character_offsets():
    assert ground("Met in \u6771\u4eac\u90fd today", [("\u6771\u4eac", "LOC")]).spans[0]["start"] == 7
    assert ground("\u0627\u0644\u0642\u0627\u0647\u0631\u0629 \U0001f600 Ada", [("Ada", "PER")]).spans[0]["start"] == 10


def test_normalised_texts():
    assert normalised("\u201cAda\u2014Bo\u201d") == normalised('"ada-bo"')
    assert normalised("-LRB-") == "("


# --- round trips and bounds -----------------------------------------------------------------------------

words = st.sampled_from(["Ada", "Bo", "met", "in", "New", "York", "the", ",", "can't"])


@st.composite
def samples(draw):
    """Tokens with flat mentions in the order of the text."""
    tokens = draw(st.lists(words, min_size=1, max_size=14))
    spans, at = [], 0
    while at < len(tokens):
        size = draw(st.integers(1, 3))
        if draw(st.booleans()) and at + size <= len(tokens):
            spans.append((at, at + size, draw(st.sampled_from(["PER", "LOC"]))))
        at += size
    return tokens, spans


def named(tokens, spans):
    return [(" ".join(tokens[start:end]), label) for start, end, label in spans]


def bounds(groups, gold, placed):
    """How many mentions can be right over the open places, from the least to the most."""
    low = high = len(gold & placed)
    for group in groups:
        there = {(p.start, p.end, group.label) for p in group.places} & gold
        right = min(len(there & placed), group.n)
        low += max(0, group.n + len(there) - len(group.places)) - right
        high += min(group.n, len(there)) - right
    return low, high


@given(samples(), st.randoms())
def test_what_is_true_lies_within_the_bounds_whatever_the_order(sample, rng):
    tokens, spans = sample
    shuffled = list(spans)
    rng.shuffle(shuffled)
    found = ground(tokens, named(tokens, shuffled))
    placed = {(s["start"], s["end"], s["label"]) for s in found.spans}
    assert not found.invented and len(found.spans) == len(spans)
    low, high = bounds(found.by_name, set(spans), placed)
    assert low <= len(set(spans) & placed) <= high and high == len(spans)


def test_no_mention_is_lost_where_types_share_a_name():
    """Three mentions of one name, of two types, and a longer name that the answer says before or after them."""
    tokens = ["Ada", "Bo", *["Ada"] * 6]
    spans = [(0, 2, "PER"), (2, 3, "PER"), (3, 4, "PER"), (5, 6, "LOC")]
    for order in permutations(spans):
        found = ground(tokens, named(tokens, list(order)))
        assert len(found.spans) == 4 and not found.invented, order


@given(samples(), st.sampled_from(["json", "pairs", "xml", "links", "tags"]))
def test_marks_and_lists_come_back(sample, form):
    tokens, spans = sample
    texts = named(tokens, spans)
    opening, closing = {s: label for s, _, label in spans}, {e: label for _, e, label in spans}
    signs = {"xml": ("<{}>", "</{}>"), "links": ("[", "]({})")}.get(form)
    if signs:
        text = " ".join(
            (signs[0].format(opening[i]) if i in opening else "") + token
            + (signs[1].format(closing[i + 1]) if i + 1 in closing else "")
            for i, token in enumerate(tokens)
        )  # fmt: skip
    elif form == "tags":
        tags = ["O"] * len(tokens)
        for start, end, label in spans:
            tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
        text = "\n".join(f"{token}\t{tag}" for token, tag in zip(tokens, tags, strict=True))
    else:
        text = json.dumps([{"text": t, "label": y} for t, y in texts]) if form == "json" else repr(texts)
    answer = parse_answer(text, types=["PER", "LOC"], tokens=tokens)
    assert answer.unparsed is None
    found = ground(tokens, answer)
    assert not found.invented and found.in_order
    if form in ("xml", "links", "tags"):
        assert [(s["start"], s["end"], s["label"]) for s in found.spans] == spans


# --- the short way and the long one ---------------------------------------------------------------------

ODD_NAMES = [
    "Ada", "Bo", "New York", "new york", "O", "PER", "per", "B-PER", "L-DOPA", "None", "no", "-", "", " ",
    "Oslo, Norway", "Bo; Ada", "a|b", "[1]", ": x]", "final answer: Bo", 'the "Big"', "**Bo**", "Zoe", "Bo and Ada",
    "can't", "Ada,", "N/A", "Peter", "Mac", "<b>Bo</b>", "\u0141\u00f3d\u017a", "text", "label",
]  # fmt: skip
USUAL_NAMES = ["Ada", "Bo", "New York", "Zoe", "Peter", "Oslo, Norway", "can't", "Bo Ada", "\u0141\u00f3d\u017a"]
ODD_TYPES = ["PER", "per", "LOC", "B-PER", "O", "MISC", "text"]
KEYS = [("text", "label"), ("type", "name"), ("entity", "type"), ("word", "entity"), ("a", "b")]


@st.composite
def listed_answers(draw):
    """Answers of usual shapes, with names and types that are easily misread."""
    pools = [(ODD_NAMES, ODD_TYPES), (USUAL_NAMES, ["PER", "LOC"]), (USUAL_NAMES, ["per"])]
    names, types = draw(st.sampled_from(pools))
    pairs = draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(types)), min_size=1, max_size=4))
    key, other = draw(st.sampled_from(KEYS))
    by_type = {}
    for name, label in pairs:
        by_type.setdefault(label, []).append(name)
    value = draw(
        st.sampled_from([
            [{key: name, other: label} for name, label in pairs],
            [{other: label, key: name} for name, label in pairs],
            [{label: name} for name, label in pairs],
            [list(pair) for pair in pairs],
            by_type,
        ])
    )  # fmt: skip
    wrapper = draw(st.sampled_from([None, "entities", "extractions", "PER", "words"]))
    text = json.dumps(value if wrapper is None else {wrapper: value}, ensure_ascii=draw(st.booleans()))
    return draw(st.sampled_from(["{}", "```json\n{}\n```", "Sure:\n```\n{}\n```\nFinal answer: none.", " {} "])).format(
        text
    )


def slowly(monkeypatch):
    """Leave all answers to the long way."""
    monkeypatch.setattr("cleancut.core.answers.plain_answer", lambda *_: None)
    monkeypatch.setattr("cleancut.core.grounding.only_places", lambda *_: None)


words_of_names = [st.sampled_from(" ".join(pool).split()) for pool in (ODD_NAMES, USUAL_NAMES)]
texts = st.one_of(st.lists(words_of_names[0], max_size=12), st.lists(words_of_names[1], min_size=6, max_size=12))


@given(listed_answers(), texts, st.booleans())
def test_the_short_way_says_what_the_long_one_says(text, tokens, as_text):
    tokens = " ".join(tokens) if as_text else tokens
    answer = parse_answer(text, types=["PER", "LOC"], tokens=tokens)
    found = ground(tokens, answer)
    with pytest.MonkeyPatch.context() as monkeypatch:
        slowly(monkeypatch)
        assert parse_answer(text, types=["PER", "LOC"], tokens=tokens) == answer
        assert ground(tokens, answer) == found


@given(samples(), st.data())
def test_all_answers_are_placed_alike_by_both_ways(sample, data):
    tokens, spans = sample
    mentions = data.draw(st.permutations(named(tokens, spans))) if data.draw(st.booleans()) else named(tokens, spans)
    found = ground(tokens, mentions)
    with pytest.MonkeyPatch.context() as monkeypatch:
        slowly(monkeypatch)
        assert ground(tokens, mentions) == found


@given(st.lists(st.sampled_from(["a", "b", "ab", "aba", "", "b a", "A"]), max_size=10), st.text("ab ", max_size=5))
def test_a_name_stands_wherever_whole_tokens_have_its_letters(tokens, name):
    key = "".join(name.split())
    there = []
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            words = ["".join(token.split()) for token in tokens[start:end]]
            if key and words[0] and words[-1] and "".join(words) == key:
                there.append((start, end))
    assert SampleText(tokens).places({name: 0}, False)[name] == there


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["[" * 200_000, '{"' * 100_000, "<a>" * 70_000, '["[", ' * 40_000 + "}", "x(" * 90_000]
)
def test_nonsense_is_not_understood_and_takes_no_more_than_its_length(text):
    assert parse_answer(text, types=TYPES, tokens=TOKENS).unparsed


NONSENSE = [
    ("", "**", ""), ("[", "\n", ""), ("[", " ", ""), ("PER: Ada", " ", "Bo"), ("[Ada", " ", "| PER] x"),
    ("", "PER: Ada and ", ""), ("", ", \n", ""), ("", "<|PER|>", ""), ("", "e: Ada; t: PER\n", ""),
    ("", "1. Ada | True | PER | x\n", ""), ("", "@@", ""), ("", "((", ""), ("", "`", ""), ("", "[PER: ", ""),
    ("", "Ada]_PER ", ""), ("", "\\PER{", ""), ("", 'PER = ["Ada"]\n', ""), ("", "a | b<br>", ""),
    ("", '{"PER": {"PER": ', ""), ("", "\u2705 ", ""), (" ".join(TOKENS), "[PER: ", "]"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("before", "again", "behind"), NONSENSE)
def test_the_time_for_nonsense_grows_as_its_length_does(before, again, behind):
    """Eight times the length takes 64 times as long where something is compared with everything behind it."""
    times = []
    for length in (15_000, 120_000):
        began = process_time()
        parse_answer(before + again * (length // len(again)) + behind, types=TYPES, tokens=TOKENS)
        times.append(process_time() - began)
    assert times[1] < 24 * times[0] + 0.5


def test_thousands_of_mentions():
    rng = random.Random(3)
    tokens = [f"n{rng.randrange(50)}" for _ in range(2000)]
    spans = [(i, i + 1, "PER") for i in range(2000)]
    found = ground(tokens, [*named(tokens, spans), ("n1", "PER")])
    assert [(s["start"], s["end"], s["label"]) for s in found.spans] == spans and found.n_invented == 1


@pytest.mark.parametrize(
    "answer",
    ['{"name": "ner", "arguments": "{\\"items\\": [{\\"text\\": \\"Ada\\", \\"label\\": \\"PER\\"}, {\\"text\\": \\"L',
     "| Name | Type |\n|---|---|\n| Ada | PER |\n| London | L"],
)  # fmt: skip
def test_what_the_end_of_an_answer_cuts_off_is_left_out(answer):
    found = parse_answer(answer, types=TYPES, tokens=TOKENS)
    assert found.mentions == (Named(*ADA),) and found.is_cut


@pytest.mark.parametrize("answer", ['{"name": "extract", "arguments": "', "| Name | Type |\n|---|---|\n| Ada | P"])
def test_an_answer_that_is_cut_before_its_first_mention_is_not_understood(answer):
    assert parse_answer(answer, types=TYPES, tokens=TOKENS).unparsed is not None


def test_broken_json_is_read_as_far_as_it_is_sure():
    assert values_in("x [1, 'a b', {k: v, \"w\": [true, None,],}] y")[0].value == [
        1, "a b", [("k", "v"), ("w", [True, None])],
    ]  # fmt: skip
    assert values_in('["\\u00e9\\ud83d\\ude00\\n"]')[0].value == ["\u00e9\U0001f600\n"]


@pytest.mark.parametrize("answer", ["PER: None\nLOC: none", "### PER\n- None", '{"PER": ["None"], "LOC": []}'])
def test_none_is_no_mention_though_it_is_a_word_of_the_sample(answer):
    assert parse_answer(answer, types=["PER", "LOC"], tokens="None of them spoke .".split()).is_empty


def test_numbers_are_tokens_where_nothing_else_is():
    assert parse_answer("1 O\n2 B-LOC", types=["LOC"], tokens=["1", "2"]).mentions[0].text == "2"


def test_a_token_with_its_tag_does_not_announce_the_answer():
    tags = "Ada: B-PER\nread: O\nthe: O\noutput: O\nof: O\nBo: B-PER"
    names = parse_answer(tags, types=["PER"], tokens="Ada read the output of Bo".split()).mentions
    assert [mention.text for mention in names] == ["Ada", "Bo"]


def test_items_that_are_not_understood_are_counted_beside_those_that_are(caplog):
    gold = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-PER", "O", "B-PER"]])
    score = exact_f1(gold, read_answers(['[["Ada", "PER"], 17, {"a": 3}]'], gold))
    assert (score.n_pred, score.n_unparsed) == (1, 0)
    assert "2 items of other answers were not understood" in caplog.text


@pytest.mark.parametrize("tag", ["B-PER|I-LOC", "B-PER to|I-LOC", "B-PER/I-LOC", "B-PER,I-LOC", "B-"])
def test_a_label_that_holds_several_tags_is_no_error(tag):
    assert KnownTypes(["PER"]).find(tag) is None
    assert parse_answer(f"Ada -> {tag}; Bo ({tag})", types=["PER"], tokens=["Ada", "met", "Bo"]) is not None


def test_offsets_of_tags_count_tokens():
    """Offsets without names count characters where all begin and end at words; tags know their tokens."""
    tokens = "I met Ada".split()
    assert ground(tokens, parse_answer("O O B-PER", types=["PER"], tokens=tokens)).spans == [
        {"start": 2, "end": 3, "label": "PER"}
    ]
    for said, expected in (
        ('[{"start": 6, "end": 9, "label": "PER"}]', (2, 3)),
        ("[[1, 3, 'PER']]", (1, 3)),
    ):
        span = ground(tokens, parse_answer(said, types=["PER"], tokens=tokens)).spans[0]
        assert (span["start"], span["end"]) == expected
