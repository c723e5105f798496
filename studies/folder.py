"""A study folder: its files, and the study they describe."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from studies.errors import FolderError, Problem
from studies.folder_parts import complete, kind_in, put_together, read_parts
from studies.study import Study

MAX_BYTES = 64 * 2**20
"""A folder's files together; they are copied into the database and held in memory."""
MAX_FILES = 1_000

_PASSED_OVER = ("__pycache__", "Thumbs.db", "desktop.ini")
_BACKUPS = ("~", ".bak", ".orig", ".swp", ".swo", ".tmp", ".pyc")


# -- the folder on disk ------------------------------------------------------------------------


def read_files(directory: Path) -> dict[str, bytes]:
    """The files that make up a version, by relative POSIX path.

    Hidden files, editors' backups and caches are passed over, as is whatever is no regular file.

    Raises:
        FolderError: no such directory, a link that leaves it, a file that cannot be read, or more than
            `MAX_FILES` files or `MAX_BYTES` bytes.
    """
    if not directory.is_dir():
        found = "is a file" if directory.exists() else "there is no such folder"
        raise FolderError([Problem(str(directory), 0, "", found, "a study folder")])
    root = directory.resolve()
    problems: list[Problem] = []
    files: dict[str, bytes] = {}
    size = 0
    for path in _walk(root, root, problems):
        name = path.relative_to(root).as_posix()
        try:
            size += path.stat().st_size
            _refuse_too_much(directory, len(files) + 1, size)
            name.encode("utf-8")
            files[name] = path.read_bytes()
        except UnicodeEncodeError:
            problems.append(Problem(ascii(name), 0, "", "the file's name is not UTF-8", "another name"))
        except OSError as error:
            problems.append(Problem(name, 0, "", f"cannot be read: {error.strerror}", "a readable file"))
    if problems:
        raise FolderError(sorted(problems))
    return files


def _refuse_too_much(directory: Path, count: int, size: int) -> None:
    if count > MAX_FILES:
        found, expected = f"more than {MAX_FILES:,} files", "a study folder"
    elif size > MAX_BYTES:
        found, expected = f"files of more than {MAX_BYTES / 2**20:.0f} MiB together", "a smaller study folder"
    else:
        return
    raise FolderError([Problem(str(directory), 0, "", found, expected)])


def _walk(directory: Path, root: Path, problems: list[Problem]) -> Iterator[Path]:
    name = directory.relative_to(root).as_posix()
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(name, 0, "", f"cannot be read: {error.strerror}", "a readable folder"))
        return
    for entry in entries:
        path = Path(entry.path)
        if _is_passed_over(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, problems)
        elif entry.is_symlink():
            if problem := _link_problem(path, root):
                problems.append(problem)
            else:
                yield path
        elif entry.is_file():
            yield path


def _is_passed_over(name: str) -> bool:
    hidden = name.startswith(".") or name in _PASSED_OVER
    return hidden or name.endswith(_BACKUPS) or (name.startswith("#") and name.endswith("#"))


def _link_problem(path: Path, root: Path) -> Problem | None:
    name = path.relative_to(root).as_posix()
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return Problem(name, 0, "", "a link to nothing", "a file")
    if not target.is_relative_to(root):
        return Problem(name, 0, "", "a link that leaves the study folder", "a file of the folder")
    if not stat.S_ISREG(target.stat().st_mode):
        return Problem(name, 0, "", "a link to a folder or device", "a file")
    return None


# -- the study ---------------------------------------------------------------------------------


def parse(files: Mapping[str, bytes]) -> Study:
    """The study that a folder's files describe.

    Where the folder has no codebook.toml the product's own joins the study's files, so that the version's
    hash covers the codebook in force. Rules that span files are `folder_checks.accept`'s: a version that
    was loaded once can always be read again.

    Raises:
        FolderError: with every problem at once.
    """
    files = complete(files)
    kind = kind_in(files)
    parts, problems = read_parts(files, kind)
    if problems:
        raise FolderError(sorted(problems))
    return put_together(files, parts, kind)
