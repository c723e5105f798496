"""The seat `author`: shorten complete tasks, write down their gaps, and cross-check another author's blind.

A cross-checker first writes own questions from the shortened task alone, then sees the author's key questions
and says which of them those found and of what type each gap is; last, both views stand side by side and it is
settled what stands. Whose task is checked is a reference to the author's stream; no words are copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.clarification import payloads as said
from studies.clarification.authored import Authored, Authoring, Check, Draft
from studies.clarification.comparing import (
    YES_NO,
    compare_fields,
    screens_of,
    settle_fields,
    settled_from,
    type_options,
)
from studies.clarification.seat import Seat, clarifications_of
from studies.events import Payload
from studies.payloads import VisitEnded
from studies.state import Closing, State, Submission
from studies.steps import AnswerError, Field, Material, Message, Progress, Step
from studies.study import Study

MOST_GAPS = 4
"""Gaps of a task, so that comparing them is one screen."""
OWN_QUESTIONS = 5
"""Questions that a cross-checker can write."""
TURN = (
    "From here on you look at descriptions that somebody else has shortened.\n\n"
    "First write what you would ask, from the shortened description alone. Then you are shown what its "
    "author left out, and say which of it you have asked for."
)
WAIT = (
    "Nobody else has finished a shortened description that you could look at.\n\n"
    "Everything is saved. To go on is to pause here: come back another time, to this very place."
)


class Author(Seat):
    """Writing first; then, where the study says so, as many cross-checks as tasks were written."""

    KINDNESS = (
        "You make tasks for programmers harder to understand, on purpose: you leave something out that one "
        "would have to ask about. This tests nobody. There is no score, and other people will see gaps "
        "differently; that is what we want to learn."
    )

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        self.shelf: tuple[Authored, ...] | None = None
        """Finished drafts of other authors, as they were when the participant sat down; None elsewhere."""

    # -- the plan ------------------------------------------------------------------------------

    def steps_of(self, item: str) -> tuple[str, ...]:
        """Without knowing what was written: the statement, and one gap."""
        return (f"shorten:1:{item}", f"gap:1:{item}")

    def plan(self, state: State) -> tuple[str, ...]:
        """Each task with its gaps; then what there is to check, or that there is nothing yet."""
        part = authoring_of_state(state)
        steps: list[str] = []
        for one in super().plan(state):
            steps.append(one)
            if one.startswith("gap:1:"):
                item = one.split(":", 2)[2]
                steps += (f"gap:{number}:{item}" for number in range(2, _written(part.drafts.get(item)) + 1))
        if not self.settings.cross_check:
            return tuple(steps)
        if self._missing(state) or part.agenda:
            steps.append("turn:1:check")
        waits = 0
        for item in part.agenda:
            if item:
                steps += self._check_steps(part.checks[item])
            else:
                waits += 1
                steps.append(f"wait:{waits}:check")
        if self._missing(state):
            steps.append(f"wait:{waits + 1}:check")
        return tuple(steps)

    def plan_key(self, state: State) -> object:
        """What was written and checked so far."""
        part = authoring_of_state(state)
        return (
            tuple((item, _written(one)) for item, one in part.drafts.items()),
            part.agenda,
            tuple((one.item, one.dropped, one.own is None, one.compared) for one in part.checks.values()),
        )

    def _check_steps(self, check: Check) -> list[str]:
        """What was done of a check that was dropped stays in the plan; nothing more is asked."""
        steps = [f"own:1:{check.item}"] if check.own is not None or not check.dropped else []
        if check.compared is not None or not check.dropped:
            steps.append(f"compare:1:{check.item}")
        screens = check.compared.screens if check.compared is not None else 0
        parts = len(check.settled) if check.dropped else screens
        return [*steps, *(f"settle:{number}:{check.item}" for number in range(1, parts + 1))]

    def _missing(self, state: State) -> int:
        """Checks that are still to be assigned: as many as tasks were written, if there are so many others.

        A person who writes every task of the study can check none of them blind.
        """
        mine = {self._source(one.item) for one in self.order(state)}
        others = {self._source(one.id) for one in self.study.clarification_tasks} - mine
        checks = authoring_of_state(state).checks.values()
        return max(0, min(len(self.order(state)), len(others)) - sum(not one.dropped for one in checks))

    def _authored(self, check: Check) -> Authored | None:
        wanted = (check.author, check.item)
        return next((one for one in self.shelf or () if (one.author, one.draft.item) == wanted), None)

    def assigning(self, state: State, *, short: int = 0) -> tuple[Payload, ...]:
        """The checks that can be assigned now: of tasks that share no source with the person's own.

        Args:
            state: of the participation.
            short: checks that are about to be dropped.
        """
        part = authoring_of_state(state)
        seen = {self._source(one.item) for one in self.order(state)}
        seen |= {self._source(one) for one in part.checks}
        made: list[Payload] = []
        for one in self.shelf or ():
            source = self._source(one.draft.item)
            if len(made) < self._missing(state) + short and source not in seen:
                seen.add(source)
                made.append(said.CheckAssigned(one.draft.item, one.author))
        return tuple(made)

    def _source(self, item: str) -> str:
        return self.study.clarification_task(item).source or item

    # -- a step --------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """A page, or one of the forms."""
        sort, number, item = step_id.split(":", 2)
        if sort in ("turn", "wait"):
            text = TURN if sort == "turn" else WAIT
            return Step(step_id, 1, "page", "Somebody else's", text, (Field("read", "info", text),))
        part = authoring_of_state(state)
        if sort in ("shorten", "gap"):
            title, material, fields = self._writing(sort, int(number), item, part, state)
        else:
            title, material, fields = self._checking(sort, int(number), part.checks[item])
        last = state.submitted.get(step_id)
        reopened = last is not None and state.reopened == step_id
        mine = item in {one.item for one in self.order(state)}
        return Step(
            step_id,
            state.revision(step_id),
            "authoring",
            title,
            fields=fields,
            about=item,
            material=material,
            previous=last.answers if last and reopened else None,
            progress=self.progress(item, state) if mine else self._check_progress(item, part),
        )

    def _check_progress(self, item: str, part: Authoring) -> Progress:
        order = [one for one in part.agenda if one]
        return Progress("Check", position=order.index(item) + 1, total=len(order))

    def _writing(
        self, sort: str, number: int, item: str, part: Authoring, state: State
    ) -> tuple[str, Material, tuple[Field, ...]]:
        task = self.study.clarification_task(item)
        if sort == "shorten":
            shorter = Field("statement", "text", "The description, with something left out")
            return "Leave something out", Material(task.full_statement), (shorter,)
        draft = part.drafts.get(item, Draft(item))
        fields = [
            Field("question", "text", "What would one have to ask?"),
            Field("answer", "text", "What did the complete description say?"),
            Field("type", "choice", "What kind of gap is it?", type_options()),
        ]
        # Once a further gap was promised it has a place of its own, which a change here would take away.
        if number < MOST_GAPS and state.reopened != f"gap:{number}:{item}":
            fields.append(Field("more", "choice", "Is anything else left out?", YES_NO))
        material = Material(draft.statement, (Message("complete", task.full_statement),))
        return f"What is missing ({number})", material, tuple(fields)

    def _checking(self, sort: str, number: int, check: Check) -> tuple[str, Material, tuple[Field, ...]]:
        authored = self._authored(check)
        draft = authored.draft if authored else Draft(check.item)
        material = Material(draft.statement)
        if sort == "own":
            fields = tuple(
                Field(f"question-{n}", "text", f"Question {n}", required=False)
                for n in range(1, OWN_QUESTIONS + 1)
            )
            return "What would you ask?", material, fields
        if sort == "compare":
            return "What its author left out", material, compare_fields(draft, check.own or ())
        compared = check.compared
        screens = screens_of(draft, check.own or (), compared) if authored and compared else ()
        return "Where you differ", material, screens[number - 1] if number <= len(screens) else ()

    # -- closing -------------------------------------------------------------------------------

    def closed(self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int) -> Payload:
        """The event that closes a form.

        Raises:
            AnswerError: nothing was left out of the statement.
        """
        sort, number, item = step.id.split(":", 2)
        if sort == "shorten":
            text = answers["statement"]
            if _bare(text) == _bare(self.study.clarification_task(item).full_statement):
                raise AnswerError("nothing is left out of the description yet")
            return said.StatementShortened(step.id, item, step.revision, text)
        if sort == "gap":
            before = authoring_of_state(state).drafts[item].gaps[int(number) - 1 : int(number)]
            more = answers["more"] == "yes" if "more" in answers else bool(before and before[0].more)
            return said.GapWritten(
                step.id,
                item,
                step.revision,
                int(number),
                answers["question"],
                answers["answer"],
                answers["type"],
                more and int(number) < MOST_GAPS,
            )
        if sort == "own":
            return said.OwnQuestionsWritten(step.id, item, _questions(answers))
        if sort == "settle":
            return settled_from(step.id, item, answers)
        check = authoring_of_state(state).checks[item]
        authored = self._authored(check)
        draft = authored.draft if authored else Draft(item)
        gaps = range(1, len(draft.gaps) + 1)
        found = tuple(answers[f"found-{n}"] for n in gaps)
        types = tuple(answers[f"type-{n}"] for n in gaps)
        screens = settle_fields(draft, check.own or (), found, types)
        return said.GapsCompared(step.id, item, found, types, len(screens))

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Going on to the checks assigns what there is; going on from waiting is counted, and is a pause."""
        if step.id.startswith("turn:"):
            return self.assigning(state)
        if step.id.startswith("wait:"):
            assigned = self.assigning(state)
            # Before others have finished, going on changes nothing; a program would go on for ever.
            left = () if assigned else (VisitEnded("nothing to check yet"),)
            return (said.CheckAwaited(int(step.id.split(":")[1])), *assigned, *left)
        return ()

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """Checks whose task is gone are dropped; others take their place as soon as there are any."""
        if self.shelf is None:
            return ()
        part = authoring_of_state(state)
        gone = tuple(
            said.CheckDropped(one.item)
            for one in part.checks.values()
            if not one.dropped and self._authored(one) is None and not _done(one)
        )
        drafts = [part.drafts.get(one.item) for one in self.order(state)]
        written = bool(drafts) and all(one is not None and one.complete for one in drafts)
        if not (self.settings.cross_check and written):
            return gone
        kept = [one for one in part.checks if one not in {each.item for each in gone}]
        return (*gone, *self.assigning(state, short=len(part.checks) - len(kept)))

    def closing_of(self, payload: Payload) -> Closing | None:
        """A form's event closes it."""
        match payload:
            case said.StatementShortened() as one:
                return Closing(one.step, Submission(one.revision, {"statement": one.text}))
            case said.GapWritten() as gap:
                answers = {"question": gap.question, "answer": gap.answer, "type": gap.type}
                return Closing(gap.step, Submission(gap.revision, answers))
            case said.OwnQuestionsWritten() | said.GapsCompared() | said.DifferencesSettled():
                return Closing(payload.step)
        return None

    def finished(self, state: State) -> tuple[str, ...]:
        """Tasks whose gaps are all written."""
        return tuple(one.item for one in authoring_of_state(state).complete())


def authoring_of_state(state: State) -> Authoring:
    """The author's part of a state."""
    return clarifications_of(state).authoring


def _done(check: Check) -> bool:
    return check.compared is not None and len(check.settled) >= check.compared.screens


def _written(draft: Draft | None) -> int:
    """How many gaps of a task have a place in the plan: those written, and one more where it was promised."""
    if draft is None or not draft.gaps:
        return 1
    return len(draft.gaps) + draft.gaps[-1].more


def _questions(answers: Mapping[str, Any]) -> tuple[str, ...]:
    given = (answers.get(f"question-{n}") for n in range(1, OWN_QUESTIONS + 1))
    return tuple(one.strip() for one in given if one and one.strip())


def _bare(text: str) -> str:
    return " ".join(text.split())
