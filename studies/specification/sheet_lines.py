"""Rows of sheets, ratings and comparisons, from one participation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from studies.events import Event
from studies.specification import payloads as said
from studies.specification.editing import REFUSE
from studies.specification.forms import requirements
from studies.specification.interview_lines import numbered
from studies.specification.projects import Projects
from studies.specification.revisions import Revision, revisions
from studies.specification.sections import CRITERIA, SECTIONS
from studies.specification.sheet import Sheet
from studies.specification.sheet_rows import ChangeRow, ComparisonRow, RatingRow, SectionRow

PERSON = "participant"
"""The rater that is no judge."""


def section_rows(events: Sequence[Event], name: str) -> Iterator[SectionRow]:
    """Every section of every revision of every sheet, in order."""
    for frozen in events:
        if not isinstance(frozen.payload, said.SheetFrozen):
            continue
        session = frozen.payload.session
        edits = [
            (one.payload, one.at)
            for one in events
            if isinstance(one.payload, said.SheetEdited) and one.payload.session == session
        ]
        sheet = Sheet.from_json(frozen.payload.sheet)
        made = revisions(sheet, frozen.at, edits)
        for before, one in zip((None, *made), made, strict=False):
            yield from _sections(frozen.payload, sheet, before, one, last=one is made[-1], name=name)


def _sections(
    of: said.SheetFrozen, frozen: Sheet, before: Revision | None, one: Revision, *, last: bool, name: str
) -> Iterator[SectionRow]:
    for position, section in enumerate(SECTIONS, start=1):
        own = section in one.rewritten
        reasons = (change.reason for change in frozen.changes if change.section == section)
        yield SectionRow(
            session=of.session,
            item=of.item,
            participant=name,
            revision=one.number,
            latest=last,
            author=one.author,
            stage=one.stage,
            frozen=one.frozen,
            section=section,
            position=position,
            text=one.texts[section],
            changed=before is None or before.texts[section] != one.texts[section],
            rewritten=own,
            statements=() if own else tuple(map(asdict, one.sheet.sections[section])),
            reasons=tuple(reasons) if one.stage == "review" else (),
            made_at=one.at,
        )


def change_rows(projects: Projects, name: str) -> Iterator[ChangeRow]:
    """What the agents' own reviews changed, session by session."""
    for one in projects.sessions:
        for change in Sheet.from_json(one.frozen.sheet).changes if one.frozen else ():
            yield ChangeRow(
                session=one.id,
                item=one.item,
                participant=name,
                change=change.id,
                section=change.section,
                reason=change.reason,
                why=change.why,
                before=tuple(each.text for each in change.before),
                after=tuple(each.text for each in change.after),
                kept=one.edited.answers.get(change.id) != REFUSE if one.edited else None,
            )


def rating_rows(events: Iterable[Event], projects: Projects, name: str) -> Iterator[RatingRow]:
    """Every rating by the person and by judges, revisions too, in order."""
    made: list[RatingRow] = []
    for one in events:
        match one.payload:
            case said.RequirementsChecked() as checked:
                given = {key: str(value) for key, value in checked.answers.items() if value is not None}
                made += _fared(projects, checked, given, PERSON, "", "", one.at, name)
            case said.SheetRated() as rated:
                for key in (key for key in CRITERIA if key in rated.answers):
                    score, reason = rated.answers[key], rated.answers.get(f"{key}.reason") or ""
                    made.append(_score(rated, key, score, reason, PERSON, "", "", one.at, name))
            case said.SheetJudged() as judged:
                scores: Mapping[str, int | None] = judged.scores or dict.fromkeys(CRITERIA)
                for key, score in ((key, scores[key]) for key in CRITERIA if key in scores):
                    reason = judged.reasons.get(key, "")
                    made.append(
                        _score(
                            judged,
                            key,
                            score,
                            reason,
                            judged.judge,
                            judged.model,
                            judged.trouble,
                            one.at,
                            name,
                        )
                    )
                made += _fared(
                    projects,
                    judged,
                    judged.requirements,
                    judged.judge,
                    judged.model,
                    judged.trouble,
                    one.at,
                    name,
                )
    yield from numbered(made, lambda one: (one.session, one.rater, one.sort, one.key))


def _score(
    of: said.SheetRated | said.SheetJudged,
    key: str,
    score: int | None,
    reason: str,
    rater: str,
    model: str,
    trouble: str,
    at: str,
    name: str,
) -> RatingRow:
    return RatingRow(
        of.session,
        of.item,
        name,
        rater,
        model,
        "criterion",
        key,
        "",
        score,
        None,
        reason,
        trouble,
        1,
        True,
        at,
    )


def _fared(
    projects: Projects,
    of: said.RequirementsChecked | said.SheetJudged,
    fates: Mapping[str, str],
    rater: str,
    model: str,
    trouble: str,
    at: str,
    name: str,
) -> Iterator[RatingRow]:
    texts = {one.id: one.text for one in requirements(projects.of(of.item).truth)}
    # JSON keeps no order: theirs is that of the requirements.
    for key, fate in ((key, fates[key]) for key in dict.fromkeys((*texts, *fates)) if key in fates):
        yield RatingRow(
            of.session,
            of.item,
            name,
            rater,
            model,
            "requirement",
            key,
            texts.get(key, ""),
            None,
            fate,
            "",
            trouble,
            1,
            True,
            at,
        )


def comparison_rows(events: Iterable[Event], projects: Projects, name: str) -> Iterator[ComparisonRow]:
    """Every comparison of two sheets, by the person and by judges, in order."""
    agents = {one.id: one.opened.agent for one in projects.sessions}
    made: list[ComparisonRow] = []
    for one in events:
        if isinstance(one.payload, said.SheetsCompared | said.PairJudged):
            of = one.payload
            sides = {"left": agents.get(of.left, ""), "right": agents.get(of.right, "")}
            made.append(
                ComparisonRow(
                    item=of.item,
                    participant=name,
                    rater=of.judge if isinstance(of, said.PairJudged) else PERSON,
                    left=of.left,
                    right=of.right,
                    left_agent=sides["left"],
                    right_agent=sides["right"],
                    preferred=of.preferred,
                    preferred_agent=sides.get(of.preferred or ""),
                    reason=of.reason,
                    trouble=of.trouble if isinstance(of, said.PairJudged) else "",
                    revision=1,
                    latest=True,
                    compared_at=one.at,
                )
            )
    yield from numbered(made, lambda one: (one.item, one.rater))
