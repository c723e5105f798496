"""What the scripted Buddy answers: the study's script where it has something, else what follows by rule.

The script of a project, by stage: `profile`, `summary`, `draft`, `chart`, `synthesis` and `review` are
answers as a model gives them. `votes` is `{KEY: [i, j, k], "unsure": [KEY, ...]}`, the index of what each
simulated user chooses and where none of them is sure. `update` is an answer by round, and by round only:
`{"2": {...}}`. `predict` is `{ID: i}`. Scripted answers are checked like any other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studies.specification.agents import rehearsed
from studies.specification.agents.known import Dimension, Known, as_of
from studies.specification.agents.settling import decisions, majority
from studies.specification.agents.synthesis import grounds_of, sheet_of
from studies.specification.agents.words import clipped
from studies.specification.sections import LETTERS

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief

_VOICES = {
    1: "As this person, I would want this: {}",
    2: "From how they go about things, I expect this: {}",
    3: "The proposal alone points to this: {}",
}


def scripted(call: str, brief: Brief) -> str:
    """The scripted answer to a call that is due, as JSON."""
    stage, _, number = call.partition(":")
    return json.dumps(_answer(stage, int(number or 0), brief), ensure_ascii=False)


def _answer(stage: str, number: int, brief: Brief) -> Any:
    own = brief.script.get(stage)
    match stage:
        case "simulate":
            return _votes(brief, number)
        case "update":
            given = own.get(str(number)) if isinstance(own, Mapping) else None
            return given or {"settled": [], "enough": False, "why": "There are still things to ask."}
        case "predict":
            return _predictions(as_of(brief, number, number), own if isinstance(own, Mapping) else {})
    return _computed(stage, Known(brief)) if own is None else own


def _computed(stage: str, known: Known) -> Any:
    brief = known.brief
    match stage:
        case "profile":
            return rehearsed.profile(brief.conversations)
        case "summary":
            return {"summary": f"There are {len(brief.conversations)} past conversations of this person."}
        case "draft":
            return rehearsed.draft(brief.proposal or "")
    if known.draft is None:
        raise ValueError(f"{stage} rests on a draft, and there is none")
    match stage:
        case "chart":
            return rehearsed.chart(brief.proposal or "", known.draft)
        case "synthesis":
            return rehearsed.synthesis(brief.proposal or "", known.draft, known.profile, decisions(brief))
    if known.synthesis is None:
        raise ValueError(f"{stage} rests on a synthesis, and there is none")
    return rehearsed.review(sheet_of(known.synthesis, grounds_of(brief)))


def _votes(brief: Brief, number: int) -> dict[str, Any]:
    script = brief.script.get("votes")
    given: Mapping[str, Any] = script if isinstance(script, Mapping) else {}
    unsure = tuple(given["unsure"]) if isinstance(given.get("unsure"), list | tuple) else ()
    votes = []
    for place, one in enumerate(Known(brief).dimensions):
        index = _index(given.get(one.key), number, place) % len(one.alternatives)
        reasoning = _VOICES[number].format(clipped(one.alternatives[index], 200))
        votes.append(
            {
                "key": one.key,
                "reasoning": reasoning,
                "choice": LETTERS[index],
                "confident": one.key not in unsure,
            }
        )
    return {"votes": votes}


def _index(given: Any, number: int, place: int) -> int:
    """What a simulated user chooses; without a script all agree on every other dimension, and none else."""
    index = given[number - 1] if isinstance(given, list | tuple) and len(given) >= number else None
    if isinstance(index, int):
        return index
    return 0 if place % 2 else number - 1


def _predictions(brief: Brief, given: Mapping[str, Any]) -> dict[str, Any]:
    """The script's prediction, or what was decided, or what most simulated users choose, or the first."""
    standing = {one.key: one for one in decisions(brief)}

    def letter(question: Dimension) -> str:
        index, decision = given.get(question.key), standing[question.key]
        if isinstance(index, int):
            return LETTERS[index % len(question.alternatives)]
        first = decision.votes[0].choice if decision.votes else "A"
        return decision.chosen[0] if decision.chosen else majority(decision.votes) or first

    return {"predictions": [{"key": one.key, "choice": letter(one)} for one in Known(brief).dimensions]}
