"""The interview: options by key and mouse, own words, leaving early; and whole projects on every screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.specifications import BASELINE, project, question, wishes

from screens.chart import ChartScreen
from screens.interview import InterviewScreen
from screens.widgets.bars import KeyBar, hints
from screens.widgets.lettered import Lettered
from screens.widgets.marks import Choices, Scale
from screens.widgets.note import NoteField
from studies.payloads import Activity
from studies.specification import payloads as said
from studies.specification.sections import SECTIONS
from studies.steps import Step
from studies.study import Study

Make = Callable[..., Any]


def plain(task: str) -> Study:
    return wishes(
        project("club", checklist=[question(n) for n in range(1, 9)]),
        agents=(BASELINE,),
        more=f'task = "{task}"\nbudgets = [2]',
    )


def rounds(seat: Any) -> list[said.RoundAnswered]:
    return [one.payload for one in seat.sitting.events if isinstance(one.payload, said.RoundAnswered)]


async def test_several_options_are_chosen_by_letter_digit_and_mouse(spec_seat: Make) -> None:
    at = await spec_seat(plain("sheet")).go("round")
    async with at.sit():
        assert "question 1 of at most 2" in at.text
        assert "a-f choose" in at.text
        await at.press("enter")
        assert "Nothing is chosen yet" in at.says
        await at.press("b", "4", "a", "a")
        await at.click("#options", (2, 2))
        assert at.visit.answers["choice"] == ("B", "C", "D")
        await at.click("#answer")
        await at.at("interview")
        assert rounds(at)[0].picked == ("B", "C", "D")
        assert "question 2 of at most 2" in at.text


async def test_not_knowing_stands_alone(spec_seat: Make) -> None:
    at = await spec_seat(plain("sheet")).go("round")
    async with at.sit():
        await at.press("a", "f")
        assert at.visit.answers["choice"] == ("unknown",)
        await at.press("b")
        assert at.visit.answers["choice"] == ("B",)
        await at.press("f", "enter")
        await at.at("interview")
        assert (rounds(at)[0].picked, rounds(at)[0].unknown) == ((), True)


@pytest.mark.parametrize("task", ["sheet", "checklist"])
async def test_own_words_open_where_nothing_fits_and_are_kept(spec_seat: Make, task: str) -> None:
    at = await spec_seat(plain(task)).go("round")
    async with at.sit():
        screen = at.screen
        assert not screen.query_one("#own").display
        await at.press("e")
        assert isinstance(at.app.focused, NoteField)
        await at.press("escape", "enter")
        assert "own words" in at.says
        await at.press(*"ab [/] c")
        screen.keep()
        await at.settle()
    async with at.sit():
        # Somebody came back: the words are where they were.
        assert at.screen.own.said == "ab [/] c"
        await at.press("escape", "a")
        assert not at.screen.query_one("#own").display
        await at.press("e", "escape", "enter")
        await at.until(lambda: len(rounds(at)) == 1)
        assert (rounds(at)[0].own_words, rounds(at)[0].picked) == ("ab [/] c", ())


async def test_one_option_is_chosen_for_a_checklist(spec_seat: Make) -> None:
    at = await spec_seat(plain("checklist")).go("round")
    async with at.sit():
        await at.press("a", "c")
        assert at.visit.answers["choice"] == "C"
        await at.press("enter")
        await at.until(lambda: len(rounds(at)) == 1)
    assert rounds(at)[0].picked == ("C",)


async def test_the_interview_can_be_ended_early(spec_seat: Make) -> None:
    at = await spec_seat(plain("sheet")).go("round")
    async with at.sit():
        await at.press("f8")
        assert "End the interview here?" in at.text
        await at.press("escape", "f8", "up", "enter")
        await at.at("form")
    ended = [one.payload for one in at.sitting.events if isinstance(one.payload, said.InterviewEnded)]
    assert [(one.by, one.rounds) for one in ended] == [("participant", 0)]


async def test_the_chart_and_the_proposal_lie_over_the_question(spec_seat: Make) -> None:
    at = await spec_seat().go("round")
    async with at.sit():
        await at.press("a", "enter")
        await at.at("interview")
        assert "choices settled" in at.text
        await at.press("b", "f2")
        chart = at.app.screen
        assert isinstance(chart, ChartScreen)
        assert "all agree" in at.text
        await at.press("down", "down", "pagedown", "pagedown")
        assert "Simulated user" in at.text
        await at.press("f2", "f3")
        assert "You answer as" in at.text
        await at.press("escape", "enter")
        await at.until(lambda: len(rounds(at)) == 2)
        assert rounds(at)[1].picked == ("B",)
        assert isinstance(at.screen, InterviewScreen)
    samples = [
        sort
        for one in at.sitting.events
        if isinstance(one.payload, Activity)
        for _, sort in one.payload.samples
    ]
    assert "pane" in samples


STATES = {
    "options": ("round", ("a", "enter")),
    "own words": ("round", ("e",)),
    "chart": ("round", ("a", "enter", "f2")),
    "proposal": ("round", ("f3",)),
    "rating": ("rate", ("4",)),
    "reason": ("rate", ("tab",)),
    "change": ("edit", ()),
    "statement": ("edit", ("up", "x")),
    "own section": ("edit", ("e", "k", "ctrl+s")),
    "change of an own section": ("edit", ("e", "k", "ctrl+s", "home")),
    "writing": ("edit", ("e",)),
    "sections": ("edit", ("left",)),
}


@pytest.mark.parametrize("state", STATES)
async def test_all_keys_fit_and_help_is_there(spec_seat: Make, state: str) -> None:
    sort, keys = STATES[state]
    at = await spec_seat().go(sort)
    async with at.sit():
        await at.press(*keys)
        if state == "options":
            await at.at("interview")
        bar = at.app.screen.query_one(KeyBar)
        assert len(bar.lines(bar.content_size.width)) <= bar.content_size.height
        for hint in hints(at.app.screen):
            if hint.action is not None:
                assert at.app._check_action_state(hint.action, hint.node) is True
        if state not in ("proposal",):
            await at.press("f1")
            assert "Keys" in at.text


def test_letters_and_marks() -> None:
    from studies.steps import Option

    options = [Option("A", "one"), Option("B", "two"), Option("unknown", "no idea", alone=True)]
    made = Lettered(options, (), several=True, none="none")
    assert [one.label for one in made.options] == ["one", "two", "none", "no idea"]
    assert made.cursor == 2
    assert made._front(2, True) == "c [x] "


# -- whole projects --------------------------------------------------------------------------


async def by_keys(at: Any) -> None:
    """Answer whatever is up by keyboard alone."""
    screen, step = at.screen, at.screen.step
    match step.kind:
        case "form":
            for place, _ in enumerate(step.fields):
                field = screen.query_one(f"#field-{place}")
                await at.until(lambda field=field: at.app.focused is field)
                keys = ("k",) if isinstance(field, NoteField) else ("2",)
                await at.press(*keys, "tab")
                if not step.fields[-1].required:
                    # The rest may stay open: around the other way to the button.
                    await at.press("shift+tab", "shift+tab", "shift+tab")
                    break
            await at.press("enter")
        case "interview":
            await at.press("b", "enter")
        case "sheet":
            await at.press("y", "up", "x", "e", *"No. ", "ctrl+s", "f8", "up", "enter")
        case _:
            while at.screen.step is step and at.visit.current == step:
                await at.press("enter")


async def by_mouse(at: Any) -> None:
    """Answer whatever is up by mouse, and with letters only where words are asked for."""
    screen, step = at.screen, at.screen.step
    match step.kind:
        case "form":
            for place, _ in enumerate(step.fields):
                field = screen.query_one(f"#field-{place}")
                field.scroll_visible(animate=False, immediate=True)
                await at.settle()
                await at.click(f"#field-{place}", (1, 0))
                if isinstance(field, NoteField):
                    await at.press("k")
                elif isinstance(field, Choices | Scale) and field.value is None:
                    await at.click(f"#field-{place}", (1, 0))
            await at.click("#next")
        case "interview":
            await at.click("#options", (2, 1))
            await at.click("#answer")
        case "sheet":
            if screen.query_one("#accept").display:
                await at.click("#accept")
            await at.click("#edit")
            await at.press("k")
            await at.click("#take-over")
            await at.click("#finish")
            await at.click("#choice-0")
        case "rest":
            await at.click("#go-on")
        case _:
            await at.click("#go-on")


async def through(at: Any, answer: Callable[[Any], Any]) -> list[str]:
    """From the step that is up to the rest after the project; the kinds of steps that came by."""
    seen: list[str] = []
    while not (isinstance(at.visit.current, Step) and at.visit.current.id.startswith("rest:")):
        step = at.screen.step
        seen.append(step.kind)
        if step.kind != "work":
            await answer(at)
        before = (step.id, step.revision)
        await at.until(
            lambda before=before: (at.screen.step.id, at.screen.step.revision) != before and at.screen.is_open
        )
        await at.settle()
    return seen


async def test_a_whole_project_by_keyboard(spec_seat: Make) -> None:
    at = await spec_seat().go("proposal")
    async with at.sit():
        seen = await through(at, by_keys)
    assert {"form", "interview", "sheet", "rest", "page"} <= set(seen)
    assert len(rounds(at)) == 5
    edited = next(one.payload for one in at.sitting.events if isinstance(one.payload, said.SheetEdited))
    assert any(text.startswith("No. ") for text in edited.sections.values())
    assert edited.answers["struck"]


async def test_a_whole_project_by_mouse(spec_seat: Make) -> None:
    few = {f"{name}.{sort}": None for name in SECTIONS[1:] for sort in ("want", "avoid")}
    at = await spec_seat().go("round", few)
    async with at.sit():
        seen = await through(at, by_mouse)
    assert {"form", "interview", "sheet", "page"} <= set(seen)
    rated = [one.payload for one in at.sitting.events if isinstance(one.payload, said.SheetRated)]
    assert {name for one in rated for name in one.answers} >= {"coverage", "readability"}


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_it_looks_like(spec_seat: Make, snap_compare: Any, size: tuple[int, int]) -> None:
    at = spec_seat()
    asyncio.run(at.go("round"))

    async def before(pilot: Any) -> None:
        at.pilot = pilot
        await at.settle()
        await at.press("a", "enter")
        await at.at("interview")
        await at.press("b", "c")

    assert snap_compare(at.application(), run_before=before, terminal_size=size)
