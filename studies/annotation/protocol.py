"""The annotation protocol: which step an item makes, and what its answers mean."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from studies.annotation.payloads import AnnotationSubmitted
from studies.events import Event, Payload
from studies.payloads import Planned
from studies.state import Closing, State, Submission
from studies.steps import AnswerError, Field, Material, Message, Option, Progress, Step
from studies.study import Study
from studies.taxonomy import ESCAPES, LABELS, MECHANISMS

if TYPE_CHECKING:
    from studies.annotation.materials import CheckItem, CodebookEntry, Item, TrainingItem


def step_id(planned: Planned) -> str:
    """The id of the step that shows a planned item: role, which annotation of it, item."""
    return f"{planned.role}:{planned.number}:{planned.item}"


class AnnotationKind:
    """The middle of an annotation study (CAPA, Ambiguity Taxonomy: the human validation)."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._places: tuple[tuple[Planned, ...], Mapping[str, int]] | None = None

    # -- what comes in which order -------------------------------------------------------------

    def plan(self, state: State) -> tuple[str, ...]:
        """Items in their realised order, with a rest between two blocks."""
        steps: list[str] = []
        order = self._order(state)
        for before, planned in zip((None, *order), order, strict=False):
            if before is not None and before.block != planned.block:
                steps.append(f"rest:{before.block}")
            steps.append(step_id(planned))
        return tuple(steps)

    def plan_key(self, state: State) -> object:
        """The plan follows from the realised order alone."""
        return None

    def training_items(self) -> tuple[str, ...]:
        """Ids of the practice items, in the order of the file."""
        return tuple(one.id for one in self.study.training)

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """One page on when a request is ambiguous, and one for each label the study offers."""
        book = self.study.codebook
        rules = [book.gate, book.dominant_rule]
        if self.study.settings.annotation.tie_break:
            rules.append(book.tie_break)
        pages = [("rules", "How to decide", "\n\n".join(rules))]
        labels = MECHANISMS + (ESCAPES if self.study.settings.annotation.escapes else ())
        for label in labels:
            entry = book.entry(label)
            pages.append((label, called(entry), self.entry_text(label)))
        return tuple(pages)

    def entry_text(self, label: str) -> str:
        """A codebook entry as Markdown."""
        entry = self.study.codebook.entry(label)
        parts = [
            entry.definition,
            f"**Choose it when** {entry.choose_when}",
            f"**Not when** {entry.not_when}",
        ]
        if entry.test:
            parts.append(f"**Test** {entry.test}")
        if entry.examples:
            parts.append("**Examples**\n\n" + "\n".join(f"- {one}" for one in entry.examples))
        if entry.near_miss:
            parts.append(f"**Nearly** {entry.near_miss}")
        if entry.neighbour:
            parts.append(f"**Nearest neighbour** {called(self.study.codebook.entry(entry.neighbour))}")
        return "\n\n".join(parts)

    def explain(self, value: object) -> str:
        """The codebook entry of a label."""
        return self.entry_text(value) if isinstance(value, str) and value in LABELS else ""

    # -- one step ------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """The annotation form for one item, check or practice item.

        Raises:
            KeyError: the study has no such item.
        """
        role, _, item = step_id.split(":", 2)
        shown = self._shown(role, item)
        material = Material(
            shown.request, tuple(Message(one.role, one.text) for one in getattr(shown, "context", ()))
        )
        last = state.submitted.get(step_id)
        previous = dict(last.answers) if last and state.reopened == step_id else None
        if previous and previous.get("dominant") in ESCAPES:
            # It was implied, not said: a new dominant label asks for it again.
            previous.pop("additional", None)
        answers = {**(previous or {}), **state.answers}
        return Step(
            id=step_id,
            revision=state.revision(step_id),
            kind="annotation",
            title=self.study.settings.title,
            fields=self.fields(answers, state),
            about=item,
            material=material,
            progress=self._training_progress(item) if role == "training" else self._progress(step_id, state),
            previous=previous,
            can_go_back=role != "training" and self._before(step_id, state) is not None,
        )

    def fields(self, answers: Mapping[str, Any], state: State) -> tuple[Field, ...]:
        """The fields that apply, given the answers so far."""
        settings = self.study.settings.annotation
        dominant = answers.get("dominant")
        labels = state.opened.options if state.opened else MECHANISMS
        fields = [
            Field(
                "dominant",
                "choice",
                "What makes this request ambiguous? Choose the one behind the first question you "
                "would have to ask.",
                tuple(self._option(label) for label in labels),
            )
        ]
        if settings.additional and dominant not in ESCAPES:
            others = tuple(
                self._option(label) for label in labels if label in MECHANISMS and label != dominant
            )
            text = "Does it show any of these as well? Choose none if nothing else."
            fields.append(Field("additional", "multi", text, others))
        if settings.confidence:
            fields.append(Field("confidence", "scale", "How sure are you? 1 not at all, 5 fully.", SCALE))
        if settings.note or dominant == "OTHER":
            reason = dominant == "OTHER"
            text = (
                "What makes it ambiguous, in your own words?" if reason else "A note, if you want to add one."
            )
            fields.append(Field("note", "text", text, required=reason))
        if settings.flag:
            text = "Flag this item for the researcher?"
            fields.append(Field("flag", "choice", text, FLAG, required=False))
        return tuple(fields)

    def implied(self, name: str, value: Any, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """A new dominant label leaves the additional ones; if none is left, they are asked again."""
        additional = answers.get("additional")
        if name != "dominant" or not additional or value not in additional:
            return {}
        return {"additional": tuple(one for one in additional if one != value) or None}

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> AnnotationSubmitted:
        """The whole annotation."""
        _, number, item = step.id.split(":", 2)
        dominant = answers["dominant"]
        planned = self._order(state)[self._place(step.id, state)]
        return AnnotationSubmitted(
            step=step.id,
            item=item,
            number=int(number),
            revision=step.revision,
            role=planned.role,
            block=planned.block,
            dominant=dominant,
            additional=() if dominant in ESCAPES else tuple(answers.get("additional") or ()),
            confidence=answers.get("confidence"),
            note=answers.get("note") or "",
            flag=bool(answers.get("flag")),
            elapsed_ms=elapsed_ms,
        )

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Nothing follows from reading a page."""
        return ()

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """An annotation has no chat."""
        raise AnswerError("nothing can be sent here")

    def answers(self, payload: Payload) -> str | None:
        """Every ask is answered by a `field_answered`."""
        return None

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """An annotation is never left half way by anybody but the participant."""
        return ()

    def closing_of(self, payload: Payload) -> Closing | None:
        """Every `annotation_submitted` closes its step."""
        if not isinstance(payload, AnnotationSubmitted):
            return None
        answers = {
            "dominant": payload.dominant,
            "additional": payload.additional,
            "confidence": payload.confidence,
            "note": payload.note,
            "flag": payload.flag,
        }
        return Closing(payload.step, Submission(payload.revision, answers))

    def fold(self, middle: object, event: Event) -> object:
        """An annotation needs no state of its own."""
        return None

    def assigned(self, state: State) -> tuple[str, ...]:
        """The items to be counted, in the realised order."""
        order = state.opened.order if state.opened else ()
        return tuple(one.item for one in order if one.role == "main")

    def finished(self, state: State) -> tuple[str, ...]:
        """Those of them that are annotated."""
        return tuple(one for one in self.assigned(state) if f"main:1:{one}" in state.submitted)

    def done(self, state: State) -> int:
        """Main items annotated, without repeats and checks."""
        return sum(1 for one in state.submitted if one.startswith("main:"))

    def flags(self, state: State) -> tuple[str, ...]:
        """Attention checks failed, and items the participant flagged."""
        from studies.annotation.counting import failed_checks

        failed = len(failed_checks(self.study, state))
        flagged = sum(1 for one in state.submitted.values() if one.answers.get("flag") is True)
        words = [f"check failed {failed}"] if failed else []
        return (*words, *([f"flagged {flagged}"] if flagged else []))

    # -- training ------------------------------------------------------------------------------

    def feedback(self, item: str, answers: Mapping[str, Any]) -> tuple[str, bool]:
        """What the right answer is and why; right means the dominant label."""
        practice = self._training(item)
        book = self.study.codebook
        chosen, right = answers.get("dominant"), practice.dominant
        correct = chosen == right
        lines = [
            f"**Your answer** {called(book.entry(str(chosen)))}" + (" (as we see it too)" if correct else ""),
        ]
        if not correct:
            lines.append(f"**Our answer** {called(book.entry(right))}")
        if practice.additional:
            also = ", ".join(called(book.entry(one)) for one in practice.additional)
            lines.append(f"**Also present** {also}")
        lines.append(practice.feedback)
        return "\n\n".join(lines), correct

    # -- helpers -------------------------------------------------------------------------------

    def _option(self, label: str) -> Option:
        entry = self.study.codebook.entry(label)
        return Option(label, entry.short, entry.name)

    def _order(self, state: State) -> tuple[Planned, ...]:
        return state.opened.order if state.opened else ()

    def _shown(self, role: str, item: str) -> Item | CheckItem | TrainingItem:
        if role == "training":
            return self._training(item)
        if role == "check":
            return self._checks[item]
        return self.study.item(item)

    @cached_property
    def _checks(self) -> Mapping[str, CheckItem]:
        return {one.id: one for one in self.study.checks}

    @cached_property
    def _practice(self) -> Mapping[str, TrainingItem]:
        return {one.id: one for one in self.study.training}

    def _training(self, item: str) -> TrainingItem:
        return self._practice[item]

    def _place(self, step: str, state: State) -> int:
        """Index of a step in the realised order."""
        order = self._order(state)
        if self._places is None or self._places[0] is not order:
            self._places = (order, {step_id(one): place for place, one in enumerate(order)})
        return self._places[1][step]

    def _before(self, step: str, state: State) -> str | None:
        """The step before in the same block, which the participant may go back to."""
        order, place = self._order(state), self._place(step, state)
        if place == 0 or order[place - 1].block != order[place].block:
            return None
        return step_id(order[place - 1])

    def _progress(self, step: str, state: State) -> Progress:
        order, place = self._order(state), self._place(step, state)
        return Progress("Items", order[place].block, order[-1].block, place + 1, len(order))

    def _training_progress(self, item: str) -> Progress:
        items = self.training_items()
        return Progress("Practice", position=items.index(item) + 1, total=len(items))


def called(entry: CodebookEntry) -> str:
    """A label as participants meet it everywhere: the words on its button, with the field's term."""
    return entry.short if entry.short.casefold() == entry.name.casefold() else f"{entry.short} ({entry.name})"


SCALE = tuple(
    Option(value, label)
    for value, label in enumerate(("1 not sure at all", "2", "3", "4", "5 fully sure"), start=1)
)
FLAG = (Option(True, "yes, flag it"), Option(False, "no"))
