"""Relations: read, kept and written; splits and audits by entity, by pair and by triple."""

import json
import random
from itertools import permutations

import pytest
from test_cli import run

import cleancut as cc

pytestmark = pytest.mark.usefixtures("few_moves")  # what is split is split any way

ONE = {
    "tokens": ["Ada", "of", "Acme", "met", "Bo"],
    "entities": [
        {"start": 4, "end": 5, "label": "PER"},
        {"start": 2, "end": 3, "label": "ORG"},
        {"start": 0, "end": 1, "label": "PER"},
    ],
    "relations": [{"head": 2, "tail": 1, "label": "works_for"}, {"head": 0, "tail": 2, "label": "met"}],
}


def triples(corpus):
    """Of each sample, from the strings."""
    found, texts = [], iter(corpus.texts())
    for entities, relations in zip(corpus.entities(), corpus.relation_lists()):
        names = [next(texts) for _ in entities]
        found.append({(names[r["head"]], r["label"], names[r["tail"]]) for r in relations})
    return found


def people(n=300, seed=5):
    """People at firms: entities are everywhere, pairs occur a few times."""
    rng, rows = random.Random(seed), []
    for i in range(n):
        person, firm, other = f"P{rng.randrange(30)}", f"F{rng.randrange(12)}", f"P{rng.randrange(30)}"
        entities = [{"start": k, "end": k + 1, "label": t} for k, t in ((0, "PER"), (2, "ORG"), (4, "PER"))]
        relations = [{"head": 0, "tail": 1, "label": rng.choice(["works_for", "left"])}] if i % 4 else []
        rows.append(
            {"tokens": [person, "at", firm, "with", other, str(i)], "entities": entities, "relations": relations}
        )
    return rows


def corpus_of(rows):
    columns = {name: [row[name] for row in rows] for name in ("entities", "relations")}
    return cc.Corpus.of([row["tokens"] for row in rows], **columns)


@pytest.fixture
def written(tmp_path):
    def write(rows, name="all.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / name

    return write


def test_relations_are_read_and_written(written, tmp_path):
    plain = {"tokens": ["so"], "entities": []}
    corpus = cc.read(written([ONE, plain, ONE]))
    whole = {("Ada", "works_for", "Acme"), ("Bo", "met", "Ada")}
    assert triples(corpus) == [whole, set(), whole]
    cc.write(corpus, tmp_path / "again.jsonl")
    again = cc.read(tmp_path / "again.jsonl")
    assert triples(again) == triples(corpus) and again.relation_lists() == corpus.relation_lists()
    assert triples(corpus.select([2, 1, 1, 0, 0])) == [whole, set(), set(), whole, whole]
    assert triples(cc.Corpus.concatenate([corpus.select([1]), corpus])) == [set(), whole, set(), whole]
    kept = corpus.keep(corpus.mentions.label == corpus.mentions.labels.index("PER"))
    assert triples(kept) == [{("Bo", "met", "Ada")}, set(), {("Bo", "met", "Ada")}]
    assert corpus.with_predictions([[], [], []]).relations is None
    parquet = tmp_path / "all.parquet"
    import datasets

    dataset = datasets.Dataset.from_list([ONE, {**plain, "relations": []}, ONE])
    dataset.to_parquet(str(parquet))
    assert triples(cc.read(parquet)) == triples(corpus) == triples(cc.from_dataset(dataset))


def test_joined_mentions_keep_their_relations():
    spans = [{"start": i, "end": i + 1, "label": "PER"} for i in (0, 1, 3)]
    relations = [{"head": 1, "tail": 2, "label": "met"}, {"head": 2, "tail": 0, "label": "met"}]
    corpus = cc.Corpus.of([["@", "ada", "met", "bo"]], entities=[spans], relations=[relations])
    assert triples(cc.join_at(corpus)) == [{("@ ada", "met", "bo"), ("bo", "met", "@ ada")}]


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        ([{"head": 3, "tail": 0, "label": "x"}], "line 2\\): relation 0: the head is entity 3, but the sample has 3"),
        ([{"head": 0, "tail": -1, "label": "x"}], "the tail is entity -1"),
        ([{"head": 0, "label": "x"}], "relation 0 has no tail"),
        ([{"head": 0, "tail": "1", "label": "x"}], "the tail is '1'"),
        ([{"head": 0, "tail": 1, "label": ""}], "the label is ''"),
        (["x"], "relation 0 is 'x'"),
        ({"head": 0}, "line 2: relations must be a list"),
    ],
)
def test_wrong_relations_are_refused(written, capsys, relations, message):
    path = written([ONE, {**ONE, "relations": relations}])
    with pytest.raises(cc.CleancutError, match=message):
        cc.read(path)
    code, _, err = run(capsys, "split", path, "-o", path.parent / "out", "--key", "pair")
    assert code == 2 and err.count("\n") == 1


def test_relations_need_entities_and_a_format_that_has_them(written, tmp_path):
    tagged = {"tokens": ["Ada"], "tags": ["B-PER"], "relations": [{"head": 0, "tail": 0, "label": "is"}]}
    with pytest.raises(cc.CleancutError, match="Give entities rather than tags"):
        cc.read(written([tagged]))
    corpus = corpus_of([ONE])
    with pytest.raises(cc.CleancutError, match="cannot stand in a CoNLL file"):
        cc.write(corpus, tmp_path / "a.conll")
    with pytest.raises(cc.CleancutError, match="cannot stand in a file of tags"):
        cc.write(corpus, tmp_path / "a.jsonl", scheme="iob2")


KEYS = {
    "entity": lambda triples: {end for head, _, tail in triples for end in (head, tail)},
    "pair": lambda triples: {(head, tail) for head, _, tail in triples},
    "triple": lambda triples: triples,
}


@pytest.mark.slow
@pytest.mark.parametrize("key", ["pair", "triple"])
@pytest.mark.parametrize("discard", [0, "auto"])
def test_what_is_shared_is_the_key(key, discard):
    corpus = corpus_of(people())
    plan = cc.mincut(corpus, key=key, discard=discard, effort="fast")
    assert f"|key:{key}|" in plan.signature
    parts = plan.apply(corpus, discarded=True)
    assert sum(map(len, parts.values())) == len(corpus)
    found = {name: [KEYS[key](own) for own in triples(part)] for name, part in parts.items()}
    audited = cc.audit({name: parts[name] for name in plan.names}, key=key)
    assert audited.key == key and repr(audited.pairs) == repr(plan.leakage["after"])
    for a, b in permutations(plan.names, 2):
        there = set().union(*found[b])
        assert audited.pairs[a, b]["n_partial"] == sum(bool(own & there) for own in found[a])
        if discard == "auto":
            assert not any(own & there for own in found[a])
    if discard == "auto":
        noun = {"pair": "pair of entities", "triple": "triple"}[key]
        assert plan.guarantee == f"no {noun} is shared between any two splits"
        assert plan.n_discarded < cc.mincut(corpus, discard="auto", effort="fast").n_discarded
    order = random.Random(1).sample(range(len(corpus)), len(corpus))
    other = cc.mincut(corpus.select(order), key=key, discard=discard, effort="fast")
    assert plan.assignment[order].tolist() == other.assignment.tolist()


def test_the_audit_names_what_leaks():
    splits = {"train": corpus_of(people(100)), "test": corpus_of([*people(40, 6), ONE, ONE, *people(20)])}
    found = cc.audit(splits, key="triple", top=500)
    ours, theirs = triples(splits["test"]), triples(splits["train"])
    shown = {(leak["entity"], leak["label"]): (leak["n_test"], leak["n_train"]) for leak in found.top_leaks}
    slow = {}
    for head, label, tail in set().union(*ours) & set().union(*theirs):
        counts = tuple(sum((head, label, tail) in own for own in side) for side in (ours, theirs))
        slow[f"{head} -> {tail}", label] = counts
    assert shown == slow and slow
    for leak in found.top_leaks:
        for name, examples in leak["examples"].items():
            for example in examples:
                words = splits[name].tokens()[example["sample"]]
                assert example["text"] == " ".join(words) and set(leak["entity"].split(" -> ")) <= set(words)


@pytest.mark.slow
def test_the_commands(written, capsys, tmp_path):
    path = written(people())
    out = tmp_path / "out"
    for key in ("pair", "triple", "entity"):
        code, said, err = run(
            capsys, "split", path, "-o", out, "--key", key, "--discard", "auto", "--effort", "fast", "--json"
        )
        assert code == 0, err
        shown = "surface+type" if key == "entity" else key
        assert f"|key:{shown}|" in json.loads(said)["signature"]
        code, said, _ = run(capsys, "audit", out, "--key", key, "--json")
        assert code == 0 and json.loads(said)["test_vs_train"]["n_partial"] == 0
        assert json.loads(said)["key"] == shown
    lines = [json.loads(line) for file in out.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert len(lines) == 300 and sum(len(row["relations"]) for row in lines) == 225
    code, _, err = run(
        capsys, "split", written([{"tokens": ["a"], "entities": []}], "b.jsonl"), "-o", out, "--key", "pair"
    )
    assert code == 2 and "there are no relations" in err
    with pytest.raises(cc.CleancutError, match="typed=False has no effect"):
        cc.mincut(corpus_of(people(20)), key="pair", typed=False)
    with pytest.raises(cc.CleancutError, match="key='word' is unknown"):
        cc.mincut(corpus_of(people(20)), key="word")
