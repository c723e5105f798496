"""Blinding: replies that name their maker, or speak of earlier sessions."""

from __future__ import annotations

import re

MAKERS = (
    *("ChatGPT", "OpenAI", "GPT", "Anthropic", "Claude", "Gemini", "Google DeepMind", "DeepMind", "Llama"),
    *("Meta AI", "Mistral", "Mixtral", "Qwen", "Alibaba", "DeepSeek", "Kimi", "Moonshot AI", "Zhipu", "GLM"),
    *(
        "Grok",
        "xAI",
        "Copilot",
        "Cohere",
        "Command R",
        "SmolLM",
        "Hugging Face",
        "Phi",
        "Yi",
        "Nova",
        "Gemma",
    ),
)
_VERSION = r"(?:[-\s]?v?\d[\w.]*(?:[-\s](?:turbo|mini|pro|max|flash|opus|sonnet|haiku|instruct))?)?"
_MAKER = r"(?:" + "|".join(re.escape(one) for one in sorted(MAKERS, key=len, reverse=True)) + ")"
# A name counts only where the assistant speaks of itself: a program may well be about llamas.
_SELF = re.compile(
    rf"(?P<before>\b(?:I\s*am|I['\u2019]m|my name is|call me|as|this is)\s+(?:an?\s+|the\s+)?)"
    rf"(?P<name>{_MAKER}{_VERSION})\b"
    rf"|(?P<by>\b(?:made|trained|developed|created|built|provided)\s+by\s+)(?P<maker>{_MAKER})\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\b(?:I|my|call|as|this|made|trained|developed|created|built|provided)\b", re.IGNORECASE
)
_EARLIER = re.compile(
    r"\b(?:(?:earlier|previous|prior|past|last)\s+(?:session|conversation|chat|task|request)s?"
    r"|(?:as|like)\s+(?:you\s+(?:did|wanted|asked|preferred)\s+)?(?:last time|before|in the past)"
    r"|based on (?:your|our) (?:history|past))\b",
    re.IGNORECASE,
)
LONGEST = 64
"""Characters the longest phrase that is masked can have."""
MASK = "[this assistant]"


def masked(text: str) -> tuple[str, bool]:
    """The text as a participant may see it, and whether the reply named its maker."""

    def cover(match: re.Match[str]) -> str:
        return f"{match.group('before') or match.group('by')}{MASK}"

    shown, names = _SELF.subn(cover, text)
    return shown, names > 0


class Veil:
    """Masks a reply while it streams: what a name could still change is held back until it cannot."""

    def __init__(self) -> None:
        self._raw = ""
        self._shown = 0

    def feed(self, text: str, *, last: bool = False) -> str:
        """What may be shown now, beyond what was shown before."""
        self._raw += text
        whole, _ = masked(self._raw)
        ready = whole if last else whole[: self._settled(whole)]
        new = ready[self._shown :]
        self._shown = max(self._shown, len(ready))
        return new

    def cover(self, text: str) -> str:
        """A whole reply as it may be shown."""
        return masked(text)[0]

    @staticmethod
    def _settled(text: str) -> int:
        """Where the part ends that no further text can change."""
        begin = max(0, len(text) - LONGEST)
        # The word that is being written may become the first of a phrase.
        word = max(text.rfind(" "), text.rfind("\n")) + 1
        opened = _OPENING.search(text, begin)
        return min(word, opened.start()) if opened else word


def mentions_history(text: str) -> bool:
    """Whether a reply speaks of earlier sessions, which may give the condition away."""
    return _EARLIER.search(text) is not None
