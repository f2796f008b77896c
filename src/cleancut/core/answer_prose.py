"""What stands around the mentions of an answer: thinking sections, fences, prose, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .answer_records import Context, because, is_none

_THINKING = ("think", "thinking", "thought", "reasoning", "reflection", "scratchpad", "analysis")
_FINAL = re.compile(
    r"(?:<\|channel\|>final<\|message\|>"
    r"|\b(?:final answer|answer|output|result)\s*(?:is)?\s*:(?![ \t]*(?:O|[A-Z]-\S+)[ \t]*(?:\n|\Z)))",
    re.I,
)
"""What stands before the answer proper; a token with its tag, ``output: O``, does not."""
_ANSWER_TAG = re.compile(r"<answer>", re.I)
_SPECIAL = re.compile(r"<\|[\w.-]{1,40}\|>|</?s>")


def without_thinking(answer: str) -> tuple[str, str | None]:
    """Return an answer without its thinking section; or the reason why nothing is left."""
    text = answer.removeprefix("\ufeff")
    if "<" not in text:
        return text, None
    lowered = text.lower() if len(text.lower()) == len(text) else text
    for name in _THINKING:
        end = lowered.rfind(f"</{name}>")
        if end >= 0:
            text, lowered = text[end + len(name) + 3 :], lowered[end + len(name) + 3 :]
    for name in _THINKING:
        begin = lowered.find(f"<{name}>")
        if begin >= 0:  # it never ends
            text, lowered = text[:begin], lowered[:begin]
            if not text.strip():
                return "", because("the answer ends inside its thinking section", answer)
    if "<|channel|>" in text:
        text = text.rpartition("<|channel|>final<|message|>")[2]
    return _SPECIAL.sub(" ", text), None


def regions(said: str) -> Iterator[str]:
    """Yield the parts of an answer where its mentions may stand, the likeliest first; the whole comes last."""
    tags = [*_ANSWER_TAG.finditer(said)] if "<" in said else []
    if tags:
        end = said.lower().find("</answer>", tags[-1].end()) if len(said.lower()) == len(said) else -1
        yield said[tags[-1].end() : end if end >= 0 else None]
    blocks = [_without_language(block) for block in said.split("```")[1::2]]
    if len(blocks) > 1 and all(block.lstrip()[:1] in ("[", "{") for block in blocks):
        yield "\n".join(blocks)
    yield from reversed(blocks)
    finals = [*_FINAL.finditer(said)] if ":" in said or "<|" in said else []
    if finals:
        yield said[finals[-1].end() :]
    yield said


def _without_language(block: str) -> str:
    """Return what stands between fences without the language, the word behind the first one."""
    first, newline, rest = block.partition("\n")
    return rest if newline and re.fullmatch(r"\s*[\w+.-]*\s*", first) else block


_OPENING = re.compile(r"\s*(?:[^:\n\"]{0,80}:)?[\s*\"\u201c'`]*")
_CLOSING = "*\"\u201d'` \t"
_WRAPPING_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}>")


def repeats_sample(said: str, context: Context) -> bool:
    r"""Is a line, but for what stands around it, the text of the sample, without any mark?

    >>> repeats_sample("Annotated sentence:\n\"Ada spoke.\"", Context.of([], "Ada spoke .".split()))
    True
    """
    for line in [said, *said.split("\n")]:
        plain = _WRAPPING_TAG.sub("", line)
        opening = _OPENING.match(plain)
        begun = plain[opening.end() :] if opening is not None else plain
        if any(context.is_sample(text.strip(_CLOSING)) or context.is_sample(text) for text in (plain, begun)):
            return True
    return False


_NOTHING = re.compile(
    r"\bno\s+(?:\w+\s+){0,4}?(?:entit|mention|name|result|match|span|such|relevant|instance)"
    r"|\bnot\s+(?:any|contain|mention|include|find|found|present|applicable|have)"
    r"|\b(?:does|do|did|could|can|is|are)n[o']t\s+(?:any|contain|mention|include|find|see|identify|appear|have)"
    r"|\bthere (?:are|is) no\b|\bwithout (?:any )?(?:named )?entit",
    re.I,
)
_NO_WORD = re.compile(r"\b(?:nothing|none|unlabeled)\b", re.I)
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|i (?:cannot|can't|can not|am unable|am not able|won't|will not|must decline|refuse)"
    r"|i['\u2019]m (?:unable|not able|sorry)|as an ai|unable to|cannot (?:assist|help|comply|process|fulfill))\b",
    re.I,
)
_LONGEST_REFUSAL = 1500
_BEGINNING = 300
"""Letters within which a refusal, or an answer that there are no mentions, says so."""
_SHORT = 100
"""Letters of an answer in which the word "none" is no word of an explanation."""
_BLANK = re.compile(r"[\s.\"'`/*#:_-]*(?:\[\s*\]|\{\s*\}|\(\s*\))?[\s.\"'`/*#:_-]*")


def says_nothing(said: str, context: Context) -> bool:
    """Does a text without mentions say that there are none, or that it will not answer?

    Words that stand in the sample do not say so: an answer may repeat them.
    """
    text = " ".join(said[: _LONGEST_REFUSAL + 1].split()).replace("\u2019", "'")
    if len(text) > _LONGEST_REFUSAL:
        return False
    if _BLANK.fullmatch(_WRAPPING_TAG.sub("", text)):
        return True
    if any(map(str.isalpha, text)) and is_none(text):
        return True
    beginning = text[:_BEGINNING]
    phrases = [*_NOTHING.finditer(beginning), *_REFUSAL.finditer(beginning)]
    if len(text) <= _SHORT:
        phrases += _NO_WORD.finditer(text)
    return any(not context.in_text(phrase[0]) for phrase in phrases)
