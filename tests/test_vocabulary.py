"""Words by their spelling: bytes, hashes that never change, and look-ups that no collision can spoil."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_exposure import corpora

from cleancut import Corpus, Exposure
from cleancut.core import vocabulary
from cleancut.core.vocabulary import Vocabulary, mixed
from cleancut.scoring.lookup import Words

words = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20),  # lone surrogates as well
    st.text("ab\0", max_size=20),
    st.sampled_from(["", "\0", "\0\0", "a" * 8, "a" * 9, "a" * 16 + "b", "a" * 16 + "c", "é", "e\u0301", "naïve"]),
)
vocabularies = st.lists(words, unique=True, max_size=30).map(Vocabulary)


@given(vocabularies)
def test_the_bytes_and_hashes_are_those_of_each_word(given_):
    spelt = [word.encode("utf-8", "surrogatepass") for word in given_]
    ends = given_.bounds.tolist()
    assert [bytes(given_.letters[a:b]) for a, b in zip(ends, ends[1:])] == spelt
    assert given_.hashes.tolist() == [Vocabulary([word]).hashes[0] for word in given_]
    for word, found in zip(spelt, given_.hashes.tolist()):  # the definition, letter by letter
        of_letter = mixed(
            np.array([place << 8 | letter for place, letter in enumerate(word)], np.uint64) + np.uint64(1)
        )
        assert found == mixed(of_letter.sum(dtype=np.uint64, keepdims=True))[0]


def test_hashes_never_change():
    """They are in fingerprints, and so in the signatures of scores."""
    assert Vocabulary(["", "Ada", "naïve"]).hashes.tolist() == [0, 14986240701787273896, 2143250539364936846]
    assert Exposure.of(Corpus.of([["Ada", "naïve"]], tags=[["B-P", "O"]])).fingerprint == "169ee1"


@given(vocabularies, vocabularies)
def test_words_are_the_same_where_all_letters_are(ours, theirs):
    pairs = np.array([(i, j) for i in range(len(ours)) for j in range(len(theirs))], np.int64).reshape(-1, 2)
    found = ours.same(pairs[:, 0], theirs, pairs[:, 1])
    assert found.tolist() == [ours[i] == theirs[j] for i, j in pairs.tolist()]


def weak(bits):
    """Hashes of so few bits that most words share theirs with others."""
    sound = vocabulary.byte_hashes
    return lambda letters, bounds: sound(letters, bounds) & np.uint64(2**bits - 1) << np.uint64(1)


@given(vocabularies, vocabularies, st.sampled_from([0, 1, 3, 63]))
def test_words_are_found_whatever_the_hash(known, asked, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "byte_hashes", weak(bits))
        asked = Vocabulary(dict.fromkeys((*asked, *known[::2])))
        numbers = {word: i for i, word in enumerate(known)}
        assert Words(numbers).find(asked).tolist() == [numbers.get(word, -1) for word in asked]


@pytest.mark.slow
@given(corpora(), corpora(), st.booleans(), st.sampled_from([None, "NFKC"]), st.sampled_from([0, 2]))
def test_collisions_change_no_answer(tmp_path_factory, train, test, case, unicode, bits):
    def answers():
        fresh = [Corpus.of(corpus.tokens(), entities=corpus.entities()) for corpus in (train, test)]
        index = Exposure.of(fresh[0], case=case, unicode=unicode)
        path = tmp_path_factory.mktemp("e") / "index.npz"
        index.save(path)
        grown = Exposure(case=case, unicode=unicode)
        grown.view(fresh[1]).novelty  # noqa: B018 (what is kept for a smaller index must go)
        grown.update(fresh[0])
        grown.count_occurrences([fresh[0]])
        twice = index + index
        twice.count_occurrences([fresh[0], fresh[0]])
        for shown in (index, Exposure.load(path), twice, grown):
            view = shown.view(fresh[1])
            yield view.word_seen.tolist(), view.novelty.tolist(), view.memorised.spans()
            yield view.hard_tokens.of_token.tolist(), view.hard_tokens_strict.of_token.tolist()

    expected = list(answers())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "byte_hashes", weak(bits))
        assert list(answers()) == expected


@given(corpora(), corpora())
def test_a_small_part_of_a_corpus_is_looked_up_alike(train, test):
    index = Exposure.of(train)
    whole = index.view(test).word_seen.tolist()
    for i, start in enumerate((np.cumsum(test.lengths) - test.lengths).tolist()):
        part = test.select([i])
        assert index.view(part).word_seen.tolist() == whole[start : start + part.n_tokens]


def test_what_is_derived_is_kept_with_the_words_and_not_stored():
    corpus = Corpus.of([["Ada", "met", "Bo"]], tags=[["B-P", "O", "B-P"]])
    kept = corpus.vocabulary.hashes
    assert corpus.select([0]).vocabulary.hashes is kept
    assert corpus.with_predictions([["O", "O", "O"]]).vocabulary.hashes is kept
    again = pickle.loads(pickle.dumps(corpus)).vocabulary
    assert type(again) is Vocabulary and again == corpus.vocabulary and not vars(again)
