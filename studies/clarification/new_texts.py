"""The files of a new clarification folder beside its tasks, from templates that explain every key."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from studies.bundles import directory as bundled
from studies.clarification.plan import OUTCOMES
from studies.folder_parts import own_codebook
from studies.new_files import left_out_lines, listed_lines, planned_line, stopping_rule
from studies.new_folder import slug, title_of, toml_value

if TYPE_CHECKING:
    from studies.clarification.materials import ClarificationTask
    from studies.clarification.settings import Coding
    from studies.new_design import Plan

_TEMPLATES = Path(__file__).parents[1] / "templates" / "clarification"
_HERE = "Nothing is sent over the internet."
_SENT = "[[On this computer only, or: to which provider, in which country, who runs the assistant]]"
_DEVIATIONS: Mapping[str, tuple[str, ...]] = {
    "answerer": (
        "A person answers in words of their own; in ClarifyCodeBench the annotated answer is given.",
        "A person decides which key question a question is about; in ClarifyCodeBench a model does.",
    ),
    "asker": ("A person asks; in ClarifyCodeBench a model does, and it writes the code.",),
    "matcher": (),
    "author": (),
}
_ASKED = "We study what coding assistants ask, and whether it is what matters. We test assistants, not you."
_TOLD = "We study what people then tell a coding assistant. You are not tested."
_WHAT = {
    "answerer": "A coding assistant asks about descriptions that lack something, and you answer.",
    "matcher": "You read what coding assistants asked, and say which missing point each question is about.",
    "asker": "You read descriptions that may lack something, and ask for what is missing.",
    "author": "You shorten descriptions of programs, and write down what one would then have to ask.",
    "coder": "You read what people wrote about programming tasks, and say what it gives away.",
}
_HIDDEN = {
    "answerer": """\
We count how early the assistant's questions uncovered what was missing, and how many of them uncovered
nothing. Hidden tests decide whether code was right, where there are any.""",
    "matcher": """\
A model has judged the same questions. We compare its labels with yours, and with those of the other people
who read the same questions.""",
    "asker": """\
We count how early your questions uncovered what was missing, and compare this with what coding assistants
ask about the same descriptions. How many pieces of information were missing was not shown.""",
    "author": """\
Somebody else looked at your descriptions without seeing what you had left out, and we count how much of it
they found.""",
    "coder": """\
The people whose words you read had been asked to tell only what an assistant asked for. We compare what they
gave away under different conditions, which you were not shown. Two people read each text.""",
}


def render(
    name: str,
    seat: str,
    plan: Plan,
    tasks: Sequence[ClarificationTask],
    seed: int,
    left_out: Sequence[str],
    coding: Coding | None = None,
) -> dict[str, bytes]:
    """The files of a new folder of that name, by relative path, without tasks.jsonl."""
    title = title_of(name)
    told = "coder" if coding else seat
    asked = coding.of if coding else "asked questions"
    hosted = seat == "asker" and not all(gap.cues for one in tasks for gap in one.key_questions)
    judge = toml_value("openai/name-of-the-model" if hosted else "rehearsal")
    study = _filled(
        "study.toml",
        about=_commented(_about(seat, tasks, coding)),
        title=toml_value(title),
        name=toml_value(slug(title)),
        seed=seed,
        processors=_read("processors.toml") if hosted else "",
        units=asked if seat == "matcher" else "tasks",
        design=_design(plan),
        seat=toml_value(seat),
        protocol=_filled("coder.toml", of=coding.of, study=coding.study) if coding else _read(f"{seat}.toml"),
        assistants=_filled(f"{seat}-assistants.toml", judge=judge) if seat in ("answerer", "asker") else "",
    )
    what = "tasks.jsonl: {} " + (asked if seat == "matcher" else "tasks")
    files = {
        "study.toml": study + left_out_lines(left_out, what),
        "analysis.toml": _analysis(seat, plan),
        "consent.md": _filled(
            "consent.md",
            about=_TOLD if coding else _ASKED,
            what=_WHAT[told],
            where=_SENT if seat in ("answerer", "asker") else _HERE,
        ),
        "instructions.md": _read(f"{told}.md"),
        "debrief.md": _filled("debrief.md", hidden=_HIDDEN[told]),
    }
    made = {path: text.encode("utf-8") for path, text in files.items()} | {"codebook.toml": own_codebook()}
    if seat == "answerer":
        made["prompts/asker.md"] = (bundled("clarification") / "prompts" / "asker.md").read_bytes()
    return made


def _read(file: str) -> str:
    return (_TEMPLATES / file).read_text(encoding="utf-8")


def _filled(file: str, **values: object) -> str:
    return Template(_read(file)).substitute(values)


def _about(seat: str, tasks: Sequence[ClarificationTask], coding: Coding | None) -> str:
    gaps, asked = sum(one.gaps for one in tasks), sum(len(one.asked) for one in tasks)
    if seat == "author":
        return f"{len(tasks)} complete tasks, from which authors leave something out."
    if coding:
        return (
            f"{len(tasks)} tasks with {gaps} statements, and {asked} {coding.of} of participants to be coded."
        )
    words = f"{len(tasks)} tasks with {gaps} key questions"
    return f"{words}, and {asked} questions that models asked." if seat == "matcher" else f"{words}."


def _commented(text: str) -> str:
    return "\n".join(f"# {line}" for line in textwrap.wrap(text, 108))


def _design(plan: Plan) -> str:
    def line(key: str, value: object, example: object, words: str) -> str:
        setting = f"# {key} = {toml_value(example)}" if value is None else f"{key} = {toml_value(value)}"
        return f"{setting:<28} # {words}"

    lines = [
        f"kind = {toml_value(plan.kind)}",
        line("participants", plan.participants, 20, "planned number of participants: one slot each"),
        line("items_each", plan.items_each, 20, "how many a participant gets"),
        line("raters", plan.raters, 2, "participants to whom each one goes"),
        line("block", plan.block, 3, "how many between two rests"),
        line("strata", plan.strata or None, ["source"], "columns over which the order is spread evenly"),
        line("unequal", plan.unequal or None, True, "floor and ceiling numbers of raters will do"),
    ]
    return "\n".join(lines)


def _analysis(seat: str, plan: Plan) -> str:
    known = OUTCOMES[seat]
    contrast = "# two assistants, the first less the second: a minus b" if seat == "answerer" else ""
    return _filled(
        "analysis.toml",
        outcomes=", ".join(known),
        primary=toml_value(known[0]),
        contrast=contrast,
        planned_n=planned_line(plan),
        stopping_rule=toml_value(stopping_rule(plan)),
        known_deviations=listed_lines((*_DEVIATIONS[seat], *plan.deviations)),
    )
