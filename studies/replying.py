"""A reply, from the call to its last word on disk; and what every call waits for: the spending limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from studies.errors import JournalError
from studies.events import Payload
from studies.live import Heard, Listener
from studies.payloads import ParticipationLimited
from studies.replies import Call, Part, ReplyEnd
from studies.reply_payloads import ReplyEnded, ReplyPart, ReplyStarted, Seen
from studies.study import text_hash

if TYPE_CHECKING:
    from studies.conversation import Conversation
    from studies.replies import ChatMessage
    from studies.runner import Visit
    from studies.setting_types import LiveSettings

PART_SECONDS = 0.25
"""Streamed parts become durable at most this often; the closing event holds the whole."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which reply it is."""

    session: str
    item: str
    turn: int
    attempt: int
    """From 1 within the turn."""
    purpose: str = ""


class Covering(Protocol):
    """What a participant may see of a reply while it streams."""

    def feed(self, text: str, *, last: bool = False) -> str:
        """What may be shown now, beyond what was shown before."""

    def cover(self, text: str) -> str:
        """A whole reply as it may be shown."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a kind notes of a whole reply."""

    names_maker: bool = False
    mentions_history: bool = False


async def reply_to(
    visit: Visit,
    live: Conversation,
    place: Place,
    call: Call,
    saw: tuple[Seen, ...],
    *,
    wait_ms: int = 0,
    hear: Listener | None = None,
    covering: Covering,
    notice: Callable[[str], Noticed] = lambda text: Noticed(),
) -> ReplyEnd:
    """Make a call, store what comes of it as it comes, and let the participant see what they may.

    Args:
        visit: what stores.
        live: where calls go; a stop closes the stream.
        place: which reply it is.
        call: everything the model will see.
        saw: the same, by reference.
        wait_ms: waiting is padded to this.
        hear: who listens; None where the participant is shown nothing of it.
        covering: what may be shown.
        notice: what is noted of the whole text.

    Raises:
        JournalError: something is not on disk yet.
    """
    started = ReplyStarted(
        place.session,
        place.item,
        place.turn,
        place.attempt,
        call.assistant,
        call.model,
        dict(call.parameters),
        messages_hash(call.messages),
        saw,
        place.purpose,
    )
    await visit.store(started)
    unsaved, saved_at = "", time.monotonic()
    async for one in live.stream(call, wait_ms):
        if isinstance(one, ReplyEnd):
            await visit.store(ended(place, one, notice(one.text)))
            _show(hear, place, covering.feed("", last=True))
            if hear is not None:
                hear(Heard(place.item, place.turn, replace(one, text=covering.cover(one.text))))
            return one
        _show(hear, place, covering.feed(one.text))
        unsaved += one.text
        if time.monotonic() - saved_at >= PART_SECONDS:
            # The visit keeps what it cannot store; a paid reply is read to its end all the same.
            with suppress(JournalError):
                await visit.store(ReplyPart(place.session, place.turn, place.attempt, unsaved))
            unsaved, saved_at = "", time.monotonic()
    raise AssertionError("a stream ends with its last word")


def _show(hear: Listener | None, place: Place, text: str) -> None:
    if text and hear is not None:
        hear(Heard(place.item, place.turn, Part(text)))


def ended(place: Place, end: ReplyEnd, noticed: Noticed = Noticed()) -> ReplyEnded:
    """The event of a reply that is over."""
    usage = end.usage
    return ReplyEnded(
        session=place.session,
        item=place.item,
        turn=place.turn,
        attempt=place.attempt,
        status=end.status,
        text=end.text,
        model_served=end.model_served,
        finish_reason=end.finish_reason,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        usage_estimated=usage.estimated,
        cost=usage.cost,
        first_token_ms=end.first_token_ms,
        total_ms=end.total_ms,
        error=end.error,
        error_kind=end.error_kind,
        detail=end.detail,
        structured=end.structured,
        client=end.client,
        names_maker=noticed.names_maker,
        mentions_history=noticed.mentions_history,
    )


def cut_off(place: Place, text: str) -> ReplyEnded:
    """The event of a reply that was on its way when the program was closed.

    Args:
        place: which it was.
        text: what is kept of it.
    """
    return ReplyEnded(
        place.session,
        place.item,
        place.turn,
        place.attempt,
        "interrupted",
        text,
        error="The program was closed while the reply was on its way.",
        error_kind="closed",
    )


async def over_budget(
    visit: Visit,
    live: Conversation,
    limits: LiveSettings,
    spent: float,
    endings: Callable[[str], Sequence[Payload]],
) -> bool:
    """Whether a spending limit is reached: then the participation ends, politely.

    Args:
        visit: what stores.
        live: knows what the study has cost.
        limits: of the study's kind.
        spent: by this participation, in US dollars.
        endings: what ends the open session, for the reason given.
    """
    whole = await live.dialogues.spent(visit.study.sha256)
    for name, cost, allowed in (
        ("participant", spent, limits.participant_budget),
        ("study", max(whole, spent), limits.study_budget),
    ):
        if allowed is not None and cost >= allowed:
            reason = f"the spending limit of the {name}"
            await visit.store(*endings(reason), ParticipationLimited(name, cost, allowed))
            return True
    return False


def messages_hash(messages: Sequence[ChatMessage]) -> str:
    """SHA-256 of messages: role, U+0001 and text of each, U+0000 between them."""
    return text_hash("\x00".join(f"{one.role}\x01{one.content}" for one in messages))
