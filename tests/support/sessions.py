"""Role-play participations written down event by event, so that a test says how sessions went and no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from studies import payloads as said
from studies.assignment import lay_out
from studies.events import Chain, Event, Payload, new_id
from studies.payloads import Planned
from studies.roleplay import payloads as rp
from studies.study import Study

START = datetime.fromisoformat("2026-03-02T09:00:00.000+00:00")
WORDS = {"q": "no_code", "f": "failed_assertion", "p": "passed", "n": "not_run"}
"""What a reply was: a question, a failing submission, an accepted one, one that could not be run. Beside them
`s`, a stopped reply, and `b`, one that broke off and is retried in the same turn."""


class Played:
    """One participation's stream."""

    def __init__(self, study: Study, slot: int = 1, *, pilot: bool = False, participant: str = "") -> None:
        self.study = study
        self.chain = Chain(new_id())
        self.stream = self.chain.stream
        self.events: list[Event] = []
        self.now = START
        self.order = lay_out(study, slot).order
        opened = said.ParticipationOpened(
            study.sha256, participant or new_id(), slot, pilot, order=self.order, program="test"
        )
        consents = {one.id: True for one in study.settings.consent}
        self.add(opened, said.VisitStarted("test"), said.ConsentGiven(consents, "0"))

    def add(self, *payloads: Payload) -> None:
        """Events of this very moment."""
        at = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.events += [self.chain.make(one, at) for one in payloads]

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def planned(self, role: str) -> list[Planned]:
        """The planned sessions of a role."""
        return [one for one in self.order if one.role == role]

    def session(
        self,
        planned: Planned,
        turns: str,
        disposition: str = "",
        *,
        declared: bool = False,
        thinks: float = 10.0,
        active: Sequence[float] = (),
        model: str = "served-1",
        isolation: str = "bubblewrap",
        cost: float | None = 0.5,
        names_maker: bool = False,
    ) -> str:
        """A session whose replies were `turns` (see `WORDS`); its id.

        The participant thinks `thinks` seconds a turn, with signs of life after `active` of them; a reply
        takes 2 seconds and a verdict 0.1.
        """
        session, step = new_id(), f"session:1:{planned.item}"
        self.add(
            rp.SessionStarted(
                session,
                planned.item,
                planned.role,  # type: ignore[arg-type]
                planned.condition or "none",  # type: ignore[arg-type]
                planned.assistant,
                "test",
                step,
            )
        )
        number, attempt = 1, 0
        for letter in turns:
            if not attempt:
                self.add(said.StepShown(step, number, planned.item))
                self.move(thinks)
                if active:
                    samples = tuple((round(one * 1000), "key") for one in active)
                    self.add(said.Activity(step, number, samples, planned.item))
                text = f"words of turn {number}"
                opening = self.study.settings.roleplay.opening if number == 1 else ""
                self.add(rp.TurnSubmitted(step, session, planned.item, number, text, opening, typing_ms=1000))
            attempt += 1
            self.add(
                rp.ReplyStarted(
                    session, planned.item, number, attempt, planned.assistant, "test", {}, "0", ()
                )
            )
            self.move(2)
            status: Any = {"s": "stopped", "b": "interrupted"}.get(letter, "complete")
            self.add(
                rp.ReplyEnded(
                    session,
                    planned.item,
                    number,
                    attempt,
                    status,
                    "reply",
                    model,
                    cost=cost,
                    total_ms=2000,
                    names_maker=names_maker,
                )
            )
            if letter == "b":
                self.add(rp.ReplyRetried(session, planned.item, number))
                continue
            if letter != "s":
                self.move(0.1)
                how = isolation if letter in "fp" else ""
                word = WORDS[letter]
                self.add(
                    rp.VerdictGiven(session, planned.item, number, word, "", 100, "code", how, letter != "q")
                )
            number, attempt = number + 1, 0
        ending: Any = disposition or ("solved" if "p" in turns else "limit")
        if ending != "open":
            self.add(rp.SessionEnded(step, session, planned.item, ending, number - 1, declared))
        return session

    def history(self, turns: str = "p", **more: Any) -> list[str]:
        """Every history task resolved, and the history frozen; the ids."""
        made = [self.session(one, turns, **more) for one in self.planned("history")]
        self.add(rp.HistoryFrozen(tuple(made)))
        return made

    def end(self, how: str = "completed") -> Played:
        """The end of the participation."""
        ends: Mapping[str, Payload] = {
            "completed": said.ParticipationCompleted("0000"),
            "withdrawn": said.ParticipationWithdrawn(),
            "limit": said.ParticipationLimited("participant", 1.0, 1.0),
            "blocked": said.ParticipationBlocked(9.0, 7.0),
            "paused": said.VisitEnded("paused"),
        }
        self.add(ends[how])
        return self


Went = str | tuple[str, str]
"""How a held-out session went: its replies, or its replies and how it ended."""


def played(
    study: Study,
    slot: int,
    went: Callable[[Planned], Went] | Sequence[Went],
    end: str = "completed",
    **more: Any,
) -> Played:
    """A participation whose held-out sessions went as said, by planned session or in the order of the tasks;
    `more` is how all its sessions were (see `Played.session`)."""
    one = Played(study, slot)
    one.history(**more)
    held = one.planned("held_out")
    by_item: dict[str, Went] = {}
    if not callable(went):
        by_item = dict(zip(sorted(planned.item for planned in held), went, strict=True))
    for planned in held:
        how = went(planned) if callable(went) else by_item[planned.item]
        turns, disposition = (how, "") if isinstance(how, str) else how
        one.session(planned, turns, disposition, **more)
    return one.end(end)


def streams(*people: Played) -> dict[str, list[Event]]:
    """The streams of a study."""
    return {one.stream: one.events for one in people}
