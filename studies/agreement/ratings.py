"""Ratings: who gave which label to which item. A missing rating is an absent row, never a category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.agreement.arrays import group_ragged, renumber
from studies.agreement.encode import encode, nfc, sort_rows
from studies.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studies.agreement.arrays import Floats, Ints

SHOWN_FAULTS = 100
"""Faults spelled out in one error; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's decision on one item."""

    item: str
    rater: str
    label: str
    """The dominant label: the unit of every coefficient that does not say otherwise."""
    additional: tuple[str, ...] = ()
    """Further labels of the item; never holds the dominant one."""


class Entries(NamedTuple):
    """The non-zero cells of the item by category table, sorted by item and category."""

    item: Ints
    label: Ints
    times: Ints


@dataclass(frozen=True, eq=False)
class Ratings:
    """A validated long table of ratings, sorted by item and rater, one row per (item, rater).

    Made by `of`, `from_indices` or `read_csv`. Made from names, items and raters are sorted by them, so the
    order of the rows changes no figure, seeded ones included. Every item has at least one rating.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    """All labels, in the order given or sorted; some may be unused, or used as additional labels only."""
    item: Ints
    rater: Ints
    label: Ints
    """Indices into `items`, `raters` and `categories`, one a rating."""
    extras: tuple[tuple[int, ...], ...]
    """The distinct sets of additional labels, as sorted indices into `categories`; the first is empty."""
    extra: Ints
    """Index into `extras`, one a rating."""
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, ratings: Iterable[Rating]) -> Ratings:
        """The table of these ratings; names and labels are compared exactly after Unicode NFC.

        Raises:
            InputError: something other than ratings (such as a table of counts), an empty name or label, a
                dominant label among the additional ones, or one rater twice on an item; all faults at once.
        """
        rows = list(ratings)
        if not all(isinstance(one, Rating) for one in rows):
            raise not_ratings(next(one for one in rows if not isinstance(one, Rating)))
        table, faults = encode(
            [one.item for one in rows],
            [one.rater for one in rows],
            [one.label for one in rows],
            [one.additional for one in rows],
        )
        if table is None:
            told = [f"rating {f.row + 1}: {f.found}; expected {f.expected}" for f in faults[:SHOWN_FAULTS]]
            if len(faults) > SHOWN_FAULTS:
                told.append(f"and {len(faults) - SHOWN_FAULTS} more")
            raise InputError("\n".join(told))
        return cls(*table)

    @classmethod
    def from_indices(
        cls,
        item: Any,
        rater: Any,
        label: Any,
        *,
        categories: Sequence[str],
        items: Sequence[str] | None = None,
        raters: Sequence[str] | None = None,
    ) -> Ratings:
        """The table of three integer arrays of equal length, one entry a rating; fast for millions of them.

        Without names, items and raters are called by their numbers. Items and raters without a rating are
        left out. There are no additional labels.

        Raises:
            InputError: the arrays are not flat, integer, of one length and within range, or one rater rated
                an item twice.
        """
        import numpy as np

        given: dict[str, Ints] = {}
        for name, values in (("item", item), ("rater", rater), ("label", label)):
            array = np.asarray(values)
            if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
                raise InputError(
                    f"{name}: found an array of {array.dtype} with shape {array.shape}; expected one integer "
                    "a rating (a table of counts holds no ratings)"
                )
            if array.size and array.min() < 0:
                raise InputError(
                    f"{name}: found {array.min()}; expected 0 or more (leave missing ratings out)"
                )
            given[name] = array.astype(np.int64)
        if len({len(array) for array in given.values()}) != 1:
            raise InputError(
                f"found {', '.join(f'{len(a)} {k}s' for k, a in given.items())}; expected as many"
            )
        for name, names in (("item", items), ("rater", raters), ("label", categories)):
            if names is not None and given[name].size and given[name].max() >= len(names):
                raise InputError(f"{name}: found {given[name].max()}; expected less than {len(names)}")
            if names is not None and len(set(names)) != len(names):
                raise InputError(f"{name}: found a name twice; expected each once")
        columns: dict[str, Ints] = {}
        kept: dict[str, tuple[str, ...]] = {}
        for name, names in (("item", items), ("rater", raters)):
            columns[name], used = renumber(given[name], int(given[name].max(initial=-1)) + 1)
            numbers = used.tolist()
            kept[name] = tuple(map(str if names is None else names.__getitem__, numbers))
        order, twice = sort_rows(columns["item"], columns["rater"], len(kept["rater"]))
        if len(twice):
            first = int(twice[0, 0])
            who, what = (kept[name][int(columns[name][first])] for name in ("rater", "item"))
            raise InputError(
                f"rater {who!r} rated item {what!r} twice ({len(twice)} such); "
                "expected one rating per item and rater"
            )
        return cls(
            kept["item"],
            kept["rater"],
            tuple(categories),
            columns["item"][order],
            columns["rater"][order],
            given["label"][order],
            ((),),
            np.zeros(len(order), dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def sizes(self) -> Ints:
        """Ratings on each item."""
        import numpy as np

        return np.bincount(self.item, minlength=len(self.items)).astype(np.int64, copy=False)

    @cached_property
    def starts(self) -> Ints:
        """Row of each item's first rating."""
        import numpy as np

        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def entries(self) -> Entries:
        """The non-zero cells of the item by category table."""
        import numpy as np

        width = max(1, len(self.categories))
        # Stable: rows are sorted by item already, which this sort makes use of.
        keys = np.sort(self.item * width + self.label, kind="stable")
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        return Entries(keys[first] // width, keys[first] % width, np.diff(first, append=len(keys)))

    @cached_property
    def squares(self) -> Floats:
        """For each item, the sum over categories of its squared count."""
        import numpy as np

        cells = self.entries
        weights = cells.times.astype(np.float64) ** 2
        return np.bincount(cells.item, weights=weights, minlength=len(self.items)).astype(
            np.float64, copy=False
        )

    @cached_property
    def pair_agreement(self) -> Floats:
        """For each item, the share of its pairs of raters that agree; 0 where it has one rating."""
        import numpy as np

        sizes = self.sizes.astype(np.float64)
        agreement: Floats = (self.squares - sizes) / np.maximum(sizes * (sizes - 1), 1)
        return agreement

    @cached_property
    def totals(self) -> Ints:
        """Ratings in each category."""
        import numpy as np

        return np.bincount(self.label, minlength=len(self.categories)).astype(np.int64, copy=False)

    @cached_property
    def used(self) -> Ints:
        """Indices of the categories that were used as a dominant label."""
        import numpy as np

        return np.flatnonzero(self.totals)

    @cached_property
    def patterns(self) -> tuple[Ints, int]:
        """Which items have the same labels (equal ids), and how many different patterns there are."""
        import numpy as np

        labels = np.repeat(self.entries.label, self.entries.times)
        return group_ragged(self.starts, self.sizes, labels, max(1, len(self.categories)))

    @cached_property
    def sets(self) -> tuple[Ints, int]:
        """Which items have the same raters (equal ids), and how many such sets there are: realised sets.

        Sets are numbered by their first item, so that draws do not depend on what raters are called.
        """
        import numpy as np

        found, number = group_ragged(self.starts, self.sizes, self.rater, max(1, len(self.raters)))
        first = np.unique(found, return_index=True)[1]
        rank = np.empty(number, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(number)
        return rank[found], number

    def counts(self) -> NDArray[np.int64]:
        """The table items x categories: how many raters gave the item that label."""
        import numpy as np

        table = np.zeros((len(self.items), len(self.categories)), dtype=np.int64)
        table[self.entries.item, self.entries.label] = self.entries.times
        return table

    def ordered(self, order: Sequence[str]) -> Ratings:
        """The same ratings with `order` first among the categories, unused ones too; further labels follow.

        Raises:
            InputError: a label is in `order` twice.
        """
        import numpy as np

        front = [nfc(one) for one in order]
        if len(set(front)) != len(front):
            raise InputError(f"category order: found {', '.join(front)}; expected each label once")
        categories = (*front, *(one for one in self.categories if one not in set(front)))
        place = {one: number for number, one in enumerate(categories)}
        new = np.array([place[one] for one in self.categories], dtype=np.int64)
        extras = tuple(tuple(sorted(int(new[one]) for one in extra)) for extra in self.extras)
        return replace(self, categories=categories, label=new[self.label], extras=extras)

    def dominant_only(self, categories: tuple[str, ...], label: Ints) -> Ratings:
        """The same items and raters with other dominant labels and no additional ones."""
        import numpy as np

        return replace(
            self, categories=categories, label=label, extras=((),), extra=np.zeros(len(self), dtype=np.int64)
        )

    def keep_items(self, keep: NDArray[np.bool_]) -> Ratings:
        """Only the items where `keep` (one entry an item) is true, with the raters who rated them."""
        import numpy as np

        rows = keep[self.item]
        item, _ = renumber(self.item[rows], len(self.items))
        rater, raters = renumber(self.rater[rows], len(self.raters))
        return replace(
            self,
            items=tuple(compress(self.items, keep.tolist())),
            raters=tuple(self.raters[one] for one in raters.tolist()),
            item=item.astype(np.int64),
            rater=rater.astype(np.int64),
            label=self.label[rows],
            extra=self.extra[rows],
        )


def not_ratings(found: object) -> InputError:
    """The error for input that is no rating."""
    return InputError(
        f"found {found!r:.80}; expected ratings (item, rater, label): a table of counts, or raw labels in "
        "its place, does not say who rated what"
    )
