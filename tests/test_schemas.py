"""Replicas of schemas that the Hub holds: each is read as what it is, whatever the order of its rows, or asks."""

import json
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleancut as cc
from cleancut import CleancutError, Corpus, detect, from_dataset, load_splits
from cleancut.core.language_codes import language_before
from cleancut.reading.characters import Words, is_inside_word, placed
from cleancut.reading.conventions import Convention, Offsets, Unit
from cleancut.reading.dataset import read_dataset, read_parts

datasets = pytest.importorskip("datasets")

# --- what the replicas say --------------------------------------------------------------------------------

WORDS = [["Ada", "King", "left", "Oslo", "."], ["She", "slept", "."], ["Bo", "Li", "met", "Ada", "King"]]
TAGS = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["O"] * 3, ["B-PER", "I-PER", "O", "B-PER", "I-PER"]]
TEXTS = ["Ada King left Oslo.", "She slept.", "Bo Li met Ada King"]
SPANS = [[(0, 8, "PER"), (14, 18, "LOC")], [], [(0, 5, "PER"), (10, 18, "PER")]]
MENTIONS = [[("Ada King", "PER"), ("Oslo", "LOC")], [], [("Bo Li", "PER"), ("Ada King", "PER")]]

JAPANESE = ["田中太郎は東京に住む。", "雨が降った。", "昨日、佐藤さんが大阪へ行った。"]
IN_JAPANESE = [[(0, 4, "PER"), (5, 7, "LOC")], [], [(3, 5, "PER"), (8, 10, "LOC")]]
CHINESE = ["浙商银行企业信贷部叶老桂博士则从另一个角度", "今天下雨。", "他在北京，我在上海。"]
IN_CHINESE = [[(0, 4, "ORG"), (9, 12, "PER")], [], [(2, 4, "LOC"), (7, 9, "LOC")]]
KOREAN = ["서울에서 김철수가 왔다.", "비가 왔다.", "부산은 크다, 서울도."]
IN_KOREAN = [[(0, 2, "LOC"), (5, 8, "PER")], [], [(0, 2, "LOC"), (8, 10, "LOC")]]
THAI = ["สมชายไปกรุงเทพ วันนี้", "ฝนตก", "เขาอยู่ที่ เชียงใหม่ "]
IN_THAI = [[(0, 5, "PER"), (7, 14, "LOC")], [], [(11, 20, "LOC")]]
HINDI = ["राम दिल्ली में है।", "बारिश हुई।", "वह मुंबई गई।"]
IN_HINDI = [[(0, 3, "PER"), (4, 10, "LOC")], [], [(3, 8, "LOC")]]
MIXED = ["Zoë met 😀 Ada in Århus.", "Ça va.", "Ünal left Köln for Bonn."]
IN_MIXED = [[(0, 3, "PER"), (10, 13, "PER"), (17, 22, "LOC")], [], [(0, 4, "PER"), (10, 14, "LOC"), (19, 23, "LOC")]]

TONGUES = {"japanese": (JAPANESE, IN_JAPANESE), "chinese": (CHINESE, IN_CHINESE), "korean": (KOREAN, IN_KOREAN),
           "thai": (THAI, IN_THAI), "hindi": (HINDI, IN_HINDI), "mixed": (MIXED, IN_MIXED)}  # fmt: skip


def said(texts, spans):
    """The words and the label of each mention, by row."""
    return [[(text[a:b], label) for a, b, label in own] for text, own in zip(texts, spans)]


def mentions(corpus):
    """The same of a corpus."""
    found = [[] for _ in range(len(corpus))]
    labels = [corpus.mentions.labels[k] for k in corpus.mentions.label]
    for sample, text, label in zip(corpus.mentions.sample.tolist(), corpus.texts(), labels):
        found[sample].append((text, label))
    return found


def bare(rows):
    """Mentions without spaces, in any order within a row: tokens say nothing of spaces."""
    return [sorted(("".join(words.split()), label) for words, label in own) for own in rows]


# --- how they are written ---------------------------------------------------------------------------------


def tagged(change, tokens="tokens", tags="ner_tags"):
    return [{tokens: words, tags: [change(tag) for tag in own]} for words, own in zip(WORDS, TAGS)]


def behind(joint):
    return lambda tag: tag if tag == "O" else f"{tag[2:]}{joint}{tag[0]}"


def single(letters):
    """Tags with other letters for the last and the only token of a mention, which are all of two tokens or one."""
    last, only = letters
    table = {"B-PER": "B-PER", "I-PER": f"{last}-PER", "B-LOC": f"{only}-LOC", "O": "O"}
    return table.__getitem__


def characters(of_span, texts=TEXTS, spans=SPANS, text="text", entities="entities", pack=lambda value: value):
    return [
        {text: line, entities: pack([of_span(line, *span) for span in own])} for line, own in zip(texts, spans)
    ]  # fmt: skip


def plain(line, start, end, label):
    return {"start": start, "end": end, "label": label}


def quoted(line, start, end, label):
    return {"start": start, "end": end, "label": label, "text": line[start:end]}


def moved(by_start, by_end, of_span=quoted):
    def span(line, start, end, label):
        return {**of_span(line, start, end, label), "start": start + by_start, "end": end + by_end}

    return span


def in_bytes(line, start, end, label):
    first, until = (len(line[:k].encode()) for k in (start, end))
    return {"start": first, "end": until, "label": label, "text": line[start:end]}


def in_units(line, start, end, label):
    first, until = (len(line[:k].encode("utf-16-le")) // 2 for k in (start, end))
    return {"start": first, "end": until, "label": label, "text": line[start:end]}


def positions(line, start, end, label):
    return {"indices": list(range(start, end)), "text": line[start:end], "type": label}


def by_label(texts, spans, by_surface):
    """CLUENER's dicts: label, words, places with inclusive ends; or label and words."""
    rows = []
    for line, own in zip(texts, spans):
        found = {}
        for start, end, label in own:
            if by_surface:
                found.setdefault(label, {}).setdefault(line[start:end], []).append([start, end - 1])
            else:
                found.setdefault(label, []).append(line[start:end])
        rows.append({"text": line, "label" if by_surface else "entities": found})
    return rows


def by_token(of_span, more=lambda words, line: {}, tokens="tokens", entities="entities"):
    at = {"PER": (0, 2), "LOC": (3, 4)}
    spans = [[(*at["PER"], "PER"), (*at["LOC"], "LOC")], [], [(0, 2, "PER"), (3, 5, "PER")]]
    return [
        {tokens: words, entities: [of_span(words, *span) for span in own], **more(words, line)}
        for words, own, line in zip(WORDS, spans, TEXTS)
    ]


def with_outside(line, own):
    """Spans that cover the whole text, ``O`` between the mentions."""
    edges = [0, *(edge for start, end, _ in own for edge in (start, end)), len(line)]
    between = [[a, b, "O"] for a, b in zip(edges[::2], edges[1::2]) if a < b]
    return sorted([*map(list, own), *between])


def pipeline_pieces(line, start, end, label):
    return {"entity": f"B-{label}", "start": start, "end": end, "word": line[start:end], "score": 0.9, "index": 1}


def surface(words, start, end, label):
    return {"start": start, "end": end, "type": label, "text": " ".join(words[start:end])}


READ = {
    # tags
    "conll2003": (tagged(str), MENTIONS),
    "outside is B-O (PLOD)": (tagged(lambda tag: "B-O" if tag == "O" else tag), MENTIONS),
    "outside is B-O and I-O": ([{"tokens": ["a", "b", "Ada"], "tags": ["B-O", "I-O", "B-PER"]}], [[("Ada", "PER")]]),
    "underscore (lst20)": (tagged(lambda tag: tag.replace("-", "_")), MENTIONS),
    "underscore, BIE (lst20)": (tagged(lambda tag: single("EB")(tag).replace("-", "_")), MENTIONS),
    "suffix with a hyphen": (tagged(behind("-")), MENTIONS),
    "suffix with an underscore (naver)": (tagged(behind("_")), MENTIONS),
    "BMEOW": (tagged(single("EW")), MENTIONS),
    "BMES (resume-zh)": (tagged(single("ES")), MENTIONS),
    "BILOU": (tagged(single("LU")), MENTIONS),
    "bare names with hyphens (few-nerd)": (
        [{"tokens": ["Ada", "in", "Oslo"], "ner_tags": ["person-B", "O", "building-airport"]}],
        [[("Ada", "person-B"), ("Oslo", "building-airport")]],
    ),
    "bare names like letters": (
        [{"tokens": ["a@b", "rang", "112"], "ner_tags": ["E_MAIL", "O", "PHONE"]}],
        [[("a@b", "E_MAIL"), ("112", "PHONE")]],
    ),
    "tags in a string (ATIS)": (
        [{"text": " ".join(words), "slots": " ".join(own), "intent": "x"} for words, own in zip(WORDS, TAGS)], MENTIONS
    ),
    "lists in strings (CSV)": (tagged(str, "words", "labels"), MENTIONS),
    "languages before words (WikiANN)": (
        [{"tokens": [f"en:{word}" for word in words], "ner_tags": own} for words, own in zip(WORDS, TAGS)], MENTIONS
    ),
    "a colon in a word is no language": (
        [{"tokens": ["at", "en:Ada"], "ner_tags": ["O", "B-PER"]}, {"tokens": ["so"], "ner_tags": ["O"]}],
        [[("en:Ada", "PER")], []],
    ),
    # character offsets
    "character offsets": (characters(plain), MENTIONS),
    "character offsets with words": (characters(quoted), MENTIONS),
    "inclusive": (characters(moved(0, -1, plain)), MENTIONS),
    "inclusive with words": (characters(moved(0, -1)), MENTIONS),
    "from 1, inclusive": (characters(moved(1, 0)), MENTIONS),
    "doccano": (characters(lambda line, *span: list(span), entities="label"), MENTIONS),
    "doccano's dicts": (
        characters(lambda line, s, e, t: {"id": 1, "label": t, "start_offset": s, "end_offset": e}), MENTIONS
    ),
    "prodigy": (
        characters(lambda line, s, e, t: {**plain(line, s, e, t), "token_start": 0}, entities="spans"), MENTIONS
    ),
    "spans in a string (nemotron)": (characters(quoted, entities="spans", pack=str), MENTIONS),
    "spans in JSON": (characters(plain, entities="spans", pack=json.dumps), MENTIONS),
    "offset and length": (characters(lambda line, s, e, t: {"offset": s, "length": e - s, "type": t}), MENTIONS),
    "start and words": (characters(lambda line, s, e, t: {"start": s, "text": line[s:e], "type": t}), MENTIONS),
    "label first": (characters(lambda line, s, e, t: [t, s, e]), MENTIONS),
    "quadruples": (characters(lambda line, s, e, t: [s, e, t, line[s:e]]), MENTIONS),
    "spans with O (pii-masking span_labels)": (
        [{"source_text": t, "span_labels": str(with_outside(t, own))} for t, own in zip(TEXTS, SPANS)], MENTIONS
    ),
    "dicts with O": (
        [{"text": t, "entities": [plain(t, *span) for span in with_outside(t, own)]} for t, own in zip(TEXTS, SPANS)],
        MENTIONS,
    ),
    "ai4privacy": (
        characters(lambda line, s, e, t: {"value": line[s:e], "start": s, "end": e, "label": t}, text="source_text",
                   entities="privacy_mask"),
        MENTIONS,
    ),
    "the pipeline's groups": (
        characters(lambda line, s, e, t: {"entity_group": t, "word": line[s:e].lower(), "start": s, "end": e}), MENTIONS
    ),
    "the pipeline's pieces": (characters(pipeline_pieces), MENTIONS),
    # scripts
    "stockmark": (
        characters(lambda line, s, e, t: {"name": line[s:e], "span": [s, e], "type": t}, JAPANESE, IN_JAPANESE),
        said(JAPANESE, IN_JAPANESE),
    ),
    "CLUENER": (by_label(CHINESE, IN_CHINESE, by_surface=True), said(CHINESE, IN_CHINESE)),
    "CLUENER in English": (by_label(TEXTS, SPANS, by_surface=True), MENTIONS),
    "positions (CLUE indices)": (characters(positions, CHINESE, IN_CHINESE), said(CHINESE, IN_CHINESE)),
    "positions of Latin letters": (characters(positions), MENTIONS),
    "positions without words": (
        characters(lambda line, s, e, t: {"indices": list(range(s, e)), "type": t}, CHINESE, IN_CHINESE),
        said(CHINESE, IN_CHINESE),
    ),
    **{f"{name}, words": (characters(quoted, *own), said(*own)) for name, own in TONGUES.items()},
    **{f"{name}, no words": (characters(plain, *own), said(*own)) for name, own in TONGUES.items()},
    **{f"{name}, inclusive": (characters(moved(0, -1), *own), said(*own)) for name, own in TONGUES.items()},
    "japanese, inclusive, no words": (
        characters(moved(0, -1, plain), JAPANESE, IN_JAPANESE), said(JAPANESE, IN_JAPANESE)
    ),
    **{f"{name}, only words": (characters(lambda line, s, e, t: {"text": line[s:e], "label": t}, *own), said(*own))
       for name, own in TONGUES.items()},
    "bytes": (characters(in_bytes, MIXED, IN_MIXED), said(MIXED, IN_MIXED)),
    "bytes, no words": (
        characters(lambda *span: {**in_bytes(*span), "text": None}, MIXED, IN_MIXED), said(MIXED, IN_MIXED)
    ),
    "bytes of Korean": (characters(in_bytes, KOREAN, IN_KOREAN), said(KOREAN, IN_KOREAN)),
    "UTF-16": (characters(in_units, MIXED, IN_MIXED), said(MIXED, IN_MIXED)),
    # token offsets
    "token spans": (by_token(lambda words, s, e, t: plain(None, s, e, t)), MENTIONS),
    "token spans with words": (by_token(surface, entities="mentions"), MENTIONS),
    "token spans, inclusive, with words": (
        by_token(lambda words, s, e, t: {**surface(words, s, e, t), "end": e - 1}, entities="mentions"), MENTIONS
    ),
    "GLiNER": (by_token(lambda words, s, e, t: [s, e - 1, t], tokens="tokenized_text", entities="ner"), MENTIONS),
    "CrossRE": (by_token(lambda words, s, e, t: [s, e - 1, t], tokens="sentence", entities="ner"), MENTIONS),
    "single words after 300 rows": (
        [*([{"tokens": ["Ada", "King", "left"], "ner": [[0, 1, "PER"]]}] * 300),
         {"tokens": ["Oslo"], "ner": [[0, 0, "LOC"]]}],
        [*([[("Ada King", "PER")]] * 300), [("Oslo", "LOC")]],
    ),
    "mentions after 300 rows": (
        [*([{"text": "no", "entities": []}] * 300), *characters(moved(0, -1))], [*([[]] * 300), *MENTIONS]
    ),
    "token offsets beside a text": (
        by_token(lambda words, s, e, t: plain(None, s, e, t), lambda words, line: {"text": " ".join(words)}), MENTIONS
    ),
    "characters beside tokens that fit": (
        [{"tokens": list("ab cd") * 9, "text": line, "entities": [plain(line, *span) for span in own]}
         for line, own in zip(TEXTS, SPANS)],
        MENTIONS,
    ),
    "characters with words beside tokens": (
        [{"tokens": ["x"] * 99, "text": line, "entities": [quoted(line, *span) for span in own][:1]}
         for line, own in zip(TEXTS, SPANS)],
        [own[:1] for own in MENTIONS],
    ),
    # mentions without offsets
    "only words": (characters(lambda line, s, e, t: {"entity": line[s:e], "types": [t]}), MENTIONS),
    "pairs": (characters(lambda line, s, e, t: [line[s:e], t]), MENTIONS),
    "pairs, label first": (characters(lambda line, s, e, t: (t, line[s:e])), MENTIONS),
    "words by label": (by_label(TEXTS, SPANS, by_surface=False), MENTIONS),
    "words by label in a string": (
        [{**row, "entities": json.dumps(row["entities"])} for row in by_label(TEXTS, SPANS, by_surface=False)], MENTIONS
    ),
    "labels by words": (
        [{"text": line, "entities": {line[s:e]: t for s, e, t in own}} for line, own in zip(TEXTS, SPANS)], MENTIONS
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_each_schema_is_read_as_what_it_is(name):
    rows, wanted = READ[name]
    assert bare(mentions(from_dataset(rows))) == bare(wanted)


@pytest.mark.parametrize("name", READ)
def test_the_order_of_rows_does_not_matter(name):
    rows, _ = READ[name]
    corpus, shape = from_dataset(rows), detect(rows)
    order = list(range(len(rows)))
    for shuffled in (order[::-1], random.Random(7).sample(order, len(order))):
        other = [rows[i] for i in shuffled]
        assert detect(other) == shape
        found = from_dataset(other)
        assert found.tokens() == [corpus.tokens()[i] for i in shuffled]
        assert found.entities() == [corpus.entities()[i] for i in shuffled]


@pytest.mark.slow
@pytest.mark.parametrize("name", READ)
def test_a_dataset_and_its_splits_are_read_as_its_rows(name):
    rows, wanted = READ[name]
    try:
        ds = datasets.Dataset.from_list(rows)
    except (pa.ArrowException, TypeError):
        return  # rows that Arrow does not hold are no dataset
    assert bare(mentions(from_dataset(ds))) == bare(wanted)
    if len(rows) == 1:
        return
    parts = read_parts({"train": ds.select(range(1)), "test": ds.select(range(1, len(ds)))})
    assert parts["train"].shape == parts["test"].shape
    found = [own for part in parts.values() for own in mentions(part.corpus)]
    assert bare(found) == bare(wanted)


@pytest.mark.parametrize("name", READ)
def test_what_is_written_is_read_again(name, tmp_path):
    corpus = from_dataset(READ[name][0])
    cc.write(corpus, tmp_path / "x.jsonl")
    again = cc.read(tmp_path / "x.jsonl")
    assert again.tokens() == corpus.tokens() and again.entities() == corpus.entities()


# --- what asks --------------------------------------------------------------------------------------------

UNCLEAR = [{"text": "他在北京住", "entities": [{"start": 2, "end": 4, "label": "LOC"}]}]

ASKS = {
    "token ends that nothing shows": (
        [{"tokens": ["Ada", "King", "left", "us"], "ner": [[0, 1, "PER"]]}],
        "Give end='exclusive' or end='inclusive' .command line: --end", {"end": "inclusive"}, [[("Ada King", "PER")]],
    ),
    "cleancut's own names, but the mention goes on": (
        [{"tokens": ["Ada", "King", "left", "us"], "entities": [{"start": 0, "end": 1, "label": "PER"}]}],
        "nothing in the text shows it. Give end=", {"end": "inclusive"}, [[("Ada King", "PER")]],
    ),
    "character ends that little shows": (
        UNCLEAR, "only 1 mentions show it. Give end=", {"end": "exclusive"}, [[("北京", "LOC")]],
    ),
    "half of the ends inclusive": (
        [*characters(quoted), *characters(moved(0, -1))], "4 mentions say the one and 4 the other", {}, None
    ),
    "characters or tokens": (
        [{"tokens": list("abcdefgh"), "text": "Ada met Bo", "entities": [plain(None, 0, 3, "PER")]}],
        "may count tokens or characters: 1 mentions fit both. Give tokens=.*text='text'", {"text": "text"},
        [[("Ada", "PER")]],
    ),
    "characters of tokens that are joined": (
        [{"tokens": f"{line} {'x ' * 30}".split(), "entities": [plain(line, *span) for span in own]}
         for line, own in zip(TEXTS, SPANS)],
        "which column holds the text.*Give text=, or tokens= where the offsets count tokens", {}, None,
    ),
    "offsets of another text": (
        characters(moved(1, 1, plain)), "most of the 4 mentions in entities begin or end inside a word of text.*text=",
        {}, None,
    ),
    "token offsets without tokens": (
        [{"text": "Ada left", "spans": [{"token_start": 0, "token_end": 1, "label": "PER"}]}], "count tokens.*tokens=",
        {}, None,
    ),
    "small letters": (
        tagged(lambda tag: tag if tag == "O" else tag.lower()),
        "'b-loc', which may be a tag with a small letter or the name of a type", {}, None,
    ),
    "outside is not O": (
        tagged(lambda tag: tag[2:] or "_"), "none of them is O. Rename the tag for tokens outside of mentions to O", {},
        None,
    ),
    "several tags in one": (
        tagged(lambda tag: tag.replace("B-LOC", "B-LOC|B-GPE")), "holds several tags.*entities=", {}, None
    ),
    "ids without names": (
        [{"tokens": ["Ada"], "ner_tags": [1]}], "without names. Give labels=", {"labels": ["O", "B-PER"]},
        [[("Ada", "PER")]],
    ),
    "two columns of tags (germeval)": (
        [{**row, "nested_ner_tags": row["ner_tags"]} for row in tagged(str)], "Choose one with tags=",
        {"tags": "ner_tags"}, MENTIONS,
    ),
    "text in markup": ([{"text": "<PER>Ada</PER> left"}], "no annotation among 'text'.*entities=", {}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKS)
def test_weak_evidence_asks_and_names_the_remedy(name):
    rows, message, remedy, wanted = ASKS[name]
    for order in (rows, rows[::-1]):
        with pytest.raises(CleancutError, match=message):
            from_dataset(order)
    if remedy:
        assert bare(mentions(from_dataset(rows, **remedy))) == bare(wanted)


# --- what is said -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, notes", [
    ("spans with O (pii-masking span_labels)", ("4 spans are labelled O and are left out.",)),
    ("languages before words (WikiANN)",
     ("13 words have the code of a language before them, which is taken away.",)),
    ("conll2003", ()), ("character offsets", ()), ("stockmark", ()), ("korean, words", ()), ("bytes", ()),
])  # fmt: skip
def test_what_was_left_out_is_said_and_nothing_else(name, notes):
    assert read_dataset(READ[name][0]).notes == notes


def test_shapes_name_the_convention():
    shapes = {
        name: str(detect(READ[name][0])) for name in ("bytes", "UTF-16", "from 1, inclusive", "CLUENER", "CrossRE")
    }
    assert shapes == {
        "bytes": "text: text; entities: entities (character offsets, in bytes)",
        "UTF-16": "text: text; entities: entities (character offsets, in UTF-16 units)",
        "from 1, inclusive": "text: text; entities: entities (character offsets, from 1, ends inclusive)",
        "CLUENER": "text: text; entities: label (character offsets, ends inclusive)",
        "CrossRE": "tokens: sentence; entities: ner (token spans, ends inclusive)",
    }


# --- splits and files -------------------------------------------------------------------------------------


def test_splits_are_judged_together(tmp_path):
    """Alone, the test split would ask: nothing in it shows whether ends belong to mentions."""
    train, test = READ["CrossRE"][0], [{"sentence": ["Bo", "Li", "ran", "."], "ner": [[0, 1, "PER"]]}]
    with pytest.raises(CleancutError, match="Give end="):
        from_dataset(test)
    for name, rows in (("train", train), ("test", test)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    splits = load_splits(tmp_path)
    assert splits["test"].corpus.texts() == ["Bo Li"] and splits["test"].shape == splits["train"].shape
    both = datasets.DatasetDict({n: datasets.Dataset.from_list([{**row, "ner": str(row["ner"])} for row in rows])
                                 for n, rows in (("train", train), ("test", test))})  # fmt: skip
    assert detect(both["train"]).inclusive
    assert [part.corpus.texts() for part in read_parts(both).values()][1] == ["Bo Li"]


def test_wikiann_files(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text("".join("".join(f"en:{w}\t{t}\n" for w, t in zip(ws, ts)) + "\n" for ws, ts in zip(WORDS, TAGS)))
    assert cc.read(path).tokens() == WORDS
    assert load_splits(path)[""].notes == ("the code of a language before every word is taken away.",)
    path.write_text("en:Ada\tB-PER\nran\tO\n.\tO\n")
    assert cc.read(path).tokens() == [["en:Ada", "ran", "."]] and load_splits(path)[""].notes == ()


def test_files_with_a_text_beside_tokens_are_looked_at(tmp_path):
    rows, wanted = READ["characters with words beside tokens"]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert mentions(load_splits(tmp_path / "x.jsonl")[""].corpus) == wanted


def test_an_entity_is_the_same_before_another_particle():
    """Seoul in train and in test, once 서울에서 and once 서울은."""
    train = [{"text": "서울에서 왔다.", "entities": [{"start": 0, "end": 2, "label": "LOC"}]}]
    test = [{"text": "서울은 크다.", "entities": [{"start": 0, "end": 2, "label": "LOC"}]}]
    parts = {name: samples.corpus for name, samples in read_parts({"train": train, "test": test}).items()}
    assert cc.audit(parts).pairs["test", "train"]["n_partial"] == 1


# --- gold and predictions ---------------------------------------------------------------------------------


def in_text(text, *spans):
    return from_dataset([{"text": text, "entities": [plain(text, *span) for span in spans]}], end="exclusive")


@pytest.mark.parametrize("pred, right", [
    ((0, 2, "LOC"), 1), ((0, 4, "LOC"), 0), ((0, 3, "LOC"), 0), ((1, 2, "LOC"), 0), ((0, 2, "PER"), 0),
])  # fmt: skip
def test_gold_and_predictions_are_compared_at_characters(pred, right):
    text = "서울에서 왔다."
    gold = in_text(text, (0, 2, "LOC"))
    assert cc.exact_f1(gold, in_text(text, pred)).n_exact == right
    assert cc.exact_f1(in_text(text, pred), gold).n_exact == right
    assert cc.partial_f1(gold, in_text(text, pred)).n_gold == 1


def test_a_gold_mention_that_a_prediction_cuts_is_said(caplog):
    text = "서울대학교는 크다."
    train = in_text("서울대학교에서 왔다.", (0, 5, "ORG"))
    whole, part = in_text(text, (0, 5, "ORG")), in_text(text, (0, 2, "ORG"))
    assert cc.clean_f1(whole, whole, cc.Exposure.of(train)).n_clean == 0 and "cut inside a word" not in caplog.text
    score = cc.clean_f1(whole, part, cc.Exposure.of(train))
    assert score.recall == 0 and score.n_contaminated == 1  # what training has shown of gold is as it was
    assert "1 begin or end inside a word of the gold text and count as wrong" in caplog.text


def test_other_texts_and_other_tokens_are_not_made_the_same():
    gold, pred = in_text("Ada ran.", (0, 3, "PER")), in_text("Bo ran.", (0, 2, "PER"))
    with pytest.raises(CleancutError, match="the gold token is 'Ada' but the predicted one is 'Bo'"):
        cc.exact_f1(gold, pred)
    own = Corpus.of([["서울에서", "왔다", "."]], entities=[[(0, 1, "LOC")]])
    score = cc.exact_f1(own, in_text("서울에서 왔다.", (0, 2, "LOC")))  # tokens that were given stay as they are
    assert score.n_widened_pred == 1 and "begin or end inside a gold token" in score.notices[0]


@given(st.text(alphabet="aé한東 ไ.", min_size=1, max_size=12), st.data())
def test_equal_mentions_are_those_at_equal_characters(text, data):
    at = st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))), max_size=4)
    sides = [{(a, b) for a, b in data.draw(at) if a < b and not {text[a], text[b - 1]} & {" "}} for _ in range(2)]
    if not all(sides):
        return
    gold, pred = (in_text(text, *((a, b, "X") for a, b in sorted(side))) for side in sides)
    score = cc.exact_f1(gold, pred)
    assert (score.n_gold, score.n_pred, score.n_exact) == (*map(len, sides), len(sides[0] & sides[1]))


# --- laws -------------------------------------------------------------------------------------------------

LETTERS = "aB1é한국東にไทยกำที่रिम् .,-\u0301😀_\n"


@given(st.text(alphabet=LETTERS, max_size=25), st.lists(st.integers(0, 25), max_size=6))
def test_tokens_are_the_text_and_edges_are_theirs(text, edges):
    edges = [min(edge, len(text)) for edge in edges]
    words, without = Words.of(text, edges), Words.of(text)
    assert [text[a:b] for a, b in zip(words.starts, words.ends)] == words.tokens
    assert "".join(words.tokens) == "".join(text.split())
    borders = {*words.starts, *words.ends}
    for edge in edges:
        inside = 0 < edge < len(text) and not text[edge - 1].isspace() and not text[edge].isspace()
        assert edge in borders or not inside
    assert borders - set(edges) <= {*without.starts, *without.ends} <= borders


@given(st.data())
def test_a_mention_is_what_stands_at_its_offsets(data):
    rows = []
    for _ in range(data.draw(st.integers(1, 3))):
        text = data.draw(st.text(alphabet=LETTERS, min_size=1, max_size=20))
        at = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
        spans = [(a, b) for a, b in data.draw(st.lists(at, max_size=4)) if a < b and text[a:b].strip()]
        rows.append((text, spans))
    if not any(spans for _, spans in rows):
        return
    corpus = from_dataset(
        [{"text": text, "entities": [plain(text, a, b, "X") for a, b in spans]} for text, spans in rows],
        end="exclusive",
    )
    wanted = [{"".join(text[a:b].split()) for a, b in spans} for text, spans in rows]
    assert [{"".join(words.split()) for words, _ in own} for own in mentions(corpus)] == wanted


@given(st.text(alphabet=LETTERS, max_size=15), st.data())
def test_offsets_of_every_unit_are_those_of_characters(text, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    sizes = {
        Unit.CHARACTERS: len,
        Unit.BYTES: lambda s: len(s.encode()),
        Unit.UTF16: lambda s: len(s.encode("utf-16-le")) // 2,
    }
    for unit, size in sizes.items():
        first, until = size(text[:start]), size(text[:end])
        assert Offsets(text).characters(first, until, Convention(unit)) == (start, end)
        assert Offsets(text).characters(first, until - 1, Convention(unit, True)) == (start, end)
        assert Offsets(text).characters(first + 1, until, Convention(unit, True, 1)) == (start, end)


@pytest.mark.parametrize("text, tokens", [
    ("Dr. Ada-May", ["Dr", ".", "Ada", "-", "May"]),
    ("naïve e\u0301te\u0301", ["naïve", "e\u0301te\u0301"]),
    ("दिल्ली में", ["दिल्ली", "में"]),
    ("กำลังที่", ["ก", "ำ", "ลั", "ง", "ที่"]),
    ("می\u200cروم", ["می\u200cروم"]),
    ("서울에서", ["서울에서"]),
    ("東京2020年", ["東", "京", "2020", "年"]),
    ("タワー", ["タ", "ワ", "ー"]),
    ("x_1 100%", ["x_1", "100", "%"]),
])  # fmt: skip
def test_the_rule_for_tokens(text, tokens):
    assert Words.of(text).tokens == tokens


def test_mentions_that_are_only_quoted_in_any_script():
    assert placed([("北京", "L"), ("北京", "L")], "北京和北京") == [(0, 2, "L"), (3, 5, "L")]
    assert placed([("서울", "L"), ("울에", "L")], "남서울 서울에서") == [(4, 6, "L"), None]
    assert placed([("Ada  King", "P")], "Ada\nKing") == [(0, 8, "P")]
    assert placed([("", "P"), ("Ad", "P")], "Ada") == [None, None]
    assert is_inside_word("naïve", 2) and not is_inside_word("a b", 1) and not is_inside_word("x", 0)
    assert language_before([]) is None and language_before(["be-x-old:Мінск"]) == "be-x-old:"


def test_a_stream_is_read_as_its_rows():
    for name in ("inclusive with words", "korean, words", "underscore (lst20)", "languages before words (WikiANN)"):
        rows, wanted = READ[name]
        stream = datasets.Dataset.from_list(rows).to_iterable_dataset()
        assert bare(mentions(from_dataset(stream))) == bare(wanted)


def test_label_names_may_have_underscores_too():
    names = datasets.ClassLabel(names=["O", "B_PER", "I_PER", "B_LOC"])
    ids = [[names.names.index(tag.replace("-", "_")) for tag in own] for own in TAGS]
    features = datasets.Features(tokens=datasets.List(datasets.Value("string")), ner_tags=datasets.List(names))
    ds = datasets.Dataset.from_dict({"tokens": WORDS, "ner_tags": ids}, features=features)
    assert mentions(from_dataset(ds)) == MENTIONS and "iob2" in str(detect(ds))


def test_own_format_of_spans_needs_no_evidence():
    corpus = Corpus.of([["Ada", "ran", "off"]], entities=[[(0, 1, "PER")]])
    rows = [{"tokens": corpus.tokens()[0], "entities": corpus.entities()[0]}]
    assert from_dataset(rows).entities() == corpus.entities()
    dots = [{"tokens": ["Acme", "Inc", ".", "said"], "entities": [plain(None, 0, 3, "ORG")]}]
    assert from_dataset(dots).texts() == ["Acme Inc ."]
    gliner = [{"tokenized_text": ["Acme", "Inc", ".", "said"], "ner": [[0, 2, "ORG"]]}]
    assert from_dataset(gliner).texts() == ["Acme Inc ."]
