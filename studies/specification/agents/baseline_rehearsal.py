"""What the rehearsal answers in the baseline's place: from the project's script, else computed; always valid.

It says nothing clever: a question is the script's or a plain one about a section, a prediction is the answer
to the question itself or the option that shares most words with what the person wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from studies.specification.agents import baseline_shapes as shapes
from studies.specification.agents.baseline_prompts import answer_text
from studies.specification.agents.baseline_rules import act_problems, plain
from studies.specification.sections import ABOUT, LETTERS, SECTIONS, TITLES
from studies.specification.sheet import MOST_CHARACTERS

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief
    from studies.specification.materials import ChecklistQuestion
    from studies.specification.projects import Round

_QUESTIONS: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    (
        "How far should the first version go in: {}?",
        ("Only what is indispensable", "What most people expect", "All that I wrote", "More than I wrote"),
    ),
    (
        "Who should decide about: {}?",
        ("I do, alone", "Everybody who uses it", "A few people whom I name", "The program, by fixed rules"),
    ),
    (
        "What would disappoint you most in: {}?",
        ("That it is hard to learn", "That it is slow", "That something is missing", "That it is too much"),
    ),
    (
        "How often may this change later: {}?",
        ("Never, once it is fixed", "Once a year", "Every few weeks", "Whenever somebody asks"),
    ),
    (
        "What is your example for: {}?",
        ("Something on paper", "A program that I use", "What others here use", "There is none yet"),
    ),
    (
        "How much help do people need with: {}?",
        ("None at all", "A short text", "Somebody who shows it once", "Help at every step"),
    ),
)
"""Fifty-four with the nine sections: more than the longest interview has rounds."""
_PLAN = 6_000
"""Characters of a plan at most."""
_EACH = 240
"""Characters of a text that a computed statement repeats."""


def plan(brief: Brief) -> str:
    """The script's plan, or one that names the sections in their order."""
    told = brief.script.get("plan")
    notes = told.get("plan") if isinstance(told, Mapping) else None
    if not isinstance(notes, str) or not notes.strip():
        subject = "the checklist's questions" if brief.checklist else "the sections of the sheet"
        notes = f"Ask about {subject} in their order, at most {brief.budget} times, then hand in the result."
    return _json({"plan": notes[:_PLAN]})


def reflection(round: Round) -> str:
    """What a round taught, as far as its answer says."""
    learned = f"To “{round.put.question}” they say: {answer_text(round)}"
    return _json({"learned": learned[:2_000], "plan": "The plan stays; this point is settled."})


def act(brief: Brief, rounds: Sequence[Round], left: int) -> str:
    """The next question while rounds are left and the script does not stop; else the result."""
    stop = brief.script.get("stop_after")
    stops = isinstance(stop, int) and not isinstance(stop, bool) and len(rounds) >= stop
    if left and not stops:
        for query in _candidates(brief, len(rounds)):
            if _valid(query, brief, left):
                return _json({"tool": shapes.QUERY, "arguments": query})
    return submission(brief, rounds, "The answers so far settle what matters." if left else "")


def submission(brief: Brief, rounds: Sequence[Round], reason: str = "") -> str:
    """The result after some rounds: predictions in Task 1, a sheet in Task 2."""
    if brief.task == "checklist":
        answers = {one.id: _predicted(one, brief, rounds) for one in brief.checklist}
        return _json({"tool": shapes.SUBMIT_PREDICTIONS, "arguments": {"reason": reason, "answers": answers}})
    return _json({"tool": shapes.SUBMIT_SPEC, "arguments": {"reason": reason, **_sheet(brief, rounds)}})


# -- questions ---------------------------------------------------------------------------------


def _candidates(brief: Brief, asked: int) -> Iterator[dict[str, str]]:
    """Questions, the most wanted first: the checklist's and the script's own by turns, then plain ones."""
    listed = [_query(checklist_id=one.id) for one in brief.checklist]
    own = list(_scripted(brief))
    if brief.task == "checklist":
        yield from [*own, *listed] if asked % 2 else [*listed, *own]
    else:
        yield from own
    for question, options in _QUESTIONS:
        for name in SECTIONS:
            yield _query(question.format(TITLES[name].lower()), options)


def _scripted(brief: Brief) -> Iterator[dict[str, str]]:
    told = brief.script.get("own_questions")
    for one in told if isinstance(told, list) else ():
        options = one.get("options") if isinstance(one, Mapping) else None
        if isinstance(options, list) and len(options) == 4:
            yield _query(str(one.get("question", "")), list(map(str, options)), str(one.get("why", "")))


def _query(
    question: str = "", options: Sequence[str] = (), why: str = "", checklist_id: str = ""
) -> dict[str, str]:
    query = {
        "thought": "This is the next point of the plan.",
        "why": why or "Your answer decides how the rest is written.",
    }
    if checklist_id:
        return query | {"checklist_id": checklist_id}
    letters = dict(zip(("option_a", "option_b", "option_c", "option_d"), options, strict=True))
    return query | {"question": question} | letters


def _valid(query: Mapping[str, str], brief: Brief, left: int) -> bool:
    act: type[shapes.ChecklistAct | shapes.SheetAct] = (
        shapes.ChecklistAct if brief.task == "checklist" else shapes.SheetAct
    )
    try:
        made = act.model_validate({"tool": shapes.QUERY, "arguments": query})
    except ValidationError:
        return False
    return not act_problems(made, brief, left)


# -- results -----------------------------------------------------------------------------------


def _predicted(question: ChecklistQuestion, brief: Brief, rounds: Sequence[Round]) -> str:
    for one in rounds:
        if one.put.key == question.id and one.answer is not None and one.answer.picked:
            return one.answer.picked[0]
    known = _words(" ".join((brief.proposal or "", *map(answer_text, rounds))))
    shared = [len(_words(option) & known) for option in question.options]
    return LETTERS[shared.index(max(shared))]


def _sheet(brief: Brief, rounds: Sequence[Round]) -> dict[str, list[str]]:
    """The script's draft, or for each section its subject; and what was answered, as features."""
    told = [f"{_short(one.put.question)} {_short(_decided(one))}" for one in rounds[:8]]
    bare: dict[str, list[str]] = {
        name: [f"To be settled with the person: {ABOUT[name]}"] for name in SECTIONS
    }
    bare["project_overview"] = [_short(brief.proposal or brief.title)]
    for sheet in (_drafted(brief, bare), dict(bare)):
        sheet["core_features"] = [*sheet["core_features"], *told]
        if sum(len(one) for each in sheet.values() for one in each) < MOST_CHARACTERS:
            break
    return sheet


def _drafted(brief: Brief, bare: Mapping[str, list[str]]) -> dict[str, list[str]]:
    draft = brief.script.get("draft")
    texts = draft.get("spec") if isinstance(draft, Mapping) else None
    sheet: dict[str, list[str]] = {}
    for name, else_said in bare.items():
        text = str(texts.get(name, "")) if isinstance(texts, Mapping) else ""
        lines = [_short(one.removeprefix("- "), 600) for one in text.splitlines() if one.strip("- ")]
        sheet[name] = lines[:20] or else_said
    return sheet


def _decided(round: Round) -> str:
    """What was answered, without letters."""
    answer, options = round.answer, round.put.options
    if answer is None or answer.unknown:
        return "This is open."
    return answer.own_words or "; ".join(options[LETTERS.index(one)] for one in sorted(answer.picked))


def _short(text: str, most: int = _EACH) -> str:
    line = plain(text)
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


def _words(text: str) -> set[str]:
    return {one for one in re.findall(r"\w+", text.casefold()) if len(one) > 3}


def _json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
