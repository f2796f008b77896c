"""Datasets of the shapes the Hub has: what is detected, and which corpus comes of it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleancut import CleancutError, Corpus, detect, from_dataset, load_splits, mincut
from cleancut.core import tags as core_tags
from cleancut.core.tags import Scheme
from cleancut.reading.characters import Words, joined_pieces, located
from cleancut.reading.columns import unpacked
from cleancut.reading.dataset import read_dataset
from cleancut.reading.hub_ids import HubId, is_local

datasets = pytest.importorskip("datasets")

TEXT, INT = datasets.Value("string"), datasets.Value("int32")
CONLL = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC"]
POS = ['"', "''", "#", "$", "(", ")", ",", ".", ":", "``", "CC", "CD", "DT", "NN", "NNP", "VBD"]
CHUNKS = ["O", "B-ADJP", "I-ADJP", "B-NP", "I-NP", "B-VP", "I-VP"]
WORDS = [["Ada", "King", "left", "Oslo", "."], ["She", "slept"]]
IDS = [[1, 2, 0, 5, 0], [0, 0]]
MENTIONS = ["Ada King", "Oslo"]


def lists(inner):
    return datasets.List(inner)


def labels(names):
    return datasets.List(datasets.ClassLabel(names=names))


def dataset(features, **columns):
    return datasets.Dataset.from_dict(columns, features=datasets.Features(features))


def mentions(corpus):
    names = [corpus.mentions.labels[i] for i in corpus.mentions.label]
    return list(zip(corpus.mentions.sample.tolist(), corpus.texts(), names))


def conll2003():
    features = {"id": TEXT, "tokens": lists(TEXT), "pos_tags": labels(POS), "chunk_tags": labels(CHUNKS),
                "ner_tags": labels(CONLL)}  # fmt: skip
    pos, chunk = [[14, 14, 15, 14, 7], [14, 15]], [[3, 4, 5, 3, 0], [3, 5]]
    return dataset(features, id=["0", "1"], tokens=WORDS, pos_tags=pos, chunk_tags=chunk, ner_tags=IDS)


# --- tags ---------------------------------------------------------------------------------------------


def test_conll2003_takes_the_entities_not_parts_of_speech_or_chunks():
    corpus = from_dataset(conll2003())
    assert mentions(corpus) == [(0, "Ada King", "PER"), (0, "Oslo", "LOC")] and corpus.ids == ("0", "1")
    assert str(detect(conll2003())) == "tokens: tokens; tags: ner_tags (ClassLabel, 9 names, iob2)"
    chunks = from_dataset(conll2003(), tags="chunk_tags")
    assert chunks.texts() == ["Ada King", "left", "Oslo", "She", "slept"]


def test_conll2003_streamed_is_the_same(monkeypatch):
    monkeypatch.setattr("cleancut.reading.dataset.BATCH", 1)
    for stream in (conll2003().to_iterable_dataset(), conll2003().to_iterable_dataset(num_shards=2)):
        corpus = from_dataset(stream)
        assert corpus.entities() == from_dataset(conll2003()).entities() and corpus.tokens() == WORDS
        assert from_dataset(stream, repair="discard").entities() == corpus.entities()
    without_features = datasets.IterableDataset.from_generator(
        lambda: iter([{"tokens": words, "ner_tags": [CONLL[i] for i in ids]} for words, ids in zip(WORDS, IDS)])
    )
    assert without_features.features is None
    assert from_dataset(without_features).texts() == MENTIONS


def test_chunks_are_known_by_their_types_too():
    ds = conll2003().rename_columns({"chunk_tags": "second", "ner_tags": "third"})
    assert from_dataset(ds).texts() == MENTIONS


def test_what_is_discarded_does_not_depend_on_the_batch(monkeypatch):
    monkeypatch.setattr("cleancut.reading.dataset.BATCH", 1)
    rows = [{"tokens": ["a"], "tags": ["I-A"]}, {"tokens": ["b", "c"], "tags": ["B-A", "I-A"]}]
    stream = datasets.Dataset.from_list(rows).to_iterable_dataset()
    assert from_dataset(stream, repair="discard").texts() == ["b c"]  # alone, the first would be well-formed IOB1


@pytest.mark.parametrize("name, tag_names", [
    ("wikiann", ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]),
    ("wikineural", CONLL),
    ("ncbi_disease", ["O", "B-Disease", "I-Disease"]),
    ("wnut_17", ["O", *(f"{p}-{t}" for t in ("corporation", "creative-work", "group", "location", "person", "product")
                        for p in "BI")]),
])  # fmt: skip
def test_class_label_tags(name, tag_names):
    features = {"tokens": lists(TEXT), "ner_tags": labels(tag_names)}
    columns = {"tokens": WORDS, "ner_tags": [[1, 2, 0, 1, 0], [0, 0]]}
    if name == "wikiann":
        features |= {"langs": lists(TEXT), "spans": lists(TEXT)}
        columns |= {"langs": [["en"] * 5, ["en"] * 2], "spans": [["PER: Ada King"], []]}
    if name == "wikineural":
        features["lang"], columns["lang"] = TEXT, ["en", "en"]
    if name in ("ncbi_disease", "wnut_17"):
        features["id"], columns["id"] = TEXT, ["0", "1"]
    ds = dataset(features, **columns)
    assert from_dataset(ds).texts() == MENTIONS and from_dataset(ds).mentions.labels == (tag_names[1][2:],)
    assert f"{len(tag_names)} names, iob2" in str(detect(ds))


def few_nerd():
    coarse = ["O", "art", "building", "event", "location", "organization", "other", "person", "product"]
    fine = ["O", "art-broadcastprogram", "art-music", "person-scholar", "location-GPE"]
    features = {"id": TEXT, "tokens": lists(TEXT), "ner_tags": labels(coarse), "fine_ner_tags": labels(fine)}
    ids = [[7, 7, 0, 4, 0], [0, 0]], [[3, 3, 0, 4, 0], [0, 0]]
    return dataset(features, id=["0", "1"], tokens=WORDS, ner_tags=ids[0], fine_ner_tags=ids[1])


def test_few_nerd_asks_for_a_choice_and_reads_bare_names():
    with pytest.raises(CleancutError, match="'ner_tags' .9 tags.* or 'fine_ner_tags' .5 tags.*Choose one with tags="):
        from_dataset(few_nerd())
    fine = from_dataset(few_nerd(), tags="fine_ner_tags")
    assert mentions(fine) == [(0, "Ada King", "person-scholar"), (0, "Oslo", "location-GPE")]
    assert str(detect(few_nerd(), tags="ner_tags")).endswith("ner_tags (ClassLabel, 9 names, io)")


def test_letters_of_tags_are_those_of_the_table_in_core_tags(monkeypatch):
    """A scheme that is added to the table is detected, with no letter of it written anywhere else."""
    rows = [
        {"tokens": ["Ada", "King", "saw", "Bo"], "ner_tags": ["F-PER", "X-PER", "O", "Z-PER"]},
    ]
    pieces = [{"text": "Ada King", "entities": [
        {"start": 0, "end": 3, "label": "F-PER"}, {"start": 4, "end": 8, "label": "X-PER"},
    ]}]  # fmt: skip
    assert detect(rows, tags="ner_tags").scheme is Scheme.IO and not detect(pieces).pieces
    letters = {"F": "B", "C": "I", "X": "E", "Z": "S"}
    kinds = {new: core_tags._KIND[old] for new, old in letters.items()}
    monkeypatch.setattr(core_tags, "_KIND", core_tags._KIND | kinds)
    monkeypatch.setattr(core_tags, "_SCHEME_LETTERS", core_tags._SCHEME_LETTERS | {Scheme.BMES: "".join(letters)})
    assert str(detect(rows, tags="ner_tags")) == "tokens: tokens; tags: ner_tags (strings, bmes)"
    assert from_dataset(rows, tags="ner_tags").texts() == ["Ada King", "Bo"]
    assert detect(pieces).pieces and from_dataset(pieces).texts() == ["Ada King"]
    chunked = [{"tokens": ["Ada"], "ner_tags": ["Z-PER"], "more": ["Z-NP"]}]
    assert detect(chunked).annotation == "ner_tags"


def test_ids_without_names(tmp_path):
    ds = dataset({"tokens": lists(TEXT), "tags": lists(INT)}, tokens=WORDS, tags=IDS)
    with pytest.raises(CleancutError, match="tags holds label ids without names.*labels=.*--labels"):
        from_dataset(ds)
    ids = {name: i for i, name in enumerate(CONLL)}
    for text in (json.dumps(ids), json.dumps({str(i): n for n, i in ids.items()}), json.dumps(CONLL),
                 json.dumps({"id2label": dict(enumerate(CONLL))}), "\n".join(CONLL)):  # fmt: skip
        (tmp_path / "labels").write_text(text)
        assert from_dataset(ds, labels=str(tmp_path / "labels")).texts() == MENTIONS
    for names in (CONLL, ids, dict(enumerate(CONLL)), datasets.ClassLabel(names=CONLL)):
        assert from_dataset(ds, labels=names).texts() == MENTIONS
    assert str(detect(ds, labels=CONLL)) == "tokens: tokens; tags: tags (label ids, 9 names, iob2)"
    (tmp_path / "labels").write_text("{broken")
    with pytest.raises(CleancutError, match="invalid JSON"):
        from_dataset(ds, labels=str(tmp_path / "labels"))
    with pytest.raises(CleancutError, match="no such file"):
        from_dataset(ds, labels=str(tmp_path / "none"))


def test_ids_beside_their_names_need_no_choice():
    strings = [[CONLL[i] for i in row] for row in IDS]
    features = {"tokens": lists(TEXT), "ner_ids": lists(INT), "ner_tags": lists(TEXT)}
    ds = dataset(features, tokens=WORDS, ner_ids=IDS, ner_tags=strings)
    assert from_dataset(ds).texts() == MENTIONS and "ner_tags (strings, iob2)" in str(detect(ds))


def test_labels_of_sub_words_are_not_those_of_words():
    features = {"tokens": lists(TEXT), "tags": labels(CONLL), "labels": labels(CONLL)}
    ds = dataset(features, tokens=WORDS, tags=IDS, labels=[[0, *row, 0] for row in IDS])
    assert from_dataset(ds).texts() == MENTIONS


def ontonotes():
    sentence = {"part_id": INT, "words": lists(TEXT), "pos_tags": labels(["XX", *POS]), "parse_tree": TEXT,
                "predicate_lemmas": lists(TEXT), "word_senses": lists(datasets.Value("float32")), "speaker": TEXT,
                "named_entities": labels(CONLL), "srl_frames": [{"verb": TEXT, "frames": lists(TEXT)}],
                "coref_spans": lists(lists(INT))}  # fmt: skip

    def one(words, ids):
        return {"part_id": 0, "words": words, "pos_tags": [1] * len(words), "parse_tree": "(TOP)",
                "predicate_lemmas": [None] * len(words), "word_senses": [None] * len(words), "speaker": None,
                "named_entities": ids, "srl_frames": [], "coref_spans": [[0, 0, 1]]}  # fmt: skip

    documents = [[one(WORDS[0], IDS[0]), one(WORDS[1], IDS[1])], [], [one(["Bo"], [1])]]
    return dataset({"document_id": TEXT, "sentences": [sentence]}, document_id=["a", "b", "c"], sentences=documents)


def test_documents_of_sentences():
    samples = read_dataset(ontonotes())
    assert samples.corpus.tokens() == [*WORDS, ["Bo"]] and samples.corpus.docs == ("a", "a", "c")
    assert samples.corpus.texts() == [*MENTIONS, "Bo"] and samples.row_of_sample.tolist() == [0, 0, 2]
    assert str(samples.shape) == (
        "sentences: sentences; tokens: words; tags: named_entities (ClassLabel, 9 names, iob2); document: document_id"
    )
    assert samples.of_rows(np.array([1, 1, 0])).tolist() == [1, 1, 0]
    with pytest.raises(CleancutError, match="row 0 holds several samples.*unit='doc'"):
        samples.of_rows(np.array([1, 0, 0]))
    given = from_dataset(ontonotes(), tokens="sentences.words", tags="sentences.named_entities")
    assert given.entities() == samples.corpus.entities()
    unnamed = from_dataset(ontonotes().remove_columns("document_id"))
    assert unnamed.docs == ("0", "0", "2")


def test_one_token_a_row():
    flat = [(i, w, CONLL[t]) for i, (ws, ts) in enumerate(zip(WORDS, IDS)) for w, t in zip(ws, ts)]
    numbers, words, tags = zip(*flat)
    ds = datasets.Dataset.from_dict({"sentence_id": numbers, "word": words, "tag": tags})
    samples = read_dataset(ds)
    assert samples.corpus.tokens() == WORDS and samples.corpus.texts() == MENTIONS
    assert samples.row_of_sample.tolist() == [0, 5] and samples.n_rows == 7
    assert samples.of_rows(np.array([0, 1])).tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert str(samples.shape) == "one token a row, samples by: sentence_id; tokens: word; tags: tag (strings, iob2)"
    first = ["Sentence: 1", None, None, None, None, "Sentence: 2", None]
    kaggle = datasets.Dataset.from_dict({"Sentence #": first, "Word": words, "POS": ["NN"] * 7, "Tag": tags})
    assert from_dataset(kaggle).tokens() == WORDS and from_dataset(kaggle).texts() == MENTIONS
    with pytest.raises(CleancutError, match="no column tells the sentences apart"):
        from_dataset(ds.remove_columns("sentence_id"))


# --- spans --------------------------------------------------------------------------------------------

LINE = "Ada King left Oslo. She slept."
SPANS = [{"start": 0, "end": 8, "label": "PER"}, {"start": 14, "end": 18, "label": "LOC"}]


@pytest.mark.parametrize("spans", [
    SPANS,
    {"start": [0, 14], "end": [8, 18], "label": ["PER", "LOC"]},
    json.dumps(SPANS),
    str(SPANS),
    str([(0, 8, "PER"), (14, 18, "LOC")]),
    [{"offsets": [[0, 8]], "type": "PER", "text": ["Ada King"]},
     {"offsets": [[14, 18]], "type": "LOC", "text": ["Oslo"]}],
    [{"entity_group": "PER", "score": 0.9, "word": "Ada King", "start": 0, "end": 8},
     {"entity_group": "LOC", "score": 0.9, "word": "Oslo", "start": 14, "end": 18}],
    [{"entity": "B-PER", "index": 1, "word": "Ada", "start": 0, "end": 3},
     {"entity": "I-PER", "index": 2, "word": "Ki", "start": 4, "end": 6},
     {"entity": "B-PER", "index": 3, "word": "##ng", "start": 6, "end": 8},
     {"entity": "B-LOC", "index": 5, "word": "Oslo", "start": 14, "end": 18}],
    [{"text": "Ada King", "label": "PER"}, {"text": "Oslo", "label": "LOC"}],
    [{"entity": "Oslo", "type": "LOC"}, {"entity": "Ada King", "type": "PER"}],
    [{"text": "Oslo", "label": "LOC", "start": 14, "end": 17},
     {"text": "Ada King", "label": "PER", "start": 0, "end": 7}],
], ids=["dicts", "dict-of-lists", "json", "literal", "triples-in-a-string", "offsets", "pipeline-groups",
        "pipeline-pieces", "quotes", "entity-type", "inclusive-by-their-text"])  # fmt: skip
def test_spans_in_text(spans):
    ds = datasets.Dataset.from_dict({"text": [LINE], "entities": [spans]})
    samples = read_dataset(ds)
    assert mentions(samples.corpus) == [(0, "Ada King", "PER"), (0, "Oslo", "LOC")] and samples.notes == ()
    assert samples.corpus.tokens()[0][:5] == ["Ada", "King", "left", "Oslo", "."]
    assert from_dataset([{"text": LINE, "entities": spans}]).entities() == samples.corpus.entities()


def test_bigbio_kb():
    passage = {"id": TEXT, "type": TEXT, "text": lists(TEXT), "offsets": lists(lists(INT))}
    entity = {**passage, "normalized": [{"db_name": TEXT, "db_id": TEXT}]}
    event = {"id": TEXT, "type": TEXT, "trigger": {"text": lists(TEXT), "offsets": lists(lists(INT))}, "arguments": [
        {"role": TEXT, "ref_id": TEXT}]}  # fmt: skip
    features = {"id": TEXT, "document_id": TEXT, "passages": [passage], "entities": [entity], "events": [event],
                "coreferences": [{"id": TEXT, "entity_ids": lists(TEXT)}],
                "relations": [{"id": TEXT, "type": TEXT, "arg1_id": TEXT, "arg2_id": TEXT, "normalized": [
                    {"db_name": TEXT, "db_id": TEXT}]}]}  # fmt: skip
    title, abstract = "Ulcers.", "Left and right ventricle."

    def of(type, text, *offsets):
        return {"id": "x", "type": type, "text": text, "offsets": [list(o) for o in offsets], "normalized": []}

    row = {"id": "0", "document_id": "d0", "events": [], "coreferences": [], "relations": [],
           "passages": [{"id": "1", "type": "title", "text": [title], "offsets": [[0, 7]]},
                        {"id": "2", "type": "abstract", "text": [abstract], "offsets": [[8, 33]]}],
           "entities": [of("Disease", ["Ulcers"], (0, 6)), of("Organ", ["Left", "ventricle"], (8, 12), (23, 32)),
                        of("Organ", ["right ventricle"], (17, 32))]}  # fmt: skip
    samples = read_dataset(datasets.Dataset.from_list([row], features=datasets.Features(features)))
    found = [(0, "Ulcers", "Disease"), (0, "Left and right ventricle", "Organ"), (0, "right ventricle", "Organ")]
    assert mentions(samples.corpus) == found and samples.corpus.docs == ("d0",)
    assert samples.notes == (
        "1 of 3 mentions are discontinuous and are taken from their first to their last character.",
    )
    assert str(samples.shape) == "text: passages; entities: entities (character offsets); document: document_id"


def test_ai4privacy():
    mask = {"value": TEXT, "start": INT, "end": INT, "label": TEXT}
    features = {"source_text": TEXT, "target_text": TEXT, "privacy_mask": [mask], "span_labels": TEXT,
                "mbert_text_tokens": lists(TEXT), "mbert_bio_labels": lists(TEXT), "id": TEXT,
                "language": TEXT}  # fmt: skip
    entities = [
        {"value": "Ada King", "start": 0, "end": 8, "label": "NAME"},
        {"value": "slo", "start": 15, "end": 18, "label": "CITY"},
    ]
    ds = dataset(
        features, source_text=[LINE], target_text=["[NAME] left [CITY]. She slept."], privacy_mask=[entities],
        span_labels=["[[0, 8, 'NAME'], [8, 14, 'O']]"], mbert_text_tokens=[["Ada", "##"]],
        mbert_bio_labels=[["B-NAME", "I-NAME"]], id=["1"], language=["en"],
    )  # fmt: skip
    samples = read_dataset(ds)
    assert mentions(samples.corpus) == [(0, "Ada King", "NAME"), (0, "slo", "CITY")]
    assert samples.notes == ("1 of 2 mentions begin or end inside a word, which is cut there.",)
    assert str(samples.shape) == "text: source_text; entities: privacy_mask (character offsets)"
    listed = read_dataset(ds, entities="span_labels")
    assert listed.corpus.mentions.labels == ("NAME",) and listed.notes == ("1 spans are labelled O and are left out.",)


def test_gliner_ends_are_inclusive():
    rows = [
        {"tokenized_text": words, "ner": spans} for words, spans in zip(WORDS, [[[0, 1, "PER"], [3, 3, "LOC"]], []])
    ]
    packed = datasets.Dataset.from_list([{**row, "ner": json.dumps(row["ner"])} for row in rows])
    as_text = datasets.Dataset.from_list([{**row, "ner": [list(map(str, s)) for s in row["ner"]]} for row in rows])
    for ds in (rows, packed, as_text):
        assert mentions(from_dataset(ds)) == [(0, "Ada King", "PER"), (0, "Oslo", "LOC")]
        assert "tokens: tokenized_text; entities: ner (token spans, ends inclusive" in str(detect(ds))
    other = [{"tokens": r["tokenized_text"], "ner": r["ner"][:1]} for r in rows]
    with pytest.raises(CleancutError, match="nothing in the text shows it. Give end='exclusive' or end='inclusive'"):
        from_dataset(other)
    assert from_dataset(other, end="exclusive").texts() == ["Ada"]
    assert from_dataset(other, end="inclusive").texts() == ["Ada King"]
    with pytest.raises(CleancutError, match="is empty"):
        from_dataset(rows, end="exclusive")
    with pytest.raises(CleancutError, match="end='until' is unknown"):
        from_dataset(rows, end="until")


def test_offsets_beside_tokens_and_text_are_told_apart():
    by_character = {"tokens": WORDS[0], "text": "Ada King left Oslo .", "entities": SPANS}
    assert from_dataset([by_character]).texts() == MENTIONS and detect([by_character]).text == "text"
    by_token = {**by_character, "entities": [{"start": 0, "end": 2, "label": "PER"}]}
    assert from_dataset([by_token]).texts() == ["Ada King"] and detect([by_token]).tokens == "tokens"


def test_mentions_that_cannot_be_located_are_counted():
    quotes = [{"text": t, "label": "X"} for t in ("Oslo", "Paris", "Ad", "Oslo")]
    samples = read_dataset([{"text": LINE, "entities": quotes}])
    assert samples.corpus.texts() == ["Oslo"]
    assert samples.notes == ("3 of 4 mentions could not be located in the text and are left out.",)
    on_tokens = read_dataset([{"tokens": ["Ada-May", "King"], "entities": [{"text": "Ada-May King", "label": "X"}]}])
    assert on_tokens.corpus.entities() == [[{"start": 0, "end": 2, "label": "X"}]]
    row = {"text": LINE, "tokens": ["Oslo", "it", "is"], "entities": quotes[:1], "ner_tags": ["O", "O", "B-X"]}
    assert from_dataset([row]).texts() == ["is"]  # tags say where
    assert from_dataset([row], entities="entities", tokens="tokens").entities()[0][0]["end"] == 1
    assert from_dataset([row], entities="entities", text="text").entities()[0][0]["start"] == 3


def test_offsets_that_say_another_text_are_counted():
    wrong = [{"text": "Oslo", "label": "LOC", "start": 9, "end": 13}]
    assert read_dataset([{"text": LINE, "entities": wrong}]).notes == (
        "1 of 1 mentions say another text than stands at their offsets.",
    )


def test_labels_of_spans_may_be_ids():
    span = {"start": INT, "end": INT, "label": datasets.ClassLabel(names=["PER", "LOC"])}
    ids = [[{**s, "label": ["PER", "LOC"].index(s["label"])} for s in SPANS]]
    named = dataset({"text": TEXT, "spans": [span]}, text=[LINE], spans=ids)
    assert mentions(from_dataset(named)) == [(0, "Ada King", "PER"), (0, "Oslo", "LOC")]
    on_tokens = [[{"start": 0, "end": 2, "label": 0}, {"start": 3, "end": 4, "label": 1}]]
    named = dataset({"tokens": lists(TEXT), "spans": [span]}, tokens=WORDS[:1], spans=on_tokens)
    assert mentions(from_dataset(named)) == [(0, "Ada King", "PER"), (0, "Oslo", "LOC")]
    bare = datasets.Dataset.from_dict({"text": [LINE], "spans": ids})
    with pytest.raises(CleancutError, match="ids without names"):
        from_dataset(bare)
    assert from_dataset(bare, labels=["A", "B"]).mentions.labels == ("A", "B")
    with pytest.raises(CleancutError, match="row 0.*label id 1, but the names are for ids 0 to 0"):
        from_dataset(bare, labels=["A"])


# --- the same corpus in every shape ---------------------------------------------------------------------


@st.composite
def corpora(draw):
    """Samples of tokens with mentions, nested ones too."""
    samples = []
    for _ in range(draw(st.integers(1, 4))):
        tokens = draw(st.lists(st.sampled_from(["Ada", "King", "of", "Oslo", ".", "7", "é"]), min_size=1, max_size=7))
        bounds = st.tuples(st.integers(0, len(tokens) - 1), st.integers(1, len(tokens)), st.sampled_from(["A", "b-C"]))
        samples.append((tokens, [(s, e, label) for s, e, label in draw(st.lists(bounds, max_size=4)) if s < e]))
    return samples


def as_token_triples(tokens, spans):
    return {"tokenized_text": tokens, "ner": [[s, e - 1, label] for s, e, label in spans]}


def as_token_dicts(tokens, spans):
    return {"words": tokens, "entities": [{"start": s, "end": e, "label": label} for s, e, label in spans]}


def in_characters(tokens, spans):
    at = [sum(map(len, tokens[:i])) + i for i in range(len(tokens))]
    return [(at[s], at[e - 1] + len(tokens[e - 1]), label) for s, e, label in spans]


def as_dicts(tokens, spans):
    found = [{"begin": s, "stop": e, "type": label} for s, e, label in in_characters(tokens, spans)]
    return {"sentence": " ".join(tokens), "mentions": found}


def as_columns(tokens, spans):
    columns = list(zip(*in_characters(tokens, spans))) or [(), (), ()]
    return {"text": " ".join(tokens), "entities": dict(zip(("start", "end", "label"), map(list, columns)))}


def as_fragments(tokens, spans):
    found = [{"offsets": [[s, e]], "type": label} for s, e, label in in_characters(tokens, spans)]
    return {"text": " ".join(tokens), "entities": found}


def as_triples_in_a_string(tokens, spans):
    return {"text": " ".join(tokens), "label": str(in_characters(tokens, spans))}


@pytest.mark.parametrize(
    "shape", [as_token_triples, as_token_dicts, as_dicts, as_columns, as_fragments, as_triples_in_a_string]
)
@given(samples=corpora())
def test_every_shape_gives_the_same_mentions(shape, samples):
    rows = [shape(*sample) for sample in samples]
    if not any(spans for _, spans in samples):
        return  # nothing shows the shape
    # few mentions of capitals may look as if they went on
    corpus = from_dataset(rows, **({"end": "exclusive"} if shape is as_token_dicts else {}))
    wanted = Corpus.of([tokens for tokens, _ in samples], entities=[spans for _, spans in samples])
    assert corpus.tokens() == wanted.tokens() and corpus.entities() == wanted.entities()


# --- lists inside strings -----------------------------------------------------------------------------


def test_lists_inside_strings():
    tags = [[CONLL[i] for i in row] for row in IDS]
    for pack in (str, json.dumps):
        ds = datasets.Dataset.from_dict({"tokens": list(map(pack, WORDS)), "ner_tags": list(map(pack, tags))})
        assert from_dataset(ds).texts() == MENTIONS
        assert str(detect(ds)) == "tokens: tokens; tags: ner_tags (strings in a string, iob2)"
        ids = datasets.Dataset.from_dict({"tokens": list(map(pack, WORDS)), "ner_tags": list(map(pack, IDS))})
        assert from_dataset(ids, labels=CONLL).texts() == MENTIONS
    words = datasets.Dataset.from_dict({"Sentence": list(map(" ".join, WORDS)), "Tag": list(map(str, tags))})
    assert from_dataset(words).texts() == MENTIONS and from_dataset(words, text="Sentence").texts() == MENTIONS
    both = datasets.Dataset.from_dict({"text": list(map(" ".join, WORDS)), "tags": list(map(" ".join, tags))})
    assert from_dataset(both, tokens="text", tags="tags").texts() == MENTIONS


def test_nothing_in_a_string_is_evaluated():
    for text in ("[__import__('os').getcwd()]", "[open('x')]", "[" * 5000, "[1, 2"):
        with pytest.raises(CleancutError, match="neither JSON nor a Python list"):
            unpacked(text)
    with pytest.raises(CleancutError, match="commas between some of its strings only"):
        unpacked("['Ada' 'King', 'ran']")  # Python would read two words
    assert unpacked("['Ada' 'King'\n 'it\\'s']") == ["Ada", "King", "it's"]  # as numpy prints strings
    assert unpacked("[1 0\n 12]") == [1, 0, 12]
    assert unpacked("['a\\' \\'b', 'c']") == ["a' 'b", "c"]


# --- what cannot be told ------------------------------------------------------------------------------


@pytest.mark.parametrize("columns, options, message", [
    ({"a": ["x"], "b": [1]}, {}, "no tokens among 'a', 'b'.*'a' .text., 'b' .int.*tokens= and tags="),
    ({"tokens": [["x"]], "b": [1]}, {}, "no annotation among"),
    ({"tokens": [["x"]], "tags": [["O"]]}, {"tags": "t"}, "tags='t' is not among the columns 'tokens' .list of text"),
    ({"tokens": [["x"]], "tags": [["O"]]}, {"tags": "tags", "entities": "tags"}, "either tags or entities"),
    ({"tokens": [["x"]], "tags": [["O"]]}, {"entities": "tags"}, "holds list of text, not spans"),
    ({"tokens": [["x"]], "tags": [["O"]]}, {"labels": ["O"]}, "labels= has no effect"),
    ({"tokens": [["x"]], "tags": [["O"]]}, {"end": "inclusive"}, "end='inclusive' has no effect"),
    ({"tokens": [["x"]], "tags": [["O"]], "t": ["x"]}, {"text": "t"}, "text='t' has no effect"),
    ({"t": [["x"]], "text": ["x"], "entities": [[{"start": 0, "end": 1, "label": "A"}]]},
     {"tokens": "text"}, "tokens='text' has no effect"),
    ({"body_of_it": ["x"], "entities": [[{"start": 0, "end": 1, "label": "A"}]]}, {}, "which column holds the text"),
    ({"text": ["x"], "entities": [[{"start": 0, "end": 2, "label": "A"}]]}, {},
     "row 0.*characters 0 to 2 of a text of 1"),
    ({"text": ["x"], "entities": [[{"start": 0, "end": 1, "label": "A"}]]}, {"scheme": "io"}, "scheme= has no effect"),
    ({"text": ["x"], "one": [[{"start": 0, "end": 1, "label": "A"}]], "two": [[{"start": 0, "end": 1, "label": "A"}]]},
     {}, "may be in 'one' or 'two'.*entities="),
])  # fmt: skip
def test_unclear_cases_say_what_to_give(columns, options, message):
    with pytest.raises(CleancutError, match=message):
        from_dataset(datasets.Dataset.from_dict(columns), **options)


def test_texts_with_a_class_are_no_tokens_in_rows():
    ds = datasets.Dataset.from_dict(
        {"text": ["a long film", "a short one"], "label": ["O", "O"], "sentence_id": [1, 2]}
    )
    with pytest.raises(CleancutError, match="no annotation among"):
        from_dataset(ds)


def test_pictures_are_not_looked_at():
    features = {"tokens": lists(TEXT), "ner_tags": labels(CONLL), "scan": datasets.Image()}
    ds = dataset(features, tokens=WORDS, ner_tags=IDS, scan=[{"bytes": b"broken", "path": None}] * 2)
    assert from_dataset(ds).texts() == MENTIONS
    assert from_dataset(ds.to_iterable_dataset()).texts() == MENTIONS


def test_documents_by_their_column():
    ds = datasets.Dataset.from_dict({"tokens": WORDS, "tags": [["O"] * 5, ["O"] * 2], "page": [7, 7]})
    assert from_dataset(ds).docs is None and from_dataset(ds, document="page").docs == ("7", "7")


# --- characters ---------------------------------------------------------------------------------------


@given(st.text(alphabet="aB1é_ -.,\n", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_token_spans_cover_the_mention(text, a, b):
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    words = Words.of(text)
    assert [text[s:e] for s, e in zip(words.starts, words.ends)] == words.tokens
    assert "".join(words.tokens) == "".join(text.split())
    first, until = words.covering(start, end)
    if not text[start:end].strip():
        assert start == end or first >= until
        return
    low, high = words.starts[first], words.ends[until - 1]
    assert text[start:end].strip() in text[low:high]  # all of the mention, and
    assert not text[low:start].strip() or " " not in text[low:start]  # no token that it does not touch
    assert words.cuts(start, end) == (text[low:high].strip() != text[start:end].strip())


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=12), st.lists(st.sampled_from(["a", "b", "a b"]), max_size=5)
)
def test_located_mentions_stand_where_they_are_said_to(tokens, quotes):
    found = located([(quote, "X") for quote in quotes], tokens)
    spans = [span for span in found if span is not None]
    assert len(found) == len(quotes) and len(set(spans)) == len(spans)
    for quote, span in zip(quotes, found):
        assert span is None or " ".join(tokens[span[0] : span[1]]) == quote
    assert all(" ".join(tokens[start:end]) in quotes for start, end, _ in spans)


def test_pieces_are_joined_where_nothing_stands_between():
    assert joined_pieces([(4, 6, "I-PER"), (0, 3, "B-PER")], "Ada Bo") == [(0, 6, "PER")]
    assert joined_pieces([(0, 3, "I-PER"), (5, 7, "I-PER")], "Ada, Bo") == [(0, 3, "PER"), (5, 7, "PER")]
    assert joined_pieces([(0, 3, "B-PER"), (4, 6, "B-PER")], "Ada Bo") == [(0, 3, "PER"), (4, 6, "PER")]
    assert joined_pieces([], "") == []


# --- sources ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, parts", [
    ("org/name", ("org/name", None, None)),
    ("org/name:en", ("org/name", "en", None)),
    ("org/name@v1.0", ("org/name", None, "v1.0")),
    ("o-r.g/na_me.1:20231101.en@refs/convert/parquet", ("o-r.g/na_me.1", "20231101.en", "refs/convert/parquet")),
])  # fmt: skip
def test_hub_ids(text, parts):
    found = HubId.parse(text)
    assert (found.repo, found.config, found.revision) == parts and str(found) == text and not is_local(text)


@pytest.mark.parametrize("text", [
    "org/name/more", "org//name", "org/", "/name", "../name", "org/..", "org/na me", "org/name:", "org/name@",
    "org/name:a/b", "org/name@../main", "org/name:a:b", "org/name@a@b", "org/name\n", "org/name?x=1", "https://hub/org/name",
    "org/n--m", "org/name.git", "örg/name", "org/" + "n" * 200, "",
])  # fmt: skip
def test_ids_are_checked_before_any_request(text, monkeypatch):
    monkeypatch.setattr(datasets, "load_dataset", lambda *a, **k: pytest.fail("a request was made"))
    with pytest.raises(CleancutError):
        HubId.parse(text)
    with pytest.raises(CleancutError):
        load_splits(text)


def test_paths_are_not_taken_for_ids(tmp_path):
    assert all(map(is_local, ["data/train.conll", "data/x.jsonl.gz", "./data", "/data/x", "train", "a/b.csv", "a/b/"]))
    for path in ("data/none.conll", "none", tmp_path / "none" / "at-all"):
        with pytest.raises(CleancutError, match="no such (file|directory)"):
            load_splits(path)


def test_local_files_of_any_shape(tmp_path):
    tags = [[CONLL[i] for i in row] for row in IDS]
    rows = [
        {"tokenized_text": words, "ner": spans} for words, spans in zip(WORDS, [[[0, 1, "PER"], [3, 3, "LOC"]], []])
    ]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    datasets.Dataset.from_dict({"words": list(map(str, WORDS)), "tags": list(map(str, tags))}).to_csv(
        tmp_path / "test.csv"
    )
    ontonotes().to_parquet(tmp_path / "dev.parquet")
    found = load_splits(tmp_path)
    assert {name: s.corpus.texts()[:2] for name, s in found.items()} == dict.fromkeys(
        ("train", "validation", "test"), MENTIONS
    )
    assert found["validation"].row_of_sample.tolist() == [0, 0, 2] and found["test"].rows.column_names == [
        "words",
        "tags",
    ]
    assert from_dataset(str(tmp_path / "train.jsonl")).texts() == MENTIONS
    with pytest.raises(CleancutError, match="several splits. Choose one of"):
        from_dataset(str(tmp_path))
    (tmp_path / "test.conll").write_text("Ada B-PER\n")
    assert load_splits(tmp_path / "test.conll")[""].shape is None
    with pytest.raises(CleancutError, match="text='x' has no effect"):
        load_splits(tmp_path / "test.conll", text="x")


def test_a_csv_keeps_words_that_look_like_nothing(tmp_path):
    (tmp_path / "x.csv").write_text('sentence_id,word,tag\n1,NA,B-LOC\n1,null,O\n2,"a,b",O\n')
    assert load_splits(tmp_path / "x.csv")[""].corpus.tokens() == [["NA", "null"], ["a,b"]]
    (tmp_path / "x.csv").write_text("sentence_id,word,tag\n1,NA\n")
    with pytest.raises(CleancutError, match="row 0 .x.csv.: not as many values"):
        load_splits(tmp_path / "x.csv")


def test_mincut_takes_any_shape():
    rows = [{"text": f"Name{i % 9} spoke.", "entities": [{"text": f"Name{i % 9}", "type": "PER"}]} for i in range(60)]
    plan = mincut(datasets.Dataset.from_list(rows), ratios=(50, 50), min_per_type=0, effort="fast")
    assert plan.guarantee == "no entity is shared between any two splits"
    split = plan.apply(datasets.Dataset.from_list(rows))
    assert split["train"].column_names == ["text", "entities"]


def test_plans_are_for_the_rows_that_were_given():
    many = datasets.concatenate_datasets([ontonotes().select([0, 2])] * 3)
    for data in (many, datasets.DatasetDict(train=many, test=ontonotes())):
        with pytest.raises(CleancutError, match="documents of several sentences.*unit='doc'"):
            mincut(data)
        plan = mincut(data, unit="doc", ratios=(50, 50), min_per_type=0, duplicates_together=False, effort="fast")
        split = plan.apply(data)
        rows = [row for part in (data.values() if isinstance(data, dict) else [data]) for row in part]
        assert len(plan.assignment) == len(rows) and sum(map(len, split.values())) == len(rows)
        of_split = [set(part["document_id"]) for part in split.values()]
        assert not of_split[0] & of_split[1] and of_split[0] | of_split[1] == {row["document_id"] for row in rows}
    tokens = [{"sentence_id": i, "word": w, "tag": t} for i in range(9) for w, t in ((f"N{i}", "B-A"), ("ran", "O"))]
    plan = mincut(datasets.Dataset.from_list(tokens), ratios=(50, 50), min_per_type=0, effort="fast")
    assert len(plan.assignment) == 18 and (plan.assignment[::2] == plan.assignment[1::2]).all()
