"""What code a reply holds, and so whether it is a question or a submission: one rule for every study.

**Submission or question.** A reply is a submission if it holds code that can be judged: code tags; code that
defines the entry point; code that defines another function or class in its place; or a body for the given
prompt. Every other reply is a question, whatever it says. A reply that uses `[QUESTION]` tags and no `[CODE]`
tags is a question, examples in it notwithstanding.

**Which code.** Line ends become LF, and text up to the last `</think>` goes; thinking that never ends leaves
no code. What `[CODE]` tags hold counts alone, if there are any. Otherwise a Markdown parser finds fenced and
indented blocks. Python blocks are those tagged `py...` or not at all; blocks with other tags count only where
no such block defines the function, and those of other programming languages never do. Prompts (`>>>`) are
stripped. Then, the first that there is:

1. the last block that defines the entry point at its top level (failing that, imports it), with the earlier
   blocks whose names it uses put before it: corrections follow drafts, and what comes after the code (usage,
   output, shell) defines nothing;
2. the same of code without a fence, cut where prose begins;
3. a block that is a function's body, put behind the prompt;
4. the last block that defines any function or class, in vain.

For whole programs (no entry point) it is what the code tags hold, else the last Python block.
Replies are only read: nothing of them is run or handed to Python's parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Literal

from studies.code_names import made, returns, wanted

Kind = Literal["submission", "question"]
Hint = Literal["no_code", "no_function", "syntax_error"]
Place = Literal["tags", "block", "text", "body", ""]

_OTHER_LANGUAGES = frozenset(
    (
        "bash", "bat", "c", "c#", "clojure", "cmd", "cpp", "c++", "cs", "csharp", "css", "dart",
        "diff", "elixir", "erlang", "f#", "fortran", "fsharp", "go", "golang", "haskell", "html",
        "java", "javascript", "js", "json", "jsx", "julia", "kotlin", "kt", "latex", "lisp", "lua",
        "makefile", "matlab", "mermaid", "nim", "ocaml", "objc", "perl", "php", "powershell", "ps1",
        "r", "rb", "ruby", "rs", "rust", "scala", "scheme", "sh", "shell", "sql", "svelte", "swift",
        "tex", "toml", "ts", "tsx", "typescript", "vb", "vue", "xml", "yaml", "yml", "zig", "zsh",
    )
)  # fmt: skip
_THOUGHT_START = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
# A tag right behind a quotation mark is part of a program's text.
_THOUGHT_END = re.compile(r"(?<![\"'`\\])</think(?:ing)?>", re.IGNORECASE)
_CODE_TAGS = re.compile(r"\[CODE\][ \t]*\n?(.*?)(?:\[/CODE\]|\Z)", re.DOTALL)
_QUESTION_TAG = re.compile(r"^[ \t]*\[QUESTION\]", re.MULTILINE)
_PROMPTED = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)(.*)")
_BEGINS_CODE = re.compile(
    r"@\w|(?:async[ \t]+)?def[ \t]+\w+[ \t]*[\[(]|class[ \t]+\w+[ \t]*[(:]|from[ \t]+[\w.]+[ \t]+import\b"
    r"|import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|$)|\w+[ \t]*(?::[ \t]*[\w.\[\], ]+)?=(?!=)"
)
_CONTINUES_CODE = re.compile(
    r"\s|$|[#)\]}]|\"\"\"|'''|for\b.+\bin\b.*:|(?:if|elif|while|with|except)\b.*:|(?:else|try|finally)[ \t]*:"
)
_BEGINS_PROGRAM = re.compile(
    r"^(?:(?:import|from|def|class|for|while|if|with|try)\b|print\(|\w[\w, ]*=(?!=))|\binput\(", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was found in a reply."""

    code: str
    """Empty where there is none."""
    kind: Kind
    verdict_hint: Hint | None = None
    """The verdict that is certain without running anything; None: ask the judge."""
    place: Place = ""
    """Where it was: code tags, a block, text without a fence, a body that was put behind the prompt."""


@dataclass(frozen=True, slots=True)
class _Block:
    code: str
    tag: str
    """The language, in lower case; empty where none is given."""
    place: Place = "block"

    @property
    def python(self) -> bool:
        return not self.tag or self.tag.startswith(("py", "ipython"))


_NOTHING = Extracted("", "question", "no_code")


def extract(reply: str, entry_point: str | None, prompt: str = "") -> Extracted:
    """Find the code of a reply.

    Args:
        reply: the assistant's whole message.
        entry_point: the function that is asked for; None for whole programs.
        prompt: the source up to the function's body, as the assistant was given it.
    """
    if "\0" in reply:
        return Extracted(reply, "submission", "syntax_error")
    text = _answer(reply)
    blocks, unfenced = [*_tagged(text)], [""]
    if not blocks:
        if _QUESTION_TAG.search(text):
            return _NOTHING
        blocks, unfenced = _markdown(text)
    if entry_point is None:
        return _program(text, blocks)
    runs = [*_runs(unfenced)]
    return (
        _defining([one for one in blocks if one.python], entry_point)
        or _defining(blocks, entry_point)
        or _defining(runs, entry_point)
        or _body([one.code for one in blocks if one.python] if blocks else _whole(text), prompt)
        or _in_vain(blocks or runs)
        or _NOTHING
    )


def _answer(reply: str) -> str:
    """The reply without what the model thought."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    text = _THOUGHT_END.split(text)[-1]
    return "" if _THOUGHT_START.match(text) else text


def _tagged(text: str) -> Iterator[_Block]:
    """What stands between code tags, which may hold a fence of its own."""
    for found in _CODE_TAGS.finditer(text):
        fenced = [one.code for one in _markdown(found[1])[0] if one.python] if "```" in found[1] else []
        for code in fenced or [found[1].rstrip() + "\n"]:
            if code.strip():
                yield _Block(code, "python", "tags")


def _markdown(text: str) -> tuple[list[_Block], list[str]]:
    """Fenced and indented blocks that may be Python, and the lines outside of fences."""
    from markdown_it import MarkdownIt

    # As HTML, a tag would swallow a fence that follows it without an empty line.
    parser = MarkdownIt("commonmark").disable(["inline", "html_block", "reference"])
    shielded, shield = _shielded(text)
    blocks: list[_Block] = []
    lines = text.split("\n")
    for token in parser.parse(shielded):
        if token.type not in ("fence", "code_block"):
            continue
        if token.type == "fence" and token.map:
            first, last = token.map
            lines[first:last] = ["."] * (last - first)
        code = token.content.replace(shield, "`")
        tag = re.split(r"[\s,;:=}]", token.info.lower().lstrip("{. \t"), maxsplit=1)[0]
        if tag in ("markdown", "md"):
            blocks += _markdown(code)[0]
        elif tag not in _OTHER_LANGUAGES and code.strip():
            blocks.append(_Block(_without_prompts(code), tag))
    return blocks, lines


def _shielded(text: str) -> tuple[str, str]:
    """Hide fences in docstrings, which would end the block for a parser; with what now stands for "`"."""
    shield = next(one for one in map(chr, range(0xE000, 0xF900)) if one not in text)
    lines = text.split("\n")
    fence = quote = ""
    for number, line in enumerate(lines):
        marks = re.match(r"[ \t]*(`{3,})(.*)", line)
        if not fence:
            if marks and "`" not in marks[2] and line[0] == "`":
                fence, quote = marks[1], ""
        elif marks and quote and line[0] != "`":
            lines[number] = line.replace("`", shield)
        elif marks and len(marks[1]) >= len(fence) and not marks[2].strip():
            fence = ""
        for found in re.findall(r"\"\"\"|'''", line) if fence else ():
            quote = "" if quote == found else quote or found
    return "\n".join(lines), shield


def _without_prompts(code: str) -> str:
    if not code.lstrip().startswith(">>> "):
        return code
    typed = map(_PROMPTED.match, code.split("\n"))
    return "\n".join(line[1] for line in typed if line) + "\n"


def _runs(lines: Sequence[str]) -> Iterator[_Block]:
    """Runs of lines that read as code, each from the first line that begins something."""
    run: list[str] = []
    for line in [*lines, "."]:
        if _BEGINS_CODE.match(line) or (run and _CONTINUES_CODE.match(line)):
            run.append(line)
        elif run:
            yield _Block("\n".join(run).rstrip() + "\n", "", "text")
            run = []


def _whole(text: str) -> list[str]:
    """A reply that is nothing but a body, its first line perhaps stripped of its indentation."""
    lines = [line for line in text.split("\n") if line.strip()]
    bodily = len(lines) == 1 and lines[0].lstrip().startswith("return ")
    return [text] if bodily or (len(lines) > 1 and all(line[0] in " \t" for line in lines[1:])) else []


def _defining(blocks: Sequence[_Block], name: str) -> Extracted | None:
    """The last block that makes the name, with what it needs of the others."""
    found = [made(dedent(one.code)) for one in blocks]
    places = [n for n, one in enumerate(found) if name in one.functions | one.assigned]
    places = places or [n for n, one in enumerate(found) if name in one.imported]
    if not places:
        return None
    chosen = places[-1]
    code = dedent(blocks[chosen].code)
    needed = wanted(code) - {name}
    for n in range(chosen - 1, -1, -1):
        gives = found[n].functions | found[n].assigned | found[n].imported
        if gives & needed:
            earlier = dedent(blocks[n].code)
            code = f"{earlier.rstrip()}\n\n{code}"
            needed = (needed - gives) | (wanted(earlier) - {name})
    for n in range(chosen + 1, len(blocks)):
        if found[n].functions & needed:
            code = f"{dedent(blocks[n].code).rstrip()}\n\n{code}"
            needed -= found[n].functions
    return Extracted(code, "submission", None, blocks[chosen].place)


def _body(codes: Sequence[str], prompt: str) -> Extracted | None:
    if not prompt.strip():
        return None
    for code in reversed(codes):
        body = dedent(_evened(code.strip("\n")))
        if returns(body):
            last = prompt.rstrip().rsplit("\n", 1)[-1]
            unit = re.match(r"[ \t]*", last)
            step = (unit[0] if unit else "") or "    "
            return Extracted(f"{prompt.rstrip()}\n{indent(body, step)}\n", "submission", None, "body")
    return None


def _evened(code: str) -> str:
    """Give the first line the indentation that it lost when the reply was stripped."""
    first, _, rest = code.partition("\n")
    lines = [line for line in rest.split("\n") if line.strip()]
    if not lines or first[:1] in " \t" or first.rstrip().endswith((":", "(", "[", "{", ",", "\\")):
        return code
    widths = [len(line) - len(line.lstrip()) for line in lines]
    return lines[0][: min(widths)] + code if min(widths) else code


def _in_vain(blocks: Sequence[_Block]) -> Extracted | None:
    for one in reversed(blocks):
        code = dedent(one.code)
        if one.python and made(code).functions:
            return Extracted(code, "submission", "no_function", one.place)
    return None


def _program(text: str, blocks: Sequence[_Block]) -> Extracted:
    python = [one for one in blocks if one.python and (one.tag or _BEGINS_PROGRAM.search(dedent(one.code)))]
    chosen = [one for one in python if one.tag] or python
    if not blocks and _BEGINS_CODE.match(text.lstrip().split("\n", 1)[0]):
        chosen = [_Block(text.strip() + "\n", "", "text")]
    if not chosen:
        return _NOTHING
    return Extracted(dedent(chosen[-1].code), "submission", None, chosen[-1].place)
