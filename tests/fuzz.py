"""A mutational fuzzer over every reader: whatever the input, it is read or refused with a ``CleancutError``.

Good inputs are changed at random: their bytes, their lines, the structure of their JSON (also from a row on that is far
behind those by which columns are recognised), the kinds and notes of their Arrow columns. Each reader gets the result.
Nothing but success and ``CleancutError`` is a good end, within ten seconds and a gigabyte.

``python -m tests.fuzz --minutes 60 --seed 7`` runs it for long, and prints each new kind of failure with the number of
its case, which ``--case`` runs again.
"""

from __future__ import annotations

import argparse
import copy
import json
import logging
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))  # as pytest does

from samples_of_tools import FOLDER, SAMPLES

import cleancut as cc
from cleancut import CleancutError, Corpus
from cleancut.reading.label_names import label_file
from cleancut.reading.opening import Source
from cleancut.splitting.recipes import Recipe

SECONDS, MEMORY = 10, 2**30
"""What one input may take, at most."""
MANY = 205
"""Rows that make the last ones come long after those by which columns are recognised."""

ODD = [
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, 2**64, 10**40, 0.5, -0.5, 1e308, float("nan"), float("inf"), "", " ",
    "x", "O", "B-", "B-PER", "Ada", "\0", "\n", "\ud800", "é", "\u2028", "a\tb", "9" * 30, "-1", "None", "[]", "[1, 2]",
    "['a', 'b']", "{}", "[" * 400, [], [[]], [None], [0], [[0, 1]], [[0, 1, "PER"]], ["a"], ["a", "b"], [1, "a"], {},
    {"a": 1}, {"": None}, [{}], [{"start": 0, "end": 1, "label": "PER"}], [{"text": "Ada", "label": "PER"}],
    {"start": 0, "end": 1}, [[[[[[]]]]]], [["Ada", "PER"]], {"PER": ["Ada"]}, {"PER": {"Ada": [[0, 2]]}},
]  # fmt: skip
"""Values to put where others belong."""
MARKS = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\t", b" ", b"{", b"}", b"[", b"]", b'"', b",", b"<", b">", b"&",
    b"#", b"-DOCSTART-", b"B-", b"I-X", b"O\n", b"-1", b"99999999999999999999", b"null", b"NaN", b"\\ud800",
    b"\xe2\x80\xa8", b"[" * 3000, b'{"a":' * 3000, b"<a>" * 100, b"PAR1", b"T1\tX 0 1\n", b"|t|", b"0-3\t", b"&#0;",
    b"(X*", b"*)",
]  # fmt: skip
"""Bytes that mean something to a reader."""

GOLD = Corpus.of(
    [["Ada", "met", "Bo", "."], ["Oslo", "slept", "."]], tags=[["B-PER", "O", "B-PER", "O"], ["B-LOC", "O", "O"]]
)
ANSWERS = {
    "json.jsonl": '{"answer": "[{\\"text\\": \\"Ada\\", \\"label\\": \\"PER\\"}]"}\n{"answer": "<LOC>Oslo</LOC>"}\n',
    "ids.jsonl": '{"id": "0", "response": {"PER": ["Ada"]}}\n{"id": "1", "entities": [["Oslo", "LOC"]]}\n',
    "chat.jsonl": '{"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "- Ada: PER"}]}\n'
    * 2,
}
STORED = {
    "labels.json": b'{"id2label": {"0": "O", "1": "B-PER", "2": "I-PER"}, "label2id": {"O": 0, "B-PER": 1}}',
    "labels.txt": b"O\nB-PER\nI-PER\n",
    "recipe.toml": b'[dataset]\nid = "org/name"\nlicence = "cc0"\npolicy = "republish"\n[columns]\ntags = "ner"\n'
    b'[split]\nratios = [80, 10, 10]\nseed = 3\n[publish]\nconfig = "c"\n',
    "aliases.tsv": "USA\tUnited States\nBo\tBö\tB. O.\n".encode(),
    "aliases.jsonl": b'["USA", "United States"]\n["Bo", "Beau", "B. O."]\n',
    "ids.jsonl": b'{"tokens": ["Ada"], "entities": [{"start": 0, "end": 1, "label": "PER", "id": ["Q1", "Q2"]}]}\n'
    b'{"tokens": ["Bo"], "entities": [{"start": 0, "end": 1, "label": "PER", "id": "Q1|Q3"}]}\n',
    "ids.conll": b"Ada B-PER Q1\nran O _\n\nBo B-PER Q1\nsat O _\n",
}
STUDY = {
    "one/train.conll": b"Ada B-PER\nran O\n\nOslo B-LOC\n",
    "one/test.conll": b"Ada B-PER\nmet O\n\nBo B-PER\n",
    "one/pred/a.conll": b"Ada B-PER\nmet O\n\nBo O\n",
    "one/pred/b.jsonl": b'{"tokens": ["Ada", "met"], "tags": ["B-PER", "O"]}\n{"tokens": ["Bo"], "tags": ["B-LOC"]}\n',
    "two/train.jsonl": b'{"tokens": ["Cy"], "tags": ["B-PER"]}\n',
    "two/test.jsonl": b'{"tokens": ["Di"], "tags": ["B-PER"]}\n',
    "two/pred/a.jsonl": b'{"answer": "[{\\"text\\": \\"Di\\", \\"label\\": \\"PER\\"}]"}\n',
}
"""The files of a study."""


class Input(NamedTuple):
    """What a reader is given."""

    reader: str
    name: str
    data: Any
    """Bytes of a file, or rows."""


def read_file(name: str, data: bytes) -> None:
    corpus = cc.read(Source.of_text(data, name))
    assert cc.exact_f1(corpus, corpus)["f1"] in (0, 1), "a corpus is not what it is"
    list(cc.read_batches(Source.of_text(data, name), 2))


def read_rows(name: str, rows: Any) -> None:
    cc.detect(rows)
    corpus = cc.from_dataset(rows)
    corpus.tokens(), corpus.entities(), corpus.texts()


def read_dataset(name: str, rows: Any) -> None:
    import datasets
    import pyarrow as pa

    try:
        table = datasets.Dataset.from_list(rows)
    except (pa.ArrowException, TypeError, ValueError, KeyError, OverflowError, AttributeError, RecursionError):
        return  # the library does not have such rows
    cc.from_dataset(table)


def read_answers(name: str, data: bytes) -> None:
    cc.read_answers(Source.of_text(data, name), GOLD)


def parse_answers(name: str, data: bytes) -> None:
    cc.parse_answer(data.decode("utf-8", "replace"))
    cc.read_answers([data.decode("utf-8", "surrogateescape")] * 2, GOLD)


def stored(read: Callable[[Path], Any]) -> Callable[[str, bytes], None]:
    """A reader that takes a path alone."""

    def read_stored(name: str, data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            read(path)

    return read_stored


def read_with_labels(path: Path) -> None:
    names = label_file(path)
    cc.exact_f1([[0, 1, 0]], [[0, 1, 2]], labels=names)


def read_plan(path: Path) -> None:
    plan = cc.SplitPlan.load(path)
    repr(plan), plan.command, plan.to_dict(), cc.html_split(plan)


def read_aliases(path: Path) -> None:
    aliases = cc.read_aliases(path)
    for same in ("alias", "fold+alias+part"):
        cc.Exposure.of(GOLD, same=same, aliases=aliases).view(GOLD).seen.all()


def read_ids(name: str, data: bytes) -> None:
    ids = "id" if name.endswith("jsonl") else -1
    column = None if name.endswith("jsonl") else 1
    corpus = cc.read(Source.of_text(data, name), ids=ids, column=column)
    assert cc.Exposure.of(corpus, same="id").view(corpus).seen.all(), "a mention is not one that was shown"


def read_study(name: str, data: bytes) -> None:
    """Read a study in which one file is another."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in {**STUDY, name: data}.items():
            path = Path(folder) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        cc.html_study(cc.study(folder, ci=None))


READERS: dict[str, Callable[[str, Any], None]] = {
    "file": read_file,
    "rows": read_rows,
    "dataset": read_dataset,
    "answers": read_answers,
    "answer": parse_answers,
    "labels": stored(read_with_labels),
    "plan": stored(read_plan),
    "aliases": stored(read_aliases),
    "ids": read_ids,
    "study": read_study,
    "index": stored(cc.Exposure.load),
    "incidences": stored(cc.Incidences.load),
    "recipe": stored(lambda path: Recipe.load(path)),
}


@cache
def corpus_of_inputs() -> list[Input]:
    """The good inputs, for all readers."""
    inputs = [Input("file", name, text.encode()) for name, text in SAMPLES.items()]
    inputs += [Input("file", path.name, path.read_bytes()) for path in sorted(FOLDER.iterdir()) if path.is_file()]
    inputs += [Input("rows", name, rows) for _, name, data in list(inputs) if (rows := _rows_of(data)) is not None]
    inputs += [Input("dataset", *rest) for reader, *rest in list(inputs) if reader == "rows"]
    inputs += [Input("answers", name, text.encode()) for name, text in ANSWERS.items()]
    inputs += [Input("answer", name, text.encode()) for name, text in _texts_of_answers().items()]
    inputs += [Input(name.partition(".")[0], name, data) for name, data in STORED.items()]
    inputs += [Input("study", name, data) for name, data in STUDY.items()]
    return inputs + _written()


def _texts_of_answers() -> dict[str, str]:
    return {
        "json": 'Sure:\n```json\n[{"text": "Ada", "label": "PER"}, {"text": "Bo", "label": "PER"}]\n```',
        "by type": '{"PER": ["Ada", "Bo"], "LOC": []}',
        "marks": "<PER>Ada</PER> met @@Bo## . [Oslo](LOC)",
        "lines": "1. Ada - PER\n2. **Bo**: PER\n| Oslo | LOC |\n",
        "code": 'extract(person="Ada", city=["Oslo"])',
    }


def _written() -> list[Input]:
    """What cleancut itself writes."""
    many = Corpus.of([["Ada", f"x{i % 9}", "ran"] for i in range(24)], tags=[["B-PER", "I-PER", "O"]] * 24)
    parts = {"train": many.select(slice(0, 16)), "test": many.select(slice(16, 24))}
    looser = cc.mincut(
        parts, "original", effort="fast", min_per_type=0, discard="auto", prove=0.1, same="fold+part", part_limit=3
    )
    inputs = []
    with tempfile.TemporaryDirectory() as folder:
        for reader, name, write in (
            ("file", "x.parquet", lambda path: cc.write(many, path)),
            ("plan", "plan.json", cc.mincut(many, effort="fast", min_per_type=0).save),
            ("plan", "related.json", looser.save),
            ("index", "index.npz", cc.Exposure.of(many).save),
            ("incidences", "incidences.parquet", lambda path: cc.write_incidence(many, path)),
        ):
            path = Path(folder) / name
            write(path)
            inputs.append(Input(reader, name, path.read_bytes()))
    return inputs


def _rows_of(data: bytes) -> Any:
    """The rows in the text of a file, where it is JSON."""
    try:
        value = _parsed(data)[0]
    except ValueError:
        return None
    return value if isinstance(value, list) and value and all(isinstance(row, dict) for row in value) else None


def _parsed(data: bytes) -> tuple[Any, bool]:
    """The value of a JSON file, or those of its lines; and is there one on each line?"""
    text = data.decode("utf-8")
    try:
        return json.loads(text), False
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()], True


# --- changes ----------------------------------------------------------------------------------------------------------


def changed_bytes(data: bytes, draw: random.Random) -> bytes:
    """Cut, double, replace or insert some bytes."""
    for _ in range(draw.choice((1, 1, 2, 5))):
        at = draw.randrange(len(data) + 1)
        until = min(len(data), at + draw.choice((1, 1, 2, 8, 100)))
        kind = draw.randrange(6)
        if kind == 0:
            data = data[:at] + data[until:]
        elif kind == 1:
            data = data[:at] + data[at:until] * draw.choice((2, 3, 50)) + data[until:]
        elif kind == 2:
            data = data[:at] + draw.choice(MARKS) + data[until:]
        elif kind == 3:
            data = data[:at] + draw.choice(MARKS) + data[at:]
        elif kind == 4:
            data = data[:at] + bytes(draw.randrange(256) for _ in range(until - at)) + data[until:]
        else:
            data = data[:at] if draw.random() < 0.5 else data[at:]
    return data


def changed_lines(data: bytes, draw: random.Random) -> bytes:
    """Drop, double, swap or empty lines, and change fields; also late in a long file."""
    lines = data.split(b"\n")
    n_before = 0
    if draw.random() < 0.3:
        n_before = len(lines) * (MANY // len(lines))
        lines = lines * (MANY // len(lines) + 1)
    for _ in range(draw.choice((1, 1, 2, 4))):
        i = draw.randrange(n_before, len(lines)) if n_before < len(lines) else 0
        kind = draw.randrange(6)
        if kind == 0 and len(lines) > 1:
            del lines[i]
        elif kind == 1:
            lines.insert(i, lines[draw.randrange(len(lines))])
        elif kind == 2:
            lines[i] = draw.choice(MARKS) + lines[i]
        elif kind == 3:
            lines[i] = b""
        else:
            separator = draw.choice((b"\t", b" ", b",", b"|"))
            fields = lines[i].split(separator)
            k = draw.randrange(len(fields))
            fields[k : k + draw.randrange(2)] = draw.choice(([], [draw.choice(MARKS)], [fields[k]] * 2))
            lines[i] = separator.join(fields)
    return b"\n".join(lines)


def _places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from _places(value[i], (*path, i))


def changed_value(value: Any, draw: random.Random) -> Any:
    """Change a value of JSON in some places; of rows also some that come late."""
    n_before = 0
    if isinstance(value, list) and value and draw.random() < 0.5:
        n_before = len(value) * (MANY // len(value))
        value = value * (MANY // len(value)) + value
    value = value[:n_before] + copy.deepcopy(value[n_before:]) if n_before else copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 2, 4))):
        part = value[n_before:] if n_before else value
        path = draw.choice(list(_places(part)))
        if not path:
            if n_before:
                continue
            value = draw.choice((draw.choice(ODD), [value], {"data": value}))
            if not isinstance(value, dict | list):
                return value
            continue
        at = part
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = _other(at[path[-1]], draw)
        kind = draw.randrange(8)
        if kind == 0:
            del at[path[-1]]
        elif kind == 1 and isinstance(at, dict):
            at[draw.choice(("x", "", "id", "text", "tokens", "entities", "label", "type"))] = at.pop(path[-1])
        elif kind == 2 and isinstance(at, list):
            at *= draw.choice((0, 2))
        if n_before:
            value[n_before:] = part
    return value


def _other(value: Any, draw: random.Random) -> Any:
    kind = draw.randrange(6)
    if kind == 0:
        return [value]
    if kind == 1:
        return {"a": value}
    if kind == 2 and isinstance(value, str | list):
        return value[: draw.randrange(len(value) + 1)]
    if kind == 3 and isinstance(value, int):
        return value + draw.choice((-1, 1, 1000, 2**31))
    return copy.deepcopy(draw.choice(ODD))


def _packed(row: Any, write: Callable[[Any], str]) -> Any:
    """The same row with its lists in strings, as CSV files have them."""
    if not isinstance(row, dict):
        return row
    return {name: write(value) if isinstance(value, list | dict) else value for name, value in row.items()}


def changed_json(data: bytes, draw: random.Random) -> bytes:
    """Change the structure of JSON."""
    value, by_line = _parsed(data)
    value = changed_value(value, draw)
    if by_line and isinstance(value, list):
        text = "".join(json.dumps(row) + "\n" for row in value)
    else:
        text = json.dumps(value)
    return text.encode("utf-8", "surrogatepass")


def changed_table(data: Any, draw: random.Random) -> bytes:
    """Write rows, or the table of a parquet file, as a table of other kinds, names and notes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(data)) if isinstance(data, bytes) else pa.Table.from_pylist(data)
    for _ in range(draw.choice((1, 1, 2, 3))):
        i = draw.randrange(table.num_columns)
        name, column = table.column_names[i], table.column(i).combine_chunks()
        kind = draw.randrange(7)
        if kind == 0:
            table = table.set_column(i, name, _other_array(column, draw))
        elif kind == 1:
            values = [None if draw.random() < 0.3 else value for value in column.to_pylist()]
            table = table.set_column(i, name, pa.array(values, column.type))
        elif kind == 2:
            names = [
                *table.column_names[:i],
                draw.choice((*table.column_names, "", "tags", "\n")),
                *table.column_names[i + 1 :],
            ]
            table = table.rename_columns(names)
        elif kind == 3:
            table = table.append_column(name, column)
        elif kind == 4:
            table = table.replace_schema_metadata({b"huggingface": _other_note(table.column_names, draw)})
        elif kind == 5 and table.num_columns > 1:
            table = table.remove_column(i)
        else:
            table = table.slice(0, draw.randrange(2)) if draw.random() < 0.3 else pa.concat_tables([table] * 3)
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream)
    return stream.getvalue().to_pybytes()


def _other_note(names: list[str], draw: random.Random) -> bytes:
    """A note of the library datasets that is not as it should be."""
    note: Any = {
        "info": {"features": {name: {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}} for name in names}}
    }
    if draw.random() < 0.2:
        return draw.choice((b"", b"\xff", b"[" * 5000, b'{"info": ' * 5000, b"null", b"{}", b"1e999"))
    return json.dumps(changed_value(note, draw)).encode("utf-8", "surrogatepass")


def _other_array(column: Any, draw: random.Random) -> Any:
    """The same number of values of another kind."""
    import pyarrow as pa

    n = len(column)
    kinds: list[Callable[[], Any]] = [
        lambda: pa.nulls(n),
        lambda: pa.array([1] * n, pa.duration("s")),
        lambda: pa.array([1] * n, pa.decimal128(5, 2)),
        lambda: pa.array([b"\xff"] * n, pa.binary()),
        lambda: pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        lambda: pa.array(["Ada ran"] * n, pa.large_string()),
        lambda: pa.array(["Ada ran"] * n).dictionary_encode(),
        lambda: pa.array([["Ada", None]] * n),
        lambda: pa.array([["Ada", "ran"]] * n, pa.large_list(pa.string())),
        lambda: pa.array([["Ada", "ran"]] * n, pa.list_(pa.string(), 2)),
        lambda: pa.array([["Ada", "ran"]] * n, pa.list_(pa.dictionary(pa.int32(), pa.string()))),
        lambda: pa.array([[0, 2**63]] * n, pa.list_(pa.uint64())),
        lambda: pa.array([[0, -1]] * n),
        lambda: pa.array([[0.5, float("nan")]] * n),
        lambda: pa.array([[b"a"]] * n),
        lambda: pa.array([[["Ada"]]] * n),
        lambda: pa.array([{"a": 1}] * n),
        lambda: pa.array([[{"start": 0, "end": 1, "label": "PER"}, None]] * n),
        lambda: pa.array([[{"start": 0, "end": None, "label": None}]] * n),
        lambda: pa.array([{"start": [0], "end": [1], "label": ["PER"]}] * n),
        lambda: pa.array([{"start": [0], "end": [1, 2], "label": None}] * n),
        lambda: pa.array([True] * n),
        lambda: pa.array([10**12] * n, pa.timestamp("us")),
        lambda: pa.array([[10**3]] * n, pa.list_(pa.time32("s"))),
        lambda: pa.array([[1.0]] * n, pa.list_(pa.float16())),
    ]  # fmt: skip
    return draw.choice(kinds)()


def changed(seed: Input, draw: random.Random) -> Input:
    """Return an input, changed in one of the ways that it has."""
    if not isinstance(seed.data, bytes):
        if draw.random() < 0.3:
            return Input("file", "x.parquet", changed_table(seed.data, draw))
        rows = changed_value(seed.data, draw)
        if draw.random() < 0.3 and isinstance(rows, list):
            rows = [_packed(row, draw.choice((json.dumps, repr))) for row in rows]
        return seed._replace(data=rows)
    if seed.data.startswith(b"PAR1") and draw.random() < 0.7:
        return seed._replace(data=changed_table(seed.data, draw))
    if seed.data.lstrip()[:1] in (b"{", b"[") and draw.random() < 0.7:
        return seed._replace(data=changed_json(seed.data, draw))
    data = draw.choice((changed_bytes, changed_lines))(seed.data, draw)
    name = draw.choice(corpus_of_inputs()).name if seed.reader == "file" and draw.random() < 0.1 else seed.name
    return seed._replace(name=name, data=data)


# --- runs -------------------------------------------------------------------------------------------------------------


class TooLong(BaseException):
    """A reader has not come to an end in time."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound the processor time, so that a busy machine fails nothing."""

    def end(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Failure(NamedTuple):
    """What has ended in another way than it should."""

    case: str
    input: Input
    error: str
    """The kind of the error and the line that it comes from, which tells failures apart."""
    trace: str


def failure_of(given: Input, case: str = "") -> Failure | None:
    """Read an input; return how that failed, if it did."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with within(SECONDS):
            READERS[given.reader](given.name, given.data)
    except CleancutError as error:
        message = str(error)
        if len(message) > 1000 or "\n" in message or not message:
            return Failure(case, given, f"a long message at {_place(error)}: {message[:300]!r}", "")
    except (Exception, TooLong) as error:
        kind = f"{type(error).__name__} at {_place(error)}"
        return Failure(case, given, f"{kind}: {str(error)[:100]}", traceback.format_exc(limit=-6))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return Failure(case, given, f"{more} bytes of memory", "") if more > MEMORY else None


def _place(error: BaseException) -> str:
    """Return the line of the program, rather than of a library, that an error comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "src/cleancut" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"


def input_of(case: str) -> Input | None:
    """Return the input of a case; None where the change cannot be written."""
    import pyarrow as pa

    draw = random.Random(case)
    try:
        return changed(draw.choice(corpus_of_inputs()), draw)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, RecursionError):
        return None


def failures(seed: int, seconds: float) -> Iterator[Failure | None]:
    """Try case after case until the time is over; the failure of each, or None."""
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        case = f"{seed}-{number}"
        number += 1
        given = input_of(case)
        if given is not None:
            yield failure_of(given, case)


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Look for inputs that no reader expects."
    )
    options.add_argument("--minutes", type=float, default=1, help="how long (1)")
    options.add_argument("--seed", type=int, default=13, help="of the cases (13)")
    options.add_argument("--case", help="run one case again, such as 13-4711, and print its input")
    given = options.parse_args()
    logging.disable(logging.WARNING)
    if given.case:
        chosen = input_of(given.case)
        print(chosen)
        failure = failure_of(chosen, given.case) if chosen else None
        print(failure.trace or failure.error if failure else "no failure")
        return int(failure is not None)
    resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30, resource.RLIM_INFINITY))
    n_cases, kinds = 0, dict[str, int]()
    for failure in failures(given.seed, 60 * given.minutes):
        n_cases += 1
        if failure is None:
            continue
        kind = failure.error.partition(": ")[0]
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] == 1:
            print(
                f"case {failure.case}, {failure.input.reader} {failure.input.name}: {failure.error}\n{failure.trace}",
                flush=True,
            )
    n_failures = sum(kinds.values())
    print(f"{n_cases} cases, seed {given.seed}: {n_failures} failures of {len(kinds)} kinds")
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    return int(bool(kinds))


if __name__ == "__main__":
    sys.exit(main())
