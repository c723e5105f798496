"""ClarifyCodeBench's own files: run records for its scorer, or tasks that authors have made."""

from __future__ import annotations

from storage.export.canonical import lines
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.clarification.tidy import RESULTS
from studies.ports import Exporting

TASKS_SAY = (
    "JSON Lines, ASCII with escapes. A line is one task in the benchmark's own format, of participations "
    "that came to their end and are no pilots: `modified_content` is the shortened text, `qa_pairs` its gaps "
    "with their answers (and, an addition, the type of each), `keywords` their types in the same order, "
    "`question_id` the task it was made from. Where the study asks for cross-checks, only tasks with a "
    "complete one are here, with the types that were settled, and without gaps that were settled to be none. "
    "`new --from` reads the file back."
)
RECORDS_SAY = (
    "JSON Lines, ASCII with escapes. A line is one session with at least one response, that did not end for "
    "a technical reason or a spending limit, of participations that came to their end and are no pilots; "
    "exclusions that the analysis plan declares are not applied. `messages` are those of whoever asks (role "
    "assistant) and their replies (role user); a person's questions stand between the benchmark's tags. "
    "`hit_dict` says for each question turn, from 0, whether it hit a key question not hit before; "
    "`turns` counts all responses, a final one included. `model`, `seat`, `keywords`, `ended`, `asked`, "
    "`covered`, `passed` and `participant` are additions that its scorer passes over."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write the run records, or the authored tasks."""
    for name, made in data.records.items():
        what = "run record" if name == RESULTS else "task"
        out.write(name, lines(map(dict, made)), about=f"One line a {what}.", rows=len(made))
    return RECORDS_SAY if RESULTS in data.records else TASKS_SAY
