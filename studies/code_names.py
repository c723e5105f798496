"""Which names a piece of Python makes and uses, read off its text by patterns.

Nothing is parsed, because what is read may be cut off, wrong, or made to break a parser. Strings and comments
are taken out first; what is left is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_STRING_OR_COMMENT = re.compile(
    r"#[^\n]*|(\"\"\"|''')(?s:.*?)(?:\1|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
)
_PARENTHESES = re.compile(r"\([^()]*\)")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_DEFINITION = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_ASSIGNMENT = re.compile(r"((?:\w+[ \t]*,[ \t]*)*\w+)[ \t]*(?::[^=\n]+)?=(?!=)")
_IMPORT = re.compile(r"(?:from[ \t]+\S+[ \t]+)?import[ \t]+\(?([^()\n]*)")
_PARAMETERS = re.compile(r"\bdef[ \t]+\w+[ \t]*\(([^()]*(?:\([^()]*\)[^()]*)*)\)|\blambda\b([^:\n]{0,200}):")
_TARGETS = re.compile(r"\bfor\b([^\n]{1,200}?)\bin\b|\bas[ \t]+(\w+)|\b(\w+)[ \t]*:=")
_RETURN = re.compile(r"(?:return|yield)\b")
_COMPOUND = frozenset(("if", "elif", "else", "try", "except", "finally", "with", "for", "while"))


@dataclass(frozen=True, slots=True)
class Made:
    """The names that a module has once it has run."""

    functions: frozenset[str]
    """By `def` and `class`."""
    assigned: frozenset[str]
    imported: frozenset[str]


def made(code: str) -> Made:
    """Names made at the top level, also inside its `if`, `try`, `with` and loops."""
    functions, assigned, imported = set[str](), set[str](), set[str]()
    for line in _top_level(code):
        if found := _DEFINITION.match(line):
            functions.add(found[1])
        elif found := _IMPORT.match(line):
            imported |= {*_imported(found[1])}
        elif found := _ASSIGNMENT.match(line):
            assigned |= {*_NAME.findall(found[1])}
    return Made(frozenset(functions), frozenset(assigned), frozenset(imported))


def wanted(code: str) -> frozenset[str]:
    """Names used and nowhere made in this code: keywords and built-ins among them."""
    text = _bare(code)
    local = set[str]()
    for line in text.split("\n"):
        line = line.strip()
        if found := _IMPORT.match(line):
            local |= {*_imported(found[1])}
        for pattern in (_DEFINITION, _ASSIGNMENT):
            if found := pattern.match(line):
                local |= {*_NAME.findall(found[1])}
    for found in _PARAMETERS.finditer(text):
        local |= {*_parameters(found[1] or found[2] or "")}
    for found in _TARGETS.finditer(text):
        local |= {*_NAME.findall(next(filter(None, found.groups())))}
    return frozenset(_NAME.findall(text)) - local


def returns(code: str) -> bool:
    """Whether it returns or yields outside of every function, so that it can only be a function's body."""
    return any(_RETURN.match(line) for line in _top_level(code))


def _bare(code: str) -> str:
    text = _STRING_OR_COMMENT.sub(lambda found: '""' if found[0][0] != "#" else "", code)
    return _PARENTHESES.sub(lambda found: found[0].replace("\n", " "), text)


def _top_level(code: str) -> Iterator[str]:
    """Lines that are not inside a function or a class, without what they are indented by."""
    inside = False
    for line in _bare(code).split("\n"):
        if not line.strip():
            continue
        if line[0] not in " \t":
            inside = re.split(r"\W", line, maxsplit=1)[0] not in _COMPOUND
            yield line
        elif not inside:
            yield line.strip()


def _imported(clause: str) -> Iterator[str]:
    for part in clause.split(","):
        words = part.split()
        if words and words[0] != "*":
            yield words[-1] if "as" in words else words[0].split(".")[0]


def _parameters(text: str) -> Iterator[str]:
    previous = ""
    while text != previous:  # types in brackets are no parameters
        previous, text = text, _BRACKETS.sub("", text)
    yield from _first_names(text.split(","))


def _first_names(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        if found := re.match(r"[\s*]*([^\W\d]\w*)", part):
            yield found[1]
