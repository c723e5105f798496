"""Spec sheets as documents: Markdown to read, and JSON with what each statement rests on.

Every revision of every sheet is a document of its own: the agent's before its review, the one that was frozen
and rated, and the one the person left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from storage.export.canonical import lines
from storage.export.cells import plain, shown
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.ports import Exporting
from studies.specification.material_rows import MATERIALS
from studies.specification.rows import SESSIONS, SessionRow
from studies.specification.sections import TITLES
from studies.specification.sheet import markdown
from studies.specification.sheet_rows import CHANGES, SPEC_SECTIONS, ChangeRow, SectionRow

INDEX = "sheets.jsonl"
CONVENTIONS = (
    "A folder a participant; in it PROJECT-AGENT-SESSION.REVISION-STAGE, once as Markdown and once as JSON; "
    "characters other than letters, digits, dots, hyphens and underscores are written as a hyphen. Stages: "
    "synthesis (the agent's sheet before its own review), review (after it; only where it changed "
    "anything), edit (as the person left it). `frozen` marks the revision that was rated. The Markdown ends "
    "with the sources: what each statement rests on, statements numbered within their section. In it control "
    "characters and lone surrogates are written as visible escapes such as \\x1b; JSON has every text "
    "unchanged."
)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write every revision of every sheet, and sheets.jsonl, which lists them."""
    index: list[dict[str, Any]] = []
    for document in documents(data):
        name = file_name(document)
        out.write(f"{name}.md", [to_markdown(document).encode("utf-8")])
        out.write(f"{name}.json", [json.dumps(document, indent=2, allow_nan=False).encode("ascii") + b"\n"])
        listed = {key: document[key] for key in LISTED}
        index.append({**listed, "markdown": f"{name}.md", "json": f"{name}.json"})
    out.write(INDEX, lines(index), about="One line a revision of a sheet, with its files.", rows=len(index))
    return CONVENTIONS


LISTED = ("participant", "item", "session", "agent", "revision", "stage", "author", "frozen")


def documents(data: Dataset) -> Iterator[dict[str, Any]]:
    """Every revision of every sheet as JSON, in the order of the tables."""
    sessions: Mapping[str, SessionRow] = {one.session: one for one in data.rows(SESSIONS)}
    titles = {one.item: one.title for one in data.rows(MATERIALS)}
    changes: Sequence[ChangeRow] = data.rows(CHANGES)
    sections: Sequence[SectionRow] = data.rows(SPEC_SECTIONS)
    for (of, _), group in groupby(sections, lambda one: (one.session, one.revision)):
        rows = tuple(group)
        first, session = rows[0], sessions[of]
        review = [CHANGES.values(one) for one in changes if one.session == of]
        yield {
            "title": titles[first.item],
            "participant": first.participant,
            "item": first.item,
            "session": of,
            "agent": session.agent,
            "design": session.design,
            "assistant": session.assistant,
            "model": session.model,
            "revision": first.revision,
            "latest": first.latest,
            "stage": first.stage,
            "author": first.author,
            "frozen": first.frozen,
            "made_at": first.made_at,
            "sections": [_section(one) for one in rows],
            "review": [_without(one, "session", "item", "participant") for one in review]
            if first.stage != "synthesis"
            else [],
        }


def _section(row: SectionRow) -> dict[str, Any]:
    values = SPEC_SECTIONS.values(row)
    return {
        "section": row.section,
        "title": TITLES[row.section],  # type: ignore[index]
        # Words keep the author whose they are, also in a revision of somebody else.
        "author": "participant" if row.rewritten else "agent",
        **{key: values[key] for key in ("text", "changed", "statements")},
    }


def _without(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}


def file_name(document: Mapping[str, Any]) -> str:
    """The path of a document without its suffix: nothing in it can lead out of the export."""
    of = f"{_safe(document['item'])}-{_safe(document['agent'])}-{document['session'][:8]}"
    return f"{_safe(document['participant'])}/{of}.{document['revision']}-{document['stage']}"


def _safe(name: str) -> str:
    return _UNSAFE.sub("-", name).strip(".-")[:64] or "unnamed"


def to_markdown(document: Mapping[str, Any]) -> str:
    """A document for people: the sheet, whose it is, and its sources."""
    texts = {one["section"]: shown(one["text"]) for one in document["sections"]}
    whose = f"Revision {document['revision']}, {document['stage']}, by the {document['author']}"
    told = f"{whose}; agent {plain(document['agent'])}; {'frozen and rated' if document['frozen'] else ''}"
    head, _, rest = markdown(shown(document["title"]), texts).partition("\n\n")
    sources = "\n".join(_sources(document["sections"])) or "None."
    return f"{head}\n\n{told.rstrip('; ')}.\n\n{rest}\n## Sources\n\n{sources}\n"


def _sources(sections: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in sections:
        if one["author"] == "participant":
            yield f"- {one['title']}: in the participant's own words"
        for number, statement in enumerate(one["statements"], start=1):
            grounds = "; ".join(map(_ground, statement["grounds"])) or "not said"
            yield f"- {one['title']}, {number}: {grounds}"


def _ground(ground: Mapping[str, str]) -> str:
    named = " ".join(filter(None, (ground["sort"], plain(ground["ref"]))))
    return f"{plain(ground['words'])} ({named})" if ground["words"] else named
