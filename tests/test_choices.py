"""Choices: a member that is added to an enumeration and handled nowhere is an error, never taken for another one."""

import numpy as np
import pytest

from cleancut import CleancutError, Corpus, SplitSettings, detect, mincut, publish, write
from cleancut.core.entities import Key, Shared, shared_codes
from cleancut.core.same import Same
from cleancut.core.tags import Repair
from cleancut.reading import formats
from cleancut.reading.dataset import Converter
from cleancut.reading.shape import _IS_INCLUSIVE, End, Form
from cleancut.showing import export
from cleancut.splitting import audit as _audit
from cleancut.splitting import spark
from cleancut.splitting.audit import Unit
from cleancut.splitting.layout import _SHARED_IN_WORDS
from cleancut.splitting.settings import Effort, Method

UNHANDLED = (KeyError, AssertionError)


def added(kind, value="new"):
    """A member that an enumeration might get."""
    member = str.__new__(kind, value)
    member._name_, member._value_ = value.upper(), value
    return member


def test_a_file_format(tmp_path, monkeypatch):
    corpus = Corpus.of([["Ada"]], tags=[["B-PER"]])
    write(corpus, tmp_path / "x.jsonl")
    monkeypatch.setattr(formats, "format_of", lambda *_: added(formats.Format))
    monkeypatch.setattr("cleancut.reading.hub_ids.format_of", formats.format_of)
    monkeypatch.setitem(formats.SUFFIXES, ".new", added(formats.Format))
    file = str(tmp_path / "x.jsonl")
    with pytest.raises(UNHANDLED):
        formats.read_plain(file)
    with pytest.raises(CleancutError, match="does not show a format that is written"):  # by the table, not the kind
        write(corpus, tmp_path / "y.new")
    with pytest.raises(UNHANDLED):
        formats.written_as(file)
    with pytest.raises(UNHANDLED):
        formats.copy_rows([file], {"train": [0]}, tmp_path)


def test_a_file_format_of_named_columns(tmp_path, monkeypatch):
    pytest.importorskip("datasets")
    from cleancut.reading import hub_ids

    (tmp_path / "x.jsonl").write_text('{"tokens": [], "tags": []}\n')
    monkeypatch.setattr(formats, "format_of", lambda *_: added(formats.Format))
    monkeypatch.setattr(hub_ids, "format_of", formats.format_of)
    with pytest.raises(UNHANDLED):
        formats.standard_columns(tmp_path / "x.jsonl")
    with pytest.raises(UNHANDLED):
        hub_ids.rows_of_file(tmp_path / "x.jsonl")


def test_how_a_dataset_writes_its_mentions():
    row = {"tokens": ["Ada"], "entities": [{"text": "Ada", "label": "PER"}]}
    shape = detect([row])
    assert shape.form is Form.QUOTES
    object.__setattr__(shape, "form", added(Form))
    with pytest.raises(UNHANDLED):
        list(Converter(shape).samples([row]))
    with pytest.raises(UNHANDLED):
        str(shape)


def test_the_end_of_a_span():
    assert set(_IS_INCLUSIVE) == set(End)


def test_what_must_not_be_shared():
    knows = {"head": 0, "tail": 1, "label": "knows"}
    corpus = Corpus.of([["Ada", "Bo"]], entities=[[(0, 1, "P"), (1, 2, "P")]], relations=[[knows]])
    assert np.array_equal(shared_codes(corpus, Key(), Shared.PAIR)[1], [0])
    with pytest.raises(UNHANDLED):
        shared_codes(corpus, Key(), added(Shared))


def test_what_becomes_of_ill_formed_mentions(monkeypatch):
    monkeypatch.setattr("cleancut.core.corpus.parse_choice", lambda *_: added(Repair))
    with pytest.raises(UNHANDLED):
        Corpus.of([["Ada"]], tags=[["I-PER"]], repair="new")


def test_the_format_of_tables():
    with pytest.raises(UNHANDLED):
        export.tables([], added(export.Format))


def test_how_to_split(monkeypatch):
    corpus = Corpus.of([["Ada"], ["Bo"]], tags=[["B-PER"]] * 2)
    for name, kind in (("method", Method), ("effort", Effort), ("unit", Unit)):
        settings = SplitSettings()
        object.__setattr__(settings, name, added(kind))
        monkeypatch.setattr(SplitSettings, "of", lambda *_, settings=settings: settings)
        with pytest.raises(UNHANDLED):
            mincut(corpus)


def test_what_an_audit_counts():
    corpus = Corpus.of([["Ada"]], tags=[["B-PER"]])
    with pytest.raises(UNHANDLED):
        _audit.units_of("train", corpus, added(Unit))
    with pytest.raises(UNHANDLED):
        coded = _audit._CodedSplits({"train": corpus, "test": corpus}, Key(), Same())
        _audit._top_leaks(coded, added(Shared), "test", "train", 5)


def test_what_hangs_together():
    assert set(_SHARED_IN_WORDS) == set(Shared)


def test_what_spark_reads():
    with pytest.raises(UNHANDLED):
        list(spark._counted(iter([None]), "x", formats.Format.CONLL, Key(), Same(), False, {}))


@pytest.mark.spark
def test_what_spark_keeps_whole():
    with pytest.raises(UNHANDLED):
        spark._with_units(None, added(Unit), 1)


def test_the_files_of_a_plan(tmp_path, monkeypatch):
    corpus = Corpus.of([["Ada"], ["Bo"], ["Cy"]], tags=[["B-PER"]] * 3)
    mincut(corpus, method="random").write(tmp_path / "out", corpus)
    monkeypatch.setattr("cleancut.hub.publishing.format_of", lambda *_: added(formats.Format))
    with pytest.raises(UNHANDLED):
        publish(tmp_path / "out", "org/name", "clean")
