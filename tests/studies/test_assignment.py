"""Assignment: coverage, balance, order, repeats, checks; for any feasible counts."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise
from math import gcd
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.annotation.materials import CheckItem, Codebook, CodebookEntry, Item
from studies.assignment import (
    ESCAPES,
    MECHANISMS,
    Layout,
    draw_subset,
    feasible,
    lay_out,
    misfits,
    nearest_design,
    nearest_items,
    next_free,
    planned_slots,
    slot_order,
    williams,
)
from studies.chance import Chance
from studies.errors import InputError
from studies.feasibility import Counts
from studies.payloads import Planned
from studies.settings import AnalysisSettings, Design, StudySettings
from studies.strata import spread, strata_of
from studies.study import Study, Texts

CAPA: dict[str, Any] = {"kind": "cyclic", "participants": 20, "items_each": 20, "raters": 2, "block": 10}

GOLDEN_DRAWS = [757, 359, 283, 439, 429, 318]
GOLDEN_SHUFFLE = list("edabgcfh")
GOLDEN_LAYOUT = """
i5/1/m1 i10/1/m1 i4/1/m1 i18/1/m1 i19/1/m1 i20/1/m1 i9/2/m1 i8/2/m1 i11/2/m1 i21/2/m1 i16/2/m1
i6/2/m1 i15/3/m1 c0/3/c1 i10/3/r2 i0/3/m1 i13/3/m1 i2/3/m1 i20/3/r2 i22/3/m1 i7/3/m1
"""


def make_study(
    items: int, *, seed: int = 7, check_items: int = 0, escapes: bool = True, **design: Any
) -> Study:
    study_settings = StudySettings.model_validate(
        {
            "title": "A study",
            "kind": "annotation",
            "name": "a-study",
            "seed": seed,
            "consent": [{"id": "take-part", "text": "I take part."}],
            "design": design,
            "annotation": {"escapes": escapes},
        }
    )
    entry = {"name": "n", "short": "s", "definition": "d", "choose_when": "c", "not_when": "n"}
    codebook = Codebook(
        version="1",
        gate="g",
        dominant_rule="d",
        tie_break="t",
        entries=tuple(CodebookEntry(label=one, **entry) for one in (*MECHANISMS, *ESCAPES)),
    )
    return Study(
        sha256="0" * 64,
        files={},
        settings=study_settings,
        analysis=AnalysisSettings(),
        texts=Texts("", "", ""),
        codebook=codebook,
        items=tuple(
            Item.model_validate(
                {
                    "id": f"i{number}",
                    "request": "Do it.",
                    "gold": MECHANISMS[number % 6],
                    "language": f"l{number % 3}",
                }
            )
            for number in range(items)
        ),
        checks=tuple(
            CheckItem(id=f"c{number}", request="Choose 1.", dominant="DCP") for number in range(check_items)
        ),
    )


def all_layouts(study: Study) -> list[Layout]:
    slots = planned_slots(study)
    assert slots is not None
    return [lay_out(study, slot) for slot in range(1, slots + 1)]


def main_items(layout: Layout) -> list[str]:
    return [one.item for one in layout.order if one.role == "main"]


def blocks_of(layout: Layout) -> dict[int, list[Planned]]:
    found: dict[int, list[Planned]] = {}
    for one in layout.order:
        found.setdefault(one.block, []).append(one)
    return found


def raters_of(layouts: list[Layout]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, layout in enumerate(layouts):
        for item in main_items(layout):
            found.setdefault(item, set()).add(number)
    return found


def is_connected(layouts: list[Layout]) -> bool:
    reached, open_ = {0}, [0]
    held = [set(main_items(one)) for one in layouts]
    while open_:
        here = held[open_.pop()]
        for other in range(len(held)):
            if other not in reached and here & held[other]:
                reached.add(other)
                open_.append(other)
    return len(reached) == len(layouts)


@st.composite
def equal_counts(draw: st.DrawFn) -> tuple[int, int, int]:
    """(n, L, r) of an equal design."""
    n = draw(st.integers(1, 16))
    r = draw(st.integers(1, n))
    step = r // gcd(n, r)
    return n, step * draw(st.integers(1, max(1, 24 // step))), r


@st.composite
def unequal_counts(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """(n, L, r, N) with nL/N between 1 and n, rarely whole; r its floor or ceiling."""
    items = draw(st.integers(2, 60))
    each = draw(st.integers(1, items))
    n = draw(st.integers(-(-items // each), 24 + -(-items // each)))
    low = n * each // items
    return n, each, draw(st.sampled_from([low, -(-n * each // items)])), items


kinds = st.sampled_from(["cyclic", "balanced"])
strata_columns = st.sampled_from([(), ("gold",), ("gold", "language"), ("absent",)])


# Coverage


@given(counts=equal_counts(), kind=kinds, strata=strata_columns, seed=st.integers(0, 2**40))
def test_an_equal_design_gives_every_item_exactly_its_raters(
    counts: tuple[int, int, int], kind: str, strata: tuple[str, ...], seed: int
) -> None:
    n, each, r = counts
    study = make_study(
        n * each // r, seed=seed, kind=kind, participants=n, items_each=each, raters=r, strata=strata
    )
    layouts = all_layouts(study)
    for layout in layouts:
        assert len(set(main_items(layout))) == len(layout.order) == each
    raters = raters_of(layouts)
    assert set(raters) == {one.id for one in study.items}
    assert {len(people) for people in raters.values()} == {r}


@given(counts=unequal_counts(), kind=kinds, strata=strata_columns)
def test_an_unequal_design_gives_every_item_the_floor_or_the_ceiling(
    counts: tuple[int, int, int, int], kind: str, strata: tuple[str, ...]
) -> None:
    n, each, r, items = counts
    study = make_study(
        items, kind=kind, participants=n, items_each=each, raters=r, strata=strata, unequal=True
    )
    layouts = all_layouts(study)
    assert all(len(set(main_items(one))) == len(one.order) == each for one in layouts)
    raters = raters_of(layouts)
    assert len(raters) == items
    assert {len(people) for people in raters.values()} <= {n * each // items, -(-n * each // items)}


@given(counts=equal_counts().filter(lambda counts: counts[1] >= 2 and counts[2] >= 2))
def test_the_cyclic_overlap_graph_is_connected_from_two_raters_and_two_items(
    counts: tuple[int, int, int],
) -> None:
    n, each, r = counts
    study = make_study(n * each // r, kind="cyclic", participants=n, items_each=each, raters=r)
    assert is_connected(all_layouts(study))


@pytest.mark.parametrize(("each", "raters"), [(41, {1, 2}), (42, {2, 3})])
def test_a_prime_number_of_items_is_kept_whole_when_unequal(each: int, raters: set[int]) -> None:
    study = make_study(419, kind="cyclic", participants=20, items_each=each, raters=2, unequal=True)
    found = raters_of(all_layouts(study))
    assert len(found) == 419
    assert {len(people) for people in found.values()} == raters
    mostly = Counter(len(people) for people in found.values()).most_common(1)[0]
    assert mostly[0] == 2
    assert mostly[1] >= 400


def test_capa_has_twenty_pairs_in_one_ring_who_share_one_set_of_ten() -> None:
    layouts = all_layouts(make_study(200, **CAPA, strata=("gold",)))
    held = [set(main_items(one)) for one in layouts]
    shared = {(a, b): len(held[a] & held[b]) for a, b in combinations(range(20), 2)}
    assert Counter(shared.values()) == {10: 20, 0: 170}
    neighbours = Counter(person for pair, count in shared.items() if count for person in pair)
    assert set(neighbours.values()) == {2}
    assert is_connected(layouts)


def test_losing_one_of_capas_participants_leaves_twenty_items_rated_once() -> None:
    layouts = all_layouts(make_study(200, **CAPA))
    left = raters_of(layouts[:7] + layouts[8:])
    assert Counter(len(people) for people in left.values()) == {2: 180, 1: 20}


@given(n=st.integers(2, 12), r=st.integers(2, 5), block=st.integers(1, 6), seed=st.integers(0, 99))
def test_every_set_of_a_cyclic_design_stands_once_in_each_serial_position(
    n: int, r: int, block: int, seed: int
) -> None:
    r = min(n, r)
    study = make_study(
        n * block, seed=seed, kind="cyclic", participants=n, items_each=r * block, raters=r, block=block
    )
    positions: dict[frozenset[str], list[int]] = {}
    for layout in all_layouts(study):
        for number, block_items in blocks_of(layout).items():
            positions.setdefault(frozenset(one.item for one in block_items), []).append(number)
    assert len(positions) == n
    assert all(sorted(found) == list(range(1, r + 1)) for found in positions.values())


def test_raters_of_one_set_see_its_items_in_different_orders() -> None:
    layouts = all_layouts(make_study(200, **CAPA))
    orders: dict[frozenset[str], list[list[str]]] = {}
    for layout in layouts:
        for block in blocks_of(layout).values():
            ids = [one.item for one in block]
            orders.setdefault(frozenset(ids), []).append(ids)
    assert all(len(found) == 2 and found[0] != found[1] for found in orders.values())


def test_a_balanced_design_mixes_overlaps_and_keeps_every_hand_in_proportion() -> None:
    def overlaps(kind: str) -> Counter[int]:
        study = make_study(200, **{**CAPA, "kind": kind}, strata=("gold",))
        held = [set(main_items(one)) for one in all_layouts(study)]
        return Counter(len(one & other) for one, other in combinations(held, 2))

    cyclic, balanced = overlaps("cyclic"), overlaps("balanced")
    assert len(balanced) > len(cyclic)
    assert balanced[0] < 95 < cyclic[0] == 170
    assert max(balanced) < 10


@given(counts=equal_counts(), kind=kinds)
def test_trades_keep_each_persons_share_of_a_stratum(counts: tuple[int, int, int], kind: str) -> None:
    n, each, r = counts
    study = make_study(n * each // r, kind=kind, participants=n, items_each=each, raters=r, strata=("gold",))
    total = Counter(one.gold for one in study.items)
    for layout in all_layouts(study):
        mine = Counter(study.item(one).gold for one in main_items(layout))
        for value, count in total.items():
            assert abs(mine[value] - each * count / len(study.items)) < 2


@pytest.mark.parametrize("kind", ["crossed", "everything"])
@given(items=st.integers(1, 50), block=st.none() | st.integers(1, 12), rounds=st.integers(1, 3))
@settings(max_examples=30)
def test_everybody_gets_everything_with_every_set_in_every_position(
    kind: str, items: int, block: int | None, rounds: int
) -> None:
    count = 1 if block is None else -(-items // block)
    people: dict[str, Any] = {"participants": count * rounds} if kind == "crossed" else {}
    study = make_study(items, kind=kind, block=block, strata=("gold",), **people)
    positions: Counter[tuple[frozenset[str], int]] = Counter()
    for slot in range(1, count * rounds + 1):
        layout = lay_out(study, slot)
        assert sorted(main_items(layout)) == sorted(one.id for one in study.items)
        for number, entries in blocks_of(layout).items():
            positions[frozenset(one.item for one in entries), number] += 1
    assert len(positions) == count * count
    assert set(positions.values()) == {rounds}


def test_a_sets_position_and_the_order_of_labels_are_crossed() -> None:
    study = make_study(36, kind="crossed", participants=36, block=6)
    pairs = {
        (layout.options, frozenset(one.item for one in blocks_of(layout)[1])) for layout in all_layouts(study)
    }
    assert len(pairs) == 36


@pytest.mark.parametrize(
    ("each", "block", "sizes"), [(20, None, [20]), (20, 10, [10, 10]), (20, 8, [8, 8, 4])]
)
def test_blocks_are_cut_to_size(each: int, block: int | None, sizes: list[int]) -> None:
    study = make_study(200, **{**CAPA, "items_each": each, "block": block})
    for layout in all_layouts(study):
        assert [len(block) for block in blocks_of(layout).values()] == sizes
        assert [one.block for one in layout.order] == sorted(one.block for one in layout.order)


# Strata


@given(sizes=st.lists(st.integers(1, 14), min_size=1, max_size=7), seed=st.integers(0, 999))
def test_every_run_of_a_spread_order_holds_each_stratum_in_proportion(sizes: list[int], seed: int) -> None:
    strata = [(str(group),) for group, size in enumerate(sizes) for _ in range(size)]
    total = len(strata)
    order = spread(range(total), strata, Chance(seed, 0, "test"))
    assert sorted(order) == list(range(total))
    groups = [strata[index][0] for index in order] * 2
    bound = 2 - 1 / (len(sizes) - 1) if len(sizes) > 1 else 0
    for group, size in enumerate(sizes):
        ahead = [groups[:place].count(str(group)) - place * size / total for place in range(2 * total)]
        widest = max(
            abs(ahead[end] - ahead[start]) for start in range(total) for end in range(start, start + total)
        )
        assert widest <= bound + 1e-9


@given(seed=st.integers(0, 99))
def test_further_columns_are_spread_within_the_first(seed: int) -> None:
    strata = [(str(number % 3), str(number // 3 % 2)) for number in range(60)]
    order = spread(range(60), strata, Chance(seed, 0, "test"))
    for value in "012":
        inner = [strata[index][1] for index in order if strata[index][0] == value]
        for start in range(len(inner) - 4):
            assert abs(inner[start : start + 4].count("0") - 2) <= 1


def test_without_strata_the_order_is_a_plain_shuffle() -> None:
    first = Counter(spread(range(3), [()] * 3, Chance(seed, 0, "test"))[0] for seed in range(600))
    assert all(150 < first[index] < 250 for index in range(3))
    assert spread([], [], Chance(1, 0, "test")) == []


def test_strata_come_from_fields_and_from_further_columns_of_any_type() -> None:
    items = [
        Item.model_validate({"id": "a", "request": "x", "gold": "DCP", "hard": True, "tags": ["b", 1]}),
        Item.model_validate({"id": "b", "request": "x", "source": "web", "tags": {"k": None}}),
    ]
    assert strata_of(items, ("gold", "source", "hard", "tags", "copy", "context")) == [
        ('"DCP"', '""', "true", '["b",1]', "null", "[]"),
        ("null", '"web"', "null", '{"k":null}', "null", "[]"),
    ]


@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=6), data=st.data(), seed=st.integers(0, 2**64))
def test_a_subset_keeps_proportions_and_order(sizes: list[int], data: st.DataObject, seed: int) -> None:
    golds = [MECHANISMS[group] for group, size in enumerate(sizes) for _ in range(size)]
    items = [
        Item.model_validate({"id": f"i{k}", "request": "x", "gold": gold}) for k, gold in enumerate(golds)
    ]
    n = data.draw(st.integers(0, len(items)))
    chosen = draw_subset(items, n, ("gold",), seed)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == n
    assert chosen == draw_subset(items, n, ("gold",), seed)
    kept = Counter(golds[index] for index in chosen)
    for group, size in enumerate(sizes):
        assert abs(kept[MECHANISMS[group]] - n * size / len(items)) < 1


def test_no_stratum_of_a_subset_is_preferred_where_shares_tie() -> None:
    items = make_study(60).items
    most = {
        Counter(items[index].gold for index in draw_subset(items, 7, ("gold",), seed)).most_common(1)[0][0]
        for seed in range(60)
    }
    assert most == set(MECHANISMS)


def test_a_subset_differs_by_seed_and_cannot_exceed_the_items() -> None:
    items = make_study(60).items
    assert draw_subset(items, 30, (), 1) != draw_subset(items, 30, (), 2)
    assert draw_subset(items, 60, ("gold", "language"), 1) == list(range(60))
    with pytest.raises(InputError, match="61 of 60"):
        draw_subset(items, 61, (), 1)


# Slots


def test_slots_are_given_out_once_in_a_seeded_order() -> None:
    study = make_study(200, **CAPA)
    order = slot_order(study)
    assert sorted(order) == list(range(1, 21))
    assert order != tuple(range(1, 21))
    assert order != slot_order(make_study(200, seed=8, **CAPA))
    taken: list[int] = []
    while (slot := next_free(study, taken)) is not None:
        taken.append(slot)
    assert tuple(taken) == order


def test_a_released_slot_goes_to_the_next_person_with_the_same_layout() -> None:
    study = make_study(200, **CAPA)
    taken = list(slot_order(study)[:9])
    before = lay_out(study, taken[4])
    dropped = taken.pop(4)
    assert next_free(study, taken) == dropped
    # Another process, or the same folder loaded again.
    assert lay_out(make_study(200, **CAPA), dropped) == before


def test_slots_are_made_as_people_come_where_everybody_gets_everything() -> None:
    study = make_study(12)
    assert planned_slots(study) is None
    assert slot_order(study) == ()
    assert next_free(study, ()) == 1
    assert next_free(study, [1, 2, 4]) == 3
    assert next_free(study, [1, 2, 3]) == 4
    assert len(lay_out(study, 1000).order) == 12


@pytest.mark.parametrize("slot", [0, -1, 21])
def test_a_slot_outside_the_design_is_refused(slot: int) -> None:
    with pytest.raises(InputError, match=f"no slot {slot}"):
        lay_out(make_study(200, **CAPA), slot)


# Repeats and checks


@st.composite
def visits(draw: st.DrawFn) -> Study:
    """A small study with any feasible number of repeats and checks."""
    each = draw(st.integers(11, 70))
    repeats = draw(st.integers(0, each))
    checks = draw(st.integers(0, (each + repeats) // 19))
    return make_study(
        2 * each,
        seed=draw(st.integers(0, 999)),
        check_items=checks + draw(st.integers(0, 3)),
        kind=draw(kinds),
        participants=4,
        items_each=each,
        raters=2,
        block=draw(st.none() | st.integers(2, 20)),
        repeats=repeats,
        checks=checks,
    )


@given(study=visits())
def test_repeats_come_at_least_ten_entries_later_and_checks_inside_blocks(study: Study) -> None:
    design = study.settings.design
    for layout in all_layouts(study):
        roles = Counter(one.role for one in layout.order)
        assert (roles["main"], roles["repeat"], roles["check"]) == (
            design.items_each,
            design.repeats,
            design.checks,
        )
        assert roles["check"] * 20 <= len(layout.order)
        first: dict[str, int] = {}
        again: set[str] = set()
        for place, one in enumerate(layout.order):
            if one.role == "main":
                assert one.number == 1
                first[one.item] = place
            elif one.role == "repeat":
                assert one.number == 2
                assert place - first[one.item] > 10
                assert one.item not in again
                again.add(one.item)
        shown = [one.item for one in layout.order if one.role == "check"]
        assert len(set(shown)) == len(shown)
        assert set(shown) <= {one.id for one in study.checks}
        for entries in blocks_of(layout).values():
            assert "check" not in (entries[0].role, entries[-1].role)
        assert [one.block for one in layout.order] == sorted(one.block for one in layout.order)


@given(study=visits(), slot=st.integers(1, 4))
def test_repeats_and_checks_leave_the_main_order_as_it_was(study: Study, slot: int) -> None:
    design = study.settings.design
    bare = make_study(
        len(study.items),
        seed=study.settings.seed,
        **{**design.model_dump(), "repeats": 0, "checks": 0},
    )
    main = tuple(one for one in lay_out(study, slot).order if one.role == "main")
    assert main == lay_out(bare, slot).order


def test_repeats_and_checks_are_spread_out_and_differ_between_participants() -> None:
    study = make_study(
        400,
        check_items=8,
        kind="cyclic",
        participants=10,
        items_each=80,
        raters=2,
        block=20,
        repeats=6,
        checks=4,
    )
    layouts = all_layouts(study)
    for role in ("repeat", "check"):
        placed = [[k for k, one in enumerate(layout.order) if one.role == role] for layout in layouts]
        chosen = [[one.item for one in layout.order if one.role == role] for layout in layouts]
        assert len(set(map(tuple, placed))) == len(layouts)
        assert len(set(map(tuple, chosen))) == len(layouts)
        # Each lies in the middle half of its own part, so neighbours are half a part apart.
        assert all(b - a >= 6 for places in placed for a, b in pairwise(places))


@pytest.mark.parametrize(
    ("changes", "checks", "sentence"),
    [
        (
            {"repeats": 1, "items_each": 10},
            0,
            r"10 items each are too few .* nearest that fit: 11 items each",
        ),
        ({"repeats": 21}, 0, "21 repeats are more than the 20 items each; the nearest that fit: 20 repeats"),
        ({"checks": 1}, 0, "1 attention check a participant is more than the 0 the study has"),
        ({"checks": 2}, 5, "2 attention checks among 20 other entries .* nearest that fit: 1"),
        ({"checks": 1, "block": 1}, 5, "blocks of 1 leave no place"),
        (
            {"items_each": 21},
            0,
            r"need exactly 210 items, and there are 200; the nearest that fit: 200 items",
        ),
        ({"kind": "crossed"}, 0, "every participant gets all 200 items, not 20 each"),
        ({"kind": "crossed", "items_each": None}, 0, "every participant rates every item; 2 raters"),
        ({"kind": "everything", "items_each": None, "raters": None}, 0, "20 participants cannot be planned"),
    ],
)
def test_a_design_that_does_not_fit_is_refused_with_its_numbers(
    changes: dict[str, Any], checks: int, sentence: str
) -> None:
    study = make_study(
        100 if changes.get("items_each") == 10 else 200, check_items=checks, **{**CAPA, **changes}
    )
    with pytest.raises(InputError, match=sentence):
        lay_out(study, 1)
    assert any(re.search(sentence, one) for one in misfits(study.settings.design, len(study.items), checks))


def test_all_misfits_are_named_at_once() -> None:
    design = Design.model_validate({**CAPA, "raters": 3, "repeats": 30, "checks": 9})
    assert len(misfits(design, 200, 3)) == 3
    assert misfits(Design.model_validate(CAPA), 200, 0) == []


# Counts


@given(
    n=st.integers(1, 14),
    each=st.integers(1, 20),
    r=st.integers(1, 14),
    items=st.integers(1, 60),
    unequal=st.booleans(),
)
def test_feasible_says_exactly_what_can_be_laid_out(
    n: int, each: int, r: int, items: int, unequal: bool
) -> None:
    shares = [n * each // items, -(-n * each // items)]
    possible = r <= n and each <= items and shares[0] >= 1 and r in shares
    if not unequal:
        possible = possible and n * each == r * items
    sentence = feasible(n, each, r, items, unequal=unequal)
    assert (sentence is None) == possible
    if sentence is not None:
        assert "nearest that fit" in sentence


@given(n=st.integers(1, 14), each=st.integers(1, 20), r=st.integers(1, 14), items=st.integers(1, 60))
def test_the_numbers_that_feasible_names_are_feasible(n: int, each: int, r: int, items: int) -> None:
    sentence = feasible(n, each, r, items)
    if sentence is None or r > n:
        return
    named = re.findall(r"(\d+) items? with (\d+) each", sentence.partition("nearest that fit")[2])
    assert named
    for size, hand in named:
        assert feasible(n, int(hand), r, int(size)) is None
    if "unequal, all" in sentence:
        assert feasible(n, each, r, items, unequal=True) is None


@given(n=st.integers(1, 14), each=st.integers(1, 20), r=st.integers(1, 14), items=st.integers(1, 60))
def test_the_numbers_named_for_an_unequal_design_are_feasible(n: int, each: int, r: int, items: int) -> None:
    sentence = feasible(n, each, r, items, unequal=True)
    if sentence is None or r > n:
        return
    ending = sentence.partition("nearest that fit: ")[2]
    for number in map(int, re.findall(r"\d+", ending)):
        if ending.endswith("raters"):
            assert feasible(n, each, number, items, unequal=True) is None
        elif "more than" not in sentence:
            assert feasible(n, number, r, items, unequal=True) is None


@given(n=st.integers(1, 12), each=st.integers(1, 15), r=st.integers(1, 12), items=st.integers(1, 50))
def test_the_nearest_design_is_the_largest_there_is(n: int, each: int, r: int, items: int) -> None:
    def largest(found: list[Counts]) -> int:
        return max((one.items for one in found), default=0)

    def size(**counts: int) -> int:
        found = nearest_design(items, **counts)
        if found is None:
            return 0
        assert feasible(found.participants, found.items_each, found.raters, found.items) is None
        assert found.items <= items
        return found.items

    def designs(people: range, hands: range, raters: range) -> list[Counts]:
        return [
            Counts(a, b, c, a * b // c)
            for a in people
            for b in hands
            for c in raters
            if c <= a and a * b % c == 0 and a * b // c <= items
        ]

    def only(value: int) -> range:
        return range(value, value + 1)

    # A hand never holds more than all items, and more people than that times the raters cannot be busy.
    assert size(participants=n, raters=r) == largest(designs(only(n), range(1, items + 1), only(r)))
    assert size(items_each=each, raters=r) == largest(designs(range(1, items * r + 1), only(each), only(r)))
    assert size(participants=n, items_each=each) == largest(designs(only(n), only(each), range(2, n + 1)))
    kept = designs(only(n), range(1, each + 1), only(r))
    assert size(participants=n, items_each=each, raters=r) == largest(kept)
    assert nearest_items(n, each, r, items) == largest(kept)


def test_nearest_designs_for_419_items() -> None:
    assert nearest_items(20, 42, 2, 419) == 410
    assert nearest_items(20, 20, 2, 419) == 200
    assert nearest_design(419, participants=20, raters=2) == Counts(20, 41, 2, 410)
    assert nearest_design(419, items_each=20, raters=2) == Counts(41, 20, 2, 410)
    assert nearest_design(419, participants=20, items_each=20) == Counts(20, 20, 2, 200)
    with pytest.raises(InputError, match="two of"):
        nearest_design(419, participants=20)


# Labels


@pytest.mark.parametrize("c", range(2, 9))
def test_a_williams_design_balances_positions_and_first_order_carry_over(c: int) -> None:
    rows = williams(c)
    times = 2 if c % 2 else 1
    assert len(rows) == times * c
    assert all(sorted(row) == list(range(c)) for row in rows)
    places = Counter((place, one) for row in rows for place, one in enumerate(row))
    assert set(places.values()) == {times}
    assert len(places) == c * c
    followed = Counter(pair for row in rows for pair in pairwise(row))
    assert set(followed.values()) == {times}
    assert len(followed) == c * (c - 1)


def test_a_williams_design_of_one_or_no_condition() -> None:
    assert williams(1) == ((0,),)
    assert williams(0) == ()


def test_labels_follow_the_six_williams_rows_by_slot_with_escapes_last() -> None:
    study = make_study(5)
    shown = [lay_out(study, slot).options for slot in range(1, 13)]
    assert shown[0] == ("DCP", "SLM", "ICU", "CCM", "SBM", "HCO", "NONE", "OTHER")
    assert shown[:6] == shown[6:]
    assert len(set(shown)) == 6
    assert {options[6:] for options in shown} == {ESCAPES}
    assert lay_out(make_study(5, escapes=False), 2).options == ("SLM", "CCM", "DCP", "HCO", "ICU", "SBM")


# Chance


def test_the_stream_of_draws_is_pinned() -> None:
    """Stored studies are laid out anew from their seed: these numbers may never change."""
    chance = Chance(20260101, 3, "order")
    assert [chance.below(1000) for _ in range(6)] == GOLDEN_DRAWS
    assert Chance(1, 1, "a").shuffled("abcdefgh") == GOLDEN_SHUFFLE


def test_a_layout_is_pinned() -> None:
    study = make_study(
        24,
        seed=42,
        check_items=2,
        kind="cyclic",
        participants=4,
        items_each=18,
        raters=3,
        block=6,
        repeats=2,
        checks=1,
        strata=("gold", "language"),
    )
    shown = [f"{one.item}/{one.block}/{one.role[0]}{one.number}" for one in lay_out(study, 2).order]
    assert shown == GOLDEN_LAYOUT.split()


def test_streams_differ_by_seed_slot_and_purpose() -> None:
    keys = [(1, 1, "a"), (2, 1, "a"), (1, 2, "a"), (1, 1, "b"), (11, 1, "a"), (1, 11, "a")]
    assert len({tuple(Chance(*key).below(1 << 32) for _ in range(3)) for key in keys}) == len(keys)


@given(limit=st.integers(1, 1 << 32), seed=st.integers(0, 99))
def test_draws_stay_below_their_limit(limit: int, seed: int) -> None:
    chance = Chance(seed, 0, "test")
    assert all(0 <= chance.below(limit) < limit for _ in range(20))


def test_draws_are_even_where_the_limit_does_not_divide_the_range() -> None:
    chance = Chance(1, 0, "test")
    limit = (1 << 31) + (1 << 30)
    low = sum(chance.below(limit) < 1 << 30 for _ in range(3000))
    # Without rejection the lowest third would come up half of the time.
    assert 900 < low < 1100


@pytest.mark.parametrize("limit", [0, -1, (1 << 32) + 1])
def test_a_limit_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        Chance(1, 0, "test").below(limit)
