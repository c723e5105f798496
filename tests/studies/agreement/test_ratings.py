"""Ratings from names, arrays and CSV text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.agreement.ratings import Rating, Ratings
from studies.agreement.read import read_csv
from studies.errors import FolderError, InputError

pytestmark = pytest.mark.filterwarnings("error")


def test_rows_are_sorted_by_item_and_rater_whatever_their_order() -> None:
    rows = [
        Rating("b", "y", "L"),
        Rating("a", "z", "K"),
        Rating("b", "x", "K"),
        Rating("a", "x", "L", ("K",)),
    ]
    ratings = Ratings.of(rows)
    assert (ratings.items, ratings.raters, ratings.categories) == (("a", "b"), ("x", "y", "z"), ("K", "L"))
    assert ratings.item.tolist() == [0, 0, 1, 1]
    assert ratings.rater.tolist() == [0, 2, 0, 1]
    assert ratings.label.tolist() == [1, 0, 0, 1]
    assert [ratings.extras[one] for one in ratings.extra] == [(0,), (), (), ()]
    assert ratings.counts().tolist() == [[1, 1], [1, 1]]


def test_labels_are_compared_after_nfc_and_not_otherwise() -> None:
    rows = [Rating("1", "x", "caf\u00e9"), Rating("1", "y", "cafe\u0301"), Rating("2", "x", "Caf\u00e9")]
    ratings = Ratings.of(rows)
    assert ratings.categories == ("Caf\u00e9", "caf\u00e9")
    assert ratings.counts().tolist() == [[0, 2], [1, 0]]
    assert ratings.warnings == (
        "labels that differ only in case or space are counted as different: 'Caf\u00e9', 'caf\u00e9'",
    )


def test_an_order_puts_labels_first_and_keeps_the_others() -> None:
    ratings = Ratings.of([Rating("1", "x", "C", ("A",)), Rating("1", "y", "B")]).ordered(["B", "Z"])
    assert ratings.categories == ("B", "Z", "A", "C")
    assert ratings.counts().tolist() == [[1, 0, 0, 1]]
    assert [ratings.extras[one] for one in ratings.extra] == [(2,), ()]
    with pytest.raises(InputError, match="each label once"):
        ratings.ordered(["B", "B"])


def test_keeping_items_keeps_their_raters() -> None:
    import numpy as np

    ratings = Ratings.of([Rating("1", "x", "A"), Rating("2", "y", "B", ("A",)), Rating("2", "z", "A")])
    kept = ratings.keep_items(np.array([False, True]))
    assert (kept.items, kept.raters, kept.categories) == (("2",), ("y", "z"), ("A", "B"))
    assert kept.counts().tolist() == [[1, 1]]


def test_arrays_leave_out_unrated_items_and_raters() -> None:
    ratings = Ratings.from_indices([2, 0], [1, 1], [0, 1], categories="AB", items="pqr", raters="xy")
    assert (ratings.items, ratings.raters) == (("p", "r"), ("y",))
    assert ratings.counts().tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0], [0, 1], [0, 0]), "1 items, 2 raters, 2 labels"),
        (([0, 1], [0, 0], [0, 5]), "label: found 5; expected less than 2"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ratings.from_indices(*arrays, categories="AB")


def test_all_faults_are_told_at_once() -> None:
    rows = [
        Rating("", "x", "A"), Rating("1", " ", "A"), Rating("1", "x", "A", ("",)),
        Rating("2", "x", "A", "SLM"),  # type: ignore[arg-type]
    ]  # fmt: skip
    with pytest.raises(InputError) as refused:
        Ratings.of(rows)
    told = str(refused.value).splitlines()
    assert [line.split(":")[0] for line in told] == [f"rating {n}" for n in (1, 2, 3, 4)]


def test_a_dominant_label_is_not_additional_too() -> None:
    with pytest.raises(
        InputError, match="rating 2: the dominant label 'A' again; expected further labels only"
    ):
        Ratings.of([Rating("1", "x", "B", ("A",)), Rating("1", "y", "A", ("A",))])


def test_long_lists_of_faults_are_cut() -> None:
    with pytest.raises(InputError, match="and 150 more"):
        Ratings.of(Rating(str(n), "x", "") for n in range(250))


class TestCsv:
    def test_quotes_line_breaks_byte_order_mark_and_further_columns(self) -> None:
        text = '\ufeffwhen,rater,item,label,additional\r\n1,"a, ""b""\nc",i,DCP,SLM;CCM\r\n\r\n2,x,i,DCP,\r\n'
        ratings = read_csv(text, "t.csv")
        assert ratings.raters == ('a, "b"\nc', "x")
        assert ratings.categories == ("CCM", "DCP", "SLM")
        assert [ratings.extras[one] for one in ratings.extra] == [(0, 2), ()]

    def test_every_problem_with_its_line(self) -> None:
        text = 'item,rater,label,additional\n1,x\n"1\n",x,A,A\n,y,A,\n\n1,z,A,,\n1, ,,\n'
        with pytest.raises(FolderError) as refused:
            read_csv(text, "t.csv")
        problems = refused.value.problems
        assert [(one.file, one.line, one.key) for one in problems] == [
            ("t.csv", 2, ""), ("t.csv", 5, "item"), ("t.csv", 7, ""),
            ("t.csv", 8, "label"), ("t.csv", 8, "rater"),
        ]  # fmt: skip
        assert problems[0].found == "2 cells"

    def test_a_dominant_label_again_is_found_with_its_line(self) -> None:
        with pytest.raises(FolderError, match=r"t\.csv:3 additional: the dominant label 'A' again"):
            read_csv("item,rater,label,additional\n1,x,A,B\n1,y,A,B;A\n", "t.csv")

    @pytest.mark.parametrize(
        ("text", "key"),
        [("", "item"), ("item,label\n", "rater"), ("item,rater,label,label\n", "label"), ("\n\n", "item")],
    )
    def test_a_header_that_does_not_do(self, text: str, key: str) -> None:
        with pytest.raises(FolderError) as refused:
            read_csv(text, "t.csv")
        assert key in {one.key for one in refused.value.problems}

    @pytest.mark.parametrize("row", ['1,"x', '1,"x"y,A'])
    def test_a_quote_that_is_not_closed(self, row: str) -> None:
        with pytest.raises(FolderError, match=r"t\.csv:3"):
            read_csv(f"item,rater,label\n1,w,A\n{row}\n2,x,A\n", "t.csv")

    def test_a_header_alone_holds_no_ratings(self) -> None:
        assert len(read_csv("item,rater,label\n", "t.csv")) == 0

    @given(
        st.lists(st.tuples(*[st.text(st.characters(exclude_characters="\x00"), min_size=1)] * 3), max_size=8)
    )
    def test_what_is_written_is_read(self, cells: list[tuple[str, str, str]]) -> None:
        import csv
        import io

        rows = {
            (i, r): Rating(i, r, label) for i, r, label in cells if i.strip() and r.strip() and label.strip()
        }
        out = io.StringIO(newline="")
        csv.writer(out).writerows(
            [["item", "rater", "label"], *([i, r, x.label] for (i, r), x in rows.items())]
        )
        try:
            expected = Ratings.of(rows.values())
        except InputError:
            with pytest.raises(InputError):
                read_csv(out.getvalue(), "t.csv")
            return
        found = read_csv(out.getvalue(), "t.csv")
        assert (found.items, found.raters, found.categories) == (
            expected.items,
            expected.raters,
            expected.categories,
        )
        assert found.label.tolist() == expected.label.tolist()
