"""Rows of what authors wrote and cross-checkers made of it, from one participation's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from studies.clarification import payloads as said
from studies.clarification import rows
from studies.clarification.authored import authoring_of
from studies.events import Event


def gap_rows(events: Sequence[Event], who: str) -> Iterator[rows.GapRow]:
    """Every gap that was written, revisions too, in order."""
    statements: dict[str, str] = {}
    written: list[tuple[Event, said.GapWritten, str]] = []
    last: dict[tuple[str, int], int] = {}
    for one in events:
        if isinstance(one.payload, said.StatementShortened):
            statements[one.payload.item] = one.payload.text
        elif isinstance(one.payload, said.GapWritten):
            gap = one.payload
            last[gap.item, gap.number] = len(written)
            written.append((one, gap, statements.get(gap.item, "")))
    for place, (event, gap, statement) in enumerate(written):
        yield rows.GapRow(
            item=gap.item,
            participant=who,
            number=gap.number,
            revision=gap.revision,
            latest=last[gap.item, gap.number] == place,
            statement=statement,
            question=gap.question,
            answer=gap.answer,
            type=gap.type,
            more=gap.more,
            submitted_at=event.at,
        )


def check_rows(events: Sequence[Event], who: str, named: Mapping[str, str]) -> Iterator[rows.CheckRow]:
    """Every gap of every comparison, in order.

    Args:
        events: one participation's.
        who: what the person is called.
        named: what the people of other streams are called.
    """
    checks = authoring_of(events).checks
    at = {one.payload.item: one.at for one in events if isinstance(one.payload, said.GapsCompared)}
    for item, check in checks.items():
        if check.compared is None:
            continue
        types = {key: value for one in check.settled for key, value in one.types.items()}
        kept = {key: value for one in check.settled for key, value in one.kept.items()}
        views = zip(check.compared.found, check.compared.types, strict=True)
        for number, (found, type_) in enumerate(views, start=1):
            yield rows.CheckRow(
                item=item,
                participant=who,
                author=named.get(check.author),
                number=number,
                own_questions=check.own or (),
                found=found,
                type=type_,
                settled_type=types.get(str(number)),
                kept=kept.get(str(number)),
                compared_at=at[item],
            )
