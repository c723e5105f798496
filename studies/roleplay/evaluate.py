"""The outcomes of a role-play study: every figure of what counts, and everything they must be read with."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from studies.coding import Coding, Figure, share
from studies.events import Event, by_time, to_ascii_json
from studies.looks import deviations, looks
from studies.progress import planned_n
from studies.roleplay.blank import BlankOutcome, blank_figures
from studies.roleplay.contrasts import contrasts
from studies.roleplay.counting import (
    LEFT_OUT,
    Counted,
    Outcome,
    Person,
    count,
    idle_thresholds,
    people,
)
from studies.roleplay.design import speakers
from studies.roleplay.disclosure import WITHOUT_LEAKS, Disclosure, Told, disclosure
from studies.roleplay.evaluation import (
    NO_LEAKS,
    Accepts,
    Donors,
    Evaluation,
    Idle,
    Leakage,
    Sensitivity,
)
from studies.roleplay.figures import Group, counting, group, idle_times, undefined
from studies.roleplay.payloads import Disposition, DonorsFixed
from studies.roleplay.plan import primary_outcome
from studies.study import Study
from studies.taxonomy import MECHANISMS

NO_DIFFICULTY = "difficulty is not fixed by a reference run for every task"
NO_EXCLUSIONS = "no declared exclusion applies to anybody"
NOT_DECIDED = "the session ends at the first accepted submission, so the participant accepts nothing"
DIFFICULTIES = ("simple", "medium", "complex")
UNSAFE = "unsafe"
"""The judge's word for code that ran without isolation."""
NO_SESSIONS = "no session counts whose first own message is coded"
UNFINISHED = "with the finished blocks of unfinished participations"


def evaluate(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
    coding: Coding | None = None,
    blank: Sequence[BlankOutcome] = (),
) -> Evaluation:
    """Every outcome figure of a study. Takes long where there is much: not for an event loop.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
        coding: what two coders say that the messages revealed; None before.
        blank: what came of the blank control.
    """
    persons = people(study, streams, desk)
    counted = count(persons)
    outcomes = counted.outcomes
    donors = _donors(study, desk, persons)
    served = _served(counted.people)
    isolation = sorted(frozenset().union(*(one.isolation for one in counted.people)))
    noted = tuple(_noted(study, served, isolation, donors))
    told = disclosure(study, streams.values(), counting(outcomes), coding) if coding else None
    return Evaluation(
        study=name or study.settings.name,
        sha256=study.sha256,
        settings=_settings(study),
        participants=len(counted.people),
        completed=sum(1 for one in persons if one.state == "completed"),
        planned_n=planned_n(study),
        plan={
            "primary_outcome": primary_outcome(study.analysis),
            "contrast": study.analysis.contrast,
            "stopping_rule": study.analysis.stopping_rule,
            "multiplicity": study.analysis.multiplicity,
        },
        groups=tuple(_groups(study, outcomes, noted)),
        contrasts=contrasts(study, outcomes, noted=noted),
        sensitivity=tuple(_sensitivity(study, persons, counted, told, noted)),
        idle=tuple(_idle(study, outcomes)),
        leakage=tuple(_leakage(study, told)),
        disclosure=told,
        accepts=_accepts(study, counting(outcomes)),
        blank_control=blank_figures(study, blank),
        short_of_history=sum(one.short_of_history for one in counted.people),
        not_counted=counted.not_counted,
        models_served=served,
        isolation=tuple(isolation),
        donors=donors,
        cost=sum(one.trace.cost for one in outcomes),
        unpriced=sum(one.trace.unpriced for one in outcomes),
        flags=noted,
        deviations=deviations(study, desk),
        looks=looks(desk, study.sha256),
    )


# -- groups ------------------------------------------------------------------------------------


def _groups(study: Study, outcomes: Sequence[Outcome], noted: Sequence[str]) -> Iterator[Group]:
    def of(by: Mapping[str, str | None], own: Iterable[Outcome]) -> Group:
        return group(by, list(own), study.settings.roleplay.turns, noted=noted)

    yield of({}, outcomes)
    yield from _by_condition(study, outcomes, noted)
    for name in speakers(study):
        yield of({"assistant": name}, (one for one in outcomes if one.assistant == name))
    there = {name for task in study.tasks for name in task.mechanisms}
    for name in (one for one in MECHANISMS if one in there):
        yield of({"mechanism": name}, (one for one in outcomes if name in one.mechanisms))
    for name in dict.fromkeys(task.profile for task in study.tasks):
        yield of({"profile": name}, (one for one in outcomes if one.profile == name))
    if all(task.difficulty for task in study.tasks if task.part == "held_out"):
        for name in DIFFICULTIES:
            yield of({"difficulty": name}, (one for one in outcomes if one.difficulty == name))
    else:
        yield undefined({"difficulty": None}, outcomes, NO_DIFFICULTY)
    for condition in study.settings.roleplay.conditions:
        for name in speakers(study):
            own = (one for one in outcomes if (one.condition, one.assistant) == (condition, name))
            yield of({"condition": condition, "assistant": name}, own)


def _by_condition(
    study: Study, outcomes: Sequence[Outcome], noted: Sequence[str], unsolved: Collection[Disposition] = ()
) -> Iterator[Group]:
    limit = study.settings.roleplay.turns
    for name in study.settings.roleplay.conditions:
        own = [one for one in outcomes if one.condition == name]
        yield group({"condition": name}, own, limit, unsolved=unsolved, noted=noted)


# -- sensitivity -------------------------------------------------------------------------------


def _sensitivity(
    study: Study,
    persons: Sequence[Person],
    counted: Counted,
    told: Disclosure | None,
    noted: Sequence[str],
) -> Iterator[Sensitivity]:
    def run(name: str, outcomes: Sequence[Outcome], unsolved: Collection[Disposition] = ()) -> Sensitivity:
        whole = group({}, outcomes, study.settings.roleplay.turns, unsolved=unsolved, noted=noted)
        groups = (whole, *_by_condition(study, outcomes, noted, unsolved))
        planned = contrasts(study, outcomes, unsolved=unsolved, noted=noted, planned_only=True)
        return Sensitivity(name, groups, planned)

    yield run("technical failures and spending limits as unsolved", counted.outcomes, LEFT_OUT)
    if told is None:
        yield Sensitivity(WITHOUT_LEAKS, (), (), NO_LEAKS)
    else:
        leaks = told.leaks
        yield run(WITHOUT_LEAKS, [one for one in counted.outcomes if one.session not in leaks])
    yield run(UNFINISHED, count(persons, finished_blocks=True).outcomes)
    ended = count(persons, states=frozenset({"completed"}))
    yield run("without participations that a spending limit ended", ended.outcomes)
    name = "with the people whom a declared exclusion leaves out"
    if any(one.declared for one in counted.not_counted):
        yield run(name, count(persons, exclusions=False).outcomes)
    else:
        yield Sensitivity(name, (), (), NO_EXCLUSIONS)


def _idle(study: Study, outcomes: Sequence[Outcome]) -> Iterator[Idle]:
    counted = counting(outcomes)
    for threshold in idle_thresholds(study):
        planned = threshold == study.analysis.idle_seconds * 1000
        yield Idle(threshold // 1000, planned, {}, idle_times(counted, threshold))
        for name in study.settings.roleplay.conditions:
            own = [one for one in counted if one.condition == name]
            yield Idle(threshold // 1000, planned, {"condition": name}, idle_times(own, threshold))


# -- what figures are read with ----------------------------------------------------------------


def _leakage(study: Study, told: Disclosure | None) -> Iterator[Leakage]:
    for name in study.settings.roleplay.conditions:
        if told is None:
            unknown = Figure(None, 0, None, NO_LEAKS)
            yield Leakage({"condition": name}, 0, None, unknown, unknown)
            continue
        own = [one for one in told.sessions if one.outcome.condition == name]

        def rate(rule: str, own: Sequence[Told] = own) -> tuple[int, Figure]:
            people: dict[str, list[bool]] = {}
            for one in own:
                if (leaked := one.leaked(rule)) is not None:
                    people.setdefault(one.outcome.participant, []).append(leaked)
            return sum(map(sum, people.values())), share(people, NO_SESSIONS)

        leaked, found = rate("both")
        yield Leakage({"condition": name}, found.n, leaked if found.n else None, found, rate("either")[1])


def _accepts(study: Study, outcomes: Sequence[Outcome]) -> Accepts:
    if study.settings.roleplay.feedback != "participant_decides":
        return Accepts(undefined_reason=NOT_DECIDED)
    declared = [one for one in outcomes if one.declared]
    accepted = [one for one in outcomes if one.accepted_at is not None]
    missed = [one for one in accepted if not (one.declared and one.accepted_at == one.submitted_at)]
    return Accepts(len(declared), sum(not one.solved for one in declared), len(accepted), len(missed))


def _donors(study: Study, desk: Iterable[Event], persons: Sequence[Person]) -> Donors | None:
    """The donors that the earliest desk event fixed, and when they may first have been shown."""
    for one in by_time(desk):
        if isinstance(one.payload, DonorsFixed) and one.payload.study == study.sha256:
            named = [[donor.stream, donor.session, donor.item] for donor in one.payload.donors]
            digest = hashlib.sha256(to_ascii_json(named).encode("ascii")).hexdigest()
            shown = [
                own.trace.first_reply_at
                for person in persons
                for own in person.outcomes
                if own.condition == "shuffled" and own.trace.first_reply_at
            ]
            return Donors(digest, len(named), one.at, min(shown, default=None))
    return None


def _served(persons: Iterable[Person]) -> dict[str, list[str]]:
    served: dict[str, set[str]] = {}
    for person in persons:
        for assistant, models in person.models_served.items():
            served.setdefault(assistant, set()).update(models)
    return {name: sorted(served[name]) for name in sorted(served)}


def _noted(
    study: Study, served: Mapping[str, Sequence[str]], isolation: Collection[str], donors: Donors | None
) -> Iterator[str]:
    """What every figure of the study must be read with."""
    for assistant, models in served.items():
        if len(models) > 1:
            yield f"the model of {assistant} as served changed: {', '.join(models)}"
    if UNSAFE in isolation:
        yield "code was run without isolation"
    elif study.settings.roleplay.unsafe:
        yield "the study allows code to run without isolation"
    if donors is not None and donors.first_shown_at is not None and donors.first_shown_at < donors.fixed_at:
        yield "donors of shuffled histories were fixed after the first of them could be shown"


def _settings(study: Study) -> dict[str, Any]:
    chosen = study.settings.roleplay
    return {
        "turns": chosen.turns,
        "history": chosen.history,
        "held_out": chosen.held_out,
        "conditions": list(chosen.conditions),
        "feedback": chosen.feedback,
        "opening": chosen.opening,
        "gated_keeps_history": chosen.gated_keeps_history,
        "rename_entry_point": chosen.rename_entry_point,
        "unsafe": chosen.unsafe,
        "assistants": {one.name: one.model for one in study.settings.assistants},
    }
