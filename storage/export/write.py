"""Writing an export: one study version, in one format, all of it or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage.export import (
    canonical,
    capa,
    clarifycodebench,
    hugging_face,
    human_eval,
    label_studio,
    parquet,
    spec_sheets,
    spreadsheet,
)
from storage.export.dataset import Dataset, gather
from storage.export.dictionary import dictionary, to_json, to_markdown
from storage.export.staging import Staging
from studies.errors import InputError
from studies.ports import Exporting, StudyRecord

if TYPE_CHECKING:
    from sqlite3 import Connection

FORMAT_VERSION = 1
"""Rises when a program that reads the old exports would misread the new ones."""
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write an export."""

    about: str
    """One line for `--list-formats`."""
    write: Callable[[Dataset, Staging, Exporting], str]
    """Writes the files; returns the format's conventions for the data dictionary."""
    kinds: tuple[str, ...] = ()
    """Study kinds it can hold; empty for all."""


FORMATS: Mapping[str, Format] = {
    "jsonl": Format("canonical JSON Lines: events and tidy tables; `import` takes it back", canonical.write),
    "csv": Format("one RFC 4180 file a table, safe to open in a spreadsheet", spreadsheet.write),
    "parquet": Format("one typed Parquet file a table (needs the extra capa-tui[parquet])", parquet.write),
    "hf": Format("a Hugging Face dataset folder: card, JSON Lines, Croissant metadata", hugging_face.write),
    "label-studio": Format(
        "annotation: Label Studio tasks with annotations, and the labelling configuration",
        label_studio.write,
        ("annotation",),
    ),
    "capa": Format(
        "role-play: one trajectory a user, history and held-out sessions; hidden tests apart",
        capa.write,
        ("roleplay",),
    ),
    "human-eval": Format(
        "role-play: submitted code and problems for HumanEval's own evaluator",
        human_eval.write,
        ("roleplay",),
    ),
    "clarifycodebench": Format(
        "clarification: run records for ClarifyCodeBench's own scorer; authored tasks in its format",
        clarifycodebench.write,
        ("clarification",),
    ),
    "spec-sheets": Format(
        "specification: every revision of every sheet as Markdown and JSON, with what it rests on",
        spec_sheets.write,
        ("specification",),
    ),
}


def formats_of(kind: str) -> Sequence[str]:
    """Names of the formats that can hold a study of a kind."""
    return [name for name, one in FORMATS.items() if not one.kinds or kind in one.kinds]


def check_format(name: str, kind: str) -> Format:
    """The format of that name.

    Args:
        name: as on the command line.
        kind: of the study to be exported.

    Raises:
        InputError: there is none, or it belongs to another study kind.
    """
    known = ", ".join(formats_of(kind))
    if name in formats_of(kind):
        return FORMATS[name]
    if name in FORMATS:
        where = " and ".join(FORMATS[name].kinds)
        raise InputError(f"the format {name} belongs to {where} studies; this one can be exported as {known}")
    raise InputError(f"no export format {name!r}; there are {known}")


def export(conn: Connection, record: StudyRecord, how: Exporting, *, program: str) -> Mapping[str, int]:
    """Write an export into a new or empty folder.

    Two exports of the same data are the same, byte for byte, whenever and wherever they are made.

    Args:
        conn: a connection inside a transaction, so that all that is read is of one moment.
        record: the study version.
        how: format, place and options.
        program: version of capa-tui, for the manifest.

    Returns:
        Rows by file, of the files that hold rows.

    Raises:
        InputError: an unknown format, or the folder is not empty; nothing was written.
        MachineError: the disk or a library is lacking; nothing was written.
    """
    chosen = check_format(how.format, record.study_kind)
    with Staging(how.out) as out:
        data = gather(conn, record, identify=how.identify)
        conventions = chosen.write(data, out, how)
        made = dictionary(data, out.written, conventions)
        counts = {one.name: one.rows for one in out.written if one.rows is not None}
        out.write("dictionary.json", [to_json(made)])
        out.write("DICTIONARY.md", [to_markdown(made)])
        (schema,) = conn.execute("PRAGMA user_version").fetchone()
        listed = manifest(data, how, out, counts, program=program, schema=schema)
        out.write(MANIFEST, [json.dumps(listed, indent=2, allow_nan=False).encode("ascii") + b"\n"])
    return counts


def manifest(
    data: Dataset, how: Exporting, out: Staging, counts: Mapping[str, int], *, program: str, schema: int
) -> dict[str, Any]:
    """What manifest.json holds: nothing in it depends on when or where the export was made."""
    return {
        "format": how.format,
        "format_version": FORMAT_VERSION,
        "capa_tui": program,
        "schema": schema,
        "study": {
            "name": data.record.name,
            "title": data.record.title,
            "kind": data.record.study_kind,
            "sha256": data.record.sha256,
            "codebook": data.study.codebook.version,
        },
        "options": {"raw": how.raw, "bom": how.bom},
        "identified": how.identify or (how.format == "jsonl" and data.lists_codes),
        "counts": dict(counts),
        "withheld": dict(data.withheld),
        "forked_streams": data.forks,
        **data.declares,
        "deviations": list(data.deviations),
        "files": {
            one.name: {"sha256": one.sha256, "bytes": one.size}
            for one in sorted(out.written, key=lambda one: one.name)
        },
    }
