"""Random corpora: tags of any letters, flat mentions, nested mentions.

What is drawn most is drawn at once, from a list of all that it can be: each draw takes as long as a small test.
"""

from itertools import product

from hypothesis import settings
from hypothesis import strategies as st


def examples(number: int) -> settings:
    """Settings of a law that is tried on so many examples, where 100 are too many or too few.

    The profile "long" tries 20 times as many, the profile "quick" a tenth.
    """
    return settings(max_examples=max(number * settings().max_examples // 100, 1))


LETTERS = "BIMELSU"
TYPES = ["PER", "LOC", "geo-loc"]


def tags_of(letters: str):
    """Tags with these letters, and as many O."""
    inside = [f"{letter}-{name}" for letter, name in product(letters, TYPES)]
    return st.sampled_from(["O"] * len(inside) + inside)


tags = tags_of(LETTERS)


def samples(tag=tags, max_samples=6, max_tokens=8):
    """Lists of tag lists, empty samples among them."""
    return st.lists(st.lists(tag, max_size=max_tokens), max_size=max_samples)


@st.composite
def pairs(draw, tag=tags, max_samples=6, max_tokens=8):
    """Gold and predicted tags of the same lengths."""
    gold = draw(samples(tag, max_samples, max_tokens))
    pred = [draw(st.lists(tag, min_size=len(s), max_size=len(s))) for s in gold]
    return gold, pred


def span(width=8):
    """Any span of so many tokens, of any type."""
    places = [(start, end) for start in range(width) for end in range(start + 1, width + 1)]
    every = st.sampled_from(list(product(places, TYPES)))
    return every.map(lambda drawn: {"start": drawn[0][0], "end": drawn[0][1], "label": drawn[1]})


SPANS = st.lists(span(), max_size=5)
nested = st.lists(SPANS, max_size=4)


@st.composite
def nested_pairs(draw):
    """Gold and predicted spans of the same number of samples, of which any may nest, overlap or repeat."""
    gold = draw(nested)
    return gold, [draw(SPANS) for _ in gold]


STEPS = st.sampled_from(list(product(range(4), range(1, 4), TYPES)))
"""How far the next span is, how long, and of which type."""


@st.composite
def flat(draw, width=8):
    """Spans that tags can express."""
    spans, at = [], 0
    while at < width:
        gap, size, label = draw(STEPS)
        at += gap
        if at + size > width:
            break
        spans.append({"start": at, "end": at + size, "label": label})
        at += size
    return spans
