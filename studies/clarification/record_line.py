"""One line of a file of run records: its keys, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from studies.clarification.metrics import FINAL, Ended, Run, Seat
from studies.clarification.taxonomy import type_of
from studies.errors import Problem
from studies.reading import listed, shown

CODE_TAG = "[CODE]"
"""What the benchmark takes for the code turn."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What the benchmark's task file says about a task."""

    types: tuple[str, ...]
    gaps: int


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line, and where its problems go."""

    file: str
    line: int
    values: Mapping[str, Any]
    problems: list[Problem]

    def problem(self, key: str, found: str, expected: str) -> None:
        """Note a problem of this line."""
        self.problems.append(Problem(self.file, self.line, key, found, expected))

    def missing(self, key: str, value: object, expected: str = "") -> None:
        """A problem if the key is not there; one that is wrong has been named."""
        if value is None and self.values.get(key) is None:
            self.problem(key, "missing", expected or f"the key {key} (there are: {listed(self.values)})")

    def taken(self, key: str, kind: type, expected: str) -> Any:
        """The value of a key, or None where it is missing, null or (which is a problem) of another type."""
        value = self.values.get(key)
        # A boolean is a whole number to Python, and to nobody else.
        if value is None or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
            return value
        self.problem(key, shown(value), expected)
        return None

    def run(self, model: str, labels: Mapping[str, Labels] | None) -> Run | str | None:
        """The run; or its task, if nobody ever answered; or None, with problems."""
        before = len(self.problems)
        task = self.task()
        gaps, responses, hits = self.gaps(), self.responses(), self.hits()
        types, known = self.types(), (labels or {}).get(task or "")
        if labels and task is not None and known is None:
            self.problem("task_id", shown(task), "a task of the file of tasks")
        if known and gaps is not None and known.gaps != gaps:
            self.problem("key_question_num", str(gaps), f"{known.gaps}, as in the file of tasks")
        seat: Seat = self.one_of("seat", get_args(Seat)) or "none"
        passed = self.taken("passed", bool, "true, false or null")
        named = self.taken("model", str, "text")
        participant = self.taken("participant", str, "text")
        ended = self.ended(len(hits or ()), responses)
        asked, covered = self.count("asked"), self.count("covered")
        if task is None or gaps is None or responses is None or hits is None:
            return None
        if len(hits) > responses:
            self.problem("hit_dict", f"{len(hits)} turns", f"at most the {responses} responses")
        if sum(hits) > gaps:
            self.problem("hit_dict", f"{sum(hits)} hits", f"at most the {gaps} key questions")
        if hits and ended in FINAL and len(hits) == responses:
            self.problem("ended", shown(ended), "limit or unfinished: every response was a question")
        if asked is not None and asked > responses:
            self.problem("asked", str(asked), f"at most the {responses} responses")
        if covered is not None and not sum(hits) <= covered <= gaps:
            self.problem("covered", str(covered), f"from the {sum(hits)} hits to the {gaps} key questions")
        if len(self.problems) > before:
            return None
        if not responses:
            return task
        return Run(
            task=task,
            types=types or (known.types if known else ()),
            model=named or model,
            seat=seat,
            gaps=gaps,
            hits=hits,
            responses=responses,
            asked=responses - (ended in FINAL) if asked is None else asked,
            ended=ended,
            passed=passed,
            participant=participant or None,
            covered=covered,
        )

    def task(self) -> str | None:
        """The task's id; numbers serve."""
        value = self.values.get("task_id")
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
        found = "missing" if value is None else shown(value)
        self.problem("task_id", found, "the task's id")
        return None

    def gaps(self) -> int | None:
        """K."""
        if self.values.get("key_question_num") is not None:
            return self.count("key_question_num")
        pairs = self.taken("qa_pairs", list, "a list")
        self.missing("qa_pairs", pairs, "key_question_num, or qa_pairs")
        return None if pairs is None else len(pairs)

    def responses(self) -> int | None:
        """Their number: `turns`, else counted; what is there must agree."""
        turns = self.count("turns")
        contents = self.contents()
        if turns is None:
            self.missing("turns", contents, "turns, response_contents or messages")
            return None if contents is None else len(contents)
        # An empty list says that the responses were not kept.
        if contents and len(contents) != turns:
            self.problem("turns", str(turns), f"the {len(contents)} responses that the record holds")
        return turns

    def contents(self) -> Sequence[object] | None:
        """The responses themselves, where the record holds them."""
        said: list[object] | None = self.taken("response_contents", list, "a list of texts")
        if said is not None:
            return said
        messages = self.taken("messages", list, "a list of messages")
        if messages is None:
            return None
        return [
            one.get("content") for one in messages if isinstance(one, dict) and one.get("role") == "assistant"
        ]

    def hits(self) -> tuple[bool, ...] | None:
        """Of each question turn, in order. The benchmark's scorer would pass over hits after a gap."""
        hits = self.taken("hit_dict", dict, "a table of turns")
        self.missing("hit_dict", hits)
        if hits is None:
            return None
        names = [str(turn) for turn in range(len(hits))]
        if set(hits) != set(names):
            found = listed(sorted(set(hits) - set(names)))
            self.problem("hit_dict", f"the turns {found}", f"{listed(names)}: one for each question turn")
            return None
        wrong = [name for name in names if hits[name] not in (0, 1) or isinstance(hits[name], float)]
        for name in wrong:
            self.problem(f"hit_dict.{name}", shown(hits[name]), "0 or 1")
        return None if wrong else tuple(bool(hits[name]) for name in names)

    def ended(self, judged: int, responses: int | None) -> Ended:
        """How it ended: as the record says, else by whether its last response was judged as a question."""
        said: Ended | None = self.one_of("ended", get_args(Ended))
        finished = self.taken("finished", bool, "true or false") is not False
        if said is not None:
            return said
        if judged == responses:
            return "limit" if finished else "unfinished"
        last = (self.contents() or [""])[-1]
        return "code" if finished or CODE_TAG in str(last) else "unfinished"

    def types(self) -> tuple[str, ...]:
        """Ids of the known types, other labels as they are; each once."""
        labels = self.taken("keywords", list, "a list of types") or ()
        for at, one in enumerate(labels):
            if not isinstance(one, str):
                self.problem(f"keywords.{at}", shown(one), "text")
        return tuple(dict.fromkeys(type_of(one) or one for one in labels if isinstance(one, str)))

    def count(self, key: str) -> int | None:
        """A number of things."""
        value: int | None = self.taken(key, int, "a whole number")
        if value is not None and value < 0:
            self.problem(key, str(value), "at least 0")
            return None
        return value

    def one_of(self, key: str, known: Sequence[str]) -> Any:
        """A value out of a few, if there is one."""
        value = self.taken(key, str, f"one of {listed(known)}")
        if value is not None and value not in known:
            self.problem(key, shown(value), f"one of {listed(known)}")
            return None
        return value
