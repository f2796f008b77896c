"""What every reader does with inputs that are changed at random: it reads them, or refuses them in one line.

``python -m tests.fuzz --minutes 60`` runs longer, and ``--case`` runs one case again.
"""

import json

import fuzz
import pytest
from fuzz import Input, corpus_of_inputs, failure_of, failures

SPAN = {"start": 0, "end": 3, "label": "PER"}
ROW = {"text": "Ada ran", "entities": [SPAN]}
PACKED = {"tokens": "['Ada', 'ran']", "ner_tags": "['B-PER', 'O']"}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


ONCE = {
    "a label that is a dict": Input("file", "x.jsonl", lines(ROW, ROW | {"entities": [SPAN | {"label": {}}]})),
    "a null among words": Input("dataset", "", [{"tokens": ["Ada", None], "entities": [[0, 1, "PER"]]}]),
    "labels that name a file": Input("labels", "x.json", b'"\\ud800"'),
    "labels that are no text": Input("labels", "x.txt", b"O\nB-\x87\n"),
    "deep labels": Input("labels", "x.json", b"[" * 5000),
    "a number behind lists": Input("rows", "", [PACKED] * 205 + [PACKED | {"tokens": "5"}]),
    "a number behind lists in a dataset": Input("dataset", "", [PACKED] * 205 + [PACKED | {"ner_tags": "5"}]),
    "a whole number that Arrow does not have": Input("file", "x.json", json.dumps([ROW | {"id": 2**64}]).encode()),
    "an encoding that there is not": Input("file", "x.xml", b'<?xml version="1.0" encoding="x-8"?><d>a <p>b</p></d>'),
    "an endless offset": Input(
        "file", "x.json", b'{"documents": [{"passages": [{"offset": 0, "text": "a", "annotations": [{"infons": '
        b'{"type": "X"}, "text": "a", "locations": [{"offset": 1e999, "length": 1}]}]}]}]}'
    ),
    "a null among records of points": Input(
        "rows", "", [{"content": "Bo", "annotation": [None, {"points": [{"start": 0, "end": 1}], "label": ["PER"]}]}]
    ),
    "an empty span of Argilla": Input("file", "x.jsonl", lines({"text": "Ada", "annotation": [[]], "status": "x"})),
    "a line of brackets": Input("file", "x.conll", b"Ada B-PER\n" + b"[" * 3000 + b"\n"),
    "a tag of brackets": Input("file", "x.conll", b"Ada I" + b"[" * 3000 + b"\n"),
    "a column of brackets": Input("file", "x.csv", b"tokens" + b"[" * 3000 + b",tags\na,O\n"),
    "a parquet file that ends early": Input("incidences", "x.parquet", b"PAR1\x15\x04\x15\x10\x00\x00\x00\x00PAR1"),
}  # fmt: skip
"""Inputs that once failed, as small as they can be."""


@pytest.mark.parametrize("name", ONCE)
def test_what_once_failed_does_not_fail_again(name):
    failure = failure_of(ONCE[name])
    assert failure is None, failure.trace or failure.error


def test_the_good_inputs_are_read_by_every_reader():
    assert {given.reader for given in corpus_of_inputs()} == set(fuzz.READERS)


def test_a_failure_is_told(monkeypatch):
    def fail(name, data):
        raise KeyError("x")

    monkeypatch.setitem(fuzz.READERS, "labels", fail)
    assert failure_of(Input("labels", "x", b""), "0-1").error.startswith("KeyError at test_fuzz.py")
    monkeypatch.setitem(fuzz.READERS, "plan", lambda name, data: [None for _ in iter(int, 1)])
    monkeypatch.setattr(fuzz, "SECONDS", 0.1)
    assert failure_of(Input("plan", "x", b"")).error.startswith("TooLong")


def test_a_case_is_the_same_each_time():
    assert [fuzz.input_of(f"5-{i}") for i in range(30)] == [fuzz.input_of(f"5-{i}") for i in range(30)]


@pytest.mark.slow
def test_inputs_that_are_changed_at_random_are_read_or_refused():
    found = list(failures(seed=13, seconds=10))
    assert len(found) > 50
    wrong = [failure for failure in found if failure is not None]
    assert not wrong, [(failure.case, failure.error) for failure in wrong]
