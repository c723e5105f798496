"""What writing a new study folder takes, whatever its kind: a place for it, names, lines of JSON and TOML."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from studies.errors import InputError

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Created:
    """What was written."""

    directory: Path
    notes: list[str]
    """What a researcher should know about it, each a sentence or two."""
    items: int
    """Items, or tasks, of the study."""
    left_out: list[str]
    """Ids of the file's items that are not in the study."""


def free_root(directory: Path) -> Path:
    """The resolved path of a folder that is new or empty.

    Raises:
        InputError: it is neither.
    """
    root = directory.resolve()
    if root.exists() and not root.is_dir():
        raise InputError(f"{directory} is a file; expected a new or empty folder")
    if root.is_dir() and any(root.iterdir()):
        raise InputError(f"{directory} is not empty; expected a new or empty folder. Nothing was changed")
    return root


def write(root: Path, files: Mapping[str, bytes]) -> None:
    """Write the files into a hidden folder, then put them in place; all of them or none.

    A folder that is there is kept: it may be a mount point, or the one somebody stands in.

    Raises:
        InputError: it could not be written; nothing is left.
    """
    there = root.is_dir()
    unfinished = (root if there else root.parent) / f".{secrets.token_hex(8)}.unfinished"
    placed: list[Path] = []
    try:
        unfinished.mkdir(parents=True)
        for name, data in files.items():
            (unfinished / name).parent.mkdir(exist_ok=True)
            (unfinished / name).write_bytes(data)
        if there:
            for top in dict.fromkeys(name.partition("/")[0] for name in files):
                os.rename(unfinished / top, root / top)
                placed.append(root / top)
            unfinished.rmdir()
        else:
            os.rename(unfinished, root)
    except OSError as error:
        for one in placed:
            shutil.rmtree(one) if one.is_dir() else one.unlink(missing_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)
        raise InputError(f"{root} could not be written ({error.strerror}); nothing was left there") from error


def title_of(name: str) -> str:
    """A study's title, from the name of its folder."""
    return " ".join(name.replace("-", " ").replace("_", " ").split()) or "study"


def slug(name: str) -> str:
    """A study's name for the command line."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = "".join(one if one.isalnum() else " " for one in plain).split()
    return "-".join(words)[:64].strip("-") or "study"


def toml_value(value: object) -> str:
    """A value as TOML. Lone surrogates, which TOML cannot hold, become the replacement character."""
    if isinstance(value, str):
        whole = _SURROGATES.sub("\ufffd", value)
        return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml_value, value))}]"
    return str(value)


def design_lines(participants: int | None, example: int = 120) -> str:
    """The keys of [design] for so many planned participants, each of whom can be given everything."""
    kind = "everything" if participants is None else "crossed"
    number = f"# participants = {example}" if participants is None else f"participants = {participants}"
    return (
        f"{f'kind = {toml_value(kind)}':<28} # everything: slots are made as people come; crossed: planned\n"
        f"{number:<28} # planned number of participants: one slot each"
    )


def json_line(row: BaseModel, *, whole: bool = False) -> bytes:
    """One line of JSON that an editor shows as it reads; keys with their default only where it is `whole`."""
    values = row.model_dump(exclude_defaults=not whole)
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    # Editors and some readers take these for line ends.
    for separator in ("\u0085", "\u2028", "\u2029"):
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(values, allow_nan=False).encode("ascii") + b"\n"
