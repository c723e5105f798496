"""What a model's response counts as: exactly one question, or final code.

The documented form is `[QUESTION]...[/QUESTION]` or `[CODE]...[/CODE]`. Case does not matter and a closing
tag may be missing. Without tags, a reply that holds code that can be judged is code. What is left is decided
by the study's rule: `both` (tags of both sorts) and `neither`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from studies.clarification.payloads import Sort
from studies.extraction import extract
from studies.roleplay.blinding import Veil

_QUESTION = re.compile(r"\[QUESTION\](.*?)(?:\[/QUESTION\]|(?=\[CODE\])|\Z)", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(r"\[(/?)CODE\]", re.IGNORECASE)
_TAG = re.compile(r"\[(/?)(QUESTION|CODE)\]", re.IGNORECASE)
_BEGUN = re.compile(r"\[/?[A-Za-z]{0,8}\]?\Z")
_ENDS = re.compile(r"\?(?=[\s\"'”’)\]]|\Z)")
_TWICE = re.compile(r"\n```python\s*\n```[a-z]*\n(.*?)```\s*\n```", re.DOTALL)
"""A fence within code tags, which would be one too many."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it was read."""

    sort: Sort
    question: str = ""
    code: str = ""
    form: Literal["tags", "block", "untagged", "empty"] = "tags"
    both: bool = False


def read_response(
    text: str,
    entry_point: str | None,
    prompt: str = "",
    *,
    both: Literal["code", "question"] = "code",
    neither: Literal["question", "nothing"] = "question",
) -> Response:
    """Read a response.

    Args:
        text: the whole message.
        entry_point: of the function that is asked for; None for a whole program.
        prompt: trusted source before a function.
        both: what a response with tags of both sorts counts as.
        neither: what one with neither tags nor code counts as.
    """
    # The extraction knows tags in capitals only.
    upper = _CODE.sub(lambda found: f"[{found[1]}CODE]", text)
    questions = [one.strip() for one in _QUESTION.findall(text) if one.strip()]
    question = "\n\n".join(questions)
    tagged = "[CODE]" in upper
    found = extract(upper, entry_point, prompt)
    code = found.code if found.kind == "submission" else ""
    if tagged and question:
        if both == "code" and code:
            return Response("code", code=code, both=True)
        return Response("question", question, both=True)
    if question:
        return Response("question", question)
    if code:
        return Response("code", code=code, form="tags" if tagged else "block")
    bare = _TAG.sub("", text).strip()
    if not bare:
        return Response("nothing", form="empty")
    if neither == "nothing":
        return Response("nothing", form="untagged")
    return Response("question", bare, form="untagged")


def is_bundle(text: str) -> bool:
    """Whether a person's message looks like several questions: two sentences or more end with `?`."""
    return len(_ENDS.findall(text)) > 1


def untagged(text: str) -> str:
    """A response as a participant reads it: without tags, code as a block."""
    return _TWICE.sub(r"\n```python\n\1```", _fenced(text)).strip("\n")


def _fenced(text: str) -> str:
    def fence(found: re.Match[str]) -> str:
        if found[2].upper() == "QUESTION":
            return ""
        end = "" if text.startswith("\n", found.end()) else "\n"
        begin = "" if text.endswith("\n", 0, found.start()) else "\n"
        return f"{begin}```{end}" if found[1] else f"{begin}```python{end}"

    return _TAG.sub(fence, text)


class Untagging:
    """Takes tags and makers' names away while a response streams; what may yet become one is held back."""

    def __init__(self) -> None:
        self._veil = Veil()
        self._raw = ""
        self._shown = 0

    def feed(self, text: str, *, last: bool = False) -> str:
        """What may be shown now, beyond what was shown before."""
        self._raw += self._veil.feed(text, last=last)
        begun = None if last else _BEGUN.search(self._raw)
        # Space at the beginning is what a tag leaves behind.
        ready = _fenced(self._raw[: begun.start()] if begun else self._raw).lstrip("\n")
        new = ready[self._shown :]
        self._shown = max(self._shown, len(ready))
        return new

    def cover(self, text: str) -> str:
        """A whole response as it may be shown."""
        return untagged(self._veil.cover(text))
