"""What exactly an assistant was shown: a call's messages, built again from the references it left.

Nothing of it was copied, so what was erased since is blank here too, and the call's hash no longer matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from studies.clarification import payloads as said
from studies.clarification.calls import found_text, pair_text, reply_text, source_text, system_text, task_text
from studies.events import Event, Payload
from studies.replies import ChatMessage
from studies.reply_payloads import ReplyEnded, ReplyStarted, Seen
from studies.replying import messages_hash
from studies.study import Study

_WORDS = (said.QuestionAsked, said.QuestionAnswered, said.ResponseRead, ReplyEnded)


@dataclass(frozen=True, slots=True)
class Shown:
    """One call to an assistant."""

    event: Event
    """Its `reply_started`, or the `vote_cast` that it came to."""
    item: str
    turn: int
    attempt: int
    """Of a vote, its sample."""
    assistant: str
    messages: tuple[ChatMessage, ...]
    """As they were sent; what is missing is an empty text."""
    missing: int
    """Texts that were erased, withdrawn or withheld."""
    prompt_sha256: str

    @property
    def whole(self) -> bool:
        """Whether these are the very messages that were sent, by their hash."""
        return messages_hash(self.messages) == self.prompt_sha256


class Resolver:
    """Finds what references mean in a study version and the streams at hand."""

    def __init__(self, study: Study, streams: Mapping[str, Sequence[Event]]) -> None:
        """Prepare.

        Args:
            study: the version.
            streams: one unbroken side of each participation, by stream id.
        """
        self._study = study
        self._streams = streams
        self._by_seq = {
            stream: {one.seq: one.payload for one in events} for stream, events in streams.items()
        }

    def calls(self, stream: str) -> Iterator[Shown]:
        """Every call of a participation, in order; calls that were erased are passed over."""
        questions: dict[tuple[str, int], str] = {}
        for one in self._streams[stream]:
            match one.payload:
                case said.QuestionAsked(returned=False) as asked:
                    questions[asked.session, asked.turn] = asked.text
                case said.ResponseRead() as read:
                    questions[read.session, read.turn] = read.question
                case ReplyStarted() as call:
                    yield self._reply(one, call)
                case said.VoteCast() as vote:
                    yield self._vote(one, vote, questions.get((vote.session, vote.turn)))

    def _reply(self, event: Event, call: ReplyStarted) -> Shown:
        task = self._study.clarification_task(call.item)
        system = system_text(self._study, call.assistant, call.purpose, task)
        own = next((one.name for one in call.saw if one.sort == "prompt"), "")
        if own and call.purpose == "answer":
            system = f"{system}\n\n{source_text(task, self._study.settings.clarification.source)}"
        messages = [ChatMessage("system", system)]
        if call.purpose == "code":
            messages.append(ChatMessage("user", found_text(task, list(self._pairs(call.saw)))))
        else:
            messages += self._dialogue(call, task_text(task))
        missing = sum(self._is_missing(one) for one in call.saw)
        return Shown(
            event, call.item, call.turn, call.attempt, call.assistant, tuple(messages), missing,
            call.prompt_sha256,
        )  # fmt: skip

    def _dialogue(self, call: ReplyStarted, statement: str) -> Iterator[ChatMessage]:
        """The dialogue of a call; behind a reply that nobody answered stood the line that asks for more."""
        refs = [one for one in call.saw if one.sort in ("statement", "reply", "answer", "question")]
        for place, one in enumerate(refs):
            if one.sort == "statement":
                yield ChatMessage("user", statement)
            elif one.sort == "reply":
                yield ChatMessage("assistant", self._text(one))
                following = refs[place + 1].sort if place + 1 < len(refs) else "reply"
                if call.purpose == "ask" and following == "reply":
                    yield ChatMessage("user", reply_text(self._study, ""))
            elif one.sort == "answer":
                yield ChatMessage("user", reply_text(self._study, self._text(one)))
            else:
                yield ChatMessage("user", self._text(one))

    def _pairs(self, saw: Sequence[Seen]) -> Iterator[tuple[str, str]]:
        question = ""
        for one in saw:
            if one.sort == "question":
                question = self._text(one)
            elif one.sort == "answer":
                yield question, self._text(one)

    def _vote(self, event: Event, vote: said.VoteCast, question: str | None) -> Shown:
        task = self._study.clarification_task(vote.item)
        messages = (
            ChatMessage("system", system_text(self._study, vote.judge, "judge", task)),
            ChatMessage("user", pair_text(task.key_question(vote.gap), question or "")),
        )
        missing = int(question is None)
        return Shown(
            event, vote.item, vote.turn, vote.sample, vote.judge, messages, missing, vote.prompt_sha256
        )

    def _payload(self, seen: Seen) -> Payload | None:
        return self._by_seq.get(seen.stream, {}).get(seen.seq)

    def _text(self, seen: Seen) -> str:
        found = self._payload(seen)
        if isinstance(found, said.ResponseRead):
            return found.question
        return (
            found.text if isinstance(found, said.QuestionAsked | said.QuestionAnswered | ReplyEnded) else ""
        )

    def _is_missing(self, seen: Seen) -> bool:
        return bool(seen.stream) and not isinstance(self._payload(seen), _WORDS)
