"""Two hundred answers that are hard to read, each with what must be counted: right, invented, ambiguous, understood."""

from __future__ import annotations

import json
from itertools import product
from typing import NamedTuple

import pytest

from cleancut import Corpus, exact_f1, read_answers

# --- forms and what stands around them -----------------------------------------------------------------

TEXT = "Ada Lovelace met Ada in New York , near York . It rained ."
PLAIN = Corpus.of(
    [TEXT.split()],
    entities=[[(0, 2, "PER"), (3, 4, "PER"), (5, 7, "LOC"), (9, 10, "LOC")]],
    ids=["a"],
)
NAMES = [("Ada Lovelace", "PER"), ("Ada", "PER"), ("New York", "LOC"), ("York", "LOC")]
MARKED = "{0} met {1} in {2} , near {3} . It rained ."
TAGS = "B-PER I-PER O B-PER O B-LOC I-LOC O O B-LOC O O O O".split()
TAGGED = [*zip(TEXT.split(), TAGS, strict=True)]

FORMS = {
    "objects": json.dumps([{"extracted_text": name, "entityType": label} for name, label in NAMES]),
    "value before type": json.dumps({"ner_results": [{"Category": label, "Value": name} for name, label in NAMES]}),
    "Python": repr([{"mention": name, "class": label.lower()} for name, label in NAMES]),
    "a trailing comma": "[" + "".join(f"{{'span': '{name}', 'tag': '{label}',}}," for name, label in NAMES) + "]",
    "an object a line": "\n".join(json.dumps({"phrase": name, "kind": label}) for name, label in NAMES),
    "pairs": repr(NAMES),
    "pairs, turned": json.dumps([[label, name] for name, label in NAMES]),
    "tuples on lines": "\n".join(map(str, NAMES)),
    "calls": "[" + ", ".join(f"{label.title()}(span={name!r})" for name, label in NAMES) + "]",
    "a table": "| # | Named Entity | Type | Why |\n|--|:-:|--|--|\n"
    + "\n".join(f"| {i} | {name} | {label} | so |" for i, (name, label) in enumerate(NAMES)),
    "bold bullets": "\n".join(f"* **{name}** \u2014 {label}" for name, label in NAMES),
    "numbers": "\n".join(f'{i}) "{name}" ({label})' for i, (name, label) in enumerate(NAMES, 1)),
    "elements": MARKED.format(*(f"<{label.lower()}>{name}</{label.lower()}>" for name, label in NAMES)),
    "links": MARKED.format(*(f"[{name}]({label})" for name, label in NAMES)),
    "brackets behind brackets": MARKED.format(*(f"[{name}][{label}]" for name, label in NAMES)),
    "colons in brackets": MARKED.format(*(f"[{name}: {label}]" for name, label in NAMES)),
    "bold names in the text": MARKED.format(*(f"**{name}** ({label})" for name, label in NAMES)),
    "types in brackets": "\n".join(f"\u2022 [{label}] {name}" for name, label in NAMES),
    "tuples without quotes": "\n".join(f"({name}; {label})" for name, label in NAMES),
    "entities that are counted": "\n".join(f"Entity {i}: {name} ({label})" for i, (name, label) in enumerate(NAMES)),
    "a type below its name": "\n".join(f"1. **{name}**\n   - Type: {label}" for name, label in NAMES),
    "names in quotes in prose": "They are " + ", ".join(f'"{name}" ({label})' for name, label in NAMES) + ", I think.",
    "tokens of names": json.dumps([{"tokens": name.split(), "label": label} for name, label in NAMES]),
    "lists by and": "PER: Ada Lovelace and Ada\nLOC: New York, and York",
    "other colons": "PER\uff1aAda Lovelace\uff0cAda\nLOC\uff1aNew York\u3001York",
    "brat": "T1\tPER 0 12\tAda Lovelace\nT2\tPER 17 20\tAda\nT3\tLOC 24 32\tNew York\nT4\tLOC 40 44\tYork",
    "OpenNLP": MARKED.format(*(f"<START:{label}> {name} <END>" for name, label in NAMES)),
    "types in angles": MARKED.format(*(f"<{label}: {name}>" for name, label in NAMES)),
    "tokens with underscores": " ".join(f"{token}_{tag}" for token, tag in TAGGED),
    "tokens with types": " ".join(f"{token}/{tag.removeprefix('B-').removeprefix('I-')}" for token, tag in TAGGED),
    "tags of names alone": " ".join(token if tag == "O" else f"{token}/{tag}" for token, tag in TAGGED),
    "tags behind commas": "\n".join(f"{token},{tag}" for token, tag in TAGGED),
    "tags behind dashes": "\n".join(f"{i}. {token} - {tag}" for i, (token, tag) in enumerate(TAGGED, 1)),
    "an object for each token": json.dumps([{token: tag} for token, tag in TAGGED]),
    "wide brackets": "\n".join(f"- {name}\uff08{label}\uff09" for name, label in NAMES),
    "wide semicolons": "PER\uff1aAda Lovelace\uff1bAda\nLOC\uff1aNew York\uff1bYork",
    "tags in brackets": " ".join(f"{token} ({tag})" for token, tag in TAGGED),
    "candidates judged": "\n".join(
        f"{i}. {name} | True | as it is a name ({label})" for i, (name, label) in enumerate(NAMES, 1)
    ) + "\n5. It | False | as it is a pronoun",
    "types before names in brackets": ", ".join(f"({label}: {name})" for name, label in NAMES),
    "sentences on one line": " ".join(f'"{name}" is a {label}.' for name, label in NAMES),
    "sentences of bullets": "\n".join(f'- "{name}" is classified as {label}.' for name, label in NAMES),
    "candidates judged in columns": "\n".join(
        f"{i}. {name} | True | {label} | is a {label} in the text" for i, (name, label) in enumerate(NAMES, 1)
    ) + "\n5. It | False | ==NONE== | is a pronoun",
    "words with tags": json.dumps(
        [{"entity": tag, "index": i, "word": token} for i, (token, tag) in enumerate(TAGGED) if tag != "O"]
    ),
    "parts of words with tags": json.dumps([
        {"word": word, "entity": tag}
        for token, tag in TAGGED if tag != "O"
        for word, tag in ((token[:2], tag), (f"##{token[2:]}", f"I{tag[1:]}")) if word != "##"
    ]),
    "bars between names": "PER: Ada Lovelace | Ada\nLOC: New York | York",
    "breaks in cells": "| Type | Entities |\n|---|---|\n| PER | Ada Lovelace<br>Ada |\n| LOC | New York<br/>York |",
    "types on one line": "PER: Ada Lovelace, Ada; LOC: New York, York",
    "elements with several names": "<PER>Ada Lovelace, Ada</PER>\n<LOC>New York, York</LOC>",
    "check marks": "\n".join(f"\u2705 {name} \u2013 {label}" for name, label in NAMES),
    "numbers as keys": json.dumps({str(i): name for i, name in enumerate(NAMES, 1)}),
    "German keys": "\n".join(f"- Entit\u00e4t: {name}; Typ: {label}" for name, label in NAMES),
    "Chinese keys": "\n".join(f"\u5b9e\u4f53\uff1a{name}\uff0c\u7c7b\u578b\uff1a{label}" for name, label in NAMES),
    "a text for each type":
        f"PER: {MARKED.format('@@Ada Lovelace##', '@@Ada##', 'New York', 'York')}\n"
        f"LOC: {MARKED.format('Ada Lovelace', 'Ada', '@@New York##', '@@York##')}",
    "elements of types":
        "<PER><item>Ada Lovelace</item><item>Ada</item></PER>\n<LOC><item>New York</item><item>York</item></LOC>",
    "types above indented names":
        "- Entities\n  - PER\n    - Ada Lovelace\n    - Ada\n  - LOC\n    - New York\n    - York",
}  # fmt: skip

SIGNS = [
    "**{1}: {0}**", "`{0}` ({1})", "\u00ab{0}\u00bb ({1})", "__{0}__ [{1}]", "[{0}]_{1}", "[{0}]_{{{1}}}",
    "[{0}]<sub>{1}</sub>", "[{0} - {1}]", "[{0}, {1}]", "<{0}|{1}>", "(({0}|{1}))", "\u3010{0}\u3011\uff08{1}\uff09",
    "\u3010{1}\uff1a{0}\u3011", "\\{1}{{{0}}}", "<{1}>{0}</>", "<|{1}|>{0}<|/{1}|>", "##{1}##{0}##/{1}##",
    "[B-{1}] {0} [E-{1}]", "{{{1}: {0}}}",
]  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("text", ["{0}", "Sure, here is the text:\n\n{0}\n\nAnything else?", "```\n{0}\n```"])
def test_any_signs_mark_names_in_the_text(sign, text):
    answer = text.format(MARKED.format(*(sign.format(name, label) for name, label in NAMES)))
    score = exact_f1(PLAIN, read_answers([answer], PLAIN))
    assert (score.n_exact, score.n_pred, score.n_unparsed) == (4, 4, 0)


@pytest.mark.parametrize(
    "sign", ["[{0}]_{1}", "[{0} - {1}]", "[{1} - {0}]", "\\{1}{{{0}}}", "{{{0}|{1}}}", "<{1}>{0}</>"]
)
def test_the_text_may_have_such_signs_itself(sign):
    tokens = "In [ { 1 } ] for p < 0.1 and q > 2 : [ 4 - { Ada } ] met Bo [".split()
    gold = Corpus.of([tokens], entities=[[(15, 22, "PER"), (23, 24, "PER")]])
    marked = sign.format(" ".join(tokens[15:22]), "PER"), "met", sign.format("Bo", "PER")
    words = [*tokens[:15], *marked, "["]
    score = exact_f1(gold, read_answers([" ".join(words)], gold))
    assert (score.n_exact, score.n_pred, score.n_unparsed) == (2, 2, 0)


def test_mentions_below_the_mention_that_they_lie_in_are_read():
    gold = Corpus.of(["the New York Times".split()], entities=[[(1, 4, "ORG"), (1, 3, "LOC")]])
    inner = {"text": "New York", "label": "LOC"}
    for key, n in (("nested", 2), ("children", 2), ("alternatives", 1)):
        answer = json.dumps([{"text": "New York Times", "label": "ORG", key: [inner]}])
        score = exact_f1(gold, read_answers([answer], gold))
        assert (score.n_exact, score.n_pred) == (n, n)


@pytest.mark.parametrize("answer", ['[{"text": 1999, "label": "DATE"}]', '{"DATE": [1999]}'])
def test_a_name_may_be_a_number(answer):
    gold = Corpus.of(["In 1999".split()], entities=[[(1, 2, "DATE")]])
    score = exact_f1(gold, read_answers([answer], gold))
    assert (score.f1, score.n_pred) == (1.0, 1)


def test_a_word_of_the_prose_is_no_mention_though_it_has_a_type():
    gold = Corpus.of(["We met Ada".split()], entities=[[(2, 3, "PER")]])
    score = exact_f1(gold, read_answers(["We met Ada[B-PER]"], gold))
    assert (score.f1, score.n_invented) == (1.0, 0)


AROUND = {
    "alone": "{}",
    "prose": "Sure! Here are the entities:\n\n{}\n\nLet me know if you need anything else.",
    "braces in the prose": "The format {{text, label}} is kept (see [1]):\n\n{}",
    "a fence": "```\n{}\n```",
    "a fence with a language": "Here you go:\n```json\n{}\n```\nDone.",
    "thinking": '<think>Is [("It", "LOC")] a place? {{"PER": ["rained"]}}</think>\n{}',
    "a final channel": "<|channel|>analysis<|message|>[It](LOC)<|end|><|channel|>final<|message|>{}",
    "an answer tag": "Well.\n<answer>\n{}\n</answer>",
}


@pytest.mark.parametrize(("form", "around"), [*product(FORMS, AROUND)])
def test_a_form_is_read_whatever_stands_around_it(form, around):
    answer = AROUND[around].format(FORMS[form])
    score = exact_f1(PLAIN, read_answers([answer], PLAIN))
    assert (score.n_exact, score.n_pred, score.n_invented, score.n_unparsed) == (4, 4, 0, 0)


@pytest.mark.parametrize("label", ["None", "N/A", "not an entity", "O"])
def test_words_that_are_said_to_be_no_mention_are_none(label):
    names = [*NAMES, ("rained", label)]
    answer = json.dumps([{"text": name, "label": of_name} for name, of_name in names])
    score = exact_f1(PLAIN, read_answers([answer], PLAIN))
    assert (score.n_exact, score.n_pred, score.n_unparsed) == (4, 4, 0)


def test_names_of_two_types_that_are_alike_in_part_are_no_correction():
    gold = Corpus.of(
        ["@ ada saw @ bo".split()], entities=[[(0, 1, "PER"), (1, 2, "PER"), (3, 4, "LOC"), (4, 5, "LOC")]]
    )
    answer = '```json\n{"PER": ["@", "ada"]}\n```\n```json\n{"LOC": ["@", "bo"]}\n```'
    score = exact_f1(gold, read_answers([answer], gold))
    assert (score.n_pred, score.f1_highest) == (4, 1.0)


@pytest.mark.parametrize(
    "answer",
    [
        "PER:\nLOC:",
        "| Type | Names |\n|---|---|\n| PER | None |\n| LOC | None |",
        "1. It | False | ==NONE== | is a pronoun",
        json.dumps({"annotated_text": TEXT}),
        f"PER: {TEXT}\nLOC: {TEXT}",
        '[]\n\nExample: {"text": "Foo", "label": "BAR"} was not there.',
        '<?xml version="1.0"?>\n<entities></entities>',
        '{"PER": "-", "LOC": "-"}',
    ],
)
def test_answers_without_mentions_are_empty(answer):
    score = exact_f1(PLAIN, read_answers([answer], PLAIN))
    assert (score.n_empty, score.n_pred, score.n_unparsed) == (1, 0, 0)


def test_a_candidate_that_is_refused_does_not_hide_lines_that_are_not_understood():
    score = exact_f1(PLAIN, read_answers(["- Ada ~~ a person\n- It | False | a pronoun"], PLAIN))
    assert (score.n_empty, score.n_unparsed) == (0, 1)


def test_tags_of_pipes_and_backslashes_are_read():
    tokens = ["f", "(", "x", "|", "\\", "theta", ")", "by", "Ada", "Lovelace"]
    tags = ["O"] * 8 + ["B-PER", "I-PER"]
    gold = Corpus.of([tokens], tags=[tags])
    pairs = [*zip(tokens, tags, strict=True)]
    table = "| Token | Tag |\n|---|---|\n" + "\n".join(f"| {token} | {tag} |" for token, tag in pairs)
    for answer in (repr(pairs), table):
        score = exact_f1(gold, read_answers([answer], gold))
        assert (score.f1, score.n_pred, score.n_unparsed) == (1.0, 1, 0)


@pytest.mark.parametrize("brackets", ["{0} ({1})", "{0} [{1}]"])
def test_types_behind_words_of_the_text_do_not_tell_where_names_begin(brackets):
    answer = MARKED.format(*(brackets.format(name, label) for name, label in NAMES))
    score = exact_f1(PLAIN, read_answers([answer], PLAIN))
    assert (score.n_unparsed, score.n_pred) == (1, 0)


# --- a text with traps ---------------------------------------------------------------------------------

TRAPS = (
    "Ada Lovelace met Ada in New York , near York . \U0001f642 \u0627\u0644\u0642\u0627\u0647\u0631\u0629 "
    '( O\'Neil & Co. ) said : " NO " to C# [ here ] ( http://x.y ) | 1,000 < 2 & Ada .'
).split()
GOLD = Corpus.of(
    [TRAPS],
    entities=[[
        (0, 2, "PER"), (3, 4, "PER"), (5, 7, "LOC"), (9, 10, "LOC"), (12, 13, "LOC"), (14, 17, "ORG"),
        (21, 22, "work-of-art"), (24, 25, "work-of-art"), (36, 37, "PER"),
    ]],
)  # fmt: skip
CAIRO = "\u0627\u0644\u0642\u0627\u0647\u0631\u0629"


class Counts(NamedTuple):
    """What is counted of an answer; wrong is what stands in the text and is no gold mention."""

    right: int = 0
    wrong: int = 0
    invented: int = 0
    ambiguous: int = 0
    is_unparsed: bool = False
    is_empty: bool = False


UNPARSED, EMPTY = Counts(is_unparsed=True), Counts(is_empty=True)
CASES = {
    # what is not understood
    "nothing": (None, UNPARSED),
    "a number": (7, UNPARSED),
    "prose": ("Ada Lovelace was a mathematician of note who lived in England.", UNPARSED),
    "prose with a type": ("I believe that the PER here is rather well known.", UNPARSED),
    "thinking that never ends": ("<think>There is Ada (PER), and", UNPARSED),
    "an open bracket": ("[", UNPARSED),
    "an open object": ('{"text": "Ad', UNPARSED),
    "brackets alone": ("[[[[[[[[[[", UNPARSED),
    "names without types": ('["Ada", "New York"]', UNPARSED),
    "a list of numbers": ("[1, 2, 3]", UNPARSED),
    "nonsense": ("qwertz " * 2000, UNPARSED),
    "megabytes of brackets": ("[{(" * 100_000, UNPARSED),
    "markers without a type": ("@@Ada## left", UNPARSED),
    "a table of other things": ("| a | b |\n|---|---|\n| 1 | 2 |", UNPARSED),
    "an end before the first mention": ('{"PER": ["Ada Love', UNPARSED),
    # what names no mention
    "an empty text": ("", EMPTY),
    "an empty list": ("[]", EMPTY),
    "an empty object": ("{}", EMPTY),
    "an empty fence": ("```json\n[]\n```", EMPTY),
    "null": ("null", EMPTY),
    "types without names": ('{"PER": [], "LOC": [], "ORG": null}', EMPTY),
    "types without names in prose": ('Sure:\n\n{"PER": [], "LOC": []}\n\nThat is all.', EMPTY),
    "a wrapped empty list": ('{"sentence": "It rained.", "named_entities": []}', EMPTY),
    "a sentence": ("There are no named entities in this text.", EMPTY),
    "a refusal": ("I'm sorry, but I can't help with that.", EMPTY),
    "a refusal in Spanish": ("Lo siento, pero no puedo ayudar con eso.", EMPTY),
    "a refusal in Japanese": ("\u304a\u624b\u4f1d\u3044\u306f\u3042\u308a\u307e\u305b\u3093\u3002", EMPTY),
    "nothing in German": ("Es wurden keine Entit\u00e4ten gefunden.", EMPTY),
    "nothing in Chinese": ("\u6587\u672c\u4e2d\u6ca1\u6709\u5b9e\u4f53\u3002", EMPTY),
    "a dash": ("\u2014", EMPTY),
    "a table without rows": ("| Entity | Type |\n|---|---|", EMPTY),
    "none under each type": ("PER: none\nLOC: none", EMPTY),
    "the text again": (" ".join(TRAPS), EMPTY),
    "the text behind a title": ("Annotated sentence:\n" + " ".join(TRAPS), EMPTY),
    "the text in an element": ("<output>" + " ".join(TRAPS) + "</output>", EMPTY),
    # places
    "one of three": ('[["Ada", "PER"]]', Counts(0, 1, 0, 1)),
    "a name after a longer one": ('[["Ada Lovelace", "PER"], ["Ada", "PER"]]', Counts(2, 0, 0, 1)),
    "three of three": ('[["Ada Lovelace", "PER"], ["Ada", "PER"], ["Ada", "PER"]]', Counts(3, 0, 0, 0)),
    "more than there are": (json.dumps([["Ada", "PER"]] * 5), Counts(2, 1, 2, 0)),
    "a name inside a name": ('[["New York", "LOC"], ["York", "LOC"]]', Counts(2, 0, 0, 0)),
    "offsets of tokens": ('[{"text": "Ada", "label": "PER", "start": 36, "end": 37}]', Counts(1, 0, 0, 0)),
    "offsets of characters": ('[{"text": "Ada", "label": "PER", "start": 17, "end": 20}]', Counts(1, 0, 0, 0)),
    "offsets with a space": ('[{"text": "Ada", "label": "PER", "start": 16, "end": 21}]', Counts(1, 0, 0, 0)),
    "offsets that are wrong": ('[{"text": "New York", "label": "LOC", "start": 90, "end": 98}]', Counts(1, 0, 0, 0)),
    "offsets beyond the text": ('[{"text": "New York", "label": "LOC", "start": 9, "end": 1e9}]', Counts(1, 0, 0, 0)),
    "offsets out of order": (
        '[{"text": "York", "label": "LOC", "start": 9, "end": 10}, '
        '{"text": "Ada", "label": "PER", "start": 3, "end": 4}]',
        Counts(2, 0, 0, 0),
    ),
    "out of order": ('[["York", "LOC"], ["Ada Lovelace", "PER"]]', Counts(1, 1, 0, 1)),
    "a mark at the second place": (
        " ".join(TRAPS).replace("met Ada", "met <PER>Ada</PER>"), Counts(1, 0, 0, 0)
    ),
    # spelling
    "lower case": ('[["new york", "LOC"]]', Counts(1, 0, 0, 0)),
    "white space": ('[["New  York", "LOC"]]', Counts(1, 0, 0, 0)),
    "a full stop": ('[["New York.", "LOC"]]', Counts(1, 0, 0, 0)),
    "wide letters": ('[["\uff2eew York", "LOC"]]', Counts(1, 0, 0, 0)),
    "a curly apostrophe": ('[["O\u2019Neil & Co.", "ORG"]]', Counts(1, 0, 0, 0)),
    "an HTML entity": ('[["O\'Neil &amp; Co.", "ORG"]]', Counts(1, 0, 0, 0)),
    "an escaped apostrophe": ("[['O\\'Neil & Co.', 'ORG']]", Counts(1, 0, 0, 0)),
    "an apostrophe that is not escaped": ("[['O'Neil & Co.', 'ORG']]", Counts(1, 0, 0, 0)),
    "right to left": (json.dumps([[CAIRO, "LOC"]]), Counts(1, 0, 0, 0)),
    "right to left, marked": (" ".join(TRAPS).replace(CAIRO, f"<LOC>{CAIRO}</LOC>"), Counts(1, 0, 0, 0)),
    "beside an emoji": (json.dumps([["\U0001f642 " + CAIRO, "LOC"]]), Counts(0, 1, 0, 0)),
    "a word that means none": ('[{"text": "NO", "label": "work-of-art"}]', Counts(1, 0, 0, 0)),
    "a sharp": ('[["C#", "work-of-art"]]', Counts(1, 0, 0, 0)),
    "a part of a word": ('[["Lovel", "PER"]]', Counts(0, 0, 1, 0)),
    "misspelt": ('[["Ada Lovelaze", "PER"]]', Counts(0, 0, 1, 0)),
    "another name": ('[["Zoe", "PER"], ["Zoe", "PER"]]', Counts(0, 0, 2, 0)),
    "a name of another text among right ones": ('[["Zoe", "PER"], ["New York", "LOC"]]', Counts(1, 0, 1, 0)),
    # types
    "another case of a type": ('[["New York", "Loc"]]', Counts(1, 0, 0, 0)),
    "words of a type": ('[["C#", "Work of Art"]]', Counts(1, 0, 0, 0)),
    "a type that there is not": ('[["New York", "GPE"]]', Counts(0, 1, 0, 0)),
    "another type": ('[["New York", "ORG"]]', Counts(0, 1, 0, 0)),
    "two types at one place": ('[["New York", "LOC"], ["New York", "ORG"]]', Counts(1, 1, 0, 0)),
    "a tag for a type": ('[["New York", "B-LOC"]]', Counts(1, 0, 0, 0)),
    # half and broken
    "an end inside the second": ('[{"text": "New York", "label": "LOC"}, {"text": "C#", "lab', Counts(1, 0, 0, 0)),
    "an end inside a list of a type": ('{"LOC": ["New York", "Yor', Counts(1, 0, 0, 0)),
    "no commas": ('[{"text": "New York", "label": "LOC"}\n{"text": "C#", "label": "work-of-art"}]', Counts(2, 0, 0, 0)),
    "wrong brackets": ('[{"text": "New York", "label": "LOC"]}', Counts(1, 0, 0, 0)),
    "no quotes": ("[{text: New York, label: LOC}]", Counts(1, 0, 0, 0)),
    "comments": ('[{"text": "New York", // a town\n "label": "LOC"}]', Counts(1, 0, 0, 0)),
    "JSON in a string": (json.dumps({"output": '[{"text": "New York", "label": "LOC"}]'}), Counts(1, 0, 0, 0)),
    "a call of a tool": (
        json.dumps({"name": "extract", "arguments": {"entities": [{"text": "New York", "label": "LOC"}]}}),
        Counts(1, 0, 0, 0),
    ),
    "a key twice": (f'{{"LOC": "New York", "LOC": "{CAIRO}"}}', Counts(2, 0, 0, 0)),
    "names as keys": ('{"New York": "LOC", "C#": "work-of-art"}', Counts(2, 0, 0, 0)),
    "names as keys of objects": ('{"New York": {"type": "LOC", "score": 1}}', Counts(1, 0, 0, 0)),
    "an object of an unknown shape": ('[{"t": "New York", "l": "LOC"}]', Counts(1, 0, 0, 0)),
    "a remark in each": (
        '[{"text": "New York", "label": "LOC", "explanation": "It is a place, as \\"York\\" is."}]',
        Counts(1, 0, 0, 0),
    ),
    "brackets of the text": ("[New York](LOC) [ here ] ( http://x.y )", Counts(1, 0, 0, 0)),
    "a bullet with a remark": ("- New York (LOC): a town\n- C# (work-of-art): a language", Counts(2, 0, 0, 0)),
    "headings": ("### LOC\n- New York\n\n### work of art\n- C#\n- NO", Counts(3, 0, 0, 0)),
    "headings with other words": ("**Places (LOC):**\n- New York\n**Persons (PER):**\n- Zoe", Counts(1, 0, 1, 0)),
    "tags of other tokens": (
        "New\tB-LOC\nYork\tI-LOC\n,\tO\nO\tB-ORG\n'Neil\tI-ORG\n&\tI-ORG\nCo\tI-ORG\n.\tI-ORG", Counts(2)
    ),
    "ten thousand mentions": (json.dumps([["Zoe", "PER"]] * 10_000), Counts(0, 0, 10_000, 0)),
    "ten thousand repeats": (json.dumps([["New York", "LOC"]] * 10_000), Counts(1, 0, 9_999, 0)),
    "wrapped twice": ('{"a": {"b": {"entities": [{"text": "C#", "label": "work-of-art"}]}}}', Counts(1)),
    "an image of the text": ("![New York](http://x.y/a.png)", UNPARSED),
    "tags behind a word": (f"Tags: {' '.join(['B-PER', 'I-PER', *['O'] * (len(TRAPS) - 2)])}", Counts(1, 0, 0, 0)),
    "prose that ends as a tag does": ("The tags of this text are all O", UNPARSED),
    "prose with types": ("The town New York is a place (LOC) and C# a language, which is art (work-of-art).", UNPARSED),
    "none of each type": ("LOC: None\nPER: none", EMPTY),
    "two fences": (
        '```json\n[{"text": "New York", "label": "LOC"}]\n```\n```json\n[{"text": "C#", "label": "work-of-art"}]\n```',
        Counts(2, 0, 0, 0),
    ),
    "two fences, the first a draft": (
        '```json\n[["York", "PER"]]\n```\nNo:\n```json\n[["New York", "LOC"], ["C#", "work-of-art"]]\n```', Counts(2)
    ),
    "two lists, the second one longer": (
        '[{"text": "New York", "label": "LOC"}]\nLet me check again.\n'
        '[{"text": "New York", "label": "LOC"}, {"text": "C#", "label": "work-of-art"}]', Counts(2)
    ),
    "two objects, the second one longer": (
        '{"LOC": ["New York"]}\nLet me check again.\n{"LOC": ["New York"], "work-of-art": ["C#"]}', Counts(2)
    ),
    "two wrapped lists, the second one longer": (
        '{"entities": [["New York", "LOC"]]}\nNo:\n{"entities": [["New York", "LOC"], ["C#", "work-of-art"]]}',
        Counts(2),
    ),
    "two fences of a type each": (
        '```json\n[["New York", "LOC"]]\n```\n```json\n[["New York", "ORG"], ["C#", "ORG"]]\n```', Counts(0, 2)
    ),
    "two objects of a type each": ('{"LOC": ["York"]}\n{"PER": ["Ada Lovelace"]}', Counts(1, 1, 0, 1)),
    "one mention said twice": ('{"text": "C#", "label": "work-of-art"}\n' * 2, Counts(1)),
    "two mentions of one name": ('{"text": "Ada", "label": "PER"}\n' * 3, Counts(2, 1)),
    "quotes with backslashes": ('[{\\"text\\": \\"New York\\", \\"label\\": \\"LOC\\"}]', Counts(1)),
    "offsets of characters without names": (
        "('the text', {'entities': [(0, 12, 'PER'), (17, 20, 'PER')]})", Counts(2)
    ),
    "none of each type in words": ("LOC: None found\nPER: Not mentioned.\nORG: No entities found", EMPTY),
    "JSON as a string": (json.dumps(json.dumps([["New York", "LOC"]])), Counts(1, 0, 0, 0)),
    "words outside": ("| New York | LOC |\n| near | O |\n| C# | work of art |", Counts(2, 0, 0, 0)),
    "numbered tags": ("1 New B-LOC\n2 York I-LOC\n3 , O", Counts(1, 0, 0, 0)),
    "types as tags": ("New LOC\nYork LOC\n, O\nnear O", Counts(1, 0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_hard_answer_is_counted_right(case):
    answer, expected = CASES[case]
    score = exact_f1(GOLD, read_answers([answer], GOLD))
    wrong = score.n_pred - score.n_exact - score.n_invented
    found = Counts(
        score.n_exact, wrong, score.n_invented, score.n_ambiguous, bool(score.n_unparsed), bool(score.n_empty)
    )
    assert found == expected


def test_there_are_two_hundred():
    assert len(FORMS) * len(AROUND) + len(CASES) >= 200
