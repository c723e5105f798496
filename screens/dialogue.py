"""A dialogue as the participant sees it: what they may do now, what stands where, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from screens.widgets.transcript import Shown
from studies.chat import Chat, Part

Mode = Literal["opening", "choosing", "marking", "writing", "waiting", "broken", "over"]
"""What the participant may do now: send the opening request, say what a question asks about, send a mark as
it is, write, wait, retry, or read to the end."""

GUIDES: dict[Mode, str] = {
    "opening": "Your turn. The first request is written already; it is sent as it is.",
    "choosing": "What does the question ask about? A number chooses.",
    "marking": "Enter sends it; escape chooses again.",
    "writing": "Your turn.",
    "waiting": "",
    "broken": "Try again, or end this task.",
    "over": "Read on as long as you like.",
}
"""Said in each mode while there is nothing else to say."""
TITLES: dict[Mode, str] = {
    "opening": "The request that opens this task",
    "marking": "The assistant is told",
    "broken": "The reply broke off",
    "over": "This task has ended",
}
"""Titles of what stands in the place of the composer."""
BUTTONS: dict[str, Mode] = {
    "send-opening": "opening",
    "send": "writing",
    "stop": "waiting",
    "retry": "broken",
    "go-on": "over",
}
"""The button of each mode."""
NOTES = {
    "stopped": "You stopped this reply. It counts as turn {turn}.",
    "interrupted": "This reply broke off.",
    "failed": "This reply did not come through.",
}
"""What is said below a reply that is not whole."""
NOTHING_YET = "Nothing has been said yet."
NOT_YET = "Not sent yet: a reply is on its way. What you have written stays here."
STOPPING = "Stopping. What has come stays; the reply counts as this turn."
LEAVING = "The reply that is on its way breaks off here. It costs no turn: you can ask for it again."
ENDING = "The reply that is on its way is stopped."
UNSENT = "What you have written is not sent."
GO_ON = "Enter goes on to what comes next."
LONG = (
    "You have been at this task for a while. {some}You can go on as long as you like, take a break, or end "
    "the task."
)
PASTED = "The message holds {characters:,} characters, much of them pasted. {rule}"
CUT = "A message holds 20,000 characters; the end of what you pasted was left out."


@dataclass(frozen=True, slots=True)
class Words:
    """What is said to a participant in one part of a dialogue."""

    help: str
    message: str
    """Title of what they write."""
    brief: str
    """The button for what stands beside the dialogue."""
    panels: str
    """Title of that."""
    done: str
    """The button that declares the task done."""
    ask: str
    """What is asked before that."""
    sure: str
    """What it means; empty to ask nothing."""
    early: str
    """What is said before a task is ended early."""
    some: str
    """Said after a long time; empty for nothing."""
    rule: str
    """Of what may be written, where much of it was pasted."""


WORDS: Mapping[Part, Words] = {
    "user": Words(
        help="A conversation with an assistant, in the place of the person you play. Answer what it asks, in "
        "this person's way. Every message is saved when you send it. This tests the assistant, not you: you "
        "can end the task, pause, or withdraw at any time.",
        message="Your message",
        brief="Your part",
        panels="Only you see this",
        done="It is done",
        ask="Is it done?",
        sure="",
        early="A few more answers may help, but some tasks cannot be solved. Ending counts neither for nor "
        "against you.",
        some="Some tasks cannot be solved, whatever one says. ",
        rule="Answer in this person's way, and only what was asked.",
    ),
    "answerer": Words(
        help="An assistant asks you about a task before it writes the program. Say what each question asks "
        "about, then answer it in your own words, from what you were given. Every answer is saved when you "
        "send it. This tests the assistant, not you: you can end the task, pause, or withdraw at any time.",
        message="Your answer",
        brief="What you know",
        panels="What you know",
        done="It is done",
        ask="Is it done?",
        sure="",
        early="The assistant has not written its program yet. Ending counts neither for nor against you.",
        some="",
        rule="Answer in your own words, and only what was asked.",
    ),
    "asker": Words(
        help="You ask what you would need to know to write the program: one question at a time. When you "
        "have enough, say so; no code is wanted. Every question is saved when you send it. You can pause, or "
        "withdraw, at any time.",
        message="Your question",
        brief="The task",
        panels="The task",
        done="I have enough",
        ask="Do you have enough?",
        sure="Nothing more can be asked in this task then.",
        early="If you have enough, say that instead. Ending counts neither for nor against you.",
        some="",
        rule="Ask one question at a time.",
    ),
}
"""By what the participant does in the dialogue."""


def mode_of(chat: Chat) -> Mode:
    """What the participant may do where the dialogue stands like this."""
    match chat.phase:
        case "replying" | "judging":
            return "waiting"
        case "broken":
            return "broken"
        case "over":
            return "over"
    return "opening" if chat.opening and not chat.lines else "writing"


def letter_of(chat: Chat) -> str:
    """What the assistant is called before its messages: the `A` of `Assistant A`."""
    return chat.assistant.rsplit(" ", 1)[-1]


def messages_of(chat: Chat) -> list[Shown]:
    """The messages, and below them the reply that is due, or what was learned of a verdict.

    Above those of an asker stands the task.
    """
    shown = []
    if chat.part == "asker":
        shown.append(Shown((0, "task"), "task", chat.panels[0].text))
    for line in chat.lines:
        if line.role == "user":
            shown.append(Shown((line.turn, "user"), "you", line.text))
        elif not (chat.phase == "replying" and line.turn == chat.turn):
            note = NOTES.get(line.status or "", "").format(turn=line.turn)
            shown.append(Shown((line.turn, "assistant"), letter_of(chat), line.text, True, note))
    if chat.phase == "replying":
        shown.append(_expected(chat, chat.turn))
    elif chat.notice and chat.phase != "broken":
        shown.append(Shown((chat.turn, "notice"), "", "", note=chat.notice))
    return shown or [Shown((0, "notice"), "", "", note=NOTHING_YET)]


def messages_with(chat: Chat, text: str) -> list[Shown]:
    """The messages with one more of the participant's, and the reply to it."""
    said = [one for one in messages_of(chat) if one.key[1] != "notice"]
    # Who answers is replied to in the next turn.
    turn = chat.turn + 1 if chat.part == "answerer" else chat.turn
    return [*said, Shown((chat.turn, "user"), "you", text), _expected(chat, turn)]


def _expected(chat: Chat, turn: int) -> Shown:
    return Shown((turn, "assistant"), letter_of(chat), "", True, "...", expected=True)
