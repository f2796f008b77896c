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
    # with <|/PER|> there, such signs are marks of mentions
    return text if "<|/" in text else _SPECIAL.sub(" ", text), None


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
_WRAPPING_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}\s?/?>|<\?xml[^<>]{0,80}\?>")


def repeats_sample(said: str, context: Context) -> bool:
    r"""Return whether a line, but for what is around it, is the text of the sample without any mark.

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
_ELSEWHERE = re.compile(
    # Spanish, French, German, Portuguese, Italian, Dutch
    r"\b(?:no (?:hay|se (?:encontr|detect|identific)\w*)|ningun[ao]?\b|lo siento|no puedo"
    r"|aucune?\b|pas d'entit|d\u00e9sol\u00e9e?|je ne peux pas"
    r"|keine? (?:\w+ ){0,2}?(?:entit|nennung|namen|treffer)|tut mir leid|kann ich nicht|ich kann (?:\w+ ){0,3}?nicht"
    r"|nenhuma?\b|n\u00e3o (?:h\u00e1|foram|posso)|desculpe"
    r"|nessun[ao]?\b|mi dispiace|non (?:posso|ci sono)"
    r"|geen (?:\w+ ){0,2}?(?:entiteit|namen)|helaas kan ik|het spijt me"
    # Russian
    r"|\u043d\u0435\u0442 (?:\w+ ){0,2}?\u0441\u0443\u0449\u043d\u043e\u0441\u0442"
    r"|\u0438\u0437\u0432\u0438\u043d\u0438\u0442\u0435|\u044f \u043d\u0435 \u043c\u043e\u0433\u0443)"
    # Chinese, Japanese, Korean
    r"|\u6ca1\u6709\w{0,8}\u5b9e\u4f53|\u65e0\u5b9e\u4f53|\u672a\u627e\u5230|\u62b1\u6b49|\u65e0\u6cd5|\A\u65e0\W*\Z"
    r"|\u8a72\u5f53\u306a\u3057|\u8a72\u7576\u306a\u3057|\u3042\u308a\u307e\u305b\u3093|\u7533\u3057\u8a33"
    r"|\uc5c6\uc74c|\uc5c6\uc2b5\ub2c8\ub2e4|\uc8c4\uc1a1"
    # Hindi, Arabic
    r"|\u0928\u0939\u0940\u0902|\u092e\u093e\u092b|\u0644\u0627 \u062a\u0648\u062c\u062f|\u0622\u0633\u0641",
    re.I,
)
"""Words of other languages for "there are none" and for "I will not answer"."""
_LONGEST_REFUSAL = 1500
_BEGINNING = 300
"""Letters within which a refusal, or an answer that there are no mentions, says so."""
_SHORT = 100
"""Letters of an answer in which the word "none" is no word of an explanation."""
_BLANK = re.compile(r"[\s.\"'`/*#:_\u2013\u2014\u2205-]*(?:\[\s*\]|\{\s*\}|\(\s*\))?[\s.\"'`/*#:_-]*")


def says_nothing(said: str, context: Context) -> bool:
    """Return whether a text without mentions says that there are none, or that it will not answer.

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
    phrases = [phrase for words in (_NOTHING, _REFUSAL, _ELSEWHERE) for phrase in words.finditer(beginning)]
    if len(text) <= _SHORT:
        phrases += _NO_WORD.finditer(text)
    return any(not context.in_text(phrase[0]) for phrase in phrases)
