"""How a decision stands, in a participant's words."""

from __future__ import annotations

from studies.specification.decisions import Decision

WHO = {1: "with all that is known of you", 2: "with part of it left out", 3: "with nothing known of you"}
"""The simulated users."""


def settled_by(one: Decision) -> str:
    """What settled a choice, as a sentence."""
    what = one.own_words or ", ".join(one.chosen) or "no alternative"
    if one.standing == "left out":
        return "Left out: nothing is known, so nothing is said about it."
    match one.settled_by:
        case "answer":
            return f"Settled by your answer to question {one.round}: {what}"
        case "agreement":
            return f"Settled without asking: all three simulated users agree and are sure: {what}"
        case "update":
            return f"Settled by your answer to another question, question {one.round}: {what}"
        case "majority":
            return f"Settled by what most of the simulated users say: {what}"
    return "Still open."
