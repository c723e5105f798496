"""A task's prompt as a program: its imports and helpers, and its function without a body."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType


def compile_stub(prompt: str, file: str) -> CodeType:
    """The prompt with nothing for a body.

    Raises:
        SyntaxError: the prompt is no beginning of a program.
    """
    try:
        return compile(f"{prompt}\npass\n", file, "exec", dont_inherit=True)
    except SyntaxError:
        return compile(f"{prompt.rstrip()}\n    pass\n", file, "exec", dont_inherit=True)
