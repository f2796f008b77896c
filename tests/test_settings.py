"""The settings of a split, and signatures: what was asked for is said by the signature and by the command alike."""

import json
import shlex
from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, samples

import cleancut
from cleancut import CleancutError, Corpus, SplitPlan, SplitSettings, mincut, publish
from cleancut.cli import main
from cleancut.core.signature import Signature
from cleancut.hub.publishing import DERIVED, _derived, _plan_and_rows
from cleancut.reading.hub_ids import HubId
from cleancut.splitting.settings import DEFAULTS, OPTIONS

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

# --- signatures -----------------------------------------------------------------------------------------------

NAMES = st.text(ascii_lowercase + "_", min_size=1, max_size=8).filter(lambda name: name != "v")


@given(NAMES, st.dictionaries(NAMES, st.text()))
def test_a_signature_is_read_as_it_was_written(what, settings):
    signature = Signature.of(what, settings)
    assert Signature.parse(str(signature)) == signature
    assert [signature[name] for name in settings] == list(settings.values())
    assert "\n" not in str(signature) and str(signature).count("|") == len(settings) + 1
    assert str(signature).endswith(f"|v:{cleancut.__version__}")


@pytest.mark.parametrize("text", ["", "split", "|a:1", "split|a", "split|:1"])
def test_what_is_no_signature_is_refused(text):
    with pytest.raises(CleancutError, match="not a signature"):
        Signature.parse(text)


# --- the record -----------------------------------------------------------------------------------------------

OTHER = {
    "method": "components", "unit": "doc", "key": "pair", "case": False, "typed": False,
    "same": "fold+part", "part_limit": 5, "templates": "together", "ratios": "60/20/20",
    "discard": "auto", "representative": "off", "min_per_type": 3, "type_share": 0.8, "stratify": "lang|uage x",
    "duplicates_together": False, "engine": "peel", "effort": "fast", "prove": 5.0, "seed": 7,
}  # fmt: skip
"""Another value than the default, for each option."""
RATIOS = st.lists(st.integers(1, 999), min_size=2, max_size=3).map(lambda parts: "/".join(map(str, parts)))
VALUES = {
    name: st.sampled_from([DEFAULTS.to_dict()[name], value]) for name, value in OTHER.items() if name != "method"
} | {"ratios": RATIOS, "discard": st.sampled_from([0, 0.02, "auto"]), "seed": st.integers(0, 2**31)}  # fmt: skip
NEEDED = {"part_limit": {"same": "part"}, "prove": {"discard": "auto"}}
"""The options without which another one has no effect."""


def has_effect(options):
    of_entities = options["key"] == "entity"
    has_part = options["part_limit"] == DEFAULTS.part_limit or "part" in options["same"]
    has_proof = options["prove"] is None or options["discard"] == "auto"
    return (options["typed"] or of_entities) and (options["same"] == "exact" or of_entities) and has_part and has_proof


SETTINGS = st.fixed_dictionaries(VALUES).filter(has_effect).map(lambda options: SplitSettings(**options))


def said(settings: SplitSettings) -> str:
    return str(settings.signature("split", {}, {}))


def test_every_option_has_another_value_here():
    assert list(OTHER) == list(OPTIONS)


@pytest.mark.parametrize("name", OTHER)
def test_another_option_is_another_signature_and_another_command(name):
    plain = SplitSettings(**NEEDED.get(name, {}))
    changed = SplitSettings(**{name: OTHER[name]}, **NEEDED.get(name, {}))
    assert said(changed) != said(plain)
    assert changed.flags() != plain.flags()
    assert changed.python() != plain.python() and not DEFAULTS.python()


@given(SETTINGS, SETTINGS)
def test_two_settings_have_two_signatures_and_two_commands(one, other):
    rest = {"ratios": None}
    same = one.to_dict() | rest == other.to_dict() | rest and len(one.ratios) == len(other.ratios)
    same = same and bool(np.allclose(one.shares({})[1], other.shares({})[1], rtol=1e-11, atol=0))
    assert (said(one) == said(other)) == same
    if not same:
        assert one.flags() != other.flags() and one.python() != other.python()


@given(SETTINGS)
def test_settings_come_back_from_their_signature_their_dict_and_json(settings):
    assert SplitSettings(**settings.to_dict()) == settings
    assert SplitSettings(**json.loads(json.dumps(settings.to_dict()))) == settings
    again = SplitSettings.from_signature(Signature.parse(said(settings)))
    assert said(again) == said(settings)


def test_the_signature_of_a_default_split_is_that_of_0_1_0():
    assert said(DEFAULTS) == (
        "split|method:mincut|unit:sample|key:surface+type|ratios:0.8/0.1/0.1|discard:0|representative:0.9|"
        f"min_per_type:20|engine:auto|effort:auto|seed:13|v:{cleancut.__version__}"
    )


def test_the_settings_of_0_1_0_are_found_in_its_signature():
    old = (
        "split|method:mincut|unit:doc|key:pair,uncased|ratios:0.5965/0.1773/0.2262|discard:auto|representative:None|"
        "min_per_type:0|type_share:0.8|engine:peel|effort:fast|seed:1|platform:x86_64|v:0.1.0"
    )
    found = SplitSettings.from_signature(Signature.parse(old))
    assert found.changed() == {
        "unit": "doc", "key": "pair", "case": False, "ratios": "0.5965/0.1773/0.2262", "discard": "auto",
        "representative": None, "min_per_type": 0, "type_share": 0.8, "engine": "peel", "effort": "fast", "seed": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "ratios"),
    [
        ((3394, 1009, 1287), "3394/1009/1287"),  # four digits would be another split
        ((800, 100, 100), "0.8/0.1/0.1"),
        ((1, 1, 1), "0.3333/0.3333/0.3333"),
    ],
)
def test_original_ratios_are_said_exactly(sizes, ratios):
    originals = dict(zip(("train", "dev", "test"), map(range, sizes), strict=True))
    signature = SplitSettings(ratios="original").signature("split", originals, {})
    assert signature["ratios"] == ratios


def test_names_of_splits_are_part_of_the_ratios():
    named = SplitSettings(ratios={"b": 1, "a": 3})
    assert named.flags(only_changed=True) == "--ratios b=1/a=3"
    assert SplitSettings(ratios="b=1/a=3") == named
    assert "ratios:b=0.25/a=0.75" in said(named)


def test_an_unknown_option_is_named():
    with pytest.raises(TypeError, match=r"mincut\(\) has no option 'sed'. Did you mean seed\?"):
        mincut(Corpus.of([["a"]], tags=[["O"]]), sed=1)


# --- the command makes the plan again -------------------------------------------------------------------------

ASKED = [
    [],
    ["--ratios", "original", "--seed", "3"],
    ["--ratios", "b=1/a=2", "--discard", "auto"],
    ["--tear-duplicates", "--representative", "off", "--min-per-type", "0"],
    ["--stratify", "language", "--type-share", "0.7"],
    ["--key", "surface", "--ignore-case", "--discard", "0.1"],
    ["--key", "pair"],
    ["--same", "fold+part", "--part-limit", "3", "--templates", "together", "--discard", "auto"],
    ["--unit", "doc", "--method", "random"],
    ["--document", "chapter", "--unit", "doc"],
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Two files with relations, documents, a column to stratify by, and samples that stand there twice."""
    folder = tmp_path_factory.mktemp("rows")
    for split, size in (("train", 60), ("test", 23)):
        with open(folder / f"{split}.jsonl", "w") as stream:
            for i in range(size):
                name = f"n{i * 7 % 29}"
                row = {
                    "tokens": [name, "met", f"m{i % 11}", "."],
                    "entities": [
                        {"start": 0, "end": 1, "label": "PER"},
                        {"start": 2, "end": 3, "label": "LOC" if i % 3 else "PER"},
                    ],
                    "relations": [{"head": 0, "tail": 1, "label": "met"}],
                    "doc": f"d{i // 4}", "chapter": f"c{i // 9}", "language": "en" if i % 2 else "de",
                }  # fmt: skip
                stream.write(json.dumps(row) + "\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_the_command_of_a_plan_makes_it_again(rows, tmp_path, capsys, asked):
    assert main(["split", str(rows), "-o", str(tmp_path / "one"), "--effort", "fast", *asked]) == 0
    first = SplitPlan.load(tmp_path / "one" / "plan.json")
    words = shlex.split(first.command.replace("DATA", str(rows)).replace("-o clean", f"-o {tmp_path / 'two'}"))
    assert words[0] == "cleancut" and main(words[1:]) == 0
    assert (tmp_path / "two" / "plan.json").read_bytes() == (tmp_path / "one" / "plan.json").read_bytes()


# --- the plan in hand -----------------------------------------------------------------------------------------


@examples(40)
@given(samples().filter(len))
def test_a_plan_in_hand_is_the_plan_on_disk(tmp_path_factory, tags):
    corpus = Corpus.of([[f"w{i % 3}" for i in range(len(sample))] for sample in tags], tags=tags)
    plan = mincut(corpus, effort="fast", method="random")
    folder = tmp_path_factory.mktemp("plan")
    written = plan.write(folder, corpus)
    loaded = SplitPlan.load(folder / "plan.json")
    assert loaded == written == plan and loaded.files == written.files and loaded.files.keys() >= {"train", "test"}
    assert repr(loaded) == repr(plan) and loaded._repr_html_() == plan._repr_html_()
    assert loaded.command == plan.command


def test_plans_that_differ_are_not_equal(rows):
    corpus = cleancut.read(rows / "train.jsonl")
    plan = mincut(corpus, effort="fast")
    assert plan == mincut(corpus, effort="fast") and plan != mincut(corpus, effort="fast", seed=1)
    assert plan != mincut(corpus, effort="fast", duplicates_together=False) and plan != 1


@pytest.mark.slow
def test_a_plan_is_published_from_hand_as_from_disk(rows, tmp_path):
    datasets = pytest.importorskip("datasets")
    files = {name: str(rows / f"{name}.jsonl") for name in ("train", "test")}
    given_rows = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    plan = mincut(given_rows, effort="fast", discard="auto")
    in_hand = publish(plan, "org/name", "clean", data=given_rows)
    plan.write(tmp_path / "out", given_rows)
    assert publish(tmp_path / "out", "org/name", "clean") == in_hand
    assert publish(tmp_path / "out", "org/name", "clean", data=given_rows) == in_hand
    with pytest.raises(CleancutError, match="Give data="):
        publish(plan, "org/name", "clean")
    with pytest.raises(CleancutError, match="other samples|samples, but"):
        publish(plan, "org/name", "clean", data=given_rows["train"])


def test_a_plan_writes_what_it_was_made_of(rows, tmp_path):
    corpus = cleancut.read(rows / "train.jsonl")
    plan = mincut(corpus, effort="fast")
    with pytest.raises(CleancutError, match="other samples"):
        plan.write(tmp_path / "out", cleancut.read(rows / "test.jsonl"))
    with pytest.raises(CleancutError, match="copies the rows of a dataset, which a corpus does not have"):
        plan.write(tmp_path / "out", corpus, format="input")
    with pytest.raises(CleancutError, match="format='xml' is unknown"):
        plan.write(tmp_path / "out", corpus, format="xml")
    assert not list((tmp_path / "out").glob("*"))


def test_a_plan_of_rows_stays_one_where_there_are_as_many_samples(tmp_path):
    """Documents of two sentences and of none: rows and samples are as many, and only the plan knows which it is of."""
    datasets = pytest.importorskip("datasets")
    tags = ["B-PER", "O"]
    full = [{"sentences": [{"tokens": [f"{n}{i}", "ran"], "tags": tags} for n in "ab"]} for i in range(20)]
    documents = datasets.Dataset.from_list([*full, *[{"sentences": []}] * 20])
    plan = mincut(documents, (50, 50), unit="doc", effort="fast", min_per_type=0, representative=None)
    assert len(plan.assignment) == len(cleancut.from_dataset(documents)) == 40 and plan.is_of_rows
    written = plan.write(tmp_path / "out", documents)
    assert written == plan == SplitPlan.load(tmp_path / "out" / "plan.json")
    with pytest.raises(CleancutError, match="Choose format='input'"):
        plan.write(tmp_path / "jsonl", documents, format="jsonl")


def test_what_load_splits_returned_is_written_applied_and_published(rows, tmp_path):
    samples_there = cleancut.load_splits(str(rows))
    plan = mincut(samples_there, effort="fast")
    written = plan.write(tmp_path / "out", samples_there)
    assert {name: len(part) for name, part in plan.apply(samples_there).items()} == plan.sizes == written.sizes
    assert len(publish(plan, "org/name", "clean", data=samples_there)) == 1


@pytest.mark.parametrize("format", ["conll", "jsonl"])
def test_a_split_may_be_called_like_the_report_beside_it(tmp_path, format):
    corpus = Corpus.of([[f"n{i}"] for i in range(20)], tags=[["B-PER"]] * 20)
    plan = mincut(corpus, {"train": 80, "report": 20}, effort="fast")
    written = plan.write(tmp_path / "out", corpus, format=format, beside={"report.md": "# Split\n"})
    assert written.files["report"]["name"] == f"report.{format}"
    assert written.files["report.md"]["name"] == "report.md"
    plan.write(tmp_path / "out", corpus, format=format, beside={"report.md": "another"})  # all are known to be ours


def test_derived_configs_are_read_as_the_split_was(tmp_path):
    """Of two columns of tags, the one that was split by is the one whose mentions are clean or contaminated."""
    datasets = pytest.importorskip("datasets")
    samples_there = [
        {
            "tokens": [f"n{i % 20}", "ran", "@", "so"],
            "ner_tags": ["B-PER", "O", "O", "O"],
            "loc": ["O", "B-LOC", "O", "O"],
        }
        for i in range(60)
    ]
    datasets.Dataset.from_list(samples_there).to_parquet(str(tmp_path / "all.parquet"))
    command = [
        "split",
        str(tmp_path / "all.parquet"),
        "-o",
        str(tmp_path / "out"),
        "--tags",
        "loc",
        "--format",
        "input",
    ]
    assert main([*command, "--effort", "fast", "--ratios", "80/20"]) == 0
    in_hand = cleancut.load_splits(str(tmp_path / "all.parquet"), tags="loc")
    for plan, data in (
        (mincut(in_hand, (80, 20), effort="fast"), in_hand),
        (tmp_path / "out", None),
        (SplitPlan.load(tmp_path / "out" / "plan.json"), datasets.Dataset.from_list(samples_there)),
    ):
        plan, splits, reading = _plan_and_rows(plan, data, str(tmp_path))
        (parts, _), (rest, _) = _derived(splits, reading, plan, "c", DERIVED[:2], {}).values()
        named = {} if isinstance(data, dict) else {"tags": "loc"}  # a corpus in hand has its mentions alone
        clean, contaminated = (cleancut.from_dataset(part["test"], **named) for part in (parts, rest))
        assert clean.texts() == [] and contaminated.texts() == ["ran"] * len(contaminated)  # train has every "ran"
        assert named == {} or rest["test"].column_names == ["tokens", "ner_tags", "loc"]


def test_what_a_check_takes_and_refuses():
    assert (
        SplitSettings(seed=np.int64(3)) == SplitSettings(seed=3) and SplitSettings(type_share="off") == SplitSettings()
    )
    with pytest.raises(CleancutError, match="not 'discarded'"):
        SplitSettings(ratios="train=80/discarded=20")
    with pytest.raises(CleancutError, match="two pairs of splits are both written as 'a_vs_b_vs_a'"):
        SplitSettings(ratios={"a": 50, "b_vs_a": 30, "a_vs_b": 20})  # before the work, not when it is written


def test_the_command_takes_every_value_that_python_takes(rows, tmp_path, capsys):
    command = ["split", str(rows), "-o", str(tmp_path / "out"), "--effort", "fast"]
    assert main([*command, "--type-share", "off"]) == 0
    assert SplitPlan.load(tmp_path / "out" / "plan.json").settings == SplitSettings(effort="fast")
    assert (
        main([*command, "--type-share", "much"]) == 2
        and "--type-share: 'much' is not a number" in capsys.readouterr().err
    )


def test_incidences_have_a_page_too(rows, tmp_path, capsys):
    assert main(["incidence", str(rows), "-o", str(tmp_path / "all.parquet")]) == 0
    command = ["split", "--incidence", str(tmp_path / "all.parquet"), "-o", str(tmp_path / "out"), "--effort", "fast"]
    assert main([*command, "--html", str(tmp_path / "page.html")]) == 0
    assert SplitPlan.load(tmp_path / "out" / "plan.json").signature in (tmp_path / "page.html").read_text()


def test_a_frontier_of_documents_counts_their_samples(tmp_path):
    """Rows are documents of one and of five sentences: ratios are of samples, and so is what is off them."""
    datasets = pytest.importorskip("datasets")
    documents = [
        {"sentences": [{"tokens": [f"n{i}", f"s{j}"], "tags": ["B-PER", "O"]} for j in range(1 if i % 2 else 5)]}
        for i in range(60)
    ]
    given_rows = datasets.Dataset.from_list(documents)
    corpus = cleancut.from_dataset(given_rows)
    options = {"unit": "doc", "effort": "fast", "min_per_type": 0, "discards": [0], "floors": [None]}
    (of_rows,), (of_samples,) = (cleancut.frontier(data, **options).points for data in (given_rows, corpus))
    assert of_rows.plan.is_of_rows and sum(of_rows.plan.sizes.values()) == 60
    assert of_rows.ratio_error == of_samples.ratio_error < 0.02


def test_a_plan_of_a_dataset_of_the_hub_knows_where_it_is(rows):
    there = HubId("org/name", None, "0" * 40)
    local = cleancut.load_splits(str(rows))
    hub = {name: replace(part, source=there) for name, part in local.items()}
    assert mincut(hub, effort="fast").hub_id == there and mincut(local, effort="fast").hub_id is None
    assert mincut(hub, effort="fast").command.startswith(f"cleancut split org/name@{'0' * 40} -o clean ")
