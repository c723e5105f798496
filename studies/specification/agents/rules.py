"""What is wrong with an answer that fits its shape, in words that a model can act on: the person, the
project, the choices. `sheet_rules` has those of the sheet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from studies.specification.agents.kept_out import kept_out
from studies.specification.agents.known import PRIORITY, Dimension
from studies.specification.agents.words import content_words, likeness, said_in, same

if TYPE_CHECKING:
    from studies.specification.agents.agent import Conversation
    from studies.specification.agents.shapes import Axis, Chart, Draft, Predictions, Profile, Update, Votes

BOUNDARIES = (2, 3)
"""How many dimensions draw a boundary of the scope, at least and at most (Buddy, Appendix C.3)."""
MOST_WORDS = 50
"""A question has fewer words than this (Buddy, Appendix C.3)."""
NEARLY_SAME = 0.75
"""Two questions are one from this likeness of their content words on."""
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def profile_problems(profile: Profile, conversations: Sequence[Conversation]) -> Iterator[str]:
    """Names that are no names, things said twice, and quotes that nobody said."""
    said = [message.content for one in conversations for message in one.messages if message.role == "user"]
    names = [one.attribute for one in profile.attributes]
    yield from _names(names, "attribute")
    for value in _twice(same(one.value) for one in profile.attributes):
        yield f"two attributes say the same: {value!r}; merge them"
    for one in profile.attributes:
        for evidence in one.evidence:
            if evidence.kind == "quote" and not any(said_in(evidence.text, each) for each in said):
                yield (
                    f"{one.attribute}: the user never wrote {evidence.text!r}; copy their words exactly, "
                    "from one of their messages, or make it a paraphrase"
                )


def draft_problems(draft: Draft) -> Iterator[str]:
    """Ids used twice, and directions that are the same."""
    for name in _twice(one.id for one in (*draft.assumptions, *draft.open_questions)):
        yield f"two assumptions or open questions have the id {name!r}; give each its own"
    if _twice(map(same, draft.priority.options)):
        yield "the priority question has the same option twice; give four different ones"


def chart_problems(chart: Chart, proposal: str, draft: Draft) -> Iterator[str]:
    """Dimensions that are no choice of the person's, or not one of their own, or not about this project."""
    keys = [one.key for one in chart.dimensions]
    yield from _names(keys, "dimension")
    if PRIORITY in keys:
        yield f"a dimension may not be called {PRIORITY}; that is the priority question"
    boundaries = sum(1 for one in chart.dimensions if one.boundary)
    low, high = BOUNDARIES
    if not low <= boundaries <= high:
        yield f"{boundaries} dimensions have boundary = true; {low} or {high} must draw a boundary"
    points = (one.text for one in (*draft.assumptions, *draft.open_questions))
    known = content_words(" ".join((proposal, *points)))
    for one in chart.dimensions:
        yield from _dimension(one, keys, proposal, known)
    for one, other in combinations(chart.dimensions, 2):
        if set(map(same, one.alternatives)) == set(map(same, other.alternatives)):
            yield f"{one.key} and {other.key} have the same alternatives; replace one of the two"
        elif likeness(one.question, other.question) >= NEARLY_SAME:
            yield f"{one.key} and {other.key} ask nearly the same; replace one of the two"


def vote_problems(votes: Votes, dimensions: Sequence[Dimension]) -> Iterator[str]:
    """Dimensions without a vote, or with two, and letters that name no alternative."""
    yield from _every((one.key for one in votes.votes), dimensions)
    yield from _letters(((one.key, one.choice) for one in votes.votes), dimensions)


def prediction_problems(predictions: Predictions, questions: Sequence[Dimension]) -> Iterator[str]:
    """Questions without a prediction, or with two, and letters that name no option."""
    yield from _every((one.key for one in predictions.predictions), questions)
    yield from _letters(((one.key, one.choice) for one in predictions.predictions), questions)


def update_problems(
    update: Update, dimensions: Sequence[Dimension], answered: frozenset[str], single: bool
) -> Iterator[str]:
    """Dimensions that do not exist, or that the person has answered, and letters that name no alternative.

    Args:
        update: the answer.
        dimensions: all of them.
        answered: keys that the person's own answers have settled.
        single: whether one letter is to be chosen.
    """
    keys = [one.key for one in update.settled]
    known = {one.key for one in dimensions}
    yield from (f"{key!r} is listed twice; once is enough" for key in _twice(keys))
    for one in update.settled:
        if one.key not in known:
            yield f"there is no dimension {one.key!r}; use the keys as given"
        elif one.key in answered:
            yield f"{one.key}: the person has answered that themselves; leave it out"
        if single and len(one.choice) > 1:
            yield f"{one.key}: choose one letter"
        if _twice(one.choice):
            yield f"{one.key}: a letter stands twice"
    yield from _letters(((one.key, letter) for one in update.settled for letter in one.choice), dimensions)


def _dimension(one: Axis, keys: Sequence[str], proposal: str, known: frozenset[str]) -> Iterator[str]:
    if len(one.question.split()) >= MOST_WORDS:
        yield f"{one.key}: the question is too long; ask it in fewer than {MOST_WORDS} words"
    if _twice(map(same, one.alternatives)):
        yield f"{one.key}: two alternatives are the same; give four different ones"
    for other in one.depends_on:
        if other not in keys or other == one.key:
            yield f"{one.key}: depends_on names {other!r}, which is no other dimension"
    if found := kept_out(f"{one.key}: {one.question}", "\n".join(one.alternatives), proposal):
        topic, word = found
        yield (
            f"{one.key} is about {topic} ({word!r}), which is not for the person to choose here; ask what "
            "they would notice when using it, or replace it"
        )
    if not content_words(f"{one.key} {one.question} {one.description}") & known:
        yield f"{one.key} has nothing to do with the proposal; replace it with something that it mentions"


def _names(names: Sequence[str], what: str) -> Iterator[str]:
    for name in names:
        if not _SNAKE.fullmatch(name):
            yield f"the {what} name {name!r} is not in snake_case"
    for name in _twice(names):
        yield f"two {what}s are called {name!r}; merge them, or give each its own name"


def _every(keys: Iterable[str], dimensions: Sequence[Dimension]) -> Iterator[str]:
    counted = Counter(keys)
    wanted = [one.key for one in dimensions]
    if missing := [key for key in wanted if key not in counted]:
        yield f"missing: {', '.join(missing)}"
    if twice := [key for key, count in counted.items() if count > 1]:
        yield f"more than once: {', '.join(twice)}"
    if unknown := [repr(key) for key in counted if key not in wanted]:
        yield f"not among the keys given: {', '.join(unknown)}"


def _letters(chosen: Iterable[tuple[str, str]], dimensions: Sequence[Dimension]) -> Iterator[str]:
    letters: Mapping[str, str] = {one.key: one.letters for one in dimensions}
    for key, letter in chosen:
        if letter not in letters.get(key, letter):
            yield f"{key} has no alternative {letter}; its letters are {', '.join(letters[key])}"


def _twice(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]
