"""Role-play participations in memory, from the first page to the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.events import Event
from studies.publication import Release, release
from studies.replies import ReplyEnd
from studies.roleplay.context import Dialogue, own_dialogue
from studies.roleplay.donors import eligible
from studies.roleplay.materials import Profile
from studies.roleplay.payloads import Donor
from studies.roleplay.protocol import sessions_of
from studies.steps import Done, Field, Step
from studies.study import Study
from support.chats import NoDialogues, Scripted, Talk, WordJudge, roleplay_study, task
from support.studies import settings
from support.visits import Sitting, usual, walk

CONSENTS = [
    {"id": "take-part", "text": "I take part."},
    {"id": "publish", "text": "Publish.", "required": False, "covers": "publication"},
    {"id": "donor", "text": "Show.", "required": False, "covers": "donor"},
]


def two_cells(**roleplay: Any) -> Study:
    """A study with two people to be who have nothing in common, one history and two held-out tasks each."""
    given = {"conditions": ("none", "shuffled")} | roleplay
    made = roleplay_study(**given)
    others = [
        task(n, part, "ben", ("SLM", "ICU")) for n, part in enumerate(("history", "held_out", "held_out"), 1)
    ]
    ben = {"id": "ben", "name": "Ben", "occupation": "cook", "about": "x", "manner": "y"}
    whole = {
        "tasks": (*made.tasks, *others),
        "_tasks": {one.id: one for one in (*made.tasks, *others)},
        "profiles": (*made.profiles, Profile.model_validate(ben)),
        "settings": settings(**made.settings.model_dump(exclude_unset=True) | {"consent": CONSENTS}),
    }
    for name, value in whole.items():
        object.__setattr__(made, name, value)
    return made


async def sit(
    study: Study, *replies: str | ReplyEnd, slot: int = 1, dialogues: NoDialogues | None = None
) -> Talk:
    """Somebody who sits down in a slot."""
    sitting = Sitting(study, slot)
    return await Talk(sitting, Scripted(*replies), WordJudge(), dialogues or NoDialogues()).sit()


async def play(made: Talk, answers: Mapping[str, Any] | None = None, tasks: int | None = None) -> Step | Done:
    """Play sessions, all or the first so many, with openings and short answers."""

    def answer(step: Step, field: Field) -> Any:
        return (answers or {}).get(field.name, usual(step, field))

    def chat(step: Step) -> bool:
        return step.kind == "chat"

    while True:
        step = await walk(made.visit, chat, answer)
        ended = sum(1 for one in sessions_of(made.visit.state).all if one.disposition is not None)
        if isinstance(step, Done) or ended == tasks:
            return step
        assert step.chat is not None
        text = step.chat.opening if step.chat.turn == 1 else "the second"
        await made.visit.answer(step.ask_id("message"), text)
        await made.live.advance()


def dialogues_of(study: Study, *talks: Talk) -> NoDialogues:
    """The sessions of people who agreed to be donors."""
    found: list[tuple[Donor, Dialogue | None]] = []
    states = {one.sitting.stream: sessions_of(one.visit.state) for one in talks}
    for donor in eligible(study, {one.sitting.stream: one.sitting.events for one in talks}):
        session = states[donor.stream].of(donor.item)
        assert session is not None
        found.append((donor, own_dialogue(session, donor.stream)))
    return NoDialogues(found)


def streams_of(*talks: Talk) -> dict[str, list[Event]]:
    """Their events, by stream."""
    return {one.sitting.stream: one.sitting.events for one in talks}


def releases(study: Study, *talks: Talk) -> dict[str, Release]:
    """Their events as consent lets them out, by stream."""
    return {stream: release(study.settings, events) for stream, events in streams_of(*talks).items()}
