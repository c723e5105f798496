"""How dimensions are settled: by the person, by an answer to another question, by agreement, by majority.

What outranks what, from the top:

1. The person's answer to the dimension's own question: confirmed.
2. An update, of the latest round that has one, if it is confident: inferred. It outranks the simulated
   users' agreement only where it chooses otherwise; the person's words are newer and no simulation.
3. All three simulated users agree with confidence: high confidence.
4. Once the interview has ended, two of three simulated users: inferred. Three different choices: left out.

Where the person does not know, the dimension goes on down the list, and is not asked again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from studies.specification.agents.known import PRIORITY, SIMULATORS, Dimension, Known
from studies.specification.decisions import Decision, Vote

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief
    from studies.specification.agents.shapes import Settled


def decisions(brief: Brief) -> tuple[Decision, ...]:
    """How each dimension stands, in the order of the chart or checklist.

    Once the priority question has an answer, that comes first, under the key `priority`.
    """
    known = Known(brief)
    return (*_priority(known), *(_decision(known, one) for one in known.dimensions))


def majority(votes: tuple[Vote, ...]) -> str:
    """The letter that more than half of the votes name; empty where none is."""
    counted = Counter(one.choice for one in votes).most_common(1)
    return counted[0][0] if counted and 2 * counted[0][1] > len(votes) else ""


def _decision(known: Known, one: Dimension) -> Decision:
    votes = tuple(
        Vote(number, ballot.choice, ballot.confident, ballot.reasoning)
        for number in SIMULATORS
        if (ballot := known.votes.get(number, {}).get(one.key))
    )
    bare = Decision(
        one.key,
        one.question,
        one.alternatives,
        one.section,
        one.why_it_matters,
        one.assumed,
        votes,
        "open",
        boundary=one.boundary,
    )
    if confirmed := _confirmed(known, bare):
        return confirmed
    update = _update(known, one.key)
    if update and not (bare.agreed and update[1].choice == (votes[0].choice,)):
        number, settled = update
        return replace(bare, standing="inferred", settled_by="update", chosen=settled.choice, round=number)
    if bare.agreed:
        return replace(bare, standing="high confidence", settled_by="agreement", chosen=(votes[0].choice,))
    if known.brief.session.ended is None or not known.voted:
        return bare
    if letter := majority(votes):
        return replace(bare, standing="inferred", settled_by="majority", chosen=(letter,))
    return replace(bare, standing="left out")


def _confirmed(known: Known, bare: Decision) -> Decision | None:
    found = known.answer_to(bare.key)
    if found is None:
        return None
    asked, answer = found
    return replace(
        bare,
        standing="confirmed",
        settled_by="answer",
        chosen=answer.picked,
        own_words=answer.own_words,
        round=asked.put.round,
    )


def _update(known: Known, key: str) -> tuple[int, Settled] | None:
    """The latest confident word of an update on a dimension, with its round."""
    for number in sorted(known.updates, reverse=True):
        for one in known.updates[number].settled:
            if one.key == key and one.confident:
                return number, one
    return None


def _priority(known: Known) -> tuple[Decision, ...]:
    asked = next((one.put for one in known.rounds if one.put.key == PRIORITY), None)
    if asked is None:
        return ()
    bare = Decision(
        PRIORITY, asked.question, asked.options, "milestones_and_priorities", "", "", (), standing="open"
    )
    found = _confirmed(known, bare)
    return (found,) if found else ()
