"""What an assistant is shown: the messages of a call, and the same by reference.

Nothing of what a person wrote is copied into an event; a call can be laid out again from its references.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studies.clarification import prompts
from studies.clarification.settings import PERSON
from studies.replies import Call, ChatMessage
from studies.reply_payloads import Seen
from studies.wording import holds

if TYPE_CHECKING:
    from studies.clarification.materials import ClarificationTask, KeyQuestion
    from studies.clarification.sessions import Round, Session
    from studies.settings import AssistantSettings
    from studies.study import Study

Made = tuple[Call, tuple[Seen, ...]]


def assistant_of(study: Study, name: str) -> AssistantSettings:
    """The settings of an assistant.

    Raises:
        StopIteration: the study has none of that name.
    """
    return next(one for one in study.settings.assistants if one.name == name)


def judged_by_model(study: Study) -> bool:
    """Whether an assistant matches asked questions with key questions."""
    return study.settings.clarification.judge.by != PERSON


# -- texts -------------------------------------------------------------------------------------


def task_text(task: ClarificationTask) -> str:
    """The task as whoever asks is given it."""
    return f"{task.statement}\n\nInterface: {task.interface}" if task.interface else task.statement


def source_text(task: ClarificationTask, source: str) -> str:
    """What answers come from: the complete statement, or the annotated answers."""
    if source == "full_statement":
        return task.full_statement
    return "\n".join(f"- {one.question}\n  {one.answer}" for one in task.key_questions)


def reply_text(study: Study, text: str) -> str:
    """A reply as the model that asks gets it: with the line that asks for a question or the code."""
    then = study.settings.clarification.replies.then
    return f"{text}\n{then}" if text else then


def pair_text(gap: KeyQuestion, question: str) -> str:
    """A pair as the judge gets it."""
    return f"First question: {gap.question}\n\nSecond question: {question}"


def found_text(task: ClarificationTask, found: Sequence[tuple[str, str]]) -> str:
    """A task with what was found out, as the writer of the code gets it."""
    told = "\n".join(f"- {question}\n  {answer}" for question, answer in found) or "Nothing was asked."
    return f"{task_text(task)}\n\nWhat was found out:\n{told}"


def system_text(study: Study, name: str, purpose: str, task: ClarificationTask) -> str:
    """The system prompt of a call: the assistant's own file where it has one, else the product's."""
    own = assistant_of(study, name).prompt
    if own:
        return study.files[f"prompts/{own}"].decode("utf-8-sig").strip()
    how = study.settings.clarification
    if purpose == "ask":
        return prompts.ASK.format(responses=how.responses)
    if purpose == "answer":
        source = source_text(task, how.source)
        return prompts.ANSWER.format(source=source, not_relevant=how.replies.not_relevant)
    return prompts.CODE if purpose == "code" else prompts.JUDGE


def _system(study: Study, name: str, purpose: str, task: ClarificationTask) -> tuple[ChatMessage, Seen]:
    own = assistant_of(study, name).prompt
    seen = Seen("prompt", name=f"prompts/{own}" if own else "")
    text = system_text(study, name, purpose, task)
    if own and purpose == "answer":
        # A prompt of the study's own says how to answer; what there is to know comes behind it.
        text = f"{text}\n\n{source_text(task, study.settings.clarification.source)}"
    return ChatMessage("system", text), seen


# -- calls -------------------------------------------------------------------------------------


def ask_call(study: Study, session: Session, stream: str) -> Made:
    """The next response of the model that asks (seat `answerer`)."""
    task = study.clarification_task(session.item)
    system, from_prompt = _system(study, session.assistant, "ask", task)
    messages = [system, ChatMessage("user", task_text(task))]
    saw = [from_prompt, Seen("statement", name=task.id)]
    for one in session.rounds:
        if one.last is None or one.read is None:
            continue
        messages.append(ChatMessage("assistant", one.last.text))
        saw.append(Seen("reply", stream, one.last.seq))
        messages.append(ChatMessage("user", reply_text(study, one.answer.text if one.answer else "")))
        if one.answer is not None:
            saw.append(Seen("answer", stream, one.answer_seq))
    turn = sum(one.read is not None for one in session.rounds) + 1
    return _call(study, session.assistant, messages, script=task.script, turn=turn), tuple(saw)


def answer_call(study: Study, session: Session, stream: str) -> Made:
    """A model's answer to the newest question (seat `asker`)."""
    task, name = study.clarification_task(session.item), study.settings.clarification.answerer
    system, from_prompt = _system(study, name, "answer", task)
    messages, saw = [system], [from_prompt, Seen("source", name=task.id)]
    newest = session.questions[-1]
    for one in session.questions:
        messages.append(ChatMessage("user", one.question or ""))
        saw.append(Seen("question", stream, one.seq))
        if one is not newest and one.last is not None:
            messages.append(ChatMessage("assistant", one.last.text))
            saw.append(Seen("reply", stream, one.last.seq))
    told = [one.answer for one in task.key_questions if cued(one, newest.question or "")]
    script = " ".join(told) or study.settings.clarification.replies.not_relevant
    return _call(study, name, messages, script=(script,)), tuple(saw)


def code_call(study: Study, session: Session, stream: str) -> Made:
    """The program from what a person found out (seat `asker`)."""
    task, name = study.clarification_task(session.item), study.settings.clarification.coder
    system, from_prompt = _system(study, name, "code", task)
    saw = [from_prompt, Seen("statement", name=task.id)]
    found: list[tuple[str, str]] = []
    for one in session.questions:
        if one.answer is not None:
            found.append((one.question or "", one.answer.text))
            saw += [Seen("question", stream, one.seq), Seen("answer", stream, one.answer_seq)]
    messages = [system, ChatMessage("user", found_text(task, found))]
    return _call(study, name, messages, script=task.script[-1:]), tuple(saw)


def vote_call(study: Study, task: ClarificationTask, gap: KeyQuestion, question: str) -> Call:
    """One yes-or-no question to the judge about one pair."""
    judge = study.settings.clarification.judge
    system, _ = _system(study, judge.by, "judge", task)
    messages = [system, ChatMessage("user", pair_text(gap, question))]
    sampled = {"temperature": judge.temperature, "top_p": judge.top_p}
    script = ("yes" if cued(gap, question) else "no",)
    return _call(study, judge.by, messages, script=script, parameters=sampled)


def missing_votes(study: Study, one: Round, task: ClarificationTask) -> Iterator[tuple[KeyQuestion, int]]:
    """The pairs and samples that the judge has not voted on yet."""
    for gap in task.key_questions:
        cast = one.votes.get(gap.id, {})
        for sample in range(1, study.settings.clarification.judge.samples + 1):
            if sample not in cast:
                yield gap, sample


def cued(gap: KeyQuestion, question: str) -> bool:
    """Whether the rehearsal takes a question to be about this gap: one of its cues stands in it."""
    return any(holds(question, cue) for cue in gap.cues)


def _call(
    study: Study,
    name: str,
    messages: Sequence[ChatMessage],
    *,
    script: Sequence[str],
    turn: int = 1,
    parameters: dict[str, float] | None = None,
) -> Call:
    settings, how = assistant_of(study, name), study.settings.clarification
    return Call(
        assistant=name,
        model=settings.model,
        messages=tuple(messages),
        parameters={**settings.parameters, **(parameters or {})},
        read_timeout=how.read_timeout,
        total_timeout=how.reply_timeout,
        script=tuple(script),
        turn=turn,
    )
