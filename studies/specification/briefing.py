"""What an agent may know, gathered from the study and the events: never the ground truth, never a rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from studies.replies import ChatMessage
from studies.specification.agents.agent import Brief, Conversation
from studies.specification.projects import Projects, ProjectState, Round, Session
from studies.specification.sections import LETTERS

if TYPE_CHECKING:
    from studies.study import Study


def brief_for(study: Study, session: Session, projects: Projects, slot: int) -> Brief:
    """Everything the session's agent may know."""
    settings, material = study.settings.specification, study.project(session.item)
    state = projects.of(session.item)
    prefix = f"prompts/{session.opened.design}-"
    return Brief(
        seed=study.settings.seed,
        slot=slot,
        title=material.title,
        base_proposal=_sendable(material.proposal),
        proposal=None if state.proposal is None else _sendable(state.proposal),
        proposal_seq=state.proposal_seq,
        task=session.opened.task,
        checklist=material.checklist if session.opened.task == "checklist" else (),
        conversations=tuple(_conversations(study, session, projects)),
        budget=session.opened.budget,
        checkpoints=settings.checkpoints if session.opened.task == "checklist" else (),
        dropout=settings.dropout,
        session=replace(_sent(session), rated={}, requirements={}, edited=None),
        prompts={
            name.removeprefix(prefix).removesuffix(".md"): body.decode("utf-8-sig")
            for name, body in study.files.items()
            if name.startswith(prefix) and name.endswith(".md")
        },
        script=material.script,
        votes_told=settings.show_chart,
    )


def _conversations(study: Study, session: Session, projects: Projects) -> Iterator[Conversation]:
    if study.settings.specification.identity == "persona":
        for one in study.project(session.item).conversations:
            yield Conversation(
                one.id, tuple(ChatMessage(each.role, _sendable(each.text)) for each in one.dialogue)
            )
        return
    # Whose preferences are the participant's own: what they said about the projects before this one.
    for project in projects.all:
        if project.item == session.item:
            return
        yield from (_own(project, _sent(one)) for one in project.sessions if one.answered)


def _own(project: ProjectState, session: Session) -> Conversation:
    """An earlier interview of this participant as a conversation."""
    messages = [ChatMessage("user", _sendable(project.proposal or ""))]
    saw = [project.proposal_seq]
    for one in session.rounds:
        if one.answer is None:
            continue
        options = "\n".join(f"{letter}. {text}" for letter, text in lettered(one.put.options).items())
        messages.append(ChatMessage("assistant", f"{one.put.question}\n{options}"))
        messages.append(ChatMessage("user", said_in(one)))
        saw += [one.put_seq, one.answer_seq]
    return Conversation(f"{project.item}, interview {session.opened.number}", tuple(messages), tuple(saw))


def _sent(session: Session) -> Session:
    """A session with the person's own words as a request can carry them."""
    return replace(
        session,
        rounds=tuple(
            replace(one, answer=replace(one.answer, own_words=_sendable(one.answer.own_words)))
            if one.answer
            else one
            for one in session.rounds
        ),
    )


def _sendable(text: str) -> str:
    """With lone surrogates, which no request can carry, replaced: what is quoted is then what was shown."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def said_in(one: Round) -> str:
    """What the person answered in a round, as a sentence: the picked options in full, or their own words."""
    answer = one.answer
    if answer is None:
        return ""
    if answer.unknown:
        return "I don't know."
    if answer.picked:
        texts = lettered(one.put.options)
        return "; ".join(f"{letter}. {texts.get(letter, '')}" for letter in answer.picked)
    return f"None of these: {answer.own_words}"


def lettered(options: Sequence[str]) -> Mapping[str, str]:
    """Options by their letters."""
    return dict(zip(LETTERS, options, strict=False))
