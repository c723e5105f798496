"""Rows of what was said in sessions and what the judge found, from one participation's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from studies.events import Event
from studies.roleplay import payloads as said
from studies.roleplay.rows import TurnRow, VerdictRow
from studies.roleplay.shown import Shown


@dataclass(slots=True)
class _Attempt:
    call: Shown
    parts: list[str] = field(default_factory=list)
    end: said.ReplyEnded | None = None
    ended_at: str | None = None


@dataclass(slots=True)
class _Turn:
    asked: said.TurnSubmitted
    at: str
    attempts: list[_Attempt] = field(default_factory=list)


def turn_rows(events: Sequence[Event], name: str, calls: Mapping[int, Shown]) -> Iterator[TurnRow]:
    """Every attempt at a reply, in order, and requests that got none.

    Args:
        events: one participation's.
        name: what the person is called.
        calls: what each call was shown, by the number of its event.
    """
    turns: dict[tuple[str, int], _Turn] = {}
    for one in events:
        match one.payload:
            case said.TurnSubmitted() as asked:
                turns[asked.session, asked.turn] = _Turn(asked, one.at)
            case said.ReplyStarted(session=session, turn=number) if (session, number) in turns:
                turns[session, number].attempts.append(_Attempt(calls[one.seq]))
            case said.ReplyPart() as part:
                if attempt := _attempt(turns, part):
                    attempt.parts.append(part.text)
            case said.ReplyEnded() as end:
                if attempt := _attempt(turns, end):
                    attempt.end, attempt.ended_at = end, one.at
    for turn in turns.values():
        for attempt in turn.attempts or (None,):
            yield _row(name, turn, attempt)


def _attempt(turns: Mapping[tuple[str, int], _Turn], of: said.ReplyPart | said.ReplyEnded) -> _Attempt | None:
    turn = turns.get((of.session, of.turn))
    return next((one for one in turn.attempts if one.call.call.attempt == of.attempt), None) if turn else None


_NOTHING = said.ReplyEnded("", "", 0, 0, "interrupted", "")


def _row(name: str, turn: _Turn, attempt: _Attempt | None) -> TurnRow:
    asked = turn.asked
    call = attempt.call.call if attempt else None
    end = attempt.end if attempt else None
    told = end or _NOTHING
    return TurnRow(
        session=asked.session,
        item=asked.item,
        participant=name,
        turn=asked.turn,
        attempt=call.attempt if call else None,
        request=asked.text,
        opening=asked.opening,
        pasted=asked.pasted,
        typing_ms=asked.typing_ms,
        requested_at=turn.at,
        reply=end.text if end else "".join(attempt.parts) if attempt else None,
        status=end.status if end else None,
        assistant=call.assistant if call else "",
        model=call.model if call else "",
        model_served=told.model_served,
        parameters=call.parameters if call else None,
        finish_reason=told.finish_reason,
        prompt_tokens=told.prompt_tokens,
        completion_tokens=told.completion_tokens,
        cached_tokens=told.cached_tokens,
        estimated=told.usage_estimated,
        cost=told.cost,
        first_token_ms=told.first_token_ms,
        total_ms=end.total_ms if end else None,
        prompt_sha256=call.prompt_sha256 if call else None,
        names_maker=told.names_maker,
        mentions_history=told.mentions_history,
        error_kind=told.error_kind,
        error=told.error,
        detail=told.detail,
        client=told.client,
        saw=tuple(map(asdict, call.saw)) if call else (),
        saw_missing=len(attempt.call.missing) if attempt else 0,
        replying_at=attempt.call.event.at if attempt else None,
        replied_at=attempt.ended_at if attempt else None,
    )


def verdict_rows(events: Sequence[Event], name: str) -> Iterator[VerdictRow]:
    """Every verdict of one participation, in order."""
    attempts: dict[tuple[str, int], int] = {}
    for one in events:
        match one.payload:
            case said.ReplyEnded(session=session, turn=turn, attempt=attempt):
                attempts[session, turn] = attempt
            case said.VerdictGiven() as given:
                yield VerdictRow(
                    session=given.session,
                    item=given.item,
                    participant=name,
                    turn=given.turn,
                    attempt=attempts.get((given.session, given.turn), 1),
                    submission=given.submission,
                    verdict=given.verdict,
                    detail=given.detail,
                    ms=given.ms,
                    code=given.code,
                    isolation=given.isolation,
                    judged_at=one.at,
                )
