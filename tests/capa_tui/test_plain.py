"""The plain front end: a whole visit in lines, readable by a screen reader."""

from __future__ import annotations

import pytest
from support.programs import Wire
from support.studies import study
from support.visits import Sitting

from capa_tui.plain import Plain, reflowed
from studies.annotation.payloads import AnnotationSubmitted
from studies.payloads import FieldAnswered
from studies.runner import Visit

ONWARD = {"Press Enter to go on.": "", "Answer yes or no.": "yes"}


def plain(sitting: Sitting) -> Wire:
    visit = Visit(sitting.study, sitting.events, sitting.journal, sitting.clock)
    return Wire(lambda source, out: Plain(visit, source, out))


async def until(wire: Wire, wanted: str) -> list[str]:
    """Read on, going past pages and consent, to a line that begins with `wanted`."""
    seen = []
    while True:
        line = await wire.line()
        seen.append(line)
        if line.startswith(wanted):
            return seen
        if line in ONWARD:
            wire.send(ONWARD[line])


def annotations(sitting: Sitting) -> list[AnnotationSubmitted]:
    return [one.payload for one in sitting.events if isinstance(one.payload, AnnotationSubmitted)]


async def test_a_whole_visit_line_by_line() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("4")
    await until(wire, "Answer with numbers")
    wire.send("1, 2")
    await until(wire, "Answer with a number.")
    wire.send("5")
    await until(wire, "Write; an empty line ends the text.")
    wire.send("first line")
    wire.send("/not a command")
    wire.send("")
    await until(wire, "Answer with a number. An empty line skips it.")
    wire.send("")
    seen = await until(wire, "Your completion code:")
    assert "You have finished the study. Everything is saved. Thank you." in seen
    assert await wire.end() == 0
    (made,) = annotations(sitting)
    options = sitting.events[0].payload.options  # type: ignore[attr-defined]
    assert made.dominant == options[3]
    assert set(made.additional) == set(options[:2])
    assert (made.confidence, made.note, made.flag) == (5, "first line\n/not a command", False)


@pytest.mark.parametrize("bad", ["9", "0", "x", "", "1 2", "-1", "1.0"])
async def test_a_wrong_number_is_not_taken_and_costs_nothing(bad: str) -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send(bad)
    await until(wire, "Not taken:")
    wire.send("1")
    await until(wire, "Saved.")
    wire.hang_up()
    assert await wire.end() == 0
    assert sitting.kinds()[-1] == "visit_ended"


async def test_an_empty_answer_to_the_additional_labels_is_not_the_explicit_none() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("1")
    await until(wire, "Answer with numbers")
    wire.send("")
    await until(wire, "Not taken:")

    def additional() -> list[object]:
        answers = [one.payload for one in sitting.events if isinstance(one.payload, FieldAnswered)]
        return [one.value for one in answers if one.field == "additional"]

    assert additional() == []
    wire.send("0")
    await until(wire, "Saved.")
    assert additional() == [()]
    wire.hang_up()
    assert await wire.end() == 0


async def test_commands_go_back_explain_repeat_and_pause() -> None:
    sitting = Sitting(study(items=2))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("/about 1")
    option = sitting.events[0].payload.options[0]  # type: ignore[attr-defined]
    await until(wire, f"definition of {option}")
    await until(wire, "Answer with a number.")
    wire.send("/again")
    await until(wire, "The request:")
    wire.send("/back")
    await until(wire, "There is nothing to go back to")
    wire.send("/nonsense")
    await until(wire, "There is no command /nonsense.")
    wire.send("/pause")
    await until(wire, "Everything is saved.")
    assert await wire.end() == 0


async def test_withdrawing_asks_for_the_word() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("/withdraw")
    await until(wire, 'Write "withdraw"')
    wire.send("")
    await until(wire, "Answer with a number.")
    wire.send("/withdraw")
    await until(wire, 'Write "withdraw"')
    wire.send("withdraw")
    await until(wire, "You have withdrawn.")
    assert await wire.end() == 0
    assert sitting.kinds()[-1] == "participation_withdrawn"


async def test_the_end_of_the_input_is_not_the_word_and_ends_the_visit() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("/withdraw")
    await until(wire, 'Write "withdraw"')
    wire.hang_up()
    assert await wire.end() == 0
    assert sitting.kinds()[-1] == "visit_ended"


async def test_a_note_is_kept_when_the_input_ends_in_the_middle_of_it() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    wire.send("1\n0\n1\nhalf a\r\nnote")
    await until(wire, "Write; an empty line ends the text.")
    wire.hang_up()
    assert await wire.end() == 0
    said = [one.payload for one in sitting.events if isinstance(one.payload, FieldAnswered)]
    assert (said[-1].field, said[-1].value) == ("note", "half a\nnote")
    assert sitting.kinds()[-1] == "visit_ended"


async def test_a_command_that_cannot_be_stored_costs_nothing() -> None:
    sitting = Sitting(study(items=1))
    wire = plain(sitting)
    await until(wire, "Answer with a number.")
    sitting.journal.fail_before = 1
    wire.send("/pause")
    await until(wire, "Not taken:")
    wire.send("/pause")
    await until(wire, "Everything is saved.")
    assert await wire.end() == 0


async def test_nothing_in_a_text_reaches_the_terminal_as_a_command() -> None:
    hostile = "red \x1b[31m bell \x07 osc \x1b]0;x\x07 c1 \x9b2J bidi \u202e end"
    sitting = Sitting(study(requests=[hostile], title="title \x1b[2J"))
    wire = plain(sitting)
    seen = "\n".join(await until(wire, "Answer with a number."))
    assert not [one for one in seen if one < " " and one != "\n"]
    assert "\u202e" not in seen
    assert "\x9b" not in seen
    assert "\\x1b[31m" in seen
    wire.hang_up()
    await wire.end()


async def test_no_line_is_wider_than_a_terminal() -> None:
    sitting = Sitting(study(requests=["word " * 200]))
    wire = plain(sitting)
    assert max(map(len, await until(wire, "Answer with a number."))) <= 80
    wire.hang_up()
    await wire.end()


def test_paragraphs_are_wrapped_once_and_lists_and_code_stay() -> None:
    kept = "- a list\n- of two\n\n1. first\n2. second\n\n    code  here\n\n```\na\nb\n```\nend"
    assert reflowed(f"One paragraph\nover two lines.\n\n{kept}") == f"One paragraph over two lines.\n\n{kept}"


async def test_a_request_keeps_its_lines() -> None:
    sitting = Sitting(study(requests=["first line\nsecond line"]))
    wire = plain(sitting)
    seen = await until(wire, "Answer with a number.")
    assert "second line" in seen
    wire.hang_up()
    await wire.end()
