"""What each step of a specification study shows: pages, forms, interview rounds, the sheet, and waiting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from studies.protocol import question_field
from studies.specification import forms
from studies.specification.briefing import lettered
from studies.specification.editing import edited_sheet, sheet_view
from studies.specification.order import Place
from studies.specification.projects import Round, Session, stage_of
from studies.specification.sections import SECTIONS, TITLES
from studies.specification.sheet import Sheet, markdown
from studies.specification.views import Interview
from studies.steps import Field, Material, Message, Option, Progress, Step
from studies.work import Job, Work

if TYPE_CHECKING:
    from studies.specification.protocol import SpecificationKind
    from studies.state import State

PROPOSAL = """Write in your own words what you would like to have built. A few sentences are enough: what it
is for, who uses it, what matters to you. Once you go on, it stays as it is."""
TRUTH_CHECKLIST = """Answer for yourself: what would you want? The assistant does not see these answers; later
they are compared with what it expects of you."""
TRUTH_SHEET = """For each section, say what you want and what you do not want, one wish a line. Leave open
what does not matter to you. The assistant does not see this."""
FILLER = """Everything is saved, and what you have written does not change any more.

Take a short break: look away from the screen for a minute. Next comes the interview. The assistant knows your
proposal, and nothing of what you wrote afterwards."""
MET = "Read the assistant's sheet, then say of each of your own requirements how the sheet treats it."
RATE = "Rate the assistant's sheet as it is, before you change anything in it."
COMPARE = "Two assistants have each written a sheet for you. Read both, then say which you prefer."
RETEST = "Some questions once more. Answer as you see it now; it does not matter what you said before."
CLOSE = "That was all about this project. Everything is saved."
NEVER_MIND = "What was done so far is kept."

Build = Callable[[Place, "State"], Step]


class Showing:
    """Makes the steps."""

    def __init__(self, kind: SpecificationKind) -> None:
        self._kind = kind
        self._study = kind.study
        self._builders: Mapping[str, Build] = {
            "persona": self._persona,
            "understood": self._understood,
            "proposal": self._proposal,
            "truth": self._truth,
            "filler": self._filler,
            "round": self._round,
            "met": self._met,
            "rate": self._rate,
            "compare": self._compare,
            "edit": self._edit,
            "retest": self._retest,
            "after": self._after,
            "close": self._close,
        }

    def step(self, where: Place, state: State) -> Step:
        """The step of a place, or the work that stands before it."""
        made = self._builders[where.sort](where, state)
        return replace(made, about=where.item, progress=self._progress(where, state))

    # -- pages and forms -----------------------------------------------------------------------

    def _persona(self, where: Place, state: State) -> Step:
        persona = self._study.persona(self._study.project(where.item).persona)
        text = forms.persona_text(persona)
        if where.number > 1:
            text = f"Some answers did not fit. Please read once more.\n\n{text}"
        return _page(where, f"You are {persona.name}", text)

    def _understood(self, where: Place, state: State) -> Step:
        persona = self._study.persona(self._study.project(where.item).persona)
        body = f"A few questions about {persona.name}, so that you can answer as {persona.name} would."
        return _form(where, state, "Do you know them?", forms.understanding_fields(persona), body)

    def _proposal(self, where: Place, state: State) -> Step:
        project = self._study.project(where.item)
        body = PROPOSAL
        if project.persona:
            body += f" You write as {self._study.persona(project.persona).name}."
        fields = (Field("proposal", "text", "What would you like to have built?"),)
        return replace(
            _form(where, state, project.title, fields, body),
            material=self._at_hand(where, project.proposal, "The project"),
        )

    def _truth(self, where: Place, state: State) -> Step:
        project, task = self._study.project(where.item), self._task(where, state)
        screens = forms.truth_screens(project, task)
        body = TRUTH_CHECKLIST if task == "checklist" else TRUTH_SHEET
        made = _form(where, state, "What you want", screens[where.part - 1], body)
        return replace(made, material=self._own_words(where, state))

    def _filler(self, where: Place, state: State) -> Step:
        return replace(_page(where, "A short break", FILLER), kind="rest")

    def _retest(self, where: Place, state: State) -> Step:
        settings, slot = self._study.settings, state.opened.slot if state.opened else 0
        screens = forms.retest_screens(
            self._study.project(where.item),
            self._task(where, state),
            settings.specification.retest,
            settings.seed,
            slot,
        )
        return _form(where, state, "Once more", screens[where.part - 1], RETEST)

    def _after(self, where: Place, state: State) -> Step:
        fields = tuple(question_field(one) for one in self._kind.settings.after)
        return _form(where, state, "About this project", fields, "")

    def _close(self, where: Place, state: State) -> Step:
        from studies.specification.protocol import finished

        for planned in self._kind.interviews(where.item, state):
            session = self._session(replace(where, number=planned.number), state)
            if session is None or not finished(session):
                return self._work(replace(where, number=planned.number), state, where)
        return _page(where, self._study.project(where.item).title, CLOSE)

    # -- the interview -------------------------------------------------------------------------

    def _round(self, where: Place, state: State) -> Step:
        session = self._session(where, state)
        if session is None or len(session.rounds) < where.part:
            return self._work(where, state, where)
        one = session.rounds[where.part - 1]
        # What matters most is asked of everybody: it is none of the choices that may be settled without.
        always = {each.put.key for each in session.rounds if each.put.sort == "priority"}
        chart = self._kind.chart(where.item, where.number, state)
        decisions = [each for each in chart if each.key not in always]
        settled = sum(1 for each in decisions if each.settled_by in ("agreement", "update"))
        return Step(
            where.id,
            1,
            "interview",
            self._study.project(where.item).title,
            one.put.question,
            tuple(_interview_fields(one, state.answers)),
            material=self._own_words(where, state),
            interview=Interview(
                round=one.put.round,
                budget=session.opened.budget,
                why=one.put.why,
                single=one.put.single,
                settled=settled,
                dimensions=len(decisions),
                chart=bool(decisions) and self._kind.settings.show_chart,
            ),
        )

    # -- rating and editing --------------------------------------------------------------------

    def _met(self, where: Place, state: State) -> Step:
        truth = self._project(where, state).truth
        screens = forms.requirement_screens(truth)
        return self._beside_sheet(where, state, "Your requirements", screens[where.part - 1], MET)

    def _rate(self, where: Place, state: State) -> Step:
        fields = forms.rating_screens()[where.part - 1]
        return self._beside_sheet(where, state, "Your rating", fields, RATE)

    def _beside_sheet(
        self, where: Place, state: State, title: str, fields: tuple[Field, ...], body: str
    ) -> Step:
        session = self._session(where, state)
        if session is None or session.frozen is None:
            return self._work(where, state, where)
        made = _form(where, state, title, fields, body)
        return replace(made, material=_sheet(self._frozen_text(session)))

    def _compare(self, where: Place, state: State) -> Step:
        left, right = compared(self._kind, where.item, state)
        if left.frozen is None or right.frozen is None:
            late = left if left.frozen is None else right
            return self._work(replace(where, number=late.opened.number), state, where)
        context = (Message("left", self._frozen_text(left)), Message("right", self._frozen_text(right)))
        made = _form(where, state, "Two sheets", forms.comparison_fields(), COMPARE)
        return replace(made, material=Material("", context, markdown=True))

    def _edit(self, where: Place, state: State) -> Step:
        session = self._session(where, state)
        if session is None or session.frozen is None:
            return self._work(where, state, where)
        sheet = Sheet.from_json(session.frozen.sheet)
        answers = {**(_previous(where, state) or {}), **state.answers}
        fields = (
            *(Field(one.id, "choice", _change_text(one), CHANGE) for one in sheet.changes),
            Field("struck", "multi", "Statements to strike", _statements(sheet, answers), required=False),
            *(Field(name, "text", f"{TITLES[name]}, rewritten", required=False) for name in SECTIONS),
        )
        view = sheet_view(self._study.project(where.item).title, sheet, answers)
        return Step(
            where.id,
            state.revision(where.id),
            "sheet",
            "Your sheet",
            "Make the sheet yours: strike, rewrite, and say what you think of the assistant's last changes.",
            fields,
            previous=_previous(where, state),
            sheet=view,
        )

    # -- waiting -------------------------------------------------------------------------------

    def _work(self, of: Place, state: State, where: Place) -> Step:
        """The work that stands before a step: its session's calls, and how long each usually takes."""
        session = self._at_work(of, state)
        broken = session.broken if session else ()
        jobs = tuple(self._jobs(session, state)) if session else ()
        notice = ""
        if session and broken:
            errors = [one for one in (session.calls[name].error for name in broken) if one]
            notice = " ".join([*dict.fromkeys(errors), NEVER_MIND])
        work = Work("broken" if broken else "working", jobs, notice)
        return Step(where.id, 0, "work", self._study.project(where.item).title, work=work)

    def _at_work(self, of: Place, state: State) -> Session | None:
        """The session that a step waits for: an earlier agent's about the project, where that is not done."""
        from studies.specification.protocol import finished

        session: Session | None = None
        for number in range(1, of.number + 1):
            session = self._session(replace(of, number=number), state)
            if session is None or not finished(session):
                break
        return session

    def _jobs(self, session: Session, state: State) -> list[Job]:
        agent = self._kind.agents[session.opened.agent]
        under_way = {name: "waiting" for _, name in self._kind.due(state) if _.id == session.id}
        for name, call in session.calls.items():
            if call.broken:
                under_way[name] = "failed"
            elif call.standing is None:
                under_way[name] = "running"
            elif call.valid and not session.rounds:
                under_way[name] = "done"
        usual = self._usual(state)
        return [
            Job(agent.label(name), word, usual.get(stage_of(name)))  # type: ignore[arg-type]
            for name, word in under_way.items()
        ]

    def _usual(self, state: State) -> Mapping[str, float]:
        """Seconds that each stage usually takes: in this participation, else in this study."""
        from studies.specification.protocol import projects_of

        own = {stage: median(took) for stage, took in projects_of(state).usual_ms.items()}
        return {stage: took / 1000 for stage, took in {**self._kind.usual_ms, **own}.items()}

    # -- helpers -------------------------------------------------------------------------------

    def _project(self, where: Place, state: State) -> Any:
        from studies.specification.protocol import projects_of

        return projects_of(state).of(where.item)

    def _session(self, where: Place, state: State) -> Session | None:
        found: Session | None = self._project(where, state).session(where.number)
        return found

    def _task(self, where: Place, state: State) -> str:
        return self._kind.interviews(where.item, state)[0].task

    def _own_words(self, where: Place, state: State) -> Material | None:
        """What stays at hand: the person's proposal, and whom they answer as."""
        proposal = self._project(where, state).proposal
        return self._at_hand(where, proposal, YOURS) if proposal else None

    def _at_hand(self, where: Place, text: str, title: str) -> Material:
        persona = self._study.project(where.item).persona
        if not persona:
            return Material(text, title=title)
        sheet = forms.persona_text(self._study.persona(persona))
        return Material(text, (Message("persona", sheet),), title)

    def _frozen_text(self, session: Session) -> str:
        assert session.frozen is not None
        title = self._study.project(session.item).title
        return markdown(title, edited_sheet(Sheet.from_json(session.frozen.sheet), {}))

    def _progress(self, where: Place, state: State) -> Progress:
        items = self._kind.assigned(state)
        return Progress("Project", position=items.index(where.item) + 1, total=len(items))


YOURS = "Your proposal"


def _sheet(text: str) -> Material:
    return Material(text, title="The sheet", markdown=True)


CHANGE = (Option("accept", "Keep this change"), Option("refuse", "Undo this change"))


def compared(kind: SpecificationKind, item: str, state: State) -> tuple[Session, Session]:
    """The two sessions of a comparison, left and right: which stands where is drawn by chance."""
    from studies.chance import Chance
    from studies.specification.protocol import projects_of

    slot = state.opened.slot if state.opened else 0
    drawn = Chance(kind.study.settings.seed, slot, f"compare {item}").shuffled(
        projects_of(state).of(item).sessions[:2]
    )
    return drawn[0], drawn[1]


def _page(where: Place, title: str, text: str) -> Step:
    return Step(where.id, 1, "page", title, text, (Field("read", "info", text),))


def _form(where: Place, state: State, title: str, fields: tuple[Field, ...], body: str) -> Step:
    return Step(
        where.id,
        state.revision(where.id),
        "form",
        title,
        body,
        fields,
        previous=_previous(where, state),
    )


def _previous(where: Place, state: State) -> Mapping[str, Any] | None:
    last = state.submitted.get(where.id)
    return last.answers if last and state.reopened == where.id else None


def _interview_fields(one: Round, answers: Mapping[str, Any]) -> list[Field]:
    options = [Option(letter, text) for letter, text in lettered(one.put.options).items()]
    unknown = Option(forms.UNKNOWN, "I don't know", alone=True)
    if one.put.single:
        own = Option(forms.OWN, "None of these, in my own words")
        fields = [Field("choice", "choice", one.put.question, (*options, own, unknown))]
    else:
        fields = [Field("choice", "multi", one.put.question, (*options, unknown))]
    if answers.get("choice") in ((), [], forms.OWN):
        fields.append(Field("own_words", "text", "None of these. What would you want instead?"))
    return fields


def _change_text(change: Any) -> str:
    before = "; ".join(one.text for one in change.before) or "nothing"
    after = "; ".join(one.text for one in change.after) or "nothing"
    section = TITLES[change.section]
    return f"The assistant's last change in {section.lower()}: {before} became {after}. Why: {change.why}"


def _statements(sheet: Sheet, answers: Mapping[str, Any]) -> tuple[Option, ...]:
    known = {one.id: one.text for one in sheet.statements}
    known |= {one.id: one.text for change in sheet.changes for one in change.before}
    return tuple(Option(name, text) for name, text in known.items())
