"""Events: the chain shows every change, and payloads come back as they went in."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import studies.annotation.payloads
import studies.desk
import studies.payloads  # noqa: F401
from studies.desk import CodesIssued, Invitation
from studies.events import (
    _KINDS,
    GENESIS,
    Chain,
    Erased,
    Event,
    Payload,
    Unknown,
    digest_of,
    event,
    faults,
    hash_of,
    new_id,
    read_payload,
    to_ascii_json,
)
from studies.payloads import FieldAnswered, ParticipationOpened, Planned, QuestionnaireSubmitted, VisitEnded

NASTY = [
    "\x00",
    "\ud800",
    "a\udfffb",
    "\U0001f642",
    "\U0001f469\U0001f3fd\u200d\U0001f52c",
    "e\u0301",
    "\u202eabc\u2066",
    "\r\n\t",
    "\x1b[31m\x7f",
    "=1+1",
    "[/]",
]
AT = "2026-01-02T03:04:05.678Z"
GOLDEN_DIGEST = "f11438e266997a9bbdae68fa8aca496f5e2d8588b1d70b01d6595f0f2dbc967f"
GOLDEN_HASH = "fb4a90aa1ffba5c33731e04bffd48a4a174415f867eb07e5c4e9bf53ad4a69a2"

any_text = st.text(st.characters(exclude_categories=())) | st.sampled_from(NASTY)
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | floats | any_text
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a payload's field, by its type."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return json_values
    if hint is str:
        return any_text
    if hint is float:
        return floats
    if hint in (int, bool, types.NoneType):
        return st.from_type(hint)
    if dataclasses.is_dataclass(hint):
        return payloads_of(hint)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values_of, inner))
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(values_of(inner[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values_of, inner))
    if origin is Mapping:
        return st.dictionaries(any_text, values_of(inner[1]), max_size=3)
    raise NotImplementedError(hint)


def payloads_of(cls: Any) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls)
    return st.builds(cls, **{spec.name: values_of(hints[spec.name]) for spec in dataclasses.fields(cls)})


def chain_of(*payloads: Payload, stream: str = "5" * 32) -> list[Event]:
    chain = Chain(stream)
    return [chain.make(one, AT) for one in payloads]


def stored(one: Event) -> Event:
    """The event as it comes back from a file."""
    return Event.stored(
        one.stream, one.seq, one.kind, one.at, one.body, one.salt, one.digest, one.previous, one.hash
    )


@pytest.fixture
def three() -> list[Event]:
    return chain_of(VisitEnded("one"), VisitEnded("two"), VisitEnded("three"))


# Payloads


@pytest.mark.parametrize("kind", sorted(_KINDS))
@given(data=st.data())
@settings(max_examples=30)
def test_every_payload_comes_back_as_it_went_in(kind: str, data: st.DataObject) -> None:
    payload = data.draw(payloads_of(_KINDS[kind]))
    made = chain_of(payload)[0]
    assert made.kind == kind
    again = stored(made)
    assert type(again.payload) is _KINDS[kind]
    assert again.payload == payload
    assert again == made
    assert faults([again]) == []


def test_all_three_modules_have_registered_their_payloads() -> None:
    assert {"participation_opened", "annotation_submitted", "slot_released"} <= set(_KINDS)


@pytest.mark.parametrize("text", NASTY)
def test_the_body_is_ascii_and_the_text_unchanged(text: str) -> None:
    made = chain_of(FieldAnswered("step", 1, "note", text, item=text))[0]
    assert made.body is not None
    assert made.body.isascii()
    assert made.body.isprintable()
    again = stored(made).payload
    assert isinstance(again, FieldAnswered)
    assert (again.value, again.item) == (text, text)


def test_lists_come_back_as_tuples_at_any_depth() -> None:
    said = QuestionnaireSubmitted("form", {"plain": ("a", ("b",)), "deep": {"er": ({"x": ()},)}})
    assert stored(chain_of(said)[0]).payload == said
    assert read_payload("field_answered", '{"step":"s","revision":1,"field":"f","value":[["a"],[]]}') == (
        FieldAnswered("s", 1, "f", (("a",), ()))
    )


def test_a_number_that_json_cannot_carry_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        chain_of(FieldAnswered("s", 1, "f", float("nan")))


def test_an_unknown_kind_is_kept_as_it_came() -> None:
    body = '{"b":[1,{"c":null}],"a":"\\ud800"}'
    payload = read_payload("from_a_later_version", body)
    assert payload == Unknown("from_a_later_version", {"b": [1, {"c": None}], "a": "\ud800"})


def test_unknown_keys_are_passed_over_also_inside() -> None:
    opened = ParticipationOpened("f" * 64, "p", 3, order=(Planned("i1", 1),), options=("DCP",))
    values = opened.to_json() | {"later": [1]}
    values["order"] = [{**values["order"][0], "later": 2}]
    assert ParticipationOpened.from_json(values) == opened
    invited = {"study": "s", "invitations": [{"participant": "p", "slot": None, "later": 1}], "later": {}}
    assert CodesIssued.from_json(invited) == CodesIssued("s", (Invitation("p"),))


def test_missing_keys_take_their_default_or_are_an_error() -> None:
    assert FieldAnswered.from_json({"step": "s", "revision": 1, "field": "f", "value": 2}).item is None
    with pytest.raises(TypeError, match="field"):
        FieldAnswered.from_json({"step": "s", "revision": 1, "value": 2})


def test_a_kind_has_one_payload() -> None:
    with pytest.raises(ValueError, match="visit_ended"):
        event("visit_ended")(VisitEnded)


# The chain


def test_the_hashes_are_pinned() -> None:
    """Files outlive programs: neither the digest nor the hash may ever be computed in another way."""
    body = to_ascii_json({"reason": "caf\u00e9 \x00", "b": [1, None, True, 0.5]})
    assert body == '{"b":[1,null,true,0.5],"reason":"caf\\u00e9 \\u0000"}'
    digest = digest_of("00ff", body)
    assert digest == hashlib.sha256(b"00ff\n" + body.encode()).hexdigest() == GOLDEN_DIGEST
    covered = f'["{GENESIS}","abc",1,"visit_ended","{AT}","{digest}"]'
    made = hash_of(GENESIS, "abc", 1, "visit_ended", AT, digest)
    assert made == hashlib.sha256(covered.encode()).hexdigest() == GOLDEN_HASH


def test_a_chain_numbers_from_one_and_links_each_event_to_the_one_before(three: list[Event]) -> None:
    assert [one.seq for one in three] == [1, 2, 3]
    assert [one.previous for one in three] == [GENESIS, three[0].hash, three[1].hash]
    assert faults(three) == []
    assert faults([]) == []
    assert faults(three[:2]) == []


def test_a_chain_goes_on_behind_its_last_event(three: list[Event]) -> None:
    fourth = Chain.after(stored(three[2])).make(VisitEnded("four"), AT)
    assert fourth.seq == 4
    assert faults([*three, fourth]) == []


def test_a_rewound_chain_makes_the_same_place_again(three: list[Event]) -> None:
    chain = Chain.after(three[0])
    lost = [chain.make(VisitEnded("lost"), AT), chain.make(VisitEnded("lost too"), AT)]
    chain.rewind(lost[0])
    second = chain.make(VisitEnded("two"), AT)
    assert second.seq == 2
    assert faults([three[0], second]) == []


def test_equal_payloads_have_different_digests() -> None:
    """Else the digest of an erased answer would tell the answer."""
    one, two = chain_of(VisitEnded("same"), VisitEnded("same"))
    assert one.body == two.body
    assert one.digest != two.digest


def test_ids_are_random_and_128_bits_long() -> None:
    ids = {new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(one) == 32 and int(one, 16) >= 0 for one in ids)


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize(
    "change",
    [
        {"stream": "6" * 32},
        {"seq": 7},
        {"kind": "page_read"},
        {"at": "2026-01-02T03:04:05.679Z"},
        {"body": '{"reason":"other"}'},
        {"body": '{"reason":"caf\u00e9 \ud800"}'},
        {"body": "{}"},
        {"body": "no JSON"},
        {"body": "[]"},
        {"body": ""},
        {"salt": "0" * 32},
        {"salt": None},
        {"digest": "0" * 64},
        {"previous": "1" * 64},
        {"hash": "2" * 64},
    ],
    ids=str,
)
def test_any_change_to_an_event_shows(three: list[Event], index: int, change: dict[str, Any]) -> None:
    three[index] = stored(dataclasses.replace(three[index], **change))
    found = faults(three)
    assert found
    assert any(f"event {three[index].seq} " in one for one in found)


def test_a_payload_hashed_anew_breaks_the_link_of_the_next_event(three: list[Event]) -> None:
    forged = Chain.after(three[0]).make(VisitEnded("forged"), AT)
    assert faults([three[0], forged, three[2]]) == [
        f"event 3 of stream {'5' * 32}: does not follow the event before it"
    ]


def test_a_missing_event_shows(three: list[Event]) -> None:
    assert "event 2 is missing" in faults([three[0], three[2]])[0]
    assert "event 1 is missing" in faults(three[1:])[0]


def test_reordered_events_show(three: list[Event]) -> None:
    assert faults([three[1], three[0], three[2]])


def test_a_fork_is_named_once_however_long_its_sides_are(three: list[Event]) -> None:
    other = Chain.after(three[0])
    side = [other.make(three[1].payload, three[1].at) for _ in range(4)]
    events = sorted([*three, *side], key=lambda one: (one.seq, one.hash))
    said = f"event 2 of stream {'5' * 32}: the stream forks here (two events with this number)"
    assert faults(events) == [said]
    without = [one for one in events if one is not side[1]]
    assert faults(without)[1:] == [f"event 4 of stream {'5' * 32}: does not follow the event before it"]


def test_a_fork_shows_and_names_its_place(three: list[Event]) -> None:
    other = Chain.after(three[0]).make(VisitEnded("on another laptop"), AT)
    for second, also in ((three[1], other), (other, three[1])):
        found = faults([three[0], second, also])
        assert found == [f"event 2 of stream {'5' * 32}: the stream forks here (two events with this number)"]


@pytest.mark.parametrize("erased", [{0}, {1}, {2}, {0, 1, 2}])
def test_a_chain_with_erased_payloads_verifies(three: list[Event], erased: set[int]) -> None:
    left = [stored(one.erased()) if number in erased else one for number, one in enumerate(three)]
    assert faults(left) == []
    for number in erased:
        gone = left[number]
        assert (gone.body, gone.salt, gone.payload) == (None, None, Erased())
        assert gone.hash == three[number].hash
        assert str(three[number].body) not in repr(gone)


def test_an_altered_erased_event_still_shows(three: list[Event]) -> None:
    three[1] = dataclasses.replace(three[1].erased(), at="2026-01-02T03:04:05.000Z")
    assert faults(three)


@pytest.mark.parametrize("body", ["{}", "[]", "null", "no JSON", '{"reason":'])
def test_a_sound_event_that_this_version_cannot_read_is_named(body: str) -> None:
    digest = digest_of("00", body)
    made = hash_of(GENESIS, "abc", 1, "visit_ended", AT, digest)
    one = Event.stored("abc", 1, "visit_ended", AT, body, "00", digest, GENESIS, made)
    assert isinstance(one.payload, Unknown)
    assert one.body == body
    assert faults([one]) == ["event 1 of stream abc: this version cannot read its payload"]


@given(value=json_values)
def test_canonical_json_has_one_form(value: Any) -> None:
    text = to_ascii_json(value)
    assert text.isascii()
    assert to_ascii_json(json.loads(text)) == text


def test_a_process_that_knows_only_events_still_reads_every_kind() -> None:
    import subprocess
    import sys

    script = (
        "from studies.events import read_payload\n"
        "print(type(read_payload('look', "
        '\'{"study":"s","figure":"f","reason":"r","completed":1,"planned":2}\')).__name__)'
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Look"
