"""Replies as assistants write them, and what code they hold."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.extraction import Extracted, extract

GOOD = "def add(a, b):\n    return a + b\n"
BAD = "def add(a, b):\n    return a - b\n"
PROMPT = 'from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    """ Add two numbers.\n    """\n'
DOCTEST = 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'
FENCED_DOC = "def add(a, b):\n{0}'''Add.\n\n{0}```\n{0}add(1, 2)\n{0}```\n{0}'''\n{0}return a + b\n"


def fence(code: str, tag: str = "python", mark: str = "```") -> str:
    return f"{mark}{tag}\n{code}{mark}\n"


def usage(tag: str = "python") -> str:
    return fence("print(add(1, 2))\n", tag)


RIGHT = {
    # how a block is marked
    "python fence": f"Here you are:\n\n{fence(GOOD)}\nDoes that help?",
    "bare fence": fence(GOOD, ""),
    "py": fence(GOOD, "py"),
    "Python3": fence(GOOD, "Python3"),
    "tag with attributes": fence(GOOD, ' python title="a"'),
    "attribute tag": fence(GOOD, "{.python .numberLines}"),
    "tag with a file name": fence(GOOD, "python:solution.py"),
    "tildes": fence(GOOD, "python", "~~~"),
    "long fence": fence(GOOD, "python", "`````"),
    "fence without an empty line before it": "Sure:\n" + fence(GOOD) + "Bye.",
    "fence in a list": "1. First\n\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n2. Then\n",
    "fence in a quotation": "> ```python\n> def add(a, b):\n>     return a + b\n> ```\n",
    "fence behind HTML": f"<details>\n<summary>Code</summary>\n{fence(GOOD)}</details>\n",
    "fence in a Markdown fence": f"````markdown\n# Solution\n\n{fence(GOOD)}````\n",
    "indented block": "The code:\n\n    def add(a, b):\n        return a + b\n\nDone.",
    "fence that is indented": "  ```python\n  def add(a, b):\n      return a + b\n  ```\n",
    "block that is indented as a whole": fence("    def add(a, b):\n        return a + b\n"),
    "CRLF": fence(GOOD).replace("\n", "\r\n"),
    "CR": fence(GOOD).replace("\n", "\r"),
    "byte-order mark": "\ufeff" + fence(GOOD),
    "unknown tag": fence(GOOD, "text"),
    "code tags": f"[CODE]\n{GOOD}[/CODE]",
    "code tags with a fence": f"[CODE]\n{fence(GOOD)}[/CODE]",
    "code tags that never end": f"[CODE]\n{GOOD}",
    "code tags after a question": f"[QUESTION]\nAny limits?\n[/QUESTION]\n[CODE]\n{GOOD}[/CODE]",
    # fences that do not end where they seem to
    "fence in a docstring": fence(FENCED_DOC.format("    ")),
    "fence in a docstring, two spaces": fence(FENCED_DOC.format("  ")),
    "fence in a docstring, one space": fence(FENCED_DOC.format(" ")),
    "unclosed fence": f"```python\n{GOOD}",
    "stray closing fence": f"{GOOD}```\n",
    # no fence
    "no fence": GOOD,
    "no fence, prose around": f"Sure, here is the function:\n\n{GOOD}\nIt adds the numbers.\n",
    "no fence, prose right behind": f"Sure:\n{GOOD}This adds two numbers.\nfor example: add(1, 2).\n",
    "no fence, import first": "Here:\nfrom operator import add as plus\n\n"
    "def add(a, b):\n    return plus(a, b)\n",
    "no fence, decorator": "Here:\n\n@staticmethod\ndef add(a, b):\n    return a + b\n\nDone!",
    "no fence, helper apart": "First:\n\ndef plus(a, b):\n    return a + b\n\nThen this:\n\n"
    "def add(a, b):\n    return plus(a, b)\n\nDone.",
    # several blocks
    "usage after": fence(GOOD) + "Use it:\n\n" + usage(),
    "usage before": usage() + fence(GOOD),
    "usage that imports it": fence(GOOD) + fence("from solution import add\nprint(add(1, 2))\n"),
    "shell and output after": fence(GOOD) + fence("$ python add.py\n", "bash") + fence("3\n", ""),
    "draft, then correction": f"{fence(BAD)}\nWait, that subtracts.\n\n{fence(GOOD)}",
    "helper in an earlier block": fence("def plus(a, b):\n    return a + b\n")
    + fence("def add(a, b):\n    return plus(a, b)\n"),
    "helper in a later block": fence("def add(a, b):\n    return plus(a, b)\n")
    + fence("def plus(a, b):\n    return a + b\n"),
    "import in an earlier block": fence("import operator\n")
    + fence("def add(a, b):\n    return operator.add(a, b)\n"),
    "helper of a helper": fence("ONE = 1\n")
    + fence("def plus(a, b):\n    return a + b * ONE\n")
    + fence("def add(a, b):\n    return plus(a, b)\n"),
    "class and a name for its method": fence("class S:\n    def add(self, a, b):\n        return a + b\n")
    + fence("add = S().add\n"),
    "two helpers of one name": fence("def plus(a, b):\n    return a - b\n")
    + fence("def plus(a, b):\n    return a + b\n")
    + fence("def add(a, b):\n    return plus(a, b)\n"),
    "earlier block that would fail": fence("a = undefined_here\nb = 2\n") + fence(GOOD),
    "JavaScript, then Python": fence("function add(a, b) { return a - b }\n", "js") + fence(GOOD),
    "Python, then Ruby": fence(GOOD) + fence("def add(a, b)\n  a - b\nend\n", "ruby"),
    "other tag only if nothing else": fence(GOOD) + fence(BAD, "text"),
    # prompts and doctests
    "prompts as code": fence(">>> def add(a, b):\n...     return a + b\n...\n>>> add(1, 2)\n3\n"),
    "prompts in a console": fence(">>> def add(a, b):\n...     return a + b\n", "pycon"),
    "doctest in a docstring": fence(DOCTEST),
    # thinking
    "thinking with a draft": f"<think>\nMaybe\n{fence(BAD)}\nno.\n</think>\n{fence(GOOD)}",
    "thinking with an open fence": f"<think>\n```python\n{BAD}</think>\n{fence(GOOD)}",
    "thinking whose start was cut": f"Maybe {BAD}\n</think>\n\n{fence(GOOD)}",
    "two thoughts": f"<think>a</think>b<thinking>{fence(BAD)}</thinking>{fence(GOOD)}",
    "the tag in the code's own text": fence("END = '</think>'\n\n\ndef add(a, b):\n    return a + b\n"),
    # other ways to define it
    "lambda": fence("add = lambda a, b: a + b\n"),
    "annotated assignment": fence("add: object = lambda a, b: a + b\n"),
    "import": fence("from operator import add\n"),
    "import in parentheses": fence("from operator import (\n    sub,\n    add,\n)\n"),
    "import under a name": fence("from operator import concat, add as add\n"),
    "in try": fence("try:\n    from operator import add\nexcept ImportError:\n    add = None\n"),
    "in if": fence("if True:\n    def add(a, b):\n        return a + b\n"),
    "decorated": fence("import functools\n\n\n@functools.cache\ndef add(a, b):\n    return a + b\n"),
    # only a body
    "body in a fence": fence("    return a + b\n"),
    "body at the margin": fence("return a + b\n"),
    "body, unfenced": "    total = a + b\n    return total\n",
    "body, unfenced, two spaces": "  total = a + b\n  return total\n",
    "body whose first line lost its indentation": "total = a\n    total += b\n    return total",
    "body of one line": "return a + b",
    "body with a function in it": fence("    def plus():\n        return a + b\n    return plus()\n"),
    "body with the return in a branch": fence("    if True:\n        return a + b\n"),
}  # fmt: skip


def run(found: Extracted) -> object:
    names: dict[str, object] = {}
    exec(found.code, names)
    add = names["add"]
    assert callable(add)
    return add(2, 3)


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_code_is_found(name: str) -> None:
    found = extract(RIGHT[name], "add", PROMPT)
    assert (found.kind, found.verdict_hint) == ("submission", None)
    assert run(found) == 5


QUESTIONS = {
    "prose": "Should negative numbers be allowed?",
    "inline code": "Should `add(1, 2)` return `3`?",
    "empty": "",
    "spaces": " \n\t\n",
    "thinking that never ends": f"<think>\nMaybe {fence(GOOD)}",
    "draft only in thinking": f"<think>{fence(GOOD)}</think>Which numbers do you mean?",
    "JavaScript only": fence("function add(a, b) { return a + b }\n", "javascript"),
    "Ruby only": fence("def add(a, b)\n  a + b\nend\n", "ruby"),
    "shell only": fence("pip install add\n", "sh"),
    "example call": f"Do you mean this?\n\n{usage()}",
    "example output": f"Should it print this?\n\n{fence('1 + 2 = 3', '')}",
    "example value": f"Is this the input?\n\n{fence('numbers = [1, 2]', 'python')}",
    "code in question tags": f"[QUESTION]\nLike this?\n{fence(GOOD)}[/QUESTION]",
    "empty fence": "```python\n```\n",
    "empty code tags": "[CODE]\n[/CODE]",
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_holds_no_code_is_a_question(name: str) -> None:
    assert extract(QUESTIONS[name], "add", PROMPT) == Extracted("", "question", "no_code")


IN_VAIN = {
    "other name": fence("def plus(a, b):\n    return a + b\n"),
    "a longer name": fence("def add_all(a, b):\n    return a + b\n"),
    "method of a class": fence("class Solution:\n    def add(self, a, b):\n        return a + b\n"),
    "inside a function": fence("def outer():\n    def add(a, b):\n        return a + b\n    return add\n"),
    "only in a string": fence("def plus():\n    '''\ndef add(a, b): return a + b\n'''\n"),
    "only in a comment": fence("# def add(a, b)\ndef plus(a, b):\n    return a + b\n"),
    "compared, not assigned": fence("add == 3\n\n\ndef plus():\n    pass\n"),
    "no fence": "Here:\n\ndef plus(a, b):\n    return a + b\n",
}


@pytest.mark.parametrize("name", IN_VAIN)
def test_code_for_something_else_is_a_submission_without_the_function(name: str) -> None:
    found = extract(IN_VAIN[name], "add", PROMPT)
    assert (found.kind, found.verdict_hint) == ("submission", "no_function")
    assert "def" in found.code


def test_a_correction_keeps_out_a_draft_it_does_not_need() -> None:
    assert extract(RIGHT["draft, then correction"], "add").code == GOOD


def test_doctests_are_left_as_they_are() -> None:
    assert extract(fence(DOCTEST), "add").code == DOCTEST


def test_a_block_that_is_not_to_be_used_counts_when_it_is_the_last() -> None:
    """Guessing from prose would be worse."""
    found = extract(f"{fence(GOOD)}\nDo not write this:\n\n{fence(BAD)}", "add")
    assert found.code == BAD


def test_code_that_breaks_off_is_handed_on_as_it_is() -> None:
    found = extract("```python\ndef add(a, b):\n    return (a +", "add")
    assert (found.kind, found.verdict_hint) == ("submission", None)
    with pytest.raises(SyntaxError):
        compile(found.code, "", "exec")


@pytest.mark.parametrize("reply", [fence(GOOD + "\0"), "What\0?", "\0"])
def test_a_reply_with_nul_is_a_syntax_error(reply: str) -> None:
    found = extract(reply, "add")
    assert (found.kind, found.verdict_hint) == ("submission", "syntax_error")
    assert "\0" in found.code


def test_a_body_without_a_prompt_is_no_code() -> None:
    assert extract(fence("    return a + b\n"), "add").kind == "question"


def test_a_body_takes_the_prompts_indentation() -> None:
    found = extract(fence("t = a + b\nreturn t\n"), "add", "def add(a, b):\n\t'''Add.'''\n")
    assert found.code == "def add(a, b):\n\t'''Add.'''\n\tt = a + b\n\treturn t\n"
    assert found.place == "body"


# Whole programs.

PROGRAM = "a, b = map(int, input().split())\nprint(a + b)\n"
PROGRAMS = {
    "fence": fence(PROGRAM),
    "bare fence": fence(PROGRAM, ""),
    "code tags": f"Here it is\n[CODE]\n{PROGRAM}[/CODE]\nand a usage\n{fence('print(1)', 'python')}",
    "code tags with a fence": f"[CODE]\n{fence(PROGRAM)}[/CODE]",
    "the last of two": fence("print(1)\n") + fence(PROGRAM),
    "sample output after": fence(PROGRAM) + "It prints\n\n" + fence("3\n", ""),
    "sample in a bare fence before": fence("1 2\n", "") + fence(PROGRAM, ""),
    "shell after": fence(PROGRAM) + fence("echo 1 2 | python a.py\n", "bash"),
    "no fence": "import sys\n\n" + PROGRAM,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    found = extract(PROGRAMS[name], None)
    assert (found.kind, found.verdict_hint) == ("submission", None)
    assert found.code.endswith(PROGRAM)


@pytest.mark.parametrize(
    "reply",
    [
        "What are the limits?",
        f"Does this input occur?\n\n{fence('1 2', '')}",
        f"[QUESTION]Like\n{fence(PROGRAM)}\n[/QUESTION]",
        fence("puts 1", "ruby"),
        "",
    ],
)
def test_programs_that_are_none(reply: str) -> None:
    assert extract(reply, None) == Extracted("", "question", "no_code")


# Anything at all.

PIECES = [
    "```", "```python\n", "~~~", "\n", "    ", "def add(a, b):", "    return a + b", "<think>", "</think>",
    "[CODE]", "[/CODE]", "[QUESTION]", '"""', "'", "(", "import add", ">>> ", "> ", "- ", "\u2028", "\ud800",
]  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), max_size=40)


@given(pieces.map("".join) | st.text(max_size=200), st.sampled_from(["add", None]))
def test_no_reply_is_too_strange(reply: str, entry_point: str | None) -> None:
    found = extract(reply, entry_point, PROMPT)
    assert (found.kind == "question") == (found.verdict_hint == "no_code") == (not found.code)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import sys, studies.extraction; sys.exit('markdown_it' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
