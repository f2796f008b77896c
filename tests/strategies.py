"""Random corpora: tags of any letters, flat mentions, nested mentions."""

from hypothesis import settings
from hypothesis import strategies as st


def examples(number: int) -> settings:
    """Settings of a law that is tried on so many examples, where 100 are too many or too few.

    The profile "long" tries 20 times as many, the profile "quick" a fifth.
    """
    return settings(max_examples=max(number * settings().max_examples // 100, 1))


LETTERS = "BIMELSU"
TYPES = ["PER", "LOC", "geo-loc"]

tags = st.one_of(st.just("O"), st.builds("{}-{}".format, st.sampled_from(LETTERS), st.sampled_from(TYPES)))


def tags_of(letters: str):
    return st.one_of(st.just("O"), st.builds("{}-{}".format, st.sampled_from(letters), st.sampled_from(TYPES)))


def samples(tag=tags, max_samples=6, max_tokens=8):
    """Lists of tag lists, empty samples among them."""
    return st.lists(st.lists(tag, max_size=max_tokens), max_size=max_samples)


@st.composite
def pairs(draw, tag=tags, max_samples=6, max_tokens=8):
    """Gold and predicted tags of the same lengths."""
    gold = draw(samples(tag, max_samples, max_tokens))
    pred = [draw(st.lists(tag, min_size=len(s), max_size=len(s))) for s in gold]
    return gold, pred


@st.composite
def span(draw, width=8):
    start = draw(st.integers(0, width - 1))
    return {"start": start, "end": draw(st.integers(start + 1, width)), "label": draw(st.sampled_from(TYPES))}


nested = st.lists(st.lists(span(), max_size=5), max_size=4)


@st.composite
def nested_pairs(draw):
    """Gold and predicted spans of the same number of samples, of which any may nest, overlap or repeat."""
    gold = draw(nested)
    return gold, [draw(st.lists(span(), max_size=5)) for _ in gold]


@st.composite
def flat(draw, width=8):
    """Spans that tags can express."""
    spans, at = [], 0
    while at < width:
        at += draw(st.integers(0, 3))
        size = draw(st.integers(1, 3))
        if at + size > width:
            break
        spans.append({"start": at, "end": at + size, "label": draw(st.sampled_from(TYPES))})
        at += size
    return spans
