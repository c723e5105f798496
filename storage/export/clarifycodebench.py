"""ClarifyCodeBench's run records: one object a session, as the benchmark's own scorer reads them."""

from __future__ import annotations

from storage.export.canonical import lines
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.clarification.records import record_of
from studies.ports import Exporting

RESULTS = "results.jsonl"
CONVENTIONS = (
    "JSON Lines, ASCII with escapes. A line is one session with at least one response, that did not end for "
    "a technical reason or a spending limit, of participations that came to their end and are no pilots; "
    "exclusions that the analysis plan declares are not applied. `messages` are those of whoever asks (role "
    "assistant) and their replies (role user); a person's questions stand between the benchmark's tags. "
    "`hit_dict` says for each question turn, from 0, whether it hit a key question not hit before; "
    "`turns` counts all responses, a final one included. `model`, `seat`, `keywords`, `ended`, `asked`, "
    "`covered`, `passed` and `participant` are additions that its scorer passes over."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write the run records."""
    made = [record_of(one) for one in data.dialogues.values()]
    out.write(RESULTS, lines(made), about="One line a run record.", rows=len(made))
    return CONVENTIONS
