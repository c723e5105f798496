"""Other people's sessions, as a conversation needs them: the port `Dialogues`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from storage.archive import read_streams
from storage.desk_stream import DeskStream
from storage.journal import read_stream
from storage.readers import Readers
from storage.rows import fetch
from storage.writer import Writer
from studies.protocol import Protocol
from studies.replies import ChatMessage
from studies.roleplay.context import Dialogue, own_dialogue
from studies.roleplay.donors import eligible
from studies.roleplay.payloads import Donor, DonorsFixed
from studies.roleplay.protocol import sessions_of
from studies.specification.projects import stage_of

if TYPE_CHECKING:
    from sqlite3 import Connection

    from studies.study import Study


_COSTLY = (
    "reply_ended",
    "gate_decided",
    "opinion_given",
    "vote_cast",
    "agent_answered",
    "sheet_judged",
    "pair_judged",
)
"""Kinds of events that say what something cost."""


class SqliteDialogues:
    """Reads donors' sessions; the list of donors is fixed by a desk event on first need."""

    def __init__(self, writer: Writer, readers: Readers, desk: DeskStream, study: Study) -> None:
        self._writer = writer
        self._readers = readers
        self._desk = desk
        self._study = study

    async def donors(self, study: str) -> Sequence[Donor]:
        """The sessions that serve as shuffled histories, fixed before the first held-out session.

        Where no desk event has fixed them yet, this does, with whoever agreed to be a donor by now.
        """
        fixed = await self._readers.run(lambda conn: _fixed(conn, study))
        if fixed is None:
            fixed = await self._writer.run(self._fix)
        return fixed

    def _fix(self, conn: Connection) -> tuple[Donor, ...]:
        # Another station process may have been faster.
        fixed = _fixed(conn, self._study.sha256)
        if fixed is None:
            fixed = eligible(self._study, read_streams(conn, self._study.sha256))
            self._desk.record(conn, DonorsFixed(self._study.sha256, fixed))
        return fixed

    async def dialogue(self, donor: Donor) -> Dialogue | None:
        """A donor's public dialogue; None once it was erased or withdrawn."""
        events = await self._readers.run(lambda conn: read_stream(conn, donor.stream))
        if not events:
            return None
        state = Protocol(self._study).replay(events)
        session = sessions_of(state).of(donor.item)
        if state.end == "withdrawn" or session is None or session.id != donor.session:
            return None
        dialogue = own_dialogue(session, donor.stream)
        return dialogue if dialogue.messages and all(map(_said, dialogue.messages)) else None

    async def usual_ms(self, study: str) -> Mapping[str, float]:
        """Median time of each stage of the study's agents in this database; empty where none was called."""

        def read(conn: Connection) -> Mapping[str, float]:
            took: dict[str, list[int]] = {}
            for call, ms in conn.execute(
                "SELECT json_extract(said.body, '$.call'), json_extract(said.body, '$.total_ms') "
                "FROM events AS said JOIN events AS opened "
                "ON opened.stream = said.stream AND opened.seq = 1 AND opened.study = ? "
                "WHERE said.kind = 'agent_answered' AND json_extract(said.body, '$.standing') = 'valid'",
                (study,),
            ):
                took.setdefault(stage_of(call), []).append(ms)
            return {stage: median(every) for stage, every in took.items()}

        return await self._readers.run(read)

    async def spent(self, study: str) -> float:
        """US dollars that the study has cost in this database, as far as known."""

        def read(conn: Connection) -> float:
            (total,) = conn.execute(
                "SELECT total(json_extract(said.body, '$.cost')) FROM events AS said JOIN events AS opened "
                "ON opened.stream = said.stream AND opened.seq = 1 AND opened.study = ? "
                f"WHERE said.kind IN ({', '.join('?' * len(_COSTLY))})",
                (study, *_COSTLY),
            ).fetchone()
            return float(total)

        return await self._readers.run(read)


def _said(message: ChatMessage) -> bool:
    return bool(message.content)


def _fixed(conn: Connection, study: str) -> tuple[Donor, ...] | None:
    """The donors of the earliest event that fixed them; None where none has."""
    events = sorted(fetch(conn, "kind = 'donors_fixed' AND study = ?", (study,)), key=lambda one: one.at)
    found = [one.payload for one in events if isinstance(one.payload, DonorsFixed)]
    return found[0].donors if found else None
