"""From sessions to figures: what counts, the benchmark's records, contrasts, and what a model was shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.chats import Talk
from support.clarifying import CODE, WRONG, clarification_study, complete, question, sit_down, task

from studies.clarification.answerer import IRRELEVANT
from studies.clarification.counting import counted, people
from studies.clarification.dialogues import dialogue_of
from studies.clarification.evaluate import evaluate, runs_of
from studies.clarification.records import read_records, record_of, run_of
from studies.clarification.shown import Resolver
from studies.errors import InputError
from studies.replies import Call
from studies.study import Study

ASKS = [question("Unit?"), question("Colour?"), CODE]
MOVES = (("unit", "metres"), (IRRELEVANT,))


def streams(*made: Talk) -> dict[str, Any]:
    return {one.sitting.stream: one.sitting.events for one in made}


def judge(call: Call) -> str:
    return "yes" if "In which unit" in call.messages[1].content else "no"


async def test_the_figures_of_a_session_are_the_benchmarks() -> None:
    study = clarification_study()
    made = await complete(await sit_down(study, model=ASKS), *MOVES)
    found = evaluate(study, streams(made), [])
    whole, by_seat = found.groups[0].to_json(), found.groups[1].to_json()
    assert whole["by"] == {}
    assert by_seat["by"] == {"seat": "answerer"}
    # K = 2, hits 1, 0, then code: DCG 1 / (1 + 1 / log2 3), n_q = 2.
    assert whole["tkqr"] == pytest.approx(0.6131, abs=5e-5)
    assert (whole["ora"], whole["ora_strict"], whole["rounds"], whole["diff"]) == (1.0, 1.0, 2.0, 0.0)
    assert whole["pass_at_1"] == 1.0
    assert whole["hit_rates"]["D2-H1"] == 1.0
    assert list(whole).index("ora_strict") < list(whole).index("ora")
    values = found.to_json()
    assert (values["seat"], values["participants"], values["endings"]["code"]) == ("answerer", 1, 1)
    assert values["volunteered"] is None
    json.dumps(values)


async def test_a_record_reads_back_as_the_same_run() -> None:
    for study, moves, lines in (
        (clarification_study(), MOVES, {"model": ASKS}),
        (clarification_study(responses=2), MOVES, {"model": ASKS}),
        (clarification_study(neither="nothing"), MOVES, {"model": ["What?", *ASKS]}),
        (
            clarification_study(
                assistants=("judge",), seat="asker", judge={"by": "judge", "samples": 1}, matching="several"
            ),
            ("Which unit?", None),
            {"judge": ["yes", "yes"]},
        ),
    ):
        made = await complete(await sit_down(study, **lines), *moves)
        (person,) = people(study, streams(made), [])
        (session,) = person.sessions
        dialogue = dialogue_of(study, session, person.participant)
        assert dialogue is not None
        line = json.dumps(record_of(dialogue)).encode()
        (read,) = read_records("runs.jsonl", line, model="").runs
        assert read == run_of(dialogue)
        assert runs_of(study, [person]) == [read]


async def test_code_that_no_test_judges_is_in_the_record() -> None:
    plain = task(tests="", reference="")
    study = clarification_study(
        [plain],
        assistants=("judge", "coder"),
        seat="asker",
        coder="coder",
        judge={"by": "judge", "samples": 1},
    )
    made = await complete(await sit_down(study, judge=judge, coder=[CODE]), "Unit?", None)
    (person,) = people(study, streams(made), [])
    dialogue = dialogue_of(study, person.sessions[0], person.participant)
    assert dialogue is not None
    assert "return 'right'" in dialogue.code


async def test_the_limit_counts_six_questions_strictly_and_five_otherwise() -> None:
    study = clarification_study([task(gaps=1)], responses=6)
    made = await sit_down(study, model=[question(f"{n}?") for n in range(6)])
    await complete(made, ("unit",), *[(IRRELEVANT,)] * 5)
    (run,) = runs_of(study, counted(people(study, streams(made), []))[0])
    assert (run.responses, run.asked, run.rounds, run.ended) == (6, 6, 5, "limit")
    assert run.ora > run.ora_strict
    assert run.passed is False


async def test_an_askers_final_turn_counts_and_only_written_code_is_judged() -> None:
    study = clarification_study(assistants=("judge",), seat="asker", judge={"by": "judge", "samples": 1})
    made = await complete(await sit_down(study, judge=judge), "Which unit?", None)
    (group, *_) = evaluate(study, streams(made), []).groups
    values = group.to_json()
    assert (values["rounds"], values["pass_at_1"], values["pass_at_1_runs"]) == (1.0, None, 0)
    assert values["ended"]["enough"] == 1
    # K = 1 of 2 asked at once, then the final turn: the benchmark's worked value.
    assert values["tkqr"] == pytest.approx(0.6131, abs=5e-5)


async def test_who_does_not_count_and_what_is_left_out() -> None:
    study = clarification_study([task(1), task(2)], participant_budget=0.6)
    whole = await complete(
        await sit_down(study, model=[CODE, CODE]),
    )
    capped = await sit_down(study, slot=2, model=[question("Unit?"), question("Unit?"), CODE])
    await complete(capped, ("unit",), ("unit",))
    left = await sit_down(study, slot=3, model=[CODE])
    found = evaluate(study, streams(whole, capped, left), [])
    assert found.participants == 2
    assert [one.reason for one in found.not_counted] == ["unfinished (invited)"]
    assert found.endings["code"] == 3
    assert found.endings["spend_cap"] == 1
    assert found.groups[0].runs == 3
    assert capped.visit.state.end == "limit"


async def test_a_declared_speed_limit_leaves_people_out_and_a_sensitivity_run_has_them() -> None:
    study = clarification_study(analysis={"exclusions": {"median_ms_below": 1000}})
    made = await complete(await sit_down(study, model=ASKS), *MOVES)
    found = evaluate(study, streams(made), [])
    assert (found.participants, found.groups[0].runs) == (0, 0)
    assert "speed" in found.not_counted[0].reason
    assert found.sensitivity[0].group is not None
    assert found.sensitivity[0].group.runs == 1


async def test_assistants_are_contrasted_within_people() -> None:
    study = clarification_study(
        [task(1), task(2)],
        assistants=("bold", "shy"),
        analysis={"primary_outcome": "pass_at_1", "contrast": "bold minus shy"},
    )
    made = [await sit_down(study, slot=n, bold=[CODE] * 2, shy=[WRONG] * 2) for n in range(1, 8)]
    for one in made:
        await complete(one)
    first = next(one for one in evaluate(study, streams(*made), []).contrasts if one.outcome == "pass_at_1")
    assert first.flags == ("fewer than 15 participants",)
    assert (first.family, first.difference, first.participants) == ("primary", 1.0, 7)
    assert first.test.p == pytest.approx(2 / 2**7)


async def test_what_a_model_was_shown_is_rebuilt_word_for_word() -> None:
    how: list[tuple[Study, Any, dict[str, Any]]] = [
        (
            clarification_study(judge={"by": "judge", "samples": 2}, neither="nothing"),
            (("ANSWER", "metres"), (IRRELEVANT,)),
            {"model": ["What?", *ASKS], "judge": judge},
        ),
        (
            clarification_study(
                assistants=("judge", "oracle", "coder"), seat="asker", judge={"by": "judge", "samples": 1},
                answers="model", answerer="oracle", coder="coder",
            ),
            ("Which unit?", "A tie?", None),
            {"judge": judge, "oracle": ["metres", "the first"], "coder": [CODE]},
        ),
    ]  # fmt: skip
    for study, moves, lines in how:
        made = await complete(await sit_down(study, **lines), *moves)
        shown = list(Resolver(study, streams(made)).calls(made.sitting.stream))
        assert len(shown) == len(made.assistant.calls)
        assert all(one.whole and not one.missing for one in shown)
        sent = {tuple(one.messages) for one in made.assistant.calls}
        assert {one.messages for one in shown} == sent


async def test_what_was_erased_is_blank_and_does_not_match_any_more() -> None:
    study = clarification_study()
    made = await complete(await sit_down(study, model=ASKS), *MOVES)
    events = [one.erased() if one.kind == "question_answered" else one for one in made.sitting.events]
    last = [one for one in Resolver(study, {"s": events}).calls("s")][-1]
    assert (last.whole, last.missing > 0) == (False, True)
    assert "metres" not in str(last.messages)


async def test_seats_without_dialogues_are_not_evaluated() -> None:
    asked = [{"id": "q", "text": "Unit?"}]
    study = clarification_study([task(asked=asked)], assistants=(), seat="matcher")
    with pytest.raises(InputError, match="matcher"):
        evaluate(study, {}, [])
