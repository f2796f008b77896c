"""The index of what training has shown: counts, keys, batches, merging, saving, and the look-up tagger."""

import gc
import json
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleancut import CleancutError, Corpus, Exposure, clean_f1, hardeval
from cleancut.core.entities import Key
from cleancut.scoring.exposure_view import HARD, NOVELTY
from cleancut.scoring.lookup import taken_in_turn
from cleancut.scoring.tallies import Places

WORDS = ["Ada", "ada", "King", "New", "York", "of", "x", "İ", "ﬁ", "fi"]
TYPES = ["PER", "LOC"]


SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)


@cache
def spans_from(at, n_words):
    """A span of one word or two, which begins at a word or behind it; None instead of one beyond the last word."""
    found = [None] * 4  # as often as there are spans that begin at a word
    for start in range(at, n_words):
        ends = [start + 1, min(start + 2, n_words)]
        found += [(start, end, label) for end in ends for label in TYPES]
    return st.sampled_from(found)


@st.composite
def corpora(draw, max_samples=6, nested=False):
    tokens, entities = [], []
    for _ in range(draw(st.integers(0, max_samples))):
        words = draw(SENTENCES)
        spans, at = [], 0
        for _ in range(draw(st.integers(0, 3))):
            span = draw(spans_from(0 if nested else at, len(words)))
            if span is None:
                break
            spans.append(span)
            at = span[1]
        tokens.append(words)
        entities.append(spans)
    return Corpus.of(tokens, entities=entities)


def keys(corpus):
    """(words, type) of each mention, in order."""
    return [
        (tuple(words[s["start"] : s["end"]]), s["label"])
        for words, spans in zip(corpus.tokens(), corpus.entities())
        for s in spans
    ]


@given(corpora(nested=True), corpora(nested=True))
def test_mentions_against_plain_counters(train, test):
    typed, surfaces = Counter(keys(train)), Counter(key[0] for key in keys(train))
    view = Exposure.of(train).view(test)
    assert view.seen.tolist() == [key in typed for key in keys(test)]
    assert view.type_frequency.tolist() == [typed[key] for key in keys(test)]
    assert view.surface_frequency.tolist() == [surfaces[key[0]] for key in keys(test)]
    assert view.n_types.tolist() == [len({t for s, t in typed if s == key[0]}) for key in keys(test)]
    loose = Exposure.of(train, typed=False).view(test)
    assert loose.seen.tolist() == [key[0] in surfaces for key in keys(test)]
    for key, share, usual in zip(keys(test), view.consistency.tolist(), view.usual_label):
        if surfaces[key[0]]:
            assert share == typed[key] / surfaces[key[0]]
            most = max(n for k, n in typed.items() if k[0] == key[0])
            assert usual == min(k[1] for k, n in typed.items() if k[0] == key[0] and n == most)
        else:
            assert np.isnan(share) and usual is None


@given(corpora(), corpora())
def test_words_against_plain_counters(train, test):
    total, inside = Counter(), Counter()
    for words, tags in zip(train.tokens(), labels(train)):
        for word, tag in zip(words, tags):
            total[word] += 1
            inside[word, tag[2:] or "O"] += 1
    view = Exposure.of(train).view(test)
    flat = [word for words in test.tokens() for word in words]
    assert view.word_seen.tolist() == [word in total for word in flat]
    assert view.word_frequency.tolist() == [total[word] for word in flat]
    for label in (None, "PER", "LOC", "ORG"):
        expected = [inside[word, label or "O"] for word in flat]
        assert view.word_label_frequency([label] * len(flat)).tolist() == expected
        shares = view.word_consistency([label] * len(flat))
        assert all(np.isnan(s) if not total[w] else s == n / total[w] for s, n, w in zip(shares, expected, flat))
    for word, usual in zip(flat, view.word_usual_label):
        if word not in total:
            assert usual is None
        else:
            assert inside[word, usual] == max(inside[word, t] for t in ("O", *TYPES))


def labels(corpus):
    return [[tag if tag == "O" else "I" + tag[1:] for tag in tags] for tags in corpus.tags("iob2")]


@given(st.lists(corpora(nested=True), min_size=1, max_size=3), corpora(nested=True))
def test_batches_merging_and_order_make_no_difference(parts, test):
    whole = Exposure.of(Corpus.concatenate(parts))
    batched = Exposure.of(iter(parts))
    merged = Exposure()
    for part in reversed(parts):
        merged = merged + Exposure.of(part)
    for other in (batched, merged):
        assert (other.n_tokens, other.n_words, other.n_mentions, other.n_entities) == (
            whole.n_tokens, whole.n_words, whole.n_mentions, whole.n_entities,
        )  # fmt: skip
        assert other.fingerprint == whole.fingerprint
        for name in ("seen", "type_frequency", "surface_frequency", "novelty"):
            assert getattr(other.view(test), name).tolist() == getattr(whole.view(test), name).tolist()
        for name in ("hard_tokens", "hard_tokens_strict"):
            ours, theirs = getattr(other.view(test), name), getattr(whole.view(test), name)
            assert ours.of_token.tolist() == theirs.of_token.tolist()
        assert not len(other._surfaces) or not other.view(test).can_look_up
        other.count_occurrences(iter(parts))
        assert other.view(test).memorised == whole.view(test).memorised


@given(corpora(nested=True), corpora(), st.booleans(), st.sampled_from([None, "NFKC"]))
def test_saving_and_loading_gives_it_back(tmp_path_factory, train, test, case, unicode):
    path = tmp_path_factory.mktemp("e") / "index.npz"
    index = Exposure.of(train, case=case, unicode=unicode)
    index.save(path)
    again = Exposure.load(path)
    assert repr(again) == repr(index)
    assert again.view(test).novelty.tolist() == index.view(test).novelty.tolist()
    assert again.view(test).memorised == index.view(test).memorised
    again.update(test)
    index.update(test)
    assert repr(again) == repr(index)
    assert again.view(test).seen.all()


def test_broken_files_are_refused(tmp_path):
    with pytest.raises(CleancutError, match="no such file"):
        Exposure.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(CleancutError, match="not an index that Exposure.save wrote"):
        Exposure.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    with pytest.raises(CleancutError, match="not an index"):
        Exposure.load(tmp_path / "other.npz")
    np.savez(tmp_path / "objects.npz", meta=np.array([{"a": 1}], dtype=object))
    with pytest.raises(CleancutError, match="not an index"):
        Exposure.load(tmp_path / "objects.npz")


def test_what_counts_as_the_same_entity_is_an_option():
    train = Corpus.of([["ADA"], ["ﬁne"], ["café"]], tags=[["B-PER"], ["B-X"], ["B-X"]])
    test = Corpus.of([["Ada"], ["fine"], ["cafe\u0301"], ["ADA"]], tags=[["B-PER"], ["B-X"], ["B-X"], ["B-LOC"]])

    def seen(**options):
        return Exposure.of(train, **options).view(test).seen.tolist()

    assert seen() == [False, False, False, False]
    assert seen(case=False) == [True, True, False, False]  # the folded form of the ligature is two letters
    assert seen(unicode="NFC") == [False, False, True, False]
    assert seen(unicode="NFKC") == [False, True, True, False]
    assert seen(typed=False) == [False, False, False, True]
    assert str(Exposure(case=False, typed=False, unicode="NFKC").key) == "surface,uncased,nfkc"
    with pytest.raises(CleancutError, match="unicode='UTF8' is unknown"):
        Exposure(unicode="UTF8")
    with pytest.raises(CleancutError, match="different keys cannot be merged: surface and surface.type"):
        Exposure(typed=False) + Exposure()


def test_words_of_unused_vocabulary_are_not_shown():
    corpus = Corpus.of([["Ada"], ["Bo"]], tags=[["B-P"], ["B-P"]])
    index = Exposure.of(corpus.select([0]))
    assert index.n_words == 1
    assert index.view(corpus).word_seen.tolist() == [True, False]


def test_novelty_classes():
    train = Corpus.of([["New", "York", "and", "Ada"]], entities=[[(0, 2, "LOC"), (3, 4, "PER")]])
    test = Corpus.of(
        [["New", "York", "Ada", "York", "Bo"]],
        entities=[[(0, 2, "LOC"), (2, 3, "LOC"), (2, 4, "LOC"), (4, 5, "PER"), (3, 5, "PER")]],
    )
    found = [NOVELTY[i] for i in Exposure.of(train).view(test).novelty]
    assert found == ["seen", "other_type", "known_words", "unknown_words", "unknown_words"]


def test_hard_tokens_by_hand():
    train = Corpus.of(
        [["may", "May", "May", "May", "Oslo", "Oslo", "Oslo", "tie", "tie"]],
        tags=[["O", "B-PER", "B-PER", "O", "B-LOC", "B-LOC", "B-PER", "B-PER", "O"]],
    )
    test = Corpus.of(
        [["may", "may", "May", "May", "Oslo", "Oslo", "new", "new", "tie", "tie", "tie"]],
        tags=[["O", "B-PER", "O", "B-PER", "B-PER", "B-LOC", "O", "B-LOC", "O", "B-PER", "B-LOC"]],
    )
    view = Exposure.of(train).view(test)
    assert [HARD[i] for i in view.hard_tokens.of_token] == [
        "other", "diff_i", "diff_o", "other", "diff_e", "other", "unseen_o", "unseen_i", "other", "other", "diff_e",
    ]  # fmt: skip
    assert [HARD[i] for i in view.hard_tokens_strict.of_token] == [
        "other", "diff_i", "other", "other", "other", "other", "unseen_o", "unseen_i", "other", "other", "diff_e",
    ]  # fmt: skip


@given(corpora(), corpora(), st.booleans())
def test_hard_tokens_against_plain_counters(train, test, strict):
    counts = Counter((w, t[2:]) for words, tags in zip(train.tokens(), labels(train)) for w, t in zip(words, tags))
    expected = []
    for word, tag in ((w, t[2:]) for words, tags in zip(test.tokens(), labels(test)) for w, t in zip(words, tags)):
        outside, of_types = counts[word, ""], [counts[word, name] for name in TYPES]
        inside, side = sum(of_types), "i" if tag else "o"
        here, there = (inside, outside) if tag else (outside, inside)
        if not inside + outside:
            expected.append(f"unseen_{side}")
        elif here == 0 if strict else here < there:
            expected.append(f"diff_{side}")
        elif tag and inside >= outside and (counts[word, tag] == 0 if strict else counts[word, tag] < max(of_types)):
            expected.append("diff_e")
        else:
            expected.append("other")
    view = Exposure.of(train).view(test)
    found = view.hard_tokens_strict if strict else view.hard_tokens
    assert [HARD[i] for i in found.of_token] == expected
    assert found.counts.tolist() == [expected.count(name) for name in HARD]


@pytest.mark.parametrize(
    "second, of_two",  # "second" is a mention in some of its places
    [
        ([["B-ORD"], ["O"]], True),  # in half of them
        ([["B-ORD"], ["O"], ["O"]], False),
        ([["B-ORD"], ["B-TIME"], ["O"], ["O"]], True),  # whatever its type
        ([["B-ORD"], ["O"], ["B-ORD"]], True),
    ],
)
def test_the_look_up_holds_names_that_are_mentions_in_half_of_their_places(second, of_two):
    train = Corpus.of([["second"]] * len(second), tags=second)
    found = Exposure.of(train).view(Corpus.of([["a", "second"]], entities=[[]])).memorised.spans()
    assert found == [[{"start": 1, "end": 2, "label": "ORD"}] if of_two else []]


def test_what_is_not_in_the_look_up_does_not_hide_what_is():
    text = [["New", "York", "Times"]] + [["New", "York", "Times", "."]] * 2 + [["New", "York"]] * 4
    tags = [["B-ORG", "I-ORG", "I-ORG"]] + [["B-LOC", "I-LOC", "O", "O"]] * 2 + [["B-LOC", "I-LOC"]] * 4
    test = Corpus.of([["New", "York", "Times"]], entities=[[]])
    # the longer name is a mention in one of its three places, the shorter one in six of seven
    assert Exposure.of(Corpus.of(text, tags=tags)).view(test).memorised.spans() == [
        [{"start": 0, "end": 2, "label": "LOC"}]
    ]


def test_occurrences_are_counted_in_the_data_of_the_index_and_no_other():
    parts = [Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]]), Corpus.of([["Ada"]], tags=[["O"]])]
    shown = Exposure.of(iter(parts))
    for other, said in ((parts[:1], "of 2 samples, but 1 sample"), ([parts[0], parts[0]], "but other samples")):
        with pytest.raises(CleancutError, match=said):
            shown.count_occurrences(other)
        assert not shown.view(parts[0]).can_look_up
    with pytest.raises(CleancutError, match="expected a Corpus, got dict"):
        shown.count_occurrences([{}])
    shown.count_occurrences([parts[1], parts[0]])
    assert len(shown.view(parts[0]).memorised) == 1


class Shards:
    """Corpora that are made anew each time that they are read."""

    def __iter__(self):
        return (Corpus.of([[word]], tags=[["B-PER"]]) for word in ("Ada", "Bo"))


def test_data_that_can_be_read_again_is_read_twice():
    test = Corpus.of([["Ada", "met", "Bo"]], entities=[[]])
    assert len(Exposure.of(Shards()).view(test).memorised) == 2
    assert not Exposure.of(iter(Shards())).view(test).can_look_up


def streamed_merged_and_old(train, folder):
    """Indices of a corpus that do not know where the names stand in its text."""
    yield Exposure.of(iter([train]))
    yield Exposure.of(train) + Exposure()
    index = Exposure.of(train)
    data = index._arrays()
    meta = json.loads(data["meta"].tobytes()) | {"format": "cleancut-exposure-1"}
    del meta["occurrences_checked"]
    data["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    np.savez_compressed(folder / "old.npz", **data)
    yield Exposure.load(folder / "old.npz")


def test_without_occurrences_the_look_up_is_nan_and_a_notice_says_how_to_get_it(tmp_path, caplog):
    train = Corpus.of([["Ada", "spoke"]], tags=[["B-PER", "O"]])
    gold = Corpus.of([["Ada"], ["Bo"]], tags=[["B-PER"], ["B-PER"]])
    known = clean_f1(gold, gold, Exposure.of(train), ci=100)
    [rough] = known.notices  # of its intervals, which rest on one mention
    assert known.memorisation_f1 == 2 / 3 and "look-up" not in rough
    for shown in streamed_merged_and_old(train, tmp_path):
        caplog.clear()
        score = clean_f1(gold, gold, shown, ci=100)
        again = Exposure.load(saved(shown, tmp_path / "again.npz"))
        for found in (score, clean_f1(gold.select([0]), gold.select([0]), shown, ci=100) +
                      clean_f1(gold.select([1]), gold.select([1]), again, ci=100)):  # fmt: skip
            assert np.isnan(found.memorisation_f1) and np.isnan(found["memorisation_recall/PER"])
            assert np.isnan(found.memorisation_f1_low) and found.clean_recall == known.clean_recall
            assert "|look_up:none|" in found.signature
        said = [notice for notice in score.notices if notice != rough]
        assert [record.message for record in caplog.records if record.message != rough] == said * 2
        assert "second pass over the training data. Give Exposure.of() a corpus" in said[0]
        with pytest.raises(CleancutError, match="the look-up needs a second pass"):
            shown.view(gold).memorised  # noqa: B018
        with pytest.raises(CleancutError, match="computed differently"):
            score + known
        shown.count_occurrences([train])
        assert clean_f1(gold, gold, shown, ci=100) == known


def saved(index, path):
    index.save(path)
    return path


def test_the_look_up_takes_the_longest_surface_and_stays_in_its_sample():
    train = Corpus.of(
        [["New", "York", "City"], ["New", "York"], *[["York"]] * 2],
        tags=[["B-L", "I-L", "I-L"], ["B-L", "I-L"], *[["B-P"]] * 2],
    )
    test = Corpus.of([["New", "York", "City", "York"], ["New"], ["York", "New", "York"], []], entities=[[], [], [], []])
    assert Exposure.of(train).view(test).memorised.spans() == [
        [{"start": 0, "end": 3, "label": "L"}, {"start": 3, "end": 4, "label": "P"}],
        [],
        [{"start": 0, "end": 1, "label": "P"}, {"start": 1, "end": 3, "label": "L"}],
        [],
    ]


@st.composite
def crowded(draw):
    """Few words and many mentions, of which any may nest, overlap or go on; empty samples among them."""
    samples = draw(st.lists(st.lists(st.sampled_from(["a", "A", "b", "ﬁ", "fi"]), max_size=9), max_size=5))
    entities = []
    for words in samples:
        spans = []
        for _ in range(draw(st.integers(0, 4)) if words else 0):
            start = draw(st.integers(0, len(words) - 1))
            spans.append((start, draw(st.integers(start + 1, len(words))), draw(st.sampled_from(TYPES))))
        entities.append(spans)
    return Corpus.of(samples, entities=entities)


def look_up(train, test, key):
    """The look-up word by word, and for each mention of a corpus how often training has its surface."""
    counts, places = {}, Counter()
    for words, label in keys(train):
        counts.setdefault(tuple(map(key.fold, words)), Counter())[label] += 1
    for sample in train.tokens():
        words = tuple(map(key.fold, sample))
        places.update(words[b:e] for b in range(len(words)) for e in range(b + 1, len(words) + 1))
    listed = {words for words, of in counts.items() if of.total() / places[words] >= 1 / 2}
    found = []
    for sample in test.tokens():
        words, spans, at = list(map(key.fold, sample)), [], 0
        while at < len(words):
            ends = [end for end in range(at + 1, len(words) + 1) if tuple(words[at:end]) in listed]
            if ends:
                of = counts[tuple(words[at : ends[-1]])]
                usual = min(label for label, n in of.items() if n == max(of.values()))
                spans.append({"start": at, "end": ends[-1], "label": usual})
            at = ends[-1] if ends else at + 1
        found.append(spans)
    shown = [(counts.get(tuple(map(key.fold, words)), Counter()), label) for words, label in keys(test)]
    return found, [of.total() for of, _ in shown], [of[label] for of, label in shown]


@given(
    st.lists(crowded(), min_size=1, max_size=3),
    crowded(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, "NFKC"]),
)
def test_the_look_up_against_one_word_by_word(parts, test, case, typed, unicode):
    options = {"case": case, "typed": typed, "unicode": unicode}
    found, of_surface, of_type = look_up(Corpus.concatenate(parts), test, Key(**options))
    batched = Exposure(**options)
    for i, part in enumerate(parts, 1):
        batched.view(test).mention_class  # noqa: B018 (what is kept for a smaller index must go)
        batched.update(part)
        batched.count_occurrences(parts[:i])
        batched.view(test).memorised  # noqa: B018
    for index in (batched, sum(Exposure.of(part, **options) for part in parts)):
        index.count_occurrences(reversed(parts))
        view = index.view(test)
        assert view.memorised.spans() == found
        assert view.surface_frequency.tolist() == of_surface
        assert view.type_frequency.tolist() == of_type
        assert view.seen.tolist() == [n > 0 for n in (of_type if typed else of_surface)]


@given(st.sets(st.integers(0, 2**62)), st.integers(0, 62), st.integers(0, 300))
def test_codes_are_found_at_their_places(codes, shift, n_dense):
    codes = sorted(codes | {code << shift & 2**62 - 1 for code in range(n_dense)})
    wanted = [*codes, *(code + 1 for code in codes), -1]
    place = {code: i for i, code in enumerate(codes)}
    found = Places(np.array(codes, np.int64)).find(np.array(wanted, np.int64))
    assert found.tolist() == [place.get(code, -1) for code in wanted]


@st.composite
def sorted_spans(draw):
    begin = sorted(draw(st.sets(st.integers(0, 60), max_size=40)))
    return begin, [b + draw(st.integers(1, 5)) for b in begin]


@given(sorted_spans())
def test_spans_are_taken_in_turn(spans):
    begin, end = spans
    taken, free = [], 0
    for i, at in enumerate(begin):
        if at >= free:
            taken.append(i)
            free = end[i]
    assert taken_in_turn(np.array(begin, np.int64), np.array(end, np.int64)).tolist() == taken


@given(crowded(), crowded(), st.booleans())
def test_what_is_kept_of_the_look_up_is_what_its_mentions_are(train, test, case):
    view = Exposure.of(train, case=case).view(test)
    spans = [(i, s["start"], s["end"], s["label"]) for i, own in enumerate(view.memorised.spans()) for s in own]
    gold = [(i, s["start"], s["end"], s["label"]) for i, own in enumerate(test.entities()) for s in own]
    assert view.memorised_exactly.tolist() == [mention in spans for mention in gold]
    assert view.memorised_of_type == Counter(span[3] for span in spans)


@given(corpora(), corpora())
def test_of_a_prepared_corpus_no_score_looks_anything_up(train, gold):
    shown, pred = Exposure.of(train), gold.with_predictions([[] for _ in range(len(gold))])
    expected = [str(score(replace(gold), pred, shown).to_dict()) for score in (clean_f1, hardeval)]
    shown.prepare(gold)
    shown.view(gold)._index = None  # whoever asks it now, fails
    assert [str(score(gold, pred, shown).to_dict()) for score in (clean_f1, hardeval)] == expected


def test_views_are_kept_while_the_corpus_lives_and_not_longer():
    index = Exposure.of(Corpus.of([["Ada"]], tags=[["B-P"]]))
    test = Corpus.of([["Bo"]], tags=[["B-P"]])
    assert index.view(test) is index.view(test)
    assert not index.view(test).seen.any()
    index.update(test)
    assert index.view(test).seen.all()
    del test
    gc.collect()
    assert len(index._views) == 0


def test_an_empty_index_has_shown_nothing():
    test = Corpus.of([["Ada", "spoke"]], tags=[["B-P", "O"]])
    view = Exposure().view(test)
    assert not view.seen.any() and not view.word_seen.any() and len(view.memorised) == 0
    assert [HARD[i] for i in view.hard_tokens.of_token] == ["unseen_i", "unseen_o"]


def test_wrong_objects_are_refused_with_the_remedy():
    index = Exposure.of(Corpus.of([["Ada"]], tags=[["B-P"]]))
    for wrong in ("train.conll", None, {"train": index}, [["Ada"]], 7):
        with pytest.raises(CleancutError, match="expected a Corpus"):
            Exposure.of(wrong)
    with pytest.raises(CleancutError, match="expected a Corpus, got list"):
        index.view([["Ada"]])
    with pytest.raises(CleancutError, match="saved as .npz"):
        index.save("x.parquet")


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "index.npz"
    Exposure.of(Corpus.of([["Ada", "spoke"]] * 50, tags=[["B-P", "O"]] * 50)).save(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(CleancutError, match="not an index"):
            Exposure.load(path)


def test_indices_go_through_pickle_and_sum():
    import pickle

    train = Corpus.of([["Ada"]], tags=[["B-P"]])
    index = Exposure.of(train)
    index.view(train)
    assert repr(pickle.loads(pickle.dumps(index))) == repr(index)
    assert sum([index, index]).n_mentions == 2


def test_labels_of_words_are_named_alike():
    train = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-P", "O", "B-P"]])
    view = Exposure.of(train).view(train)
    assert view.word_usual_label == ["P", "O", "P"]
    assert view.word_consistency(view.word_usual_label).tolist() == [1, 1, 1]
    with pytest.raises(CleancutError, match="3 tokens but 1 labels"):
        view.word_label_frequency(["O"])


def test_case_folding_goes_beyond_lower_case():
    train = Corpus.of([["STRASSE"], ["ΟΔΟΣ"]], tags=[["B-L"], ["B-L"]])
    test = Corpus.of([["straße"], ["οδοσ"]], tags=[["B-L"], ["B-L"]])
    assert Exposure.of(train, case=False).view(test).seen.all()
