"""Rows of what was asked, answered, voted and labelled, from one participation's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from studies.activity import Attention
from studies.clarification import payloads as said
from studies.clarification import rows
from studies.clarification.seat import clarifications_of
from studies.events import Event
from studies.reply_payloads import ReplyEnded, ReplyPart, ReplyStarted
from studies.state import State

if TYPE_CHECKING:
    from studies.study import Study

_ON_ITS_WAY = ReplyEnded("", "", 0, 0, "interrupted", "")


def turn_rows(events: Sequence[Event], who: str, missing: Mapping[int, int]) -> Iterator[rows.TurnRow]:
    """Every call to a model that asks, answers or writes code, in order.

    Args:
        events: one participation's.
        who: what the person is called.
        missing: texts that are gone, by the number of the call's event.
    """
    calls: list[tuple[Event, ReplyStarted]] = []
    ends: dict[tuple[str, int, int], tuple[ReplyEnded, str]] = {}
    parts: dict[tuple[str, int, int], list[str]] = {}
    for one in events:
        match one.payload:
            case ReplyStarted() as call:
                calls.append((one, call))
            case ReplyPart() as part:
                parts.setdefault((part.session, part.turn, part.attempt), []).append(part.text)
            case ReplyEnded() as ended:
                ends[ended.session, ended.turn, ended.attempt] = ended, one.at
    for event, call in calls:
        key = (call.session, call.turn, call.attempt)
        end, at = ends.get(key, (None, None))
        told = end or _ON_ITS_WAY
        yield rows.TurnRow(
            session=call.session,
            item=call.item,
            participant=who,
            turn=call.turn,
            attempt=call.attempt,
            purpose=call.purpose,
            reply=end.text if end else "".join(parts.get(key, ())),
            status=end.status if end else None,
            assistant=call.assistant,
            model=call.model,
            model_served=told.model_served,
            parameters=call.parameters,
            finish_reason=told.finish_reason,
            prompt_tokens=told.prompt_tokens,
            completion_tokens=told.completion_tokens,
            estimated=told.usage_estimated,
            cost=told.cost,
            first_token_ms=told.first_token_ms,
            total_ms=end.total_ms if end else None,
            prompt_sha256=call.prompt_sha256,
            names_maker=told.names_maker,
            error_kind=told.error_kind,
            error=told.error,
            detail=told.detail,
            client=told.client,
            saw=tuple(map(asdict, call.saw)),
            saw_missing=missing.get(event.seq, 0),
            replying_at=event.at,
            replied_at=at,
        )


def question_rows(
    study: Study, events: Sequence[Event], state: State, who: str
) -> Iterator[rows.QuestionRow]:
    """Every response of whoever asks, in order, with what it hit."""
    judge = study.settings.clarification.judge.by
    hits = {
        (session.id, one.turn): (one, outcome)
        for session in clarifications_of(state).all
        for one, outcome in zip(session.questions, session.outcomes(), strict=True)
    }
    for event in events:
        match event.payload:
            case said.ResponseRead() as read:
                made = _response(read, who, event.at)
            case said.QuestionAsked() as asked:
                made = _message(asked, who, event.at)
            case _:
                continue
        one, outcome = hits.get((made.session, made.turn), (None, None))
        if made.sort != "question" or one is None or outcome is None:
            yield made
            continue
        matched = one.matched
        yield replace(
            made,
            outcome=outcome[0],
            gaps=outcome[1],
            matched=matched.matched if matched else (),
            matched_by=judge if matched else "person",
            rule=matched.rule if matched else "",
        )


def _response(read: said.ResponseRead, who: str, at: str) -> rows.QuestionRow:
    return _row(
        read.session, read.item, who, read.turn, "model", read.sort, read.question, read.form, at,
        both=read.both, bundle=read.bundle,
    )  # fmt: skip


def _message(asked: said.QuestionAsked, who: str, at: str) -> rows.QuestionRow:
    sort = "returned" if asked.returned else "question"
    return _row(
        asked.session, asked.item, who, asked.turn, "person", sort, asked.text, "", at,
        both=False, bundle=asked.bundle,
    )  # fmt: skip


def _row(
    session: str, item: str, who: str, turn: int, by: str, sort: str, question: str, form: str, at: str,
    *, both: bool, bundle: bool,
) -> rows.QuestionRow:  # fmt: skip
    return rows.QuestionRow(
        session=session,
        item=item,
        participant=who,
        turn=turn,
        by=by,
        sort=sort,
        question=question,
        form=form,
        both=both,
        bundle=bundle,
        outcome=None,
        gaps=(),
        matched=(),
        matched_by="",
        rule="",
        asked_at=at,
    )


def answer_rows(events: Sequence[Event], who: str) -> Iterator[rows.AnswerRow]:
    """Every reply to a question, in order."""
    for one in events:
        if isinstance(one.payload, said.QuestionAnswered):
            answer = one.payload
            yield rows.AnswerRow(
                session=answer.session,
                item=answer.item,
                participant=who,
                turn=answer.turn,
                by=answer.by,
                decision=answer.decision,
                gap=answer.gap,
                text=answer.text,
                own_words=answer.own_words,
                answered_at=one.at,
            )


def vote_rows(events: Sequence[Event], who: str) -> Iterator[rows.VoteRow]:
    """Every vote of the judge, in the order in which they came."""
    for one in events:
        if isinstance(one.payload, said.VoteCast):
            vote = one.payload
            yield rows.VoteRow(
                session=vote.session,
                item=vote.item,
                participant=who,
                turn=vote.turn,
                gap=vote.gap,
                sample=vote.sample,
                vote=vote.vote,
                text=vote.text,
                judge=vote.judge,
                model=vote.model,
                model_served=vote.model_served,
                prompt_sha256=vote.prompt_sha256,
                cost=vote.cost,
                total_ms=vote.total_ms,
                voted_at=one.at,
            )


def match_rows(study: Study, events: Sequence[Event], who: str) -> Iterator[rows.MatchRow]:
    """Every decision of a matcher, revisions too, in order."""
    attention, idle_ms = Attention(), study.analysis.idle_seconds * 1000
    labels: list[tuple[Event, said.QuestionLabelled, int | None, str | None]] = []
    last: dict[str, int] = {}
    for one in events:
        attention.take(one)
        if isinstance(one.payload, said.QuestionLabelled):
            label = one.payload
            active = attention.active_ms(label.step, label.revision, label.elapsed_ms, idle_ms)
            shown = attention.shown_at(label.step, label.revision)
            last[label.item] = len(labels)
            labels.append((one, label, active, shown))
    for place, (event, label, active, shown) in enumerate(labels):
        yield rows.MatchRow(
            item=label.item,
            task=label.task,
            participant=who,
            revision=label.revision,
            latest=last[label.item] == place,
            matches=label.matches,
            order=label.order,
            elapsed_ms=label.elapsed_ms,
            active_ms=active,
            shown_at=shown,
            submitted_at=event.at,
        )
