"""Rows of the agents' calls, from one participation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from studies.specification.projects import stage_of
from studies.specification.rows import CallRow
from studies.specification.shown import Shown


def call_rows(calls: Iterable[Shown], name: str) -> Iterator[CallRow]:
    """Every call in order, failed ones too."""
    for one in calls:
        call, answer = one.call, one.answer
        replies = answer.replies if answer else ()
        yield CallRow(
            session=call.session,
            item=call.item,
            participant=name,
            call=call.call,
            stage=stage_of(call.call),
            attempt=call.attempt,
            standing=answer.standing if answer else None,
            answer=answer.answer if answer else None,
            replies=tuple(map(asdict, replies)),
            trouble=answer.trouble if answer else "",
            error=answer.error if answer else "",
            assistant=call.assistant,
            model=call.model,
            models_served=tuple(reply.model_served for reply in replies),
            parameters=call.parameters,
            prompt_tokens=_sum(reply.prompt_tokens for reply in replies),
            completion_tokens=_sum(reply.completion_tokens for reply in replies),
            estimated=any(reply.usage_estimated for reply in replies),
            cost=answer.cost if answer else None,
            total_ms=answer.total_ms if answer else None,
            prompt_sha256=call.prompt_sha256,
            dropped=call.dropped,
            saw=call.saw,
            saw_missing=len(one.missing),
            called_at=one.event.at,
            answered_at=one.answered_at,
        )


def _sum(counts: Iterable[int | None]) -> int | None:
    """None where one is not known, or there is none."""
    known = list(counts)
    return sum(filter(None, known)) if known and None not in known else None
