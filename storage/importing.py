"""Reading a canonical export back: verified whole before anything is stored, then united."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from storage.codes import is_code, is_storable
from storage.database import explained, open_database, transaction
from storage.erase import clean, is_unclean
from storage.export.canonical import CODES, EVENT_KEYS, EVENTS, STUDY
from storage.export.write import FORMAT_VERSION, MANIFEST
from storage.uniting import Person, Union, unite_events, unite_people, unite_study, unsound
from studies.errors import FolderError, MachineError, Problem
from studies.events import Event
from studies.folder import parse
from studies.shapes import is_time
from studies.study import Study, version_hash

if TYPE_CHECKING:
    from sqlite3 import Connection

_EVENT_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "seq": int,
    "body": (str, type(None)),
    "salt": (str, type(None)),
}


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    study: str
    """Name of the study."""
    events: int
    """Events in the export."""
    new: int
    """Of these, how many the database did not hold."""
    filled: int
    """Payloads that had been withheld from the database and came in now."""
    studies: int
    """Study versions that were new: 0 or 1."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A canonical export, verified."""

    study: Study
    loaded_at: str
    events: tuple[Event, ...]
    people: tuple[Person, ...]


def import_export(database: Path, directory: Path) -> Imported:
    """Take a canonical export into a database, making the database where there is none.

    Importing again, or several exports in any order, ends in the same set of events. Withheld payloads
    never replace present ones, and a tombstone wins over both.

    Raises:
        InputError: the export is incomplete, altered or no canonical one, naming file and line; nothing
            was stored.
        MachineError: the database cannot be written; nothing was stored.
    """
    incoming = read_export(directory)
    db = open_database(database)
    try:
        with explained(database):
            with transaction(db.conn):
                done = take_in(db.conn, incoming, str(directory))
            if is_unclean(db.conn):
                clean(db.conn, wait=False)
        return done
    finally:
        db.close()


def take_in(conn: Connection, incoming: Incoming, source: str) -> Imported:
    """Unite a verified export with a database, inside the caller's transaction."""
    union = Union()
    new = unite_study(conn, incoming.study, incoming.loaded_at)
    unite_events(conn, incoming.events, union, source)
    unite_people(conn, incoming.people)
    return Imported(incoming.study.settings.name, len(incoming.events), union.new, union.filled, int(new))


def read_export(directory: Path) -> Incoming:
    """Read a canonical export and verify its checksums, its lines, its chains and its study.

    Raises:
        FolderError: with every problem at once, naming file and line.
    """
    reader = _Reader(directory)
    reader.check_files()
    events = reader.events()
    study, loaded_at = reader.study()
    people = reader.people()
    if reader.problems or study is None:
        raise FolderError(sorted(reader.problems))
    return Incoming(study, loaded_at, events, people)


class _Reader:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.problems: list[Problem] = []
        self._bytes: dict[str, bytes] = {}
        manifest = self._manifest()
        self._listed: Mapping[str, Any] = manifest["files"]

    def _manifest(self) -> dict[str, Any]:
        """The manifest, if it is that of an export this version reads.

        Raises:
            FolderError: it is not.
        """
        expected = "a canonical export (format jsonl)"
        text = self._read(MANIFEST)
        if text is None:
            raise FolderError([Problem(str(self._directory), 0, "", f"there is no {MANIFEST}", expected)])
        try:
            manifest = json.loads(text)
            format, version, files = manifest["format"], manifest["format_version"], manifest["files"]
            sums = [entry["sha256"] for entry in files.values()]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise FolderError([Problem(MANIFEST, 0, "", f"cannot be read: {error}", expected)]) from error
        found = ""
        if format != "jsonl":
            found = f"the format is {format!r}, from which events cannot be restored"
        elif not isinstance(version, int) or version > FORMAT_VERSION:
            found, expected = f"format version {version!r}", f"{FORMAT_VERSION}; update capa-tui"
        elif not all(isinstance(one, str) for one in sums) or EVENTS not in files or STUDY not in files:
            found = "checksums are missing"
        if found:
            raise FolderError([Problem(MANIFEST, 0, "", found, expected)])
        return manifest  # type: ignore[no-any-return]

    def _read(self, name: str) -> bytes | None:
        try:
            return (self._directory / name).read_bytes()
        except FileNotFoundError:
            return None
        except NotADirectoryError:
            return None
        except OSError as error:
            raise MachineError(f"{self._directory / name}: cannot be read: {error.strerror}") from error

    def check_files(self) -> None:
        """Every file that the manifest lists is there and has its checksum."""
        for name in sorted(self._listed):
            place = PurePosixPath(name)
            if place.is_absolute() or ".." in place.parts:
                self._problem(MANIFEST, 0, "files", f"the path {name!r}", "a file of the export")
                continue
            content = self._read(name)
            if content is None:
                self._problem(name, 0, "", "the file is missing", f"a file that {MANIFEST} lists")
                continue
            self._bytes[name] = content
            found, expected = hashlib.sha256(content).hexdigest(), self._listed[name]["sha256"]
            if found != expected:
                self._problem(
                    name, 0, "", f"SHA-256 {found[:12]}...", f"{expected[:12]}... as {MANIFEST} says"
                )

    def events(self) -> tuple[Event, ...]:
        """The events, each sound and in an unbroken chain."""
        lines: dict[tuple[str, int, str], int] = {}
        events: list[Event] = []
        for number, values in self._objects(EVENTS):
            if problem := _misshapen(values):
                self._problem(EVENTS, number, problem[0], problem[1], problem[2])
                continue
            one = Event.stored(**values)
            lines[one.stream, one.seq, one.hash] = number
            events.append(one)
        events.sort(key=lambda one: (one.stream, one.seq, one.hash))
        for _, stream in groupby(events, key=attrgetter("stream")):
            for one, why in unsound(tuple(stream)):
                place = lines[one.stream, one.seq, one.hash]
                self._problem(EVENTS, place, "", f"event {one.seq} of stream {one.stream}: {why}", "")
        return tuple(events)

    def study(self) -> tuple[Study | None, str]:
        """The study, its files restored to the hash that names it; and when it was first loaded."""
        text = self._bytes.get(STUDY)
        if text is None:
            return None, ""
        try:
            values = json.loads(text)
            sha256, loaded_at = str(values["sha256"]), str(values["loaded_at"])
            files = {
                str(path): base64.b64decode(content, validate=True)
                for path, content in values["files"].items()
            }
        except (ValueError, binascii.Error, LookupError, TypeError, AttributeError) as error:
            self._problem(STUDY, 0, "", f"cannot be read: {error}", "a study folder in base64")
            return None, ""
        if not is_time(loaded_at):
            self._problem(STUDY, 0, "loaded_at", repr(loaded_at[:40]), "ISO 8601 UTC with milliseconds")
            return None, ""
        if version_hash(files) != sha256:
            self._problem(STUDY, 0, "files", f"they do not hash to {sha256[:12]}...", "the files as exported")
            return None, ""
        try:
            return parse(files), loaded_at
        except FolderError as error:
            self.problems += error.problems
            return None, ""

    def people(self) -> tuple[Person, ...]:
        """Participant codes, where the export has them."""
        found: list[Person] = []
        for number, values in self._objects(CODES) if CODES in self._listed else ():
            try:
                one = Person(**values)
            except TypeError:
                one = None
            if one is None or not _is_person(one):
                self._problem(CODES, number, "", "no participant's code", "participant, name, code and pilot")
            else:
                found.append(one)
        return tuple(found)

    def _objects(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        content = self._bytes.get(name, b"")
        for number, line in enumerate(content.split(b"\n"), start=1):
            if not line:
                continue
            try:
                values = json.loads(line)
            except (ValueError, RecursionError) as error:
                self._problem(name, number, "", f"no JSON: {error}", "one JSON object a line")
                continue
            if isinstance(values, dict):
                yield number, values
            else:
                self._problem(name, number, "", f"a JSON {type(values).__name__}", "one JSON object a line")

    def _problem(self, file: str, line: int, key: str, found: str, expected: str) -> None:
        self.problems.append(Problem(file, line, key, found, expected))


def _is_person(one: Person) -> bool:
    texts = (one.participant, one.name, one.code)
    if not all(isinstance(value, str) and value and is_storable(value) for value in texts):
        return False
    return is_code(one.code) and isinstance(one.pilot, bool)


def _misshapen(values: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Key, what was found and what was expected, of the first thing that makes this no event."""
    if set(values) != set(EVENT_KEYS):
        return "", f"the keys {', '.join(sorted(values))[:200]}", ", ".join(EVENT_KEYS)
    for key, value in values.items():
        wanted = _EVENT_TYPES.get(key, str)
        if not isinstance(value, wanted) or isinstance(value, bool):
            return (
                key,
                f"{value!r:.40}",
                "text" if wanted is str else "text or null" if key != "seq" else "a number",
            )
        if isinstance(value, str) and not value.isascii():
            return key, "characters that are not ASCII", "ASCII with escapes"
    return _misshapen_body(values["body"], values["seq"])


def _misshapen_body(body: str | None, seq: int) -> tuple[str, str, str] | None:
    if not 1 <= seq < 2**63:
        return "seq", f"{seq!r:.40}", "a number from 1"
    if body is None:
        return None
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        return "body", f"no JSON: {error}", "a JSON object"
    return (
        None if isinstance(payload, dict) else ("body", f"a JSON {type(payload).__name__}", "a JSON object")
    )
