"""The studies that come with the program, one for each kind."""

from __future__ import annotations

from pathlib import Path

from studies.study import Study

KINDS = ("annotation", "roleplay", "clarification", "specification")


def directory(kind: str) -> Path:
    """The bundled study folder of a kind."""
    return Path(__file__).parent / "bundled" / kind


def study(kind: str) -> Study:
    """The bundled study of a kind, read whole."""
    from studies.folder import parse, read_files

    return parse(read_files(directory(kind)))
