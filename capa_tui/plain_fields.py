"""A field in the plain mode: its question with what can be answered, and what a typed line means."""

from __future__ import annotations

import re
from typing import Any

from studies.steps import AnswerError, Field
from studies.visible import visible_line

HINTS = {
    "info": "Press Enter to go on.",
    "choice": "Answer with a number.",
    "multi": "Answer with numbers, separated by spaces; 0 for none.",
    "scale": "Answer with a number.",
    "text": "Write; an empty line ends the text.",
}


def asked_text(field: Field, question: str = "") -> str:
    """The question, its options, and how to answer.

    Args:
        field: what is asked.
        question: in place of the field's own text.
    """
    text = question or field.text
    # Only pages are Markdown; in a question, two asterisks may be a power.
    lines = [reflowed(text.replace("**", "")) if field.kind == "info" else text]
    if field.kind == "consent":
        lines.append("Answer yes or no.")
    elif field.kind == "scale":
        lines += [f"  {one.label}" for one in field.options]
    elif field.options:
        lines += [f"  {place}  {one.label}" for place, one in enumerate(field.options, start=1)]
    hint = HINTS.get(field.kind, "")
    if not field.required and field.kind != "info":
        hint += " An empty line skips it."
    return "\n".join([*lines, hint] if hint else lines)


def answer_in(field: Field, given: str) -> Any:
    """The answer that a typed line means.

    Raises:
        AnswerError: it means none.
    """
    if field.kind == "info":
        return None
    if field.kind == "text":
        return given or None
    if not given:
        if field.required:
            raise AnswerError("an answer is required")
        return None
    if field.kind == "consent":
        if given.casefold() not in YES_NO:
            raise AnswerError("answer yes or no")
        return YES_NO[given.casefold()]
    if field.kind == "multi":
        parts = given.replace(",", " ").split()
        return [] if parts == ["0"] else [_option(field, one) for one in parts]
    return _option(field, given)


YES_NO = {"yes": True, "y": True, "no": False, "n": False}


def _option(field: Field, given: str) -> Any:
    for place, one in enumerate(field.options, start=1):
        number = one.value if field.kind == "scale" else place
        if given == str(number) or given.casefold() == str(one.value).casefold():
            return one.value
    raise AnswerError(f"there is no answer {visible_line(given)[:40]}")


_BEGINS = re.compile(r"\s|[-*>#|`]|\d+[.)]\s|$")


def reflowed(text: str) -> str:
    """Markdown paragraphs with their lines joined, so that they are wrapped once and not twice.

    Lists, quotes, tables, headings, indented lines and fenced code stay as they are.
    """
    lines: list[str] = []
    fenced = open_paragraph = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        plain = not (fenced or fence) and not _BEGINS.match(line)
        if plain and open_paragraph:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
        open_paragraph = plain
        fenced ^= fence
    return "\n".join(lines)
