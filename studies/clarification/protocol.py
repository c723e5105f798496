"""The study kind of a clarification study: one for each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from studies.clarification.answerer import Answerer
from studies.clarification.asker import Asker
from studies.clarification.author import Author
from studies.clarification.matcher import Matcher
from studies.clarification.seat import Seat
from studies.study import Study

SEATS: Mapping[str, Callable[[Study], Seat]] = {
    "answerer": Answerer,
    "asker": Asker,
    "matcher": Matcher,
    "author": Author,
}


def seat_of(study: Study) -> Seat:
    """The kind that the study's seat is."""
    return SEATS[study.settings.clarification.seat](study)
