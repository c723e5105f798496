"""Events from elsewhere: whatever their chain says, they are read only as what their kind declares."""

from __future__ import annotations

from typing import Any

import pytest

from studies.events import GENESIS, Event, digest_of, faults, hash_of, to_ascii_json
from studies.shapes import misfit

AT = "2026-03-02T09:00:00.000Z"
ANNOTATION = {
    "step": "main:1:i1",
    "item": "i1",
    "number": 1,
    "revision": 1,
    "role": "main",
    "block": 1,
    "dominant": "DCP",
    "additional": ["SLM"],
    "confidence": 3,
    "note": "",
    "flag": False,
    "elapsed_ms": 5,
}
OPENED = {
    "study": "0" * 64,
    "participant": "f" * 32,
    "slot": 1,
    "pilot": False,
    "order": [{"item": "i1", "block": 1, "role": "main", "number": 1}],
    "options": ["DCP"],
    "program": "x",
}


def sealed(kind: str, values: Any, at: str = AT) -> Event:
    """The first event of a stream, its hashes as they should be."""
    body = to_ascii_json(values)
    digest = digest_of("salt", body)
    made = hash_of(GENESIS, "s", 1, kind, at, digest)
    return Event.stored("s", 1, kind, at, body, "salt", digest, GENESIS, made)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("annotation_submitted", ANNOTATION),
        ("annotation_submitted", ANNOTATION | {"confidence": None, "additional": [], "later": {"more": 1}}),
        ("participation_opened", OPENED),
        ("activity", {"step": "s", "revision": 1, "samples": [[5, "key"], [9, "mouse"]]}),
        ("consent_given", {"items": {"a": True}, "text_sha256": "x"}),
        ("participation_blocked", {"away_days": 9, "limit_days": 7.5}),
        ("codes_issued", {"study": "x", "invitations": [{"participant": "p", "slot": None}]}),
        ("of a later version", {"anything": [1, None]}),
    ],
)
def test_what_a_kind_declares_fits(kind: str, values: Any) -> None:
    event = sealed(kind, values)
    assert misfit(event) is None
    assert misfit(event.erased()) is None
    assert faults([event]) == []


WRONG: list[tuple[str, Any]] = [
    ("annotation_submitted", {key: one for key, one in ANNOTATION.items() if key != "dominant"}),
    *(
        ("annotation_submitted", ANNOTATION | {key: value})
        for key, value in {
            "dominant": 5,
            "additional": "SLM",
            "confidence": "high",
            "note": None,
            "flag": 1,
            "elapsed_ms": 1.5,
            "number": True,
            "role": "boss",
            "step": None,
        }.items()
    ),
    *(
        ("participation_opened", OPENED | {key: value})
        for key, value in {
            "slot": "1",
            "pilot": "no",
            "participant": None,
            "options": 5,
            "order": "abc",
        }.items()
    ),
    ("participation_opened", OPENED | {"order": [1]}),
    ("participation_opened", OPENED | {"order": [{"item": 1, "block": 1}]}),
    ("participation_opened", OPENED | {"order": [{"place": 1}]}),
    ("activity", {"step": "s", "revision": 1, "samples": [["key", 5]]}),
    ("activity", {"step": "s", "revision": 1, "samples": [[5]]}),
    ("consent_given", {"items": {"a": "yes"}, "text_sha256": "x"}),
    ("consent_given", {"items": [1], "text_sha256": "x"}),
    ("codes_issued", {"study": "x", "invitations": "p"}),
]


@pytest.mark.parametrize(("kind", "values"), WRONG)
def test_what_a_kind_does_not_declare_is_named(kind: str, values: Any) -> None:
    event = sealed(kind, values)
    assert misfit(event)
    assert faults([event]) == [f"event 1 of stream s: {misfit(event)}"]


@pytest.mark.parametrize(
    "at",
    ["yesterday", "", "2026-03-02", "2026-03-02T09:00:00Z", "2026-13-02T09:00:00.000Z", AT[:-1], f"{AT} "],
)
def test_a_time_that_is_none_is_named(at: str) -> None:
    assert "its time is" in str(misfit(sealed("visit_ended", {"reason": "x"}, at)))
