"""Files of others are never touched: what is removed or replaced is ours, and no output takes the place of an input."""

import argparse
import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

import cleancut as cc
from cleancut import CleancutError, SplitPlan, cli
from cleancut.app import jobs
from cleancut.cli.paths import Input, Output, OutputFolder
from cleancut.hub.staging import stage
from cleancut.reading.formats import copy_rows
from cleancut.reading.hub_ids import write_rows
from cleancut.splitting.folders import recorded, written_together

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo")


def conll(n=60, tag="B-PER", names=20):
    return "".join(f"{NAMES[i % 6]}{i % names} {tag if i % 3 else 'B-PER'}\nspoke O\n\n" for i in range(n))


TRAIN = conll(names=30)  # some names of gold, and others


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def there(folder):
    """All files of a folder by their names, with their content; links as what they point to."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = cli.main([str(a) for a in arguments])
        said = capsys.readouterr()
        assert code in (0, 2) and (said.err.count("\n") == 1 or code == 0), said.err
        return code, said.err

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a corpus, the predictions of a system for it, and a file that is none of ours."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", conll()), ("pred", conll(tag="O")), ("train", TRAIN)):
        (tmp_path / f"{name}.conll").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious.txt").write_text("keep me\n")
    return tmp_path


@pytest.fixture
def split(run):
    def split(*more, source="gold.conll"):
        return run("split", source, "-o", "out", "--effort", "fast", *more)

    return split


# --- removing ---------------------------------------------------------------------------------------------------


def tamper(plan, **files):
    stored = json.loads(plan.read_text())
    stored["files"] |= files
    plan.write_text(json.dumps(stored))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", ["../elsewhere/precious.txt", "{}/elsewhere/precious.txt", "sub/precious.txt"])
def test_a_tampered_plan_removes_nothing_elsewhere(folder, split, name, known):
    assert split()[0] == 0
    (folder / "out" / "sub").mkdir()
    shutil.copy("elsewhere/precious.txt", "out/sub/precious.txt")
    before = there(folder / "elsewhere"), there(folder / "out" / "sub")
    digest = sha(folder / "elsewhere" / "precious.txt") if known else "0" * 64
    tamper(folder / "out" / "plan.json", more={"name": name.format(folder), "sha256": digest})
    assert split("--ratios", "80/20") == (0, "")
    assert (there(folder / "elsewhere"), there(folder / "out" / "sub")) == before


@pytest.mark.parametrize("name", ["../elsewhere/precious.txt", "{}/elsewhere/precious.txt", "precious.txt"])
def test_a_tampered_manifest_removes_nothing_either(folder, name):
    target = folder / "elsewhere"  # where the plain name of all three is that of a file of the user
    digest = "0" * 64 if name == "precious.txt" else sha(target / "precious.txt")
    stored = {"format": "cleancut-ladder-1", "files": {name.format(folder): digest}}
    (target / "manifest.json").write_text(json.dumps(stored))
    found = cc.ladder(cc.read("train.conll"), cc.read("gold.conll"), levels=[100], seeds=1)
    found.write(cc.read("train.conll"), str(target))
    assert set(there(target)) == {"precious.txt", "manifest.json", "ladder-100-s0.jsonl"}


@pytest.mark.parametrize(
    "files",
    [5, [], ["test.jsonl"], {"x": 5}, {"x": {}}, {"x": {"name": 5, "sha256": 5}}, {"x": {"name": "..", "sha256": ""}},
     {"x": {"name": "a\0b", "sha256": ""}}, {"x": {"name": "", "sha256": ""}}],
)  # fmt: skip
def test_a_plan_of_any_content_is_survived(folder, split, files):
    assert split()[0] == 0
    stored = json.loads((folder / "out" / "plan.json").read_text())
    (folder / "out" / "plan.json").write_text(json.dumps({**stored, "files": files}))
    assert recorded(folder / "out", "plan.json") == {}
    for name in ("train", "validation", "test"):
        os.unlink(folder / "out" / f"{name}.jsonl")
    os.unlink(folder / "out" / "report.md")
    assert split() == (0, "")


def test_what_was_written_before_is_removed_unless_it_was_changed_since(folder, split):
    assert split("--format", "conll")[0] == 0
    with open("out/test.conll", "a") as stream:
        stream.write("mine O\n")
    os.rename("out/train.conll", "elsewhere/train.conll")
    os.symlink("../elsewhere/train.conll", "out/train.conll")  # of the right digest, but not in the folder
    mine = there(folder / "elsewhere")
    assert split() == (0, "")
    names = {"train.jsonl", "validation.jsonl", "test.jsonl", "plan.json", "report.md"}
    assert set(there(folder / "out")) == names | {"test.conll", "train.conll"}  # and no validation.conll
    assert (folder / "out" / "test.conll").read_text().endswith("mine O\n")
    assert there(folder / "elsewhere") == mine


def test_another_result_in_a_folder_removes_nothing_of_the_first(folder, split, run):
    assert split()[0] == 0
    before = there(folder / "out")
    assert run("hardeval-folds", "--gold", "out/train.jsonl", "-k", 2, "-o", "out") == (0, "")  # of what split wrote
    assert there(folder / "out").items() > before.items()
    before = there(folder / "out")
    code, error = run("ladder", "--train", "train.conll", "--test", "gold.conll", "-o", "out")
    assert code == 2 and "manifest.json is the manifest of a cleancut-folds-1, and would be lost" in error
    assert there(folder / "out") == before


# --- replacing --------------------------------------------------------------------------------------------------

OUTPUTS = {
    "split": (["split", "gold.conll", "--effort", "fast"], ["train.jsonl", "report.md", "plan.json"]),
    "split as it stands": (["split", "gold.conll", "--effort", "fast", "--format", "input"], ["test.conll"]),
    "frontier": (["split", "gold.conll", "--effort", "fast", "--frontier"], ["frontier.md", "frontier.json"]),
    "subsets": (
        ["subsets", "--train", "train.conll", "--test", "gold.conll"],
        ["clean.conll", "contaminated.conll", "manifest.json"],
    ),
    "ladder": (
        ["ladder", "--train", "train.conll", "--test", "gold.conll", "--levels", "100", "--seeds", "1"],
        ["ladder-100-s0.conll", "manifest.json"],
    ),
    "folds": (["hardeval-folds", "--gold", "gold.conll", "-k", "2"], ["fold-0.train.conll", "manifest.json"]),
    "demo": (["demo"], ["train.conll", "report.html", "clean/test.conll", "clean/plan.json", "manifest.json"]),
    "plots": (
        ["report", "--gold", "gold.conll", "--pred", "pred.conll", "--ci", "100", "--plots", "out"],
        ["became.png", "manifest.json"],
    ),
}
SLOW = {"plots": [pytest.mark.slow]}  # several pictures are drawn before one is written
CASES = [
    pytest.param(command, name, marks=SLOW.get(command, []))
    for command, (_, names) in OUTPUTS.items()
    for name in names
]


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_file_of_the_same_name_is_not_replaced(folder, run, command, name, kind):
    if command == "plots":
        pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'plot'")
    path = folder / "out" / name
    path.parent.mkdir(parents=True)
    if kind == "file":
        path.write_text('{"mine": 1}')
    elif kind == "link":
        path.symlink_to(folder / "elsewhere" / "precious.txt")
    else:
        path.mkdir()
    before = there(folder)
    arguments = OUTPUTS[command][0]
    code, error = run(*arguments, *([] if "--plots" in arguments else ["-o", "out"]))
    assert code == 2 and name in error and ("would be lost. " in error or "is a link to" in error), error
    assert there(folder) == before


@pytest.mark.parametrize("command", [command for command in OUTPUTS if command not in ("demo", "plots")])
def test_our_own_files_are_replaced(folder, run, command):
    arguments = [*OUTPUTS[command][0], "-o", "out"]
    assert run(*arguments)[0] == 0
    first = there(folder / "out")
    assert run(*arguments)[0] == 0
    assert there(folder / "out") == first
    (folder / "gold.conll").write_text(conll(57))
    assert run(*arguments)[0] == 0
    assert there(folder / "out").keys() == first.keys() and there(folder / "out") != first


@pytest.mark.slow
def test_pictures_are_replaced_and_others_of_the_folder_stay(folder, run):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'plot'")
    command = OUTPUTS["plots"][0]
    assert run(*command)[0] == 0
    (folder / "out" / "mine.png").write_text("keep me")
    (folder / "pred.conll").write_text(conll(tag="B-LOC"))
    assert run(*command)[0] == 0
    assert (folder / "out" / "mine.png").read_text() == "keep me"


@pytest.mark.parametrize("name", ["train.jsonl", "plan.json"])
def test_a_file_of_others_is_replaced_where_that_is_asked_for(folder, split, name):
    (folder / "out").mkdir()
    for file in (name, "mine.txt"):
        (folder / "out" / file).write_text("mine")
    assert split()[0] == 2
    assert split("--overwrite") == (0, "")
    assert (folder / "out" / name).read_text() != "mine" and (folder / "out" / "mine.txt").read_text() == "mine"


def test_links_and_folders_are_never_replaced(folder, split):
    (folder / "out" / "report.md").mkdir(parents=True)
    (folder / "out" / "train.jsonl").symlink_to(folder / "elsewhere" / "precious.txt")
    before = there(folder)
    for _ in range(2):
        assert split("--overwrite")[0] == 2 and there(folder) == before
        if (folder / "out" / "report.md").exists():
            os.rmdir(folder / "out" / "report.md")


def test_the_files_of_another_result_are_not_replaced(folder, split, run):
    """A split's own files belong to its plan: a demo in the same folder leaves them as they are."""
    assert split("--format", "conll")[0] == 0
    before = there(folder)
    code, error = run("demo", "-o", "out")
    assert code == 2 and "out/train.conll is not a file as cleancut wrote it" in error and "--overwrite" in error
    assert there(folder) == before


def test_a_folder_is_as_it_was_where_one_of_its_files_is_not_ours(folder):
    (folder / "elsewhere" / "b").write_text("mine")
    before = there(folder / "elsewhere")
    with pytest.raises(CleancutError, match="would be lost"), written_together("elsewhere", {"format": "x"}) as fresh:
        for name in "abc":
            Path(fresh, name).write_text(name)
    assert there(folder / "elsewhere") == before
    (folder / "elsewhere" / "b").write_text("b")  # nothing is lost by its equal
    with written_together("elsewhere", {"format": "x"}) as fresh:
        for name in "abc":
            Path(fresh, name).write_text(name)
    assert {"a", "b", "c"} < set(there(folder / "elsewhere"))


def test_rows_are_not_copied_over_their_files_nor_through_links(folder):
    datasets = pytest.importorskip("datasets")
    with pytest.raises(CleancutError, match="train.conll would be written over, but it is read"):
        copy_rows(["train.conll"], {"train": [0]}, "")
    os.symlink("elsewhere/precious.txt", "test.conll")
    os.symlink("elsewhere/precious.txt", "test.parquet")
    with pytest.raises(CleancutError, match="test.conll is a link to elsewhere/precious.txt"):
        copy_rows(["train.conll"], {"test": [0]}, "")
    with pytest.raises(CleancutError, match="test.parquet is a link to elsewhere/precious.txt"):
        write_rows({"test": datasets.Dataset.from_dict({"a": [1]})}, "")
    assert (folder / "train.conll").read_text() == TRAIN
    assert (folder / "elsewhere" / "precious.txt").read_text() == "keep me\n"


def test_an_upload_of_the_name_of_a_result_is_refused(folder, tmp_path_factory):
    upload = tmp_path_factory.mktemp("uploads") / "report.html"
    upload.write_text(conll())
    with pytest.raises(CleancutError, match="report.html is the name of a file of results. Rename yours."):
        jobs.score(upload, conll(tag="O"), "", "", 1.0, lambda share: None)
    assert upload.read_text() == conll()


# --- Spaces -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_staged_space_is_replaced_only_as_it_was_staged(folder):
    (space,) = stage(["exact_f1"], "spaces")
    fresh = there(space)
    (space / "__pycache__").mkdir()
    (space / "__pycache__" / "exact_f1.cpython-311.pyc").write_bytes(b"")
    old = json.loads((space / "manifest.json").read_text())
    (space / "scores.py").write_text("# of another version\n")
    old["files"]["scores.py"] = sha(space / "scores.py")
    (space / "manifest.json").write_text(json.dumps(old))
    stage(["exact_f1"], "spaces")
    assert there(space) == fresh  # what another version staged has gone

    def refused(what):
        before = there(folder)
        with pytest.raises(CleancutError, match=rf"other than a staged Space{what}. Choose another folder"):
            stage(["exact_f1"], "spaces")
        assert there(folder) == before

    (space / "README.md").write_text("mine\n")
    refused(r" \(README.md\)")
    (space / "README.md").write_bytes(fresh["README.md"])
    (space / "__pycache__").mkdir()
    (space / "__pycache__" / "notes.txt").write_text("mine\n")
    refused(r" \(__pycache__/notes.txt\)")
    shutil.rmtree(space / "__pycache__")
    (space / "linked").symlink_to(folder / "elsewhere")
    refused(r" \(linked\)")
    os.unlink(space / "linked")
    os.rename(space, folder / "moved")
    space.symlink_to(folder / "moved")
    refused("")


def test_the_sources_of_a_metric_are_not_staged_over(folder):
    shutil.copytree(cc.metric("exact_f1"), "spaces/exact_f1")
    before = there(folder / "spaces")
    with pytest.raises(CleancutError, match="holds something other than a staged Space"):
        stage(["exact_f1"], "spaces")
    assert there(folder / "spaces") == before


# --- what a plan may name ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"files": {"test": {"name": "../elsewhere/precious.txt", "sha256": "?"}}}, "not the name of a file beside"),
        ({"files": {"test": {"name": "{}/elsewhere/precious.txt", "sha256": "?"}}}, "not the name of a file beside"),
        ({"files": {"test": {"name": "link.jsonl", "sha256": "?"}}}, "link.jsonl, a file of the plan, is a link"),
        ({"files": {"test": {"name": "test.jsonl", "sha256": "0" * 64}}}, "is not as cleancut split wrote it"),
        ({"files": {"test": {"name": 5, "sha256": "0"}}}, "not a plan that SplitPlan.save wrote"),
        ({"files": []}, "not a plan that SplitPlan.save wrote"),
        ({"names": ["train", "../validation", "test"]}, "'../validation' cannot be the name of a split"),
        ({"reading": {"labels": "elsewhere/precious.txt"}}, "labels 'elsewhere/precious.txt', which are not names"),
        ({"read_as": {"labels": "elsewhere/precious.txt"}}, "labels 'elsewhere/precious.txt', which are not names"),
        ({"reading": {"path": "elsewhere/precious.txt"}}, "reading: it has 'path', which is not an option"),
        ({"original_sizes": {"": 61}}, "the original splits have 61 samples, not 60"),
    ],
)
def test_a_tampered_plan_publishes_nothing_else(folder, split, change, message):
    assert split()[0] == 0
    (folder / "out" / "link.jsonl").symlink_to("../elsewhere/precious.txt")
    digest = sha(folder / "elsewhere" / "precious.txt")
    stored = json.loads((folder / "out" / "plan.json").read_text())
    changed = json.loads(json.dumps(change).replace('"?"', json.dumps(digest)).replace("{}/", f"{folder}/"))
    if isinstance(changed.get("files"), dict):
        changed["files"] = {**stored["files"], **changed["files"]}
    (folder / "out" / "plan.json").write_text(json.dumps({**stored, **changed}))
    with pytest.raises(CleancutError) as refused:
        cc.publish("out", "org/data", "clean")
    assert message in str(refused.value)


# --- a plan and its samples ---------------------------------------------------------------------------------------

SENTENCES = [[f"{NAMES[i % 6]}{i % 20}", "spoke", f"n{i}"] for i in range(60)]
TAGS = [["B-PER", "O", "O"]] * 60


def columns(tokens=SENTENCES, tags=TAGS):
    return {"tokens": tokens, "ner_tags": tags}


def in_rows(sentences=SENTENCES):
    """One token a row."""
    return [
        {"sentence_id": i, "word": word, "tag": "B-PER" if not at else "O"}
        for i, words in enumerate(sentences)
        for at, word in enumerate(words)
    ]


def in_documents(sentences=SENTENCES):
    """Documents of three sentences."""
    named = [{"words": words, "named_entities": ["B-PER", "O", "O"]} for words in sentences]
    return [{"document_id": f"d{i}", "sentences": named[i : i + 3]} for i in range(0, 60, 3)]


def with_text(sentences=SENTENCES):
    return [
        {"text": " ".join(words), "entities": [{"start": 0, "end": len(words[0]), "label": "PER"}]}
        for words in sentences
    ]


def numbered(sentences=SENTENCES):
    """Tags by the numbers of their names."""
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        tokens=datasets.Sequence(datasets.Value("string")),
        ner_tags=datasets.Sequence(datasets.ClassLabel(names=["O", "B-PER"])),
    )
    return datasets.Dataset.from_dict(columns(sentences, [[1, 0, 0]] * 60), features=features)


SHAPES = {
    "tokens and tags": lambda s: [dict(zip(columns(), row)) for row in zip(s, TAGS)],
    "tokens in rows": in_rows,
    "documents": in_documents,
    "text and offsets": with_text,
    "label ids": numbered,
}
OTHERS = [*SENTENCES[:-1], ["Gus", "came", "n59"]]
TURNED = SENTENCES[::-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "parted"),
    [(shape, False) for shape in SHAPES]
    + [pytest.param(shape, True, marks=[] if shape == "documents" else pytest.mark.slow) for shape in SHAPES],
)
def test_a_plan_is_for_its_samples_whatever_their_shape(tmp_path, shape, parted):
    datasets = pytest.importorskip("datasets")

    def data(sentences):
        rows = SHAPES[shape](sentences)
        whole = rows if isinstance(rows, datasets.Dataset) else datasets.Dataset.from_list(rows)
        middle = len(whole) * 2 // 3
        parts = {"train": whole.select(range(middle)), "test": whole.select(range(middle, len(whole)))}
        return datasets.DatasetDict(parts) if parted else whole

    own = data(SENTENCES)
    unit = "doc" if shape == "documents" else "sample"
    made = cc.mincut(own, (50, 50), effort="fast", unit=unit, min_per_type=0)
    made.save(tmp_path / "plan.json")
    for plan in (made, SplitPlan.load(tmp_path / "plan.json")):
        n = sum(map(len, own.values())) if parted else len(own)
        assert sum(map(len, plan.apply(own).values())) == n
        with pytest.raises(CleancutError, match=r"other samples than those given \(fingerprint \w{16}, and \w{16} of"):
            plan.apply(data(OTHERS))
        with pytest.raises(CleancutError, match=r"in another order \(order \w{16}, and \w{16} of those given"):
            plan.apply(data(TURNED))
    for field, message in (("fingerprint", "other samples"), ("order", "another order")):
        stored = json.loads((tmp_path / "plan.json").read_text())
        (tmp_path / "edited.json").write_text(json.dumps({**stored, field: "0" * 16}))
        with pytest.raises(CleancutError, match=message):
            SplitPlan.load(tmp_path / "edited.json").apply(own)


def test_a_plan_of_a_corpus_is_for_its_samples():
    corpora = [cc.Corpus.of(sentences, tags=TAGS) for sentences in (SENTENCES, OTHERS, TURNED)]
    plan = cc.mincut(corpora[0], (50, 50), effort="fast")
    assert sum(map(len, plan.apply(corpora[0]).values())) == 60
    for corpus, message in zip(corpora[1:], ("other samples", "another order")):
        with pytest.raises(CleancutError, match=message):
            plan.apply(corpus)
    relabelled = cc.Corpus.of(SENTENCES, tags=[["B-LOC", "O", "O"]] * 60)
    with pytest.raises(CleancutError, match="other samples"):
        plan.apply(relabelled)


def test_a_dataset_that_has_changed_beside_its_samples_is_taken():
    """Columns that were added, renamed, turned into ids or removed; a corpus of other columns than the usual ones."""
    datasets = pytest.importorskip("datasets")
    own = datasets.Dataset.from_dict(columns())
    plan = cc.mincut(own, (50, 50), method="random")
    lower = [[word.lower() for word in words] for words in SENTENCES]
    spans = [[{"start": 2, "end": 3, "label": "X"}]] * 60
    only_ids = datasets.Dataset.from_dict({"input_ids": [[1, 2]] * 60})
    for changed in (
        own.add_column("n", list(range(60))),
        own.add_column("fine_ner_tags", [["O", "B-X", "O"]] * 60),  # now two columns may hold the tags
        own.add_column("entities", spans),
        own.add_column("words", lower),
        own.rename_columns({"tokens": "words", "ner_tags": "labels"}),
        numbered(),
        only_ids,  # cannot be read
    ):
        assert sum(map(len, plan.apply(changed).values())) == 60
    both = own.add_column("fine_ner_tags", [["O", "B-X", "O"]] * 60).add_column("lower", lower)
    for options in ({"tags": "fine_ner_tags"}, {"tags": "fine_ner_tags", "tokens": "lower"}):
        of_corpus = cc.mincut(cc.from_dataset(both, **options), (50, 50), method="random")
        assert sum(map(len, of_corpus.apply(both).values())) == 60
        with pytest.raises(CleancutError, match="other samples"):
            of_corpus.apply(own)


def test_parts_are_never_read_each_in_its_own_way():
    """Whether the end of a span belongs to it is found for all parts together."""
    datasets = pytest.importorskip("datasets")

    def part(inclusive):
        names = [f"{words[0]}." for words in SENTENCES]
        spans = [[{"start": 0, "end": len(name) - inclusive, "text": name, "label": "PER"}] for name in names]
        rows = [{"text": f"{name} {i}", "spans": at} for i, (name, at) in enumerate(zip(names, spans))]
        return datasets.Dataset.from_list(rows)

    mixed = datasets.DatasetDict(train=part(False), test=part(True))
    with pytest.raises(CleancutError, match="60 mentions say the one and 60 the other. Give end='exclusive'"):
        cc.mincut(mixed, (50, 50), effort="fast")
    parts = datasets.DatasetDict(train=part(True), test=part(True))
    plan = cc.mincut(parts, (50, 50), effort="fast")
    assert sum(map(len, plan.apply(parts).values())) == 120
    whole = datasets.concatenate_datasets(list(parts.values()))
    assert sum(map(len, plan.apply(whole).values())) == 120
    with pytest.raises(CleancutError, match="another order"):
        plan.apply(whole.select([1, 0, *range(2, 120)]))


READINGS = [[], ["--tags", "fine"], ["--labels", "O,B-X"], ["--join-at"], ["--scheme", "io", "--tags", "bare"]]


@pytest.mark.parametrize(
    ("options", "format"),
    [(options, "jsonl") for options in READINGS]
    + [pytest.param(options, "input", marks=[pytest.mark.slow] if options else []) for options in READINGS],
)
def test_a_plan_of_the_command_line_is_for_the_rows_it_was_made_of(folder, run, options, format):
    datasets = pytest.importorskip("datasets")
    rows = [
        {"tokens": ["@", *words], "ner_tags": ["B-PER", "B-PER", "O", "O"], "fine": ["O", "B-A", "I-A", "B-A"],
         "bare": ["O", "X", "Y", "X"]}
        for words in SENTENCES
    ]  # fmt: skip
    if "--labels" in options:
        rows = [{"tokens": row["tokens"], "ner_tags": [0, 1, 0, 0]} for row in rows]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, error = run("split", "data.jsonl", "-o", "out", "--method", "random", "--format", format, *options)
    assert code == 0, error
    plan = SplitPlan.load(folder / "out" / "plan.json")
    assert sum(map(len, plan.apply(datasets.Dataset.from_list(rows)).values())) == 60
    with pytest.raises(CleancutError, match="other samples"):
        plan.apply(datasets.Dataset.from_list([*rows[:-1], {**rows[-1], "tokens": ["@", "Gus", "came", "home"]}]))
    with pytest.raises(CleancutError, match="another order"):
        plan.apply(datasets.Dataset.from_list(rows[::-1]))


# --- inputs and outputs -------------------------------------------------------------------------------------------

COMMANDS = next(a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
FILES = {"FILE", "DIR", "SOURCE", "PLAN", "IN", "OUT", "STUDY"}
"""As the help shows a file or a folder."""
OUTPUT_NAMES = ("output", "html", "plots")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_that_names_a_file_is_an_input_or_an_output(command):
    for action in COMMANDS[command]._actions:
        names_a_file = action.metavar in FILES or action.dest in ("labels", "map")
        typed = isinstance(action.type, type) and issubclass(action.type, Input | Output)
        assert typed == names_a_file, f"{command} {action.dest}: type it Input, Output or OutputFolder"
        if names_a_file:
            assert issubclass(action.type, Output) == (action.dest in OUTPUT_NAMES), f"{command} {action.dest}"
            assert (action.type is OutputFolder) == (action.metavar == "DIR"), f"{command} {action.dest}"


def outputs():
    """Every option of every command that writes a file, with what the command needs besides."""
    systems = ["--gold", "gold.conll", "--pred", "pred.conll", "--train", "train.conll"]
    files = ["--train", "train.conll", "--test", "gold.conll"]
    needed = {
        ("report", "output"): ["report", *systems],
        ("compare", "html"): ["compare", *systems, "--pred", "gold.conll", "--ci", "100"],
        ("audit", "html"): ["audit", *files],
        ("split", "html"): ["split", "train.conll", "gold.conll", "-o", "out"],
        ("incidence", "output"): ["incidence", "train.conll", "gold.conll"],
        ("convert", "output"): ["convert", "train.conll"],
    }
    flag = {"output": ["-o"], "html": ["--html"]}
    return [(needed[key], [] if key[0] == "convert" else flag[key[1]]) for key in needed]


def test_every_option_that_writes_a_file_is_tried():
    tried = {(command[0], (flag or ["-o"])[0]) for command, flag in outputs()}
    known = {
        (name, action.option_strings[0] if action.option_strings else "-o")
        for name, parser in COMMANDS.items()
        for action in parser._actions
        if action.type is Output
    }
    assert tried == known


@pytest.mark.parametrize("other_name", ["itself", "dotted", "absolute", "link", "hard link", "linked folder"])
@pytest.mark.parametrize(("command", "flag"), outputs(), ids=lambda value: value[0] if value else "")
def test_an_output_that_is_an_input_is_refused(folder, run, command, flag, other_name):
    for read in [name for name in dict.fromkeys(command) if name.endswith(".conll")]:
        path = {"itself": read, "dotted": f"elsewhere/../{read}", "absolute": str(folder / read)}.get(other_name)
        if other_name == "link":
            os.symlink(read, path := f"link-to-{read}")
        elif other_name == "hard link":
            os.link(read, path := f"same-as-{read}")
        elif other_name == "linked folder":
            Path("here").unlink(missing_ok=True)
            os.symlink(".", "here")
            path = f"here/{read}"
        before = there(folder)
        code, error = run(*command, *flag, path)
        assert code == 2 and path in error and "would be written over, but it is read" in error, (read, error)
        assert there(folder) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("report --gold data/x.md --pred data/x.md --gold-column -1 -o data/x.html --format md", "data/x.md"),
        ("report --gold gold.conll --pred pred.conll --labels data/names.csv -o data/names.html --format csv",
         "data/names.csv"),
        ("report --gold gold.conll --pred pred.conll -o page.html --labels page.html", "page.html"),
        ("score --gold gold.conll --pred pred.conll", None),
        ("audit data --html data/train.conll", "data/train.conll"),
        ("split data -o data", "data/test.conll"),
        ("split data -o data --html data/test.conll", "data/test.conll"),
        ("split data/train.conll -o data/x --html data/train.conll", "data/train.conll"),
        ("split gold.conll -o out --recipe data/mine.toml --html data/mine.toml", "data/mine.toml"),
        ("split --incidence data/assignment.parquet -o data", "data/assignment.parquet"),
        ("split --incidence inc -o out --html inc/part-0.parquet", "inc/part-0.parquet"),
        ("ladder --train data/ladder-100-s0.conll --test gold.conll --levels 100 --seeds 1 -o data",
         "data/ladder-100-s0.conll"),
        ("hardeval-folds --gold data/fold-0.train.conll -k 2 -o data", "data/fold-0.train.conll"),
        ("subsets --train train.conll --test data/clean.conll -o data", "data/clean.conll"),
        ("report --gold data/became.png --pred pred.conll --ci 100 --plots data", "data/became.png"),
        ("report --gold gold.conll --pred pred.conll -o page.md --format md", "page.md"),
    ],
)  # fmt: skip
def test_outputs_beside_and_inputs_of_folders(folder, run, command, written):
    if "--plots" in command:
        pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'plot'")
    (folder / "data").mkdir()
    (folder / "inc").mkdir()
    for name in ("train.conll", "test.conll", "x.md", "ladder-100-s0.conll", "fold-0.train.conll", "clean.conll",
                 "became.png"):  # fmt: skip
        (folder / "data" / name).write_text(TRAIN if name.startswith("ladder") else conll())
    for name in ("data/names.csv", "page.html"):
        (folder / name).write_text("O\nB-PER\n")
    (folder / "data" / "mine.toml").write_text("")
    if "--incidence" in command:
        cc.write_incidence(cc.read("gold.conll"), "data/assignment.parquet")
        shutil.copy("data/assignment.parquet", "inc/part-0.parquet")
    if command.startswith(("audit", "split data ")):
        for name in ("fold-0.train.conll", "ladder-100-s0.conll", "clean.conll"):
            os.unlink(folder / "data" / name)
    before = there(folder)
    code, error = run(*command.split())
    if written is None:
        assert code == 0
    else:
        why = ("would be written over, but it is read", "where the splits are written", "both the page and the tables")
        assert code == 2 and written in error and any(said in error for said in why), error
    assert there(folder) == before


ENDS = {
    "missing/page.html": "the folder {}/missing does not exist",
    "gold.conll/page.html": "the folder {}/gold.conll does not exist",
    "elsewhere": "elsewhere is a folder. Name a file.",
    "/dev/full": "/dev/full is not a regular file",
    f"{'x' * 252}.html": "the name is longer than 255 bytes",
}


@pytest.mark.parametrize("path", ENDS)
@pytest.mark.parametrize(("command", "flag"), outputs(), ids=lambda value: value[0] if value else "")
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(folder, run, command, flag, path):
    for name in ("gold.conll", "pred.conll", "train.conll"):
        (folder / name).write_text("what is refused later\x00\n")
    before = there(folder), sorted(os.listdir(folder))
    code, error = run(*command, *flag, path)
    assert code == 2 and ENDS[path].format(folder) in error, error
    assert (there(folder), sorted(os.listdir(folder))) == before


@pytest.mark.parametrize("path", ["gold.conll", "gold.conll/out", "/dev/full", "x" * 256])
@pytest.mark.parametrize("command", [*OUTPUTS, "stage", "materialise"])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_read(folder, run, command, path):
    more = {"stage": ["stage", "exact_f1"], "materialise": ["materialise", "org/name", "--config", "c"]}
    arguments = (more.get(command) or OUTPUTS[command][0]).copy()
    before = there(folder), sorted(os.listdir(folder))
    if "--plots" in arguments:
        arguments[-1] = path
    code, error = run(*arguments, *([] if "--plots" in arguments else ["-o", path]))
    assert code == 2 and ("is a file" in error or "would be written over" in error or "is longer" in error), error
    assert (there(folder), sorted(os.listdir(folder))) == before


def test_a_read_only_folder_is_refused(folder, run, monkeypatch):
    os.chmod("elsewhere", 0o500)
    if os.access("elsewhere", os.W_OK):  # to root, and on Windows, no folder is read-only
        monkeypatch.setattr(os, "access", lambda path, mode: os.path.basename(path) != "elsewhere")
    assert "cannot be written to" in run("convert", "gold.conll", "elsewhere/x.jsonl")[1]
    assert "cannot be written to" in run("split", "gold.conll", "-o", "elsewhere/x")[1]


@pytest.mark.parametrize("arguments", ["-o out --html out", "-o out --html out/plan.json", "-o out --html ./out/x.md"])
def test_outputs_of_one_command_do_not_take_each_others_place(folder, run, arguments):
    code, error = run("split", "gold.conll", *arguments.split())
    assert code == 2 and ("two outputs" in error or "is a folder" in error or "Let its name end in .html" in error)
    assert not (folder / "out").exists()


def test_a_page_may_stand_in_the_folder_of_the_split(folder, split):
    for _ in range(2):
        assert split("--html", "out/page.html") == (0, "")
    assert (folder / "out" / "page.html").exists()


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1"])
def test_a_split_that_fails_leaves_no_folder_behind(folder, run, content):
    (folder / "x.parquet").write_bytes(content)
    for out in ("out", "a/b/c"):
        assert run("split", "--incidence", "x.parquet", "-o", out)[0] == 2
        assert not (folder / out.partition("/")[0]).exists()
    assert run("hardeval-folds", "--gold", "gold.conll", "-k", "999", "-o", "out")[0] == 2
    assert not (folder / "out").exists()


def test_what_is_no_input_is_written(folder, run):
    """A page in the folder that was read, and again; results in the folder of the input."""
    (folder / "data").mkdir()
    for name in ("train", "test"):
        (folder / "data" / f"{name}.conll").write_text(conll())
    for _ in range(2):
        assert run("audit", "data", "--html", "data/audit.html")[0] == 0
        assert run("subsets", "--train", "train.conll", "--test", "gold.conll", "-o", ".")[0] == 0
        assert run("convert", "gold.conll", "gold.jsonl")[0] == 0
    assert (folder / "data" / "audit.html").exists() and (folder / "clean.conll").exists()
