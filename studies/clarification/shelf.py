"""Other authors' finished drafts, read before a participant sits down who may cross-check them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies.clarification.author import Author
from studies.clarification.authored import authored_in
from studies.events import Event
from studies.payloads import ParticipationOpened
from studies.progress import released

if TYPE_CHECKING:
    from studies.ports import Archive
    from studies.runner import Visit


async def stock(visit: Visit, archive: Archive) -> None:
    """Put what others have finished on the shelf of an author's visit; call it before the visit begins.

    Drafts of people who withdrew, were erased or gave up their slot are not there; those of pilots are there
    for pilots alone.
    """
    kind = visit.protocol.kind
    if not isinstance(kind, Author):
        return
    study = visit.study.sha256
    freed = released(await archive.desk(study), study)
    pilot = visit.state.opened is not None and visit.state.opened.pilot
    streams = {
        stream: events
        for stream, events in (await archive.streams(study)).items()
        if stream not in freed and _serves(events, pilot=pilot)
    }
    kind.shelf = authored_in(streams, besides=visit.stream)


def _serves(events: Sequence[Event], *, pilot: bool) -> bool:
    opened = events[0].payload if events else None
    withdrawn = any(one.kind == "participation_withdrawn" for one in events)
    return isinstance(opened, ParticipationOpened) and opened.pilot == pilot and not withdrawn
