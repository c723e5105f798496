"""A dialogue as the participant sees it: what they may do now, what stands where, and in which words."""

from __future__ import annotations

from typing import Literal

from screens.widgets.transcript import Shown
from studies.chat import Chat

Mode = Literal["opening", "writing", "waiting", "broken", "over"]
"""What the participant may do now: send the opening request, write, wait, retry, or read to the end."""

GUIDES: dict[Mode, str] = {
    "opening": "Your turn. The first request is written already; it is sent as it is.",
    "writing": "Your turn.",
    "waiting": "",
    "broken": "Try again, or end this task.",
    "over": "Read on as long as you like.",
}
"""Said in each mode while there is nothing else to say."""
TITLES: dict[Mode, str] = {
    "opening": "The request that opens this task",
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
EARLY = (
    "A few more answers may help, but some tasks cannot be solved. Ending counts neither for nor against you."
)
LONG = (
    "You have been at this task for a while. Some tasks cannot be solved, whatever one says. You can go on "
    "as long as you like, take a break, or end the task."
)
PASTED = (
    "The message holds {characters:,} characters, much of them pasted. Answer in this person's way, and only "
    "what was asked."
)
CUT = "A message holds 20,000 characters; the end of what you pasted was left out."


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
    """The messages, and below them the reply that is due, or what was learned of a verdict."""
    shown = []
    for line in chat.lines:
        if line.role == "user":
            shown.append(Shown((line.turn, "user"), "you", line.text))
        elif not (chat.phase == "replying" and line.turn == chat.turn):
            note = NOTES.get(line.status or "", "").format(turn=line.turn)
            shown.append(Shown((line.turn, "assistant"), letter_of(chat), line.text, True, note))
    if chat.phase == "replying":
        shown.append(_expected(chat))
    elif chat.notice and chat.phase != "broken":
        shown.append(Shown((chat.turn, "notice"), "", "", note=chat.notice))
    return shown or [Shown((0, "notice"), "", "", note=NOTHING_YET)]


def messages_with(chat: Chat, text: str) -> list[Shown]:
    """The messages with one more of the participant's, and the reply to it."""
    said = [one for one in messages_of(chat) if one.key[1] != "notice"]
    return [*said, Shown((chat.turn, "user"), "you", text), _expected(chat)]


def _expected(chat: Chat) -> Shown:
    return Shown((chat.turn, "assistant"), letter_of(chat), "", True, "...", expected=True)
