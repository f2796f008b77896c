"""Which names count as the same: the edges of each rule in several scripts, and laws that hold of all notions."""

from __future__ import annotations

import random
import unicodedata
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleancut.core.corpus import Corpus
from cleancut.core.entities import Key
from cleancut.core.exceptions import CleancutError
from cleancut.core.name_parts import WordLists, generic_words, part_pairs
from cleancut.core.names import Links, NameIndex, Names
from cleancut.core.same import Aliases, Same, folded_name, folded_word
from cleancut.core.templates import template_hashes

KEY = Key()


def corpus_of(names, types=None):
    """Return a corpus with one sample for each name, whose words are given with spaces between them."""
    words = [name.split(" ") for name in names]
    types = types or ["PER"] * len(names)
    spans = [[(0, len(own), label)] for own, label in zip(words, types, strict=True)]
    return Corpus.of(words, entities=spans)


def related(names, same, types=None, key=KEY, **options):
    """Return the pairs of names that have a link in common, as pairs of their numbers."""
    links = Links.of([corpus_of(names, types)], key, Same.of(same, **options))
    codes = [{("entity", int(code))} for code in links.entity[0]]
    for at, code in zip(links.mention[0].tolist(), links.code[0].tolist(), strict=True):
        codes[at].add(code)
    return {(i, j) for i, j in combinations(range(len(names)), 2) if codes[i] & codes[j]}


def seen(name, train, same, label="PER", key=KEY, **options):
    """Return whether an index of training names relates a name to one of them."""
    names, _ = Names.of([corpus_of(train)], key)
    other, _ = Names.of([corpus_of([name], [label])], key)
    return bool(NameIndex(names, key, Same.of(same, **options)).related(other)[0])


# --- the text of a notion -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("exact", "exact"),
        ("EXACT", "exact"),
        ("fold", "fold"),
        ("part+fold", "fold+part"),
        ("exact+fold", "fold"),
        ("fold + part", "fold+part"),
        ("templates+part+fold", "fold+part+templates"),
        ("fold+fold", "fold"),
    ],
)
def test_a_notion_is_named_in_one_way(text, shown):
    assert str(Same.of(text)) == shown
    assert Same.of(text) == Same.of(shown)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"same": "folded"}, "Did you mean fold"),
        ({"same": ""}, "is unknown"),
        ({"same": "mesh"}, "is unknown"),
        ({"same": "fold+"}, "is unknown"),
        ({"same": None}, "is unknown"),
        ({"same": "alias"}, "Give aliases="),
        ({"same": "fold", "aliases": [["a", "b"]]}, r"Add \+alias"),
        ({"same": "fold", "part_limit": 3}, r"Add \+part"),
        ({"same": "part", "part_limit": -1}, "out of range"),
        ({"same": "alias", "aliases": [["a"]]}, "two or more"),
        ({"same": "alias", "aliases": [["a", " "]]}, "not empty"),
        ({"same": "alias", "aliases": ["ab"]}, "two or more names"),
        ({"same": "alias", "aliases": "ab"}, "a list of lines"),
    ],
)
def test_a_notion_that_means_nothing_is_refused(options, message):
    with pytest.raises(CleancutError, match=message):
        Same.of(**options)


def test_the_limit_and_the_aliases_are_part_of_the_name():
    assert str(Same.of("part", part_limit=0)) == "part(0)"
    one = Same.of("alias", aliases=[["a", "b"], ["c", "d"]])
    assert str(one) == str(Same.of("alias", aliases=[["d", "c"], ["b", "a"]]))
    assert str(one) != str(Same.of("alias", aliases=[["a", "b"]]))


# --- folding ------------------------------------------------------------------------------------------------

SAME_FOLDED = {
    "case": ("IBM", "ibm"),
    "points": ("U.S.A.", "USA"),
    "hyphen and space": ("New-York", "New York"),
    "no space": ("New York", "NewYork"),
    "apostrophes": ("O'Neill", "O’Neill"),
    "sharp s": ("Straße", "STRASSE"),
    "ligature": ("ﬁsher", "Fisher"),
    "full width": ("ＮＨＫ", "nhk"),
    "half-width katakana": ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
    "composed or not": ("Zoë", "Zoe\u0308"),
    "final sigma": ("ΟΔΥΣΣΕΥΣ", "οδυσσεύς".replace("ύ", "υ")),
    "iota with two marks": ("ΐ", "Ϊ\u0301"),
    "cyrillic": ("МОСКВА", "Москва"),
    "circled": ("①", "1"),
    "superscript": ("CO²", "CO2"),
    "roman numeral": ("Ⅻ", "XII"),
    "soft hyphen": ("Ber\u00adlin", "Berlin"),
    "zero-width non-joiner": ("می\u200cخواهم", "میخواهم"),
    "devanagari joiner": ("क\u094d\u200dष", "क\u094dष"),
    "presentation form": ("\ufefb", "لا"),
    "ideographic space and point": ("約翰・史密斯", "約翰 史密斯"),
    "variation selector": ("葛\U000e0100城", "葛城"),
}
DIFFERENT_FOLDED = {
    "accents": ("Zoë", "Zoe"),
    "Turkish dotted I": ("İzmir", "Izmir"),
    "Turkish dotless i": ("Isparta", "ısparta"),
    "Arabic vowel marks": ("محمّد", "محمد"),
    "Devanagari vowel signs": ("कि", "की"),
    "Hebrew points": ("שָׁ", "ש"),
    "Thai tone marks": ("ก่า", "กา"),
    "simplified and traditional": ("陈", "陳"),
    "voiced katakana": ("カ", "ガ"),
    "digits": ("Apollo 11", "Apollo 12"),
    "letters of another script": ("Москва", "Mocква"),
    "acronym": ("United Nations", "UN"),
    "inflection": ("Москвы", "Москва"),
}


@pytest.mark.parametrize(("one", "two"), SAME_FOLDED.values(), ids=SAME_FOLDED)
def test_names_that_fold_to_the_same(one, two):
    assert folded_name(one.split(" ")) == folded_name(two.split(" "))
    assert related([one, two], "fold") == {(0, 1)}
    assert seen(one, [two], "fold") and seen(two, [one], "fold")


@pytest.mark.parametrize(("one", "two"), DIFFERENT_FOLDED.values(), ids=DIFFERENT_FOLDED)
def test_names_that_fold_to_different_ones(one, two):
    assert folded_name(one.split(" ")) != folded_name(two.split(" "))
    assert related([one, two], "fold") == set()
    assert not seen(one, [two], "fold")


@pytest.mark.parametrize("name", ["@", "--", "❤️", "☀️", "👩‍👩‍👧", "👍🏽", "#️⃣", "$ $", "。", "´"])
def test_a_name_of_which_nothing_remains_is_kept_as_it_is(name):
    others = ["@", "❤", "☀", "-", "👍", "$", "."]
    assert folded_name(name.split(" ")) == name
    assert related([name, *[other for other in others if other != name]], "fold") == set()
    assert related([name, name], "fold+part") == {(0, 1)}


def test_folding_forgets_whatever_the_narrower_settings_forget():
    """A key without case, or with a Unicode form, is never looser than fold, whatever the letter."""
    wrong = []
    for letter in letters():
        fold = folded_word(f"a{letter}")
        narrower = {Key(case=False).fold(f"a{letter}"), fold}
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            narrower.add(unicodedata.normalize(form, f"a{letter}"))
        if any(folded_word(word) != fold for word in narrower):
            wrong.append(letter)
    assert wrong == []


def letters():
    """Yield all characters but those of which there are thousands alike: ideographs, Hangul, and those without use."""
    alike = [*range(0x3401, 0x9FFF), *range(0xAC01, 0xD7A3), *range(0x17000, 0x18CD6), *range(0x20001, 0x2F800)]
    for number in sorted(set(range(0x30000)) - set(alike)):
        if unicodedata.category(chr(number)) not in ("Cn", "Co", "Cs"):
            yield chr(number)


# --- parts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "are_related"),
    [
        ("Clinton", "Bill Clinton", True),
        ("Bill Clinton", "President Bill Clinton of Arkansas", True),
        ("Bill Arkansas", "Bill Clinton of Arkansas", False),  # not a run
        ("Clint", "Bill Clinton", False),  # not a whole word
        ("CLINTON", "bill clinton", True),
        ("Clinton", "Clinton", True),
        ("Clinton Bill", "Bill Clinton", False),
        ("Bill Clinton", "Bill - Clinton Foundation", True),  # a token without letters is dropped
        ("- -", "Bill - Clinton", False),  # nothing remains
        ("NewYork", "New York City", False),  # a word is a token
        ("Москва", "Большая москва", True),
        ("東京", "東京 大学", True),
        ("東京", "東京大学", False),  # one token
        ("محمد", "محمد علي", True),
        ("दिल्ली", "नई दिल्ली", True),
        ("Ada Ada", "Ada Ada Ada", True),
    ],
)
def test_part_is_a_run_of_whole_words(one, two, are_related):
    assert (related([one, two], "part") == {(0, 1)}) is are_related
    assert seen(one, [two], "part") is seen(two, [one], "part") is are_related


def test_parts_do_not_chain():
    names = ["Clinton", "Bill Clinton", "Clinton Foundation"]
    assert related(names, "fold+part") == {(0, 1), (0, 2)}


@pytest.mark.parametrize(("n_names", "is_part"), [(20, True), (21, False)])
def test_a_word_of_more_than_20_names_does_not_count_alone(n_names, is_part):
    longer = [f"University n{i}" for i in range(n_names)]
    pairs = related(["University", *longer], "fold+part")
    assert pairs == ({(0, i + 1) for i in range(n_names)} if is_part else set())
    assert seen("University", longer, "part") is is_part
    assert seen("University hall", ["University", *longer], "part") is is_part
    assert seen("n1 hall", ["n1", *longer], "part")  # the other word is as rare as ever


def test_what_makes_a_word_generic():
    """Distinct folded names of two or more words count, of any type; single words and copies do not."""
    copies = ["New York"] * 30 + ["NEW york"] * 30 + ["New"] * 30
    assert (0, 90) in related([*copies, "new"], "part")
    typed = [f"New n{i}" for i in range(21)]
    types = ["PER"] * 10 + ["LOC"] * 11
    assert related(["New", *typed], "part", ["PER", *types]) == set()
    twice = [f"New n{i} New" for i in range(20)]  # twice in a name counts once
    assert len(related(["New", *twice], "part")) == 20
    assert related(["New", *twice], "part", part_limit=19) == set()


def test_two_generic_words_count_together():
    names = [f"New York n{i}" for i in range(30)]
    assert len(related(["New York", *names], "part")) == 30


def test_a_generic_word_is_the_same_as_itself_only_by_an_equivalence():
    names = ["University", "UNIVERSITY", *[f"University n{i}" for i in range(21)]]
    assert related(names, "part") == set()
    assert related(names, "fold+part") == {(0, 1)}


@pytest.mark.parametrize("same", ["fold", "part", "fold+part"])
def test_types_count_as_they_do_for_the_key(same):
    names, types = ["ASHTON", "Ashton"], ["PER", "LOC"]
    assert related(names, same, types) == set()
    assert related(names, same, types, Key(typed=False)) == {(0, 1)}
    assert not seen("ASHTON", ["Ashton"], same, "LOC")
    assert seen("ASHTON", ["Ashton"], same, "LOC", Key(typed=False))


# --- aliases ------------------------------------------------------------------------------------------------


def test_aliases_are_closed_over_lines():
    aliases = [["USA", "United States"], ["America", "United States"], ["UK", "Britain"]]
    names = ["USA", "United States", "America", "UK", "Britain", "France", "usa"]
    assert related(names, "alias", aliases=aliases) == {(0, 1), (0, 2), (1, 2), (3, 4)}
    assert related(names, "alias", key=Key(case=False), aliases=aliases) >= {(0, 6), (2, 6)}
    assert related(["U.S.A.", "united-states"], "fold+alias", aliases=aliases) == {(0, 1)}
    assert seen("America", ["USA"], "alias", aliases=aliases)
    assert not seen("America", ["UK"], "alias", aliases=aliases)


def test_folding_joins_lines_of_aliases():
    aliases = [["USA", "America"], ["usa", "Etats-Unis"]]
    assert related(["America", "Etats-Unis"], "alias", aliases=aliases) == set()
    assert related(["America", "Etats-Unis"], "fold+alias", aliases=aliases) == {(0, 1)}


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=6), st.randoms())
def test_the_order_of_aliases_does_not_matter(lines, rng):
    shuffled = [rng.sample(line, len(line)) for line in rng.sample(lines, len(lines))]
    assert Aliases.of(lines).classes(Key(), False) == Aliases.of(shuffled).classes(Key(), False)


# --- templates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "are_same"),
    [
        ("[Ada] ran 12 km", "[Ada King] ran 34 km", True),
        ("[Ada] ran 12 km", "[Ada] ran 2 km", False),  # each digit is masked by itself
        ("[Ada] ran", "[Ada] Ran", False),
        ("[Ada] [King] ran", "[Ada King] ran", False),
        ("[Ada] ran ١٢", "[Bo] ran 34", True),
        ("Ada ran", "[Ada] ran", False),
        ("[Ada]", "[Bo]", True),
    ],
)
def test_templates_mask_mentions_and_digits(one, two, are_same):
    hashes = [template_hashes(bracketed(text))[0] for text in (one, two)]
    assert (hashes[0] == hashes[1]) == are_same


def bracketed(text):
    """Return a corpus of one sample whose mentions stand in brackets."""
    words, spans = [], []
    for word in text.split():
        if word.startswith("["):
            begin = len(words)
        words.append(word.strip("[]"))
        if word.endswith("]"):
            spans.append((begin, len(words), "PER"))
    return Corpus.of([words], entities=[spans])


def test_nested_mentions_are_one_mask():
    nested = Corpus.of([["a", "b", "c", "d"]], entities=[[(0, 3, "X"), (1, 2, "Y"), (2, 3, "Y")]])
    flat = Corpus.of([["z", "d"]], entities=[[(0, 1, "X")]])
    assert template_hashes(nested)[0] == template_hashes(flat)[0]


def test_no_mention_of_a_seen_template_is_clean_under_templates():
    assert related(["Ada", "Bo"], "templates") == {(0, 1)}


# --- laws ---------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["New", "new", "N.E.W", "York", "Ｙork", "of", "-", "❤️", "Straße", "STRASSE", "ﬁ", "fi"])
NAMES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=8)
ALIASES = [["New York", "fi"], ["fi", "of"]]
LADDER = [
    ("exact", "fold"),
    ("exact", "part"),
    ("fold", "fold+part"),
    ("part", "fold+part"),
    ("exact", "alias"),
    ("fold", "fold+alias"),
    ("alias", "fold+alias"),
    ("fold+part", "fold+part+templates"),
    ("fold+part", "fold+alias+part"),
]


def options_of(same):
    return {"aliases": ALIASES} if "alias" in same else {}


@pytest.mark.parametrize(("narrow", "loose"), LADDER)
@given(names=NAMES, data=st.data())
def test_a_looser_notion_relates_whatever_a_narrower_one_relates(narrow, loose, names, data):
    types = data.draw(st.lists(st.sampled_from(["PER", "LOC"]), min_size=len(names), max_size=len(names)))
    for key in (Key(), Key(typed=False), Key(case=False), Key(unicode="NFKC")):
        assert related(names, narrow, types, key, **options_of(narrow)) <= related(
            names, loose, types, key, **options_of(loose)
        )


@pytest.mark.parametrize("same", ["fold", "alias", "fold+alias"])
@given(names=NAMES)
def test_equivalences_are_equivalences(same, names):
    pairs = related(names, same, **options_of(same))
    for i, j in pairs:
        for k in range(len(names)):
            if tuple(sorted((j, k))) in pairs and k != i:
                assert tuple(sorted((i, k))) in pairs


@pytest.mark.parametrize("same", ["fold", "part", "fold+part", "fold+alias+part"])
@given(names=NAMES, rng=st.randoms())
def test_the_order_of_names_does_not_matter(same, names, rng):
    order = rng.sample(range(len(names)), len(names))
    there = related(names, same, **options_of(same))
    moved = related([names[i] for i in order], same, **options_of(same))
    assert there == {tuple(sorted((order[i], order[j]))) for i, j in moved}


@given(names=NAMES, limit=st.integers(0, 3))
def test_the_index_of_words_relates_what_all_pairs_relate(names, limit):
    """The relation by its definition, over all pairs of names, is what the tree of words finds."""
    words = [tuple(filter(None, map(folded_word, name.split(" ")))) for name in names]
    counts = {}
    for name in {own for own in words if len(own) > 1}:
        for word in set(name):
            counts[word] = counts.get(word, 0) + 1

    def is_run(short, long):
        if not short or (len(short) == 1 and counts.get(short[0], 0) > limit):
            return False
        return any(long[i : i + len(short)] == short for i in range(len(long)))

    expected = set()
    for i, j in combinations(range(len(names)), 2):
        if names[i] == names[j] or is_run(words[i], words[j]) or is_run(words[j], words[i]):
            expected.add((i, j))
    assert related(names, "part", part_limit=limit) == expected


@given(train=NAMES, test=NAMES)
def test_an_index_and_links_agree_where_no_word_is_generic(train, test):
    pairs = related([*train, *test], "fold+part", part_limit=100)
    for j, name in enumerate(test):
        expected = any((i, len(train) + j) in pairs for i in range(len(train)))
        assert seen(name, train, "fold+part", part_limit=100) is expected


def test_pairs_of_many_names_are_those_of_a_slow_search():
    rng = random.Random(5)
    lists = [tuple(rng.choices(range(40), k=rng.randint(0, 4))) for _ in range(400)]
    lists = sorted(set(lists))
    names = WordLists.of(lists)
    generic = generic_words(names, 20)
    expected = set()
    for i, long in enumerate(lists):
        for j, short in enumerate(lists):
            runs = [long[k : k + len(short)] for k in range(len(long) - len(short) + 1)]
            if i != j and short and short in runs and not (len(short) == 1 and generic[short[0]]):
                expected.add((i, j))
    assert set(zip(*(side.tolist() for side in part_pairs(names, 20)), strict=True)) == expected
    assert expected and generic.any() and not generic.all()


def test_names_of_no_corpus_have_no_links():
    empty = Corpus.of([["so"]], tags=[["O"]])
    links = Links.of([empty, empty], Key(), Same.of("fold+part+templates"))
    assert [len(own) for own in (*links.entity, *links.mention)] == [0, 0, 0, 0]
    names, _ = Names.of([empty], Key())
    assert NameIndex(names, Key(), Same.of("fold+part")).related(names).tolist() == []
    assert np.array_equal(template_hashes(empty), template_hashes(Corpus.of([["so"]], entities=[[]])))


@pytest.mark.parametrize("same", ["exact,exact", "exact,fold+part,part+fold", ["fold", Same.of("fold")]])
def test_several_notions_are_different_ones(same):
    with pytest.raises(CleancutError, match="(exact|fold|fold.part) is there twice. Give each notion once."):
        Same.several(same)
