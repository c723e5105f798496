"""Where a specification study stands, in a researcher's words."""

from __future__ import annotations

import pytest
from support.specifications import BASELINE, Crewed, go_to, project, wishes

from studies.progress import place, standing


@pytest.mark.parametrize(
    ("sort", "words", "state"),
    [
        ("overview", "instructions", "consented"),
        ("proposal", "project 1 of 2", "working"),
        ("filler", "project 1 of 2", "resting"),
        ("round", "project 1 of 2", "working"),
        ("after", "project 1 of 2", "working"),
        ("rest", "after project 1", "resting"),
    ],
)
async def test_a_project_is_counted_whatever_step_is_open(sort: str, words: str, state: str) -> None:
    more = 'budgets = [1]\nafter = [{ id = "worth", text = "Well?", kind = "text" }]'
    visit = await Crewed(wishes(project("club"), project("hall"), agents=(BASELINE,), more=more)).sit()
    await go_to(visit, sort)
    assert place(visit.protocol, visit.state) == words
    assert standing(visit.protocol, visit.state) == state
