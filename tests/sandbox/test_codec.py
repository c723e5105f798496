"""The channel's language: exact for plain data, and deaf to everything else."""

from __future__ import annotations

import collections
import datetime
import math
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capa_tui.sandbox.codec import MAX_DEPTH, CodecError, TooDeep, TooLarge, decode, encode
from capa_tui.sandbox.driver import Nothing
from capa_tui.sandbox.values import contents, refill


class Ends:
    """An end that shows every object, and calls the other's by their numbers."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.shown: list[object] = []

    def outgoing(self, value: object) -> tuple[bytes, int, int]:
        self.shown.append(value)
        return b"o", 0, len(self.shown) - 1

    def incoming(self, flags: int, number: int) -> object:
        return ("theirs", flags, number)

    def own(self, number: int) -> object:
        return self.shown[number]


def through(value: object, *, exact: bool = True) -> Any:
    data, _ = encode(value, Ends(exact))
    return decode(data, Ends(True))[0]


def shape(value: Any) -> object:
    """All that tells two values apart, nan and -0.0 too; a set's order does not."""
    if isinstance(value, set | frozenset):
        return type(value), sorted(map(repr, value))
    if isinstance(value, dict):
        return type(value), [(shape(key), shape(one)) for key, one in value.items()]
    if isinstance(value, list | tuple | collections.deque):
        return type(value), [*map(shape, value)]
    return type(value), repr(value)


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.binary()
    | st.text(st.characters(exclude_categories=())) | st.fractions() | st.decimals() | st.dates()
    | st.datetimes() | st.timedeltas() | st.times() | st.sampled_from([..., int, str, ValueError])
)  # fmt: skip
hashable = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5).flatmap(
            lambda items: st.sampled_from([items, tuple(items), collections.deque(items)])
        )
        | st.dictionaries(hashable, inner, max_size=5).flatmap(
            lambda items: st.sampled_from([items, collections.OrderedDict(items)])
        )
        | st.sets(hashable).flatmap(lambda items: st.sampled_from([items, frozenset(items)]))
        | st.lists(st.integers(), min_size=9)
        | st.lists(st.floats(), min_size=9)
    ),
    max_leaves=20,
)


@given(plain)
def test_plain_data_crosses_exactly(value: object) -> None:
    assert shape(through(value)) == shape(value)


@pytest.mark.parametrize(
    "value",
    [
        -(2**63), 2**63 - 1, 2**63, -(2**63) - 1, 10**4000, -0.0, math.inf, range(1, 10**30), slice(1, "x"),
        [2**63] * 9, [True] * 9, [1, 2.0] * 9, "\ud800\0", {}.keys(), {1: 2}.items(), bytearray(b"x"),
        collections.Counter("aab"), collections.defaultdict(list, a=[1]), collections.deque([1], 3),
        Fraction(1, 3), Decimal("-0.10"), Decimal("sNaN"),
        datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_values_at_the_edges(value: object) -> None:
    there = through(value)
    assert type(there) is type(value)
    assert repr(there) == repr(value)


def test_one_list_stays_one_list() -> None:
    inner: list[object] = [1]
    inner.append(inner)
    a, b, c = through([inner, inner, {"k": inner}])
    assert a is b is c["k"]
    assert a[1] is a


def test_subclasses_are_reduced_by_who_does_not_insist() -> None:
    class Sly(int):
        def __eq__(self, other: object) -> bool:
            return True

        def __add__(self, other: object) -> int:
            return 99

        __hash__ = None  # type: ignore[assignment]

    class Text(str):
        def __str__(self) -> str:
            return "x"

    class Items(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            return iter([99])

    point = collections.namedtuple("point", "x y")(1, 2)
    for value, base in ((Sly(3), 3), (Text("a"), "a"), (Items([1, 2]), [1, 2]), (point, (1, 2))):
        there = through(value, exact=False)
        assert type(there) is type(base)
        assert there == base
        assert through(value) == ("theirs", 0, 0)


def test_depth_and_size_have_limits() -> None:
    deep: object = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    assert repr(through(deep)) == repr(deep)
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TooDeep):
        encode(deep, Ends(True))
    with pytest.raises(TooLarge):
        encode("x" * (65 << 20), Ends(True))
    with pytest.raises(CodecError):
        decode(b"t*\1\0\0\0" * 5000 + b"N", Ends(True))


def test_a_containers_items_can_be_exchanged_in_place() -> None:
    for old, new in (
        ([1], [2, 3]), ({1: 2}, {3: 4, 5: 6}), ({1}, {2}), (bytearray(b"a"), bytearray(b"bc")),
        (collections.deque([1]), collections.deque([2])),
        (collections.Counter("a"), collections.Counter("bb")),
        (collections.OrderedDict(a=1, b=2), collections.OrderedDict(b=2, a=1)),
    ):  # fmt: skip
        refill(old, contents(new))
        assert repr(old) == repr(new)


def test_only_who_holds_the_tests_may_name_a_function() -> None:
    data, _ = encode([len, exec], Ends(True))
    assert decode(data, Ends(False))[0] == [len, exec]
    with pytest.raises(CodecError):
        decode(data, Ends(True))


def test_jobs_and_verdicts_hold_no_objects() -> None:
    with pytest.raises(TypeError):
        encode(object(), Nothing())
    for data in (b"o\0\0\0\0\0", b"O\0\0\0\0\0"):
        with pytest.raises(CodecError):
            decode(data, Nothing())


SEEDS = [
    encode(one, Ends(False))[0]
    for one in (
        ("ok", [1, "é", 2.5, {"a": (None, True)}, {1, 2}, b"x", 10**30], ((0, [1]),)),
        ("raise", ("ValueError", ("x",), "x", 3, -1), ()),
        (
            collections.Counter("ab"),
            Fraction(1, 2),
            Decimal(1),
            datetime.date(2024, 1, 1),
            range(3),
            {}.keys(),
            int,
        ),
        ([1] * 20, [1.5] * 20, object()),
    )
]


def mutated(draw: random.Random) -> bytes:
    data = bytearray(draw.choice(SEEDS))
    for _ in range(draw.randrange(1, 8)):
        at = draw.randrange(len(data) + 1)
        how = draw.randrange(4)
        if how == 0:
            data[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            del data[at : at + draw.randrange(1, 6)]
        elif how == 2:
            data[at:at] = draw.choice(
                [b"l*", b"\xff\xff\xff\xff", b"@\0\0\0\0", b"t", b"v", b"o", b"Q", b"I"]
            )
        else:
            data[at : at + 4] = draw.choice([b"\xff\xff\xff\x7f", b"\0\0\0\0"])
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_messages_are_refused_or_understood(seed: int) -> None:
    draw = random.Random(seed)
    refused = 0
    for _ in range(3000):
        try:
            decode(mutated(draw), Ends(True), known=[[1], {}])
        except CodecError:
            refused += 1
    assert 1000 < refused < 3000


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_understood(data: bytes) -> None:
    try:
        value, _ = decode(data, Ends(True))
    except CodecError:
        return
    assert shape(through(value, exact=False)) == shape(value)
