"""Tags: every scheme, every repair policy, and the tricky cases in which peers differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import flat, samples

from cleancut import CleancutError, Corpus, Mentions, exact_f1
from cleancut.core.tags import Scheme, split_tag


def decoded(tags: str, **options) -> str:
    """``"B-P I-P O"`` -> ``"P:0-2"``."""
    spans = Mentions.of([tags.split()], **options).spans()[0]
    return " ".join(f"{s['label']}:{s['start']}-{s['end']}" for s in spans)


# What conlleval's rule gives; in the comment, a peer that answers otherwise.
TRICKY = [
    ("O O", ""),
    ("B-P", "P:0-1"),
    ("B-P I-P O", "P:0-2"),
    ("B-P B-P", "P:0-1 P:1-2"),
    ("I-P", "P:0-1"),  # seqeval strict and SeqScore (no repair): nothing, or an error
    ("I-P I-P", "P:0-2"),  # seqeval strict: nothing; nervaluate agrees
    ("O I-P I-P O", "P:1-3"),
    ("B-P I-L", "P:0-1 L:1-2"),  # nervaluate drops the second one in its CoNLL loader
    ("B-P I-L I-L", "P:0-1 L:1-3"),
    ("I-P I-L", "P:0-1 L:1-2"),
    ("I-P B-P", "P:0-1 P:1-2"),  # IOB1
    ("B-P O I-P", "P:0-1 P:2-3"),  # a gap filler in some scripts: P:0-3
    ("S-P", "P:0-1"),
    ("S-P S-P", "P:0-1 P:1-2"),
    ("S-P I-P", "P:0-1 P:1-2"),
    ("B-P E-P", "P:0-2"),
    ("B-P I-P E-P", "P:0-3"),
    ("B-P I-P O", "P:0-2"),  # unterminated in BIOES: seqeval strict drops it
    ("E-P", "P:0-1"),
    ("O E-P", "P:1-2"),
    ("E-P E-P", "P:0-1 P:1-2"),
    ("I-P E-P", "P:0-2"),  # IOE2
    ("E-P I-P", "P:0-1 P:1-2"),  # IOE1
    ("I-P E-P I-P E-P", "P:0-2 P:2-4"),
    ("B-P S-P", "P:0-1 P:1-2"),
    ("B-P E-L", "P:0-1 L:1-2"),
    ("B-P L-P", "P:0-2"),  # seqeval's default reading does not know L and U
    ("U-P U-P", "P:0-1 P:1-2"),
    ("B-P I-P L-P U-L", "P:0-3 L:3-4"),
    ("B-P M-P E-P", "P:0-3"),  # BMES: seqeval's default reading loses M
    ("M-P M-P", "P:0-2"),
    ("O M-P E-P S-L", "P:1-3 L:3-4"),
    ("B-geo-loc I-geo-loc", "geo-loc:0-2"),
    ("B-geo-loc I-geo", "geo-loc:0-1 geo:1-2"),  # splitting at the last hyphen merges them
    ("B-B-I I-B-I", "B-I:0-2"),
    ("B-per I-PER", "per:0-1 PER:1-2"),  # types are case-sensitive
    ("B-P I-P I-P B-P I-P", "P:0-3 P:3-5"),
    ("S-P E-P", "P:0-1 P:1-2"),
    ("B-P B-L I-L I-P", "P:0-1 L:1-3 P:3-4"),
    ("E-P B-P E-P", "P:0-1 P:1-3"),
    ("B_P I_P O", "P:0-2"),  # lst20; seqeval reads the type _P
    ("P-B P-I O", "P:0-2"),  # seqeval with suffix=True
    ("P_B P_E O P_S", "P:0-2 P:3-4"),
    ("B-O B-P I-P I-O", "P:1-3"),  # PLOD: outside is B-O
    ("B-P M-P E-P W-P", "P:0-3 P:3-4"),  # BMEOW
    ("B-geo_loc I-geo_loc B_geo-loc", "geo_loc:0-2 geo-loc:2-3"),
    ("B-P-I I-P-I", "P-I:0-2"),  # a prefix before a suffix
]


@pytest.mark.parametrize(("tags", "expected"), TRICKY)
def test_the_conlleval_reading_of_tricky_tags(tags, expected):
    assert decoded(tags) == expected


@pytest.mark.parametrize(("tags", "expected"), TRICKY)
def test_decoding_does_not_depend_on_the_neighbours_of_a_sample(tags, expected):
    alone = Mentions.of([tags.split()]).spans()
    among = Mentions.of([["B-P", "I-P"], tags.split(), [], ["I-P", "E-P"], ["U-P"]]).spans()
    assert among[1] == alone[0]


WELL_FORMED = {
    "iob1": ["I-P I-P", "I-P B-P I-P", "I-P I-L", "O I-P O"],
    "iob2": ["B-P I-P", "B-P B-P I-P", "B-P B-L", "O B-P O"],
    "ioe1": ["I-P I-P", "I-P E-P I-P", "I-P I-L", "O I-P O"],
    "ioe2": ["I-P E-P", "E-P I-P E-P", "E-P E-L", "O E-P O"],
    "bioes": ["B-P E-P", "S-P B-P I-P E-P", "S-P S-L", "O S-P O"],
    "bilou": ["B-P L-P", "U-P B-P I-P L-P", "U-P U-L", "O U-P O"],
    "bmes": ["B-P E-P", "S-P B-P M-P E-P", "S-P S-L", "O S-P O"],
    "bmeow": ["B-P E-P", "W-P B-P M-P E-P", "W-P W-L", "O W-P O"],
    "io": ["I-P I-P", "P L P", "I-P I-L", "O I-P O"],
}
ILL_FORMED = {
    "iob1": ["B-P I-P", "O B-P", "I-L B-P"],
    "iob2": ["I-P I-P", "O I-P", "B-L I-P"],
    "ioe1": ["I-P E-P", "E-P", "E-P I-L"],
    "ioe2": ["I-P I-P", "I-P", "I-P E-L"],
    "bioes": ["B-P I-P", "B-P", "I-P E-P", "E-P", "I-P", "B-P E-L", "B-P S-P"],
    "bilou": ["B-P I-P", "B-P", "I-P L-P", "L-P", "I-P", "B-P L-L", "B-P U-P"],
    "bmes": ["B-P M-P", "B-P", "M-P E-P", "E-P", "M-P", "B-P E-L", "B-P S-P"],
    "bmeow": ["B-P M-P", "B-P", "M-P E-P", "E-P", "M-P", "B-P E-L", "B-P W-P"],
}


@pytest.mark.parametrize(("scheme", "tags"), [(s, t) for s, all in WELL_FORMED.items() for t in all])
def test_well_formed_tags_need_no_repair(scheme, tags):
    for repair in ("conlleval", "discard", "error"):
        mentions = Mentions.of([tags.split()], scheme=scheme, repair=repair)
        assert mentions.tagging.n_repaired(Scheme(scheme)) == 0
        assert mentions == Mentions.of([tags.split()], scheme=scheme)


@pytest.mark.parametrize(("scheme", "tags"), [(s, t) for s, all in ILL_FORMED.items() for t in all])
def test_ill_formed_tags_are_counted_discarded_or_refused(scheme, tags):
    kept = Mentions.of([tags.split()], scheme=scheme)
    assert kept.tagging.n_repaired(Scheme(scheme)) == 1
    discarded = Mentions.of([tags.split()], scheme=scheme, repair="discard")
    assert len(discarded) < len(kept)
    with pytest.raises(CleancutError, match=f"sample 0, token.*{scheme.upper()}"):
        Mentions.of([tags.split()], scheme=scheme, repair="error")


def test_repairs_count_samples_and_are_judged_by_the_gold_scheme():
    gold = [["B-P", "I-P", "O", "B-L"], ["O", "O"], ["B-P", "O"]]
    pred = [["I-P", "I-P", "O", "I-L"], ["O", "I-P"], ["B-P", "O"]]
    score = exact_f1(gold, pred)
    assert (score.n_repaired_gold, score.n_repaired_pred) == (0, 2)
    assert score.f1 == pytest.approx(2 * (3 / 4) * 1 / (3 / 4 + 1))
    assert "scheme:iob2|repair:conlleval" in score.signature


def test_discard_judges_predictions_by_the_scheme_of_the_gold_tags():
    score = exact_f1([["B-P", "I-P"]], [["I-P", "I-P"]], repair="discard")
    assert (score.n_gold, score.n_pred) == (1, 0)
    with pytest.raises(CleancutError, match="predicted sample 0"):
        exact_f1([["B-P", "I-P"]], [["I-P", "I-P"]], repair="error")


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("B-P I-P O", "iob2"), ("B-P", "iob2"), ("O", "iob2"), ("I-P I-P O I-L", "iob1"), ("I-P B-P", "iob1"),
        ("I-P E-P", "ioe2"), ("E-P", "ioe2"), ("I-P O I-P E-P I-P", "ioe1"), ("B-P E-P S-P", "bioes"), ("S-P", "bioes"),
        ("B-P L-P", "bilou"), ("U-P", "bilou"), ("B-P M-P E-P", "bmes"), ("S-P M-P", "bmes"),
        ("B-P M-P E-P W-P", "bmeow"), ("W-P", "bmeow"), ("B_P I_P", "iob2"), ("P-B P-E P-S", "bioes"), ("B-O", "iob2"),
    ],
)  # fmt: skip
def test_the_scheme_is_inferred_from_the_inventory(tags, scheme):
    assert Mentions.of([tags.split()]).tagging.scheme() == scheme


def test_mixed_letters_decode_but_belong_to_no_scheme():
    assert decoded("B-P L-P B-P E-P") == "P:0-2 P:2-4"
    assert "scheme:mixed" in exact_f1([["U-P", "S-P"]], [["U-P", "S-P"]]).signature
    with pytest.raises(CleancutError, match="belong to no one scheme"):
        Mentions.of([["U-P", "S-P"]], repair="discard")


def test_bare_names_are_types_in_the_io_scheme_only():
    assert decoded("art-music art-music O PER I-LOC", scheme="io") == "art-music:0-2 PER:3-4 LOC:4-5"
    with pytest.raises(CleancutError, match="scheme='io'"):
        Mentions.of([["O", "art-music"]])


UNKNOWN = ["PER", "B", "B-", "", "X-PER", "b-PER", "X_PER", "PER-X", "-PER", "o", "I-", "BPER", "B-A|B-C", "B-A/I-C"]


@pytest.mark.parametrize("tag", UNKNOWN)
def test_unknown_tags_are_refused_with_their_place(tag):
    with pytest.raises(CleancutError, match="sample 1, token 1") as caught:
        Mentions.of([["O"], ["O", tag]])
    assert repr(tag) in str(caught.value)


def test_letters_outside_the_given_scheme_are_refused():
    with pytest.raises(CleancutError, match="'E-P' is not in scheme IOB2"):
        Mentions.of([["B-P", "E-P"]], scheme="iob2")
    with pytest.raises(CleancutError, match="'B-P' is not in scheme IO,"):
        Mentions.of([["B-P"]], scheme="io")


def test_aliases_and_unknown_names_of_schemes():
    assert Mentions.of([["S-P"]], scheme="IOBES").tagging.scheme() is Scheme.BIOES
    assert Mentions.of([["S-P"]], scheme="BMESO").tagging.scheme() is Scheme.BMES
    with pytest.raises(CleancutError, match=r"scheme='iob3' is unknown. Did you mean iob2\? Choose one of: iob1"):
        Mentions.of([["O"]], scheme="iob3")
    with pytest.raises(CleancutError, match="repair='fix' is unknown"):
        Mentions.of([["O"]], repair="fix")


def test_split_tag():
    assert split_tag("B-geo-loc") == ("B", "geo-loc")
    assert split_tag("O") == ("O", "")
    assert split_tag("few-nerd", Scheme.IO) == ("I", "few-nerd")


@given(st.lists(flat(), max_size=5), st.sampled_from([s for s in Scheme if s is not Scheme.IO]))
def test_decoding_what_was_encoded_gives_the_mentions_back(spans, scheme):
    corpus = Corpus.of([["w"] * 8 for _ in spans], entities=spans)
    tags = corpus.tags(scheme)
    assert Mentions.of(tags).spans() == corpus.entities()
    assert Mentions.of(tags, scheme=scheme, repair="error").spans() == corpus.entities()
    assert Mentions.of(tags).tagging.n_repaired(scheme) == 0


@given(st.lists(flat(), max_size=5))
def test_io_keeps_what_it_can_and_refuses_what_it_would_merge(spans):
    corpus = Corpus.of([["w"] * 8 for _ in spans], entities=spans)
    touching = any(a["end"] == b["start"] and a["label"] == b["label"] for s in spans for a, b in zip(s, s[1:]))
    if touching:
        with pytest.raises(CleancutError, match="would merge"):
            corpus.tags("io")
    else:
        assert Mentions.of(corpus.tags("io"), scheme="io").spans() == corpus.entities()


@given(samples())
def test_one_sample_at_a_time_gives_what_all_at_once_give(tags):
    together = Mentions.of(tags).spans()
    assert together == [Mentions.of([sample]).spans()[0] for sample in tags]


@given(samples())
def test_encoding_what_was_decoded_is_stable(tags):
    mentions = Mentions.of(tags)
    again = mentions.tags("bioes")
    assert Mentions.of(again, scheme="bioes", repair="error") == mentions
    assert [len(s) for s in again] == [len(s) for s in tags]


def test_overlapping_mentions_cannot_be_written_as_tags():
    corpus = Corpus.of([["a", "b", "c"]], entities=[[(0, 2, "P"), (1, 3, "L")]])
    with pytest.raises(CleancutError, match=r"sample 0: mentions \[0, 2\) P and \[1, 3\) L overlap"):
        corpus.tags()


def test_more_than_256_distinct_tags():
    tags = [[f"{letter}-T{i}" for letter in "BI"] for i in range(300)]
    assert len(Mentions.of(tags)) == 300
    assert exact_f1(tags, tags).f1 == 1.0


def test_a_type_that_would_be_read_as_outside_is_not_written():
    with pytest.raises(CleancutError, match="type 'O' cannot be written as tags"):
        Corpus.of([["a"]], entities=[[(0, 1, "O")]]).tags()
