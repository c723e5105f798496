"""What an assistant sees at a turn: the prompt, the interface, a history by condition, the dialogue so far.

The messages are built anew for each call; what is kept is a list of references (`Seen`), so that erasing a
person blanks their words everywhere and any call can be shown exactly as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from studies.chance import Chance
from studies.replies import Call, ChatMessage
from studies.roleplay.payloads import Donor, GateDecided, Seen
from studies.roleplay.sessions import Session, Sessions
from studies.study import Study

if TYPE_CHECKING:
    from studies.roleplay.materials import ShippedSession, Task

PROMPT = """You are a coding assistant in a chat. The user asks for one Python function.

When you know what is wanted, reply with the whole function in a single Python code block. When something
that you need is unclear, ask about it instead. Do one of the two in each reply, in few words."""
HISTORY = "Earlier sessions with this user, each from its first request to accepted code:"
EVIDENCE = "What those sessions show about this request:"
GUIDANCE = "Those sessions leave this open about the request:"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One resolved session's public dialogue, with where each message is kept."""

    name: str
    messages: tuple[ChatMessage, ...]
    seen: tuple[Seen, ...]


class Dialogues(Protocol):
    """Reads other people's sessions."""

    async def donors(self, study: str) -> Sequence[Donor]:
        """The sessions that a desk event fixed as shuffled histories; none where it has not."""

    async def spent(self, study: str) -> float:
        """US dollars that the study has cost in this database, as far as known."""

    async def usual_ms(self, study: str) -> Mapping[str, float]:
        """Median time of each stage of the study's agents in this database; empty where none was called."""

    async def dialogue(self, donor: Donor) -> Dialogue | None:
        """A donor's public dialogue; None once it was erased or withdrawn."""


def own_dialogue(session: Session, stream: str) -> Dialogue:
    """A session of this very participation as a dialogue."""
    messages: list[ChatMessage] = []
    seen: list[Seen] = []
    for turn in session.turns:
        if not turn.used or turn.last is None:
            continue
        messages += [ChatMessage("user", turn.request), ChatMessage("assistant", turn.last.text)]
        seen += [Seen("request", stream, turn.seq), Seen("reply", stream, turn.last.seq)]
    return Dialogue(session.id, tuple(messages), tuple(seen))


def history_of(study: Study, session: Session, sessions: Sessions, stream: str) -> tuple[Dialogue, ...]:
    """The person's frozen history in the session's cell, in the order it was played."""
    cell, frozen = study.task(session.item).cell, sessions.frozen or ()
    return tuple(
        own_dialogue(one, stream)
        for one in sessions.all
        if one.id in frozen and study.task(one.item).cell == cell
    )


def may_serve(other: Task | ShippedSession, task: Task) -> bool:
    """Whether a session of another task may be shown as a shuffled history: nothing of what an assistant
    could transfer is shared, neither profile, mechanism, resolution pattern nor source task."""
    return not (
        other.profile == task.profile
        or set(other.mechanisms) & set(task.mechanisms)
        or (other.resolution and other.resolution == task.resolution)
        or other.source_task == task.source_task
    )


async def shuffled_history(
    study: Study, session: Session, slot: int, stream: str, dialogues: Dialogues
) -> tuple[Dialogue, ...]:
    """As many resolved sessions of others as a history has: no shared profile, mechanism, pattern or task.

    Seeded by slot and task. Shorter than a history where too few qualify.
    """
    task = study.task(session.item)
    found: list[Dialogue] = []
    for donor in await dialogues.donors(study.sha256):
        other = study.task(donor.item)
        if donor.stream == stream or not may_serve(other, task):
            continue
        dialogue = await dialogues.dialogue(donor)
        if dialogue is not None:
            found.append(dialogue)
    for shipped in study.shipped:
        if not may_serve(shipped, task):
            continue
        messages = tuple(ChatMessage(one.role, one.text) for one in shipped.dialogue)
        found.append(Dialogue(shipped.id, messages, (Seen("shipped", name=shipped.id),)))
    drawn = Chance(study.settings.seed, slot, f"shuffled {task.id}").shuffled(found)
    return tuple(drawn[: study.settings.roleplay.history])


def system_prompt(study: Study, assistant: str) -> tuple[str, Seen]:
    """The assistant's prompt: its file of the study version, or the product's own.

    Raises:
        KeyError: the study has no such assistant or file.
    """
    settings = next(one for one in study.settings.assistants if one.name == assistant)
    if not settings.prompt:
        return PROMPT, Seen("prompt")
    path = f"prompts/{settings.prompt}"
    return study.files[path].decode("utf-8-sig"), Seen("prompt", name=path)


def transcript(dialogues: Sequence[Dialogue]) -> str:
    """Sessions as text, one after the other."""
    parts = [HISTORY]
    for number, one in enumerate(dialogues, start=1):
        lines = [f"Session {number}"]
        lines += [
            f"{'User' if each.role == 'user' else 'Assistant'}: {each.content}" for each in one.messages
        ]
        parts.append("\n\n".join(lines))
    return "\n\n".join(parts)


def call_for(
    study: Study, session: Session, history: Sequence[Dialogue], stream: str
) -> tuple[Call, tuple[Seen, ...]]:
    """The call of the session's open turn, and what it shows by reference.

    Args:
        study: the version.
        session: with the request of the open turn as its last.
        history: what the condition gives; empty for `none`.
        stream: the participation's.
    """
    settings = next(one for one in study.settings.assistants if one.name == session.assistant)
    prompt, from_prompt = system_prompt(study, session.assistant)
    task = study.task(session.item)
    seen = [from_prompt, Seen("interface", name=task.id)]
    if session.condition == "gated" and not study.settings.roleplay.gated_keeps_history:
        history = ()
    seen += [one for dialogue in history for one in dialogue.seen]
    gate = session.gate if session.gate is not None and session.gate.text else None
    if gate is not None:
        seen.append(Seen("gate", stream, session.gate_seq))
    own = own_dialogue(session, stream)
    turn = session.turns[-1]
    messages = lay_out_messages(prompt, task.interface, history, gate, own.messages, turn.request)
    seen += [*own.seen, Seen("request", stream, turn.seq)]
    call = Call(
        assistant=session.assistant,
        model=settings.model,
        messages=messages,
        parameters=settings.parameters,
        read_timeout=study.settings.roleplay.read_timeout,
        total_timeout=study.settings.roleplay.reply_timeout,
        script=task.script,
        turn=turn.number,
    )
    return call, tuple(seen)


def lay_out_messages(
    prompt: str,
    interface: str,
    history: Sequence[Dialogue],
    gate: GateDecided | None,
    own: Sequence[ChatMessage],
    request: str,
) -> tuple[ChatMessage, ...]:
    """The messages of a call.

    Args:
        prompt: the assistant's.
        interface: of the task.
        history: what is shown of earlier sessions; empty for nothing.
        gate: a decision with a text, or None.
        own: the dialogue of this session so far.
        request: of the open turn.
    """
    parts = [prompt.strip(), f"The function: {interface}"]
    if history:
        parts.append(transcript(history))
    if gate is not None:
        parts.append(f"{EVIDENCE if gate.sufficient else GUIDANCE} {gate.text}")
    return (ChatMessage("system", "\n\n".join(parts)), *own, ChatMessage("user", request))
