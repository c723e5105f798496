"""A specification study in the plain mode: what is read out, and what can be done, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable

from support.programs import Wire
from support.specification_lab import two_tasks
from support.specifications import BASELINE, BUDDY, NobodyElse, Rehearses, project, question, wishes
from support.visits import Sitting

from capa_tui.plain import Plain
from studies.replies import ReplyEnd
from studies.runner import Visit
from studies.specification import payloads as said
from studies.specification.crew import Crew
from studies.specification.sections import SECTIONS, TITLES
from studies.study import Study

ANSWERS = {
    "Press Enter to go on.": [""],
    "Answer yes or no.": ["yes"],
    "Answer with a number.": ["1"],
    "Answer with numbers, separated by spaces; 0 for none.": ["1"],
    "Answer with numbers, separated by spaces; 0 for none. An empty line skips it.": [""],
    "Write; an empty line ends the text.": ["Some words.", ""],
    "Write; an empty line ends the text. An empty line skips it.": [""],
}
WISH = re.compile(r".*: what do you want\?")


class Sat:
    """Both ends of a plain visit."""

    def __init__(self, study: Study, assistant: Rehearses | None = None) -> None:
        self.sitting = Sitting(study)
        visit = Visit(study, self.sitting.events, self.sitting.journal, self.sitting.clock)
        visit.live = Crew(visit, assistant or Rehearses(), NobodyElse())
        self.wire = Wire(lambda source, out: Plain(visit, source, out))

    async def until(self, wanted: str | Callable[[str], bool]) -> list[str]:
        """Read on, answering as usual, to a line that begins so; the lines since the last answer."""
        seen: list[str] = []
        while True:
            line = await self.wire.line()
            seen.append(line)
            if wanted(line) if callable(wanted) else line.startswith(wanted):
                return seen
            if line in ANSWERS:
                given = ANSWERS[line]
                if given == [""] and any(map(WISH.match, seen)):
                    given = ["Something.", ""]
                for one in given:
                    self.wire.send(one)
                seen = []

    async def hang_up(self) -> None:
        self.wire.hang_up()
        assert await self.wire.end() == 0


def sheet(agent: str = BASELINE) -> Study:
    return wishes(project("hall"), agents=(agent,), more="budgets = [2]")


async def test_a_whole_visit_is_read_out() -> None:
    sat = Sat(two_tasks())
    seen = await sat.until("End of the project.")
    assert "The project:" in seen
    seen = await sat.until("Question 1 of at most 2. Why it is asked:")
    assert "Your proposal: as above. /again reads it once more." in seen, "it came with the ground truth"
    await sat.until("Answer with a number.")
    sat.wire.send("1")
    await sat.until(lambda line: line.startswith("Your requirements"))
    seen = await sat.until("End of the sheet.")
    assert [line for line in seen if line.startswith("## ")] == [f"## {TITLES[one]}" for one in SECTIONS]
    seen = await sat.until("The sheet: as above.")
    seen = await sat.until("End of the right sheet.")
    assert {"The left sheet:", "End of the left sheet.", "The right sheet:"} <= set(seen)
    seen = await sat.until("End of your sheet.")
    seen = await sat.until("Core features, rewritten. It says now:")
    seen = await sat.until("Write; an empty line ends the text. An empty line skips it.")
    assert any(line.startswith("- ") for line in seen), "the section as it stands"
    sat.wire.send("")
    seen = await sat.until("You have finished the study.")
    assert not any("request" in line for line in seen)
    assert await sat.wire.end() == 0
    assert sat.sitting.kinds().count("sheet_edited") == 1


async def test_the_chart_is_read_out_on_demand() -> None:
    sat = Sat(sheet(BUDDY))
    await sat.until(lambda line: line.startswith("Question 1 of at most 2. Why"))
    await sat.until("Answer with numbers")
    sat.wire.send("/chart")
    (head,) = await sat.until("How each choice stands:")
    assert re.fullmatch(r"How each choice stands: \d+ of \d+ settled\.", head)
    seen = await sat.until("Answer with numbers")
    assert sum(line.startswith("  Simulated user 3, with nothing known of you:") for line in seen) >= 8
    sat.wire.send("1")
    await sat.until("Saved.")
    await sat.hang_up()


async def test_there_is_no_chart_where_the_agent_or_the_study_has_none() -> None:
    hidden = wishes(project("hall"), agents=(BUDDY,), more="budgets = [2]\nshow_chart = false")
    for study in (sheet(BASELINE), hidden):
        sat = Sat(study)
        await sat.until(lambda line: line.startswith("Question 1 of at most 2. Why"))
        await sat.until("Answer with numbers")
        sat.wire.send("/chart")
        seen = await sat.until("There is no chart here.")
        assert not [line for line in seen if line.startswith(("How each choice stands", "  Simulated user"))]
        await sat.hang_up()
        assert "round_answered" not in sat.sitting.kinds(), "a command is no answer"


async def test_none_of_the_options_asks_for_own_words_and_an_interview_can_be_ended() -> None:
    sat = Sat(sheet())
    await sat.until("Question 1 of at most 2. Why")
    await sat.until("Answer with numbers")
    sat.wire.send("1 5")
    await sat.until(lambda line: "stands alone" in line)
    sat.wire.send("0")
    await sat.until("None of these. What would you want instead?")
    await sat.until("Write; an empty line ends the text.")
    sat.wire.send("A bell.")
    sat.wire.send("")
    await sat.until("Question 2 of at most 2. Why")
    await sat.until("Answer with numbers")
    sat.wire.send("/end")
    await sat.until('Write "end"')
    sat.wire.send("")
    await sat.until("Answer with numbers")
    sat.wire.send("/end")
    await sat.until('Write "end"')
    sat.wire.send("end")
    await sat.until("End of the sheet.")
    await sat.hang_up()
    (answer,) = (one.payload for one in sat.sitting.events if isinstance(one.payload, said.RoundAnswered))
    assert answer.own_words == "A bell."
    (ended,) = (one.payload for one in sat.sitting.events if isinstance(one.payload, said.InterviewEnded))
    assert (ended.by, ended.rounds) == ("participant", 1)


async def test_a_failed_call_waits_for_the_person() -> None:
    assistant = Rehearses()
    assistant.failing = [ReplyEnd("failed", "", error="Too many requests.", error_kind="rate_limit")]
    sat = Sat(
        wishes(project("club", checklist=[question(n) for n in range(1, 9)]), agents=(BASELINE,)), assistant
    )
    seen = await sat.until("Press Enter to try again")
    assert any("Too many requests." in line for line in seen)
    sat.wire.send("")
    await sat.until("Question 1 of at most 5.")
    await sat.hang_up()
