"""Small corpora for the reference, made from fixed seeds with plain Python: the same on every machine.

Nothing of cleancut is used here, so that what it reads does not depend on what it writes. Of ``random.Random`` only
``random()`` is used, whose values Python promises to keep.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SIZES = {"train": 240, "dev": 50, "test": 60}
FIRST = "Ala Bren Cor Dun Elm Fara Gal Hest Ister Jor Kel Lorn Mira Nev Orsa Pell".split()
LAST = "dale field grad holm mont nau port stead ville wick".split()
WORDS = "the report said that on Monday a new plan was shown near old and people met again with few words".split()
MARKS = {"PER": "Dr", "LOC": "Port", "ORG": "Group"}
"""A word that begins or ends some names of a type."""

Span = tuple[int, int, str]


@dataclass
class Sample:
    """A sentence with its mentions: (first token, token behind the last, type), in order."""

    tokens: list[str]
    spans: list[Span]
    doc: str = ""


@dataclass
class Input:
    """Files by name, and the same data as the arguments of a metric's ``compute``."""

    files: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    """What writes a file that is not text."""
    compute: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        for name, text in self.files.items():
            (folder / name).write_text(text, "utf-8", newline="\n")
        for name, write in self.tables.items():
            write(folder / name)


class Dice:
    """Choices that depend on ``random()`` alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random

    def below(self, n: int) -> int:
        return int(self.random() * n)

    def of(self, items: Sequence[Any]) -> Any:
        return items[self.below(len(items))]

    def chance(self, share: float) -> bool:
        return self.random() < share


# --- sentences ------------------------------------------------------------------------------------------------


def names_of(kind: str, first: Sequence[str], last: Sequence[str]) -> list[list[str]]:
    """Names of one to three words; every fifth stem is a name of each type."""
    found = []
    for i in range(70):
        stem = first[i % len(first)] + last[(i * 7 + (0 if i % 5 == 0 else len(kind) + ord(kind[0]))) % len(last)]
        found.append([[stem], [stem], [MARKS[kind], stem], [MARKS[kind], stem, first[i % 3]]][i % 4])
    return found


def sentences(
    seed: int, *, types: Sequence[str] = ("PER", "LOC"), sizes: dict[str, int] = SIZES, nested: bool = False,
    first: Sequence[str] = FIRST, last: Sequence[str] = LAST, words: Sequence[str] = WORDS,
) -> dict[str, list[Sample]]:  # fmt: skip
    """Splits that share names: few are common, most are rare; some sentences have none, some occur twice."""
    dice, pools = Dice(seed), {kind: names_of(kind, first, last) for kind in types}
    found: dict[str, list[Sample]] = {}
    for split, n in sizes.items():
        samples: list[Sample] = []
        while len(samples) < n:
            if samples and dice.chance(0.04):
                again = dice.of(samples)
                samples.append(Sample(list(again.tokens), list(again.spans), f"{split}{len(samples) // 6}"))
                continue
            tokens, spans = [dice.of(words) for _ in range(1 + dice.below(4))], list[Span]()
            for _ in range(0 if dice.chance(0.2) else 1 + dice.below(3)):
                kind = dice.of(types)
                name = pools[kind][int(70 * dice.random() ** 2)]
                spans.append((len(tokens), len(tokens) + len(name), kind))
                if nested and len(name) > 1:
                    spans.append((len(tokens) + 1, len(tokens) + len(name), dice.of(types)))
                tokens += name
                tokens += [dice.of(words) for _ in range(dice.below(4))]
            samples.append(Sample(tokens, spans, f"{split}{len(samples) // 6}"))
        found[split] = samples
    return found


def predicted(samples: list[Sample], seed: int, skill: float, *, nested: bool = False) -> list[Sample]:
    """What a system finds: a share of the mentions; others cut, mistyped or missed; and some that are none."""
    dice, types, found = Dice(seed), sorted({span[2] for s in samples for span in s.spans} | {"PER"}), []
    for sample in samples:
        spans, taken = list[Span](), set[int]()
        wanted = list(sample.spans)
        if sample.tokens and dice.chance(0.1):
            at = dice.below(len(sample.tokens))
            wanted.append((at, at + 1, dice.of(types)))
        for start, end, kind in wanted:
            if not dice.chance(skill):
                fate = dice.below(4)
                if fate == 0:
                    continue
                start, end = (start, end - 1) if fate == 1 and end - start > 1 else (start, end)
                end = min(end + 1, len(sample.tokens)) if fate == 2 else end
                kind = dice.of(types) if fate == 3 else kind
            here = set(range(start, end))
            if nested or not here & taken:
                spans.append((start, end, kind))
                taken |= here
        found.append(Sample(sample.tokens, sorted(set(spans)), sample.doc))
    return found


# --- as tags, lines and rows ------------------------------------------------------------------------------------


def tags_of(sample: Sample, scheme: str) -> list[str]:
    tags, before = ["O"] * len(sample.tokens), (-1, "")
    for start, end, kind in sample.spans:
        inner = range(start, end)
        if scheme == "io":
            marks = ["" for _ in inner]
        elif scheme == "iob1":  # B- only where a mention of the same type ends just before
            marks = ["B-" if i == start and before == (start, kind) else "I-" for i in inner]
        else:
            marks = ["B-" if i == start else "I-" for i in inner]
        if scheme == "bioes":
            marks[-1] = "S-" if len(marks) == 1 else "E-"
        tags[start:end] = [mark + kind for mark in marks]
        before = (end, kind)
    return tags


def conll(samples: list[Sample], tags: list[list[str]], *, documents: bool = False) -> str:
    """Two columns; with documents four, as in CoNLL-2003, and a line before each document."""
    lines, doc = list[str](), ""
    for sample, row in zip(samples, tags):
        if documents and sample.doc != doc:
            lines += ["-DOCSTART- -X- -X- O", ""]
            doc = sample.doc
        between = " NN B-NP " if documents else " "
        lines += [f"{token}{between}{tag}" for token, tag in zip(sample.tokens, row)] + [""]
    return "\n".join(lines) + "\n"


def jsonl(rows: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def entities(sample: Sample) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "label": kind} for start, end, kind in sample.spans]


def of_spans(parts: dict[str, list[Sample]], systems: dict[str, list[Sample]], more: Any = None) -> Input:
    """JSONL with spans; ``more(sample, row number)`` adds columns."""
    found = Input()
    for name, samples in (parts | systems).items():
        rows = [{"tokens": s.tokens, "entities": entities(s)} for s in samples]
        if more and name in parts:
            rows = [row | more(sample, i) for i, (row, sample) in enumerate(zip(rows, samples))]
        found.files[f"{name}.jsonl"] = jsonl(rows)
    found.compute = compute(parts, systems, entities, "entities")
    return found


def of_tags(parts: dict[str, list[Sample]], systems: dict[str, list[Sample]], scheme: str, **options: Any) -> Input:
    """CoNLL files."""
    found = Input()
    for name, samples in (parts | systems).items():
        found.files[f"{name}.conll"] = conll(samples, [tags_of(s, scheme) for s in samples], **options)
    found.compute = compute(parts, systems, lambda sample: tags_of(sample, scheme), "tags")
    return found


def compute(
    parts: dict[str, list[Sample]], systems: dict[str, list[Sample]], labels: Callable[[Sample], Any], column: str
) -> dict[str, Any]:
    """The arguments of a metric, for the first system."""
    return {
        "references": [labels(s) for s in parts["test"]],
        "predictions": [labels(s) for s in next(iter(systems.values()))],
        "tokens": [s.tokens for s in parts["test"]],
        "train": {"tokens": [s.tokens for s in parts["train"]], column: [labels(s) for s in parts["train"]]},
    }


def two_systems(parts: dict[str, list[Sample]], seed: int, **options: Any) -> dict[str, list[Sample]]:
    return {
        "careful": predicted(parts["test"], seed, 0.8, **options),
        "hasty": predicted(parts["test"], seed + 1, 0.4, **options),
    }


# --- the inputs -------------------------------------------------------------------------------------------------


def nested() -> Input:
    parts = sentences(101, types=("PER", "LOC", "ORG"), nested=True)
    return of_spans(parts, two_systems(parts, 102, nested=True))


def bioes() -> Input:
    parts = sentences(201)
    return of_tags(parts, two_systems(parts, 202), "bioes")


def iob1() -> Input:
    parts = sentences(301)
    return of_tags(parts, two_systems(parts, 302), "iob1", documents=True)


def bare() -> Input:
    """Names of types without a prefix, which have to be announced."""
    parts = sentences(401)
    found = of_tags(parts, two_systems(parts, 402), "io")
    found.compute["scheme"] = "io"
    return found


def ill_formed() -> Input:
    """IOB2, of which some mentions begin with I-."""
    parts = sentences(501)
    systems, dice, found = two_systems(parts, 502), Dice(503), Input()
    tags = {}
    for name, samples in (parts | systems).items():
        rows = [tags_of(sample, "iob2") for sample in samples]
        if name != "train":
            rows = [[f"I{tag[1:]}" if tag[0] == "B" and dice.chance(0.15) else tag for tag in row] for row in rows]
        tags[name] = rows
        found.files[f"{name}.conll"] = conll(samples, rows)
    found.compute = compute(parts, systems, lambda sample: tags_of(sample, "iob2"), "tags")
    found.compute |= {"references": tags["test"], "predictions": tags["careful"], "repair": "discard"}
    return found


IDS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def ids() -> Input:
    """Numbers for labels, with their names in a file; -100 is left out."""
    parts = sentences(601)
    systems, found = two_systems(parts, 602), Input(files={"labels.txt": "\n".join(IDS) + "\n"})

    def numbers(sample: Sample) -> list[int]:
        return [IDS.index(tag) for tag in tags_of(sample, "iob2")]

    for name, samples in (parts | systems).items():
        found.files[f"{name}.jsonl"] = jsonl([{"tokens": s.tokens, "ner_tags": numbers(s)} for s in samples])
    found.compute = compute(parts, systems, numbers, "tags") | {"labels": IDS}
    for i in range(0, len(parts["test"]), 7):  # tokens are those of the labels that count
        found.compute["references"][i][0] = -100
        found.compute["tokens"][i] = found.compute["tokens"][i][1:]
    return found


def parquet() -> Input:
    """A ClassLabel in the features, as datasets writes them, says what the numbers mean."""
    parts = sentences(701)
    systems, found = two_systems(parts, 702), Input()

    def table(samples: list[Sample]) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            import pyarrow as pa
            import pyarrow.parquet as pq

            tags = [[IDS.index(tag) for tag in tags_of(s, "iob2")] for s in samples]
            plain = pa.table({"tokens": [s.tokens for s in samples], "ner_tags": tags})
            named = {"feature": {"names": IDS, "_type": "ClassLabel"}, "_type": "List"}
            words = {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"}
            about = json.dumps({"info": {"features": {"tokens": words, "ner_tags": named}}})
            pq.write_table(plain.replace_schema_metadata({"huggingface": about}), path)

        return write

    found.tables = {f"{name}.parquet": table(samples) for name, samples in (parts | systems).items()}
    found.compute = compute(parts, systems, lambda sample: tags_of(sample, "iob2"), "tags")
    return found


def documents() -> Input:
    """Documents of six sentences, each in one of two languages."""
    parts = sentences(801)
    return of_spans(
        parts, two_systems(parts, 802), lambda s, i: {"doc": s.doc, "language": "en es".split()[i // 6 % 2]}
    )


def relations() -> Input:
    """Between the first mention of a sentence and each later one."""
    parts = sentences(901, types=("PER", "ORG"))

    def related(sample: Sample, row: int) -> dict[str, Any]:
        kinds = ("works_for", "left")
        return {
            "relations": [
                {"head": 0, "tail": i, "label": kinds[(row + i) % 2]} for i in range(1, len(sample.spans))
            ]
        }  # fmt: skip

    return of_spans(parts, two_systems(parts, 902), related)


def empty() -> Input:
    """Sentences without words, without mentions, and whole files without mentions."""
    parts = sentences(1001, sizes={"train": 60, "dev": 12, "test": 24})
    for samples in parts.values():
        samples[::5] = [Sample([], []) for _ in samples[::5]]
    parts["dev"] = [Sample(sample.tokens, []) for sample in parts["dev"]]
    careful = predicted(parts["test"], 1002, 0.8)
    silent = [Sample(sample.tokens, []) for sample in parts["test"]]
    return of_spans(parts, {"careful": careful, "silent": silent})


def unicode() -> Input:
    """Letters beyond ASCII: composed and not, without case, with more than one upper case, from right to left."""
    first = "É E\u0301 İ ı ß ẞ ﬁ 東 москва МОСКВА שלום 😀 A\u200b ǆ \u00c5 \u212b".split()
    last = ["", "s", "京", "град", "e\u0301", "é", "ſ", "S", "\u0307", "𝒳"]
    words = ["naïve", "nai\u0308ve", "—", "«", "»", "日本", "на", "в", "…", "٣"]
    parts = sentences(1101, first=first, last=last, words=words, sizes={"train": 160, "dev": 30, "test": 50})
    return of_spans(parts, two_systems(parts, 1102))


GENERATED = {
    "nested": nested, "bioes": bioes, "iob1": iob1, "bare": bare, "ill_formed": ill_formed, "ids": ids,
    "parquet": parquet, "documents": documents, "relations": relations, "empty": empty, "unicode": unicode,
}  # fmt: skip
