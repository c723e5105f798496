"""Reading a study folder: what is a version's, and every problem of its files at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies import folder as folders
from studies.errors import FolderError, Problem
from studies.folder import parse, read_files
from studies.folder_checks import check
from studies.folder_parts import own_codebook
from studies.study import version_hash
from tests.support.folders import STUDY, folder, item, lines, practice


def problems_of(files: dict[str, bytes]) -> list[Problem]:
    with pytest.raises(FolderError) as caught:
        parse(files)
    return list(caught.value.problems)


def only(files: dict[str, bytes]) -> Problem:
    found = problems_of(files)
    assert len(found) == 1, found
    return found[0]


def table(text: str) -> dict[str, bytes]:
    """A folder with these lines before study.toml's tables."""
    return folder(study=text + STUDY)


class TestReadFiles:
    def test_reads_regular_files_by_relative_path(self, tmp_path: Path) -> None:
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts" / "one.md").write_bytes(b"1")
        (tmp_path / "study.toml").write_bytes(b"\xff\x00")
        assert read_files(tmp_path) == {"prompts/one.md": b"1", "study.toml": b"\xff\x00"}

    def test_passes_over_what_nobody_means_to_freeze(self, tmp_path: Path) -> None:
        for name in (".DS_Store", "study.toml~", "#study.toml#", "a.bak", ".study.toml.swp", "Thumbs.db"):
            (tmp_path / name).write_bytes(b"x")
        for name in ("__pycache__", ".git"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "inside").write_bytes(b"x")
        os.mkfifo(tmp_path / "pipe")
        assert read_files(tmp_path) == {}

    def test_follows_links_within_the_folder(self, tmp_path: Path) -> None:
        (tmp_path / "consent.md").write_bytes(b"x")
        (tmp_path / "debrief.md").symlink_to("consent.md")
        assert read_files(tmp_path)["debrief.md"] == b"x"

    def test_names_every_link_that_leads_elsewhere(self, tmp_path: Path) -> None:
        inside = tmp_path / "study"
        (inside / "sub").mkdir(parents=True)
        (tmp_path / "secret").write_bytes(b"x")
        (inside / "a.md").symlink_to(tmp_path / "secret")
        (inside / "b.md").symlink_to("nowhere")
        (inside / "c").symlink_to(inside / "sub")
        (inside / "d").symlink_to(inside / "d")
        with pytest.raises(FolderError) as caught:
            read_files(inside)
        assert [one.file for one in caught.value.problems] == ["a.md", "b.md", "c", "d"]
        assert "leaves the study folder" in caught.value.problems[0].found

    def test_refuses_what_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        for path, found in ((tmp_path / "none", "no such folder"), (tmp_path / "file", "is a file")):
            with pytest.raises(FolderError, match=found):
                read_files(path)

    def test_refuses_too_much(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a").write_bytes(b"12345")
        (tmp_path / "b").write_bytes(b"12345")
        monkeypatch.setattr(folders, "MAX_BYTES", 9)
        with pytest.raises(FolderError, match="MiB together"):
            read_files(tmp_path)
        monkeypatch.setattr(folders, "MAX_FILES", 1)
        with pytest.raises(FolderError, match="more than 1 files"):
            read_files(tmp_path)

    def test_refuses_a_name_that_is_not_utf8(self, tmp_path: Path) -> None:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")
        with pytest.raises(FolderError, match="not UTF-8"):
            read_files(tmp_path)


class TestParse:
    def test_reads_a_whole_study(self) -> None:
        files = folder(training_jsonl=lines([practice(1)]), codebook_toml=own_codebook())
        study = parse(files)
        assert [one.id for one in study.items] == ["i-1", "i-2", "i-3", "i-4"]
        assert study.item("i-2").context[0].text == "Before request 2."
        assert study.training[0].dominant == "HCO"
        assert study.texts.debrief == "Thank you."
        assert study.analysis.bootstrap == 10_000
        assert study.sha256 == version_hash(files)

    def test_the_codebook_in_force_is_part_of_the_version(self) -> None:
        study = parse(folder())
        assert study.files["codebook.toml"] == own_codebook()
        assert study.sha256 == version_hash(study.files) == parse(study.files).sha256

    def test_keeps_further_keys_of_items(self) -> None:
        row = item(1, keywords=["a"], nested={"b": [1, None]}, copy=1.5, model_config=True)
        extra = parse(folder(items=[row])).items[0].model_extra
        assert extra == {"keywords": ["a"], "nested": {"b": [1, None]}, "copy": 1.5, "model_config": True}

    def test_takes_byte_order_marks_windows_lines_and_blank_lines(self) -> None:
        plain = folder()
        files = {
            name: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n") + b"\r\n \r\n"
            for name, data in plain.items()
        }
        assert parse(files).items == parse(plain).items
        assert parse(files).settings == parse(plain).settings

    def test_separators_inside_a_text_do_not_end_its_line(self) -> None:
        text = "one\u2028two\x85three\x0cfour"
        data = json.dumps({"id": "a", "request": text}, ensure_ascii=False).encode() + b"\n"
        assert parse(folder() | {"items.jsonl": data}).items[0].request == "one\u2028two\x85three\x0cfour"

    @given(st.text(st.characters(), min_size=1).filter(lambda text: not text.isspace()))
    def test_any_text_survives_even_nul_and_lone_surrogates(self, text: str) -> None:
        for wanted in (text, text + "\x00\ud800"):
            assert parse(folder(items=[{"id": "a", "request": wanted}])).items[0].request == wanted

    def test_lone_surrogates_are_refused_in_ids_and_column_names(self) -> None:
        rows = [{"id": "a\ud800", "request": "x"}, {"id": "b", "request": "y", "\udfff": 1}]
        assert [(one.line, one.key) for one in problems_of(folder(items=rows))] == [(1, "id"), (2, "")]

    def test_every_problem_of_every_file_at_once(self) -> None:
        files = folder(
            study='kind = "annotation"\nname = "Not A Slug"\nseed = "7"\ntitel = "x"\nconsent = []\n',
            items=[{"id": "a", "request": " "}, {"id": "b b", "request": "x"}],
            analysis_toml="planned_n = 0\n",
            training_jsonl=b'{"id": "t"\n',
            codebook_toml="version = 1\n[[entries]]\n",
        )
        del files["consent.md"]
        files["debrief.md"] = b" \n"
        places = {(one.file, one.line, one.key) for one in problems_of(files)}
        assert places >= {
            ("study.toml", 0, "title"),
            ("study.toml", 0, "name"),
            ("study.toml", 0, "seed"),
            ("study.toml", 0, "titel"),
            ("study.toml", 0, "consent"),
            ("items.jsonl", 1, "request"),
            ("items.jsonl", 2, "id"),
            ("analysis.toml", 0, "planned_n"),
            ("training.jsonl", 1, ""),
            ("codebook.toml", 0, "version"),
            ("codebook.toml", 0, "entries.0.label"),
            ("consent.md", 0, ""),
            ("debrief.md", 0, ""),
        }


class TestToml:
    @pytest.mark.parametrize(
        ("line", "key", "found", "expected"),
        [
            ("tittle = 1", "tittle", "unknown key", "did you mean title?"),
            ("raters = 2", "raters", "unknown key", "did you mean design.raters?"),
            ("zzz = 1", "zzz", "unknown key", "one of title, kind, name"),
            ("[design]\nrater = 2\n", "design.rater", "unknown key", "did you mean raters?"),
            ("[design]\nraters = 0\n", "design.raters", "0", "at least 1"),
            ("[design]\nraters = '2'\n", "design.raters", "'2'", "a whole number"),
            ("[design]\nraters = true\n", "design.raters", "true", "a whole number"),
            ("[design]\nraters = 2.0\n", "design.raters", "2.0", "a whole number"),
            ("[design]\nkind = 'cyclc'\n", "design.kind", "'cyclc'", "did you mean 'cyclic'?"),
            ("[design]\nstrata = 'gold'\n", "design.strata", "'gold'", "a list"),
            ("[training]\npass_mark = nan\n", "training.pass_mark", "nan", "number"),
            ("[resume]\nmax_days = inf\n", "resume.max_days", "inf", "a finite number"),
            ("design = 3", "design", "3", "a table"),
            ("[annotation]\nnote = 'yes'\n", "annotation.note", "'yes'", "true or false"),
            ("[participants]\ncodes = ['p 1']\n", "participants.codes.0", "'p 1'", "characters A-Z"),
            ("language = 1979-05-27", "language", "1979-05-27", "text"),
        ],
    )
    def test_key_path_found_and_expected(self, line: str, key: str, found: str, expected: str) -> None:
        # A table must come behind study.toml's own keys, and a key before them.
        files = folder(study=STUDY + line) if line.startswith("[") else table(line + "\n")
        problem = only(files)
        assert (problem.file, problem.line, problem.key) == ("study.toml", 0, key)
        assert found in problem.found
        assert expected in problem.expected

    def test_entries_of_lists_are_counted(self) -> None:
        problem = only(folder(study=STUDY + '[[consent]]\nid = "b"\ntext = ""\n'))
        assert (problem.key, problem.found) == ("consent.1.text", "''")

    def test_every_repeated_id_and_the_missing_consent(self) -> None:
        study = STUDY.replace('text = "I take part."', 'text = "x"\nrequired = false')
        study += '[[consent]]\nid = "take-part"\ntext = "x"\ncovers = "publication"\n'
        question = '[[questionnaire]]\nid = "q"\ntext = "x"\nkind = "text"\n'
        found = {one.key: one.found for one in problems_of(folder(study=study + question * 2))}
        assert found == {
            "consent": "the consent item 'take-part' is there twice",
            "questionnaire": "the question 'q' is there twice",
        }

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("title = 'a'\ntitle = 'b'\n", 2),
            ("title = 'a'\n\nname =\n", 3),
            ("title = 'a'\nx = [1,", 2),
            ("a = 1\n[b]\n[b]\n", 3),
        ],
    )
    def test_a_syntax_error_has_its_line(self, text: str, line: int) -> None:
        problem = only(folder(study=text))
        assert (problem.line, problem.key) == (line, "")
        assert problem.found.startswith("not TOML")

    def test_bytes_that_are_not_utf8_have_their_lines(self) -> None:
        found = problems_of(folder(study="title = 'a'\n") | {"study.toml": b"a = 1\nb = '\xe9'\n# \xff\n"})
        assert [one.line for one in found] == [2, 3]
        assert found[0].found == "byte 0xe9 at column 6 is not UTF-8"

    def test_utf16_is_named(self) -> None:
        problem = only(folder() | {"study.toml": STUDY.encode("utf-16")})
        assert (problem.found, problem.expected) == ("the file is UTF-16", "UTF-8")

    def test_a_tower_of_brackets_is_a_problem_and_no_crash(self) -> None:
        files = folder(study="a = " + "[" * 100_000) | {"items.jsonl": b"[" * 100_000 + b"\n"}
        assert {one.file for one in problems_of(files)} == {"study.toml", "items.jsonl"}


class TestJsonLines:
    @pytest.mark.parametrize(
        ("line", "found"),
        [
            (b'{"id": "a", "request": "x"', "not JSON"),
            (b'["a"]', "a list of 1"),
            (b'"a"', "'a'"),
            (b"17", "17"),
            (b'{"id": "a", "request": "x", "y": NaN}', "NaN is not a JSON number"),
            (b'{"id": "a", "request": "x", "y": -Infinity}', "-Infinity is not a JSON number"),
            (b'{"id": "a", "request": "x", "y": 1e999}', "the number 1e999 is too large"),
            (b'{"id": "a", "id": "b", "request": "x"}', "the key 'id' is there twice"),
            (b'{"id": "a", "request": "x", "y": [{"z": 1, "z": 1}]}', "the key 'z' is there twice"),
            (b'{"id": "a", "request": "x", "y": ' + b"9" * 5000 + b"}", "limit"),
        ],
    )
    def test_what_is_no_object_is_named_with_its_line(self, line: bytes, found: str) -> None:
        problem = only(folder() | {"items.jsonl": b"\n" + lines([item(1)]) + line + b"\n"})
        assert (problem.file, problem.line) == ("items.jsonl", 3)
        assert found in problem.found

    def test_keys_are_named_in_their_line(self) -> None:
        rows = [
            {"id": "a", "text": "x"},
            {"id": 7, "request": "x", "gold": "DPC"},
            item(3, context=[{"role": "system", "text": "x"}, {"role": "user", "txt": "x"}]),
        ]
        found = {(one.line, one.key): one for one in problems_of(folder(items=rows))}
        assert found[1, "request"].expected == "the key request (there are: id, text)"
        assert found[2, "id"].expected == "text"
        assert "did you mean 'DCP'?" in found[2, "gold"].expected
        assert found[3, "context.0.role"].found == "'system'"
        assert found[3, "context.1.txt"].expected == "did you mean text?"

    def test_repeated_ids_are_named_with_both_lines(self) -> None:
        rows = [item(1), item(2), item(1), item(1)]
        found = problems_of(folder(items=rows))
        assert [(one.line, one.key) for one in found] == [(3, "id"), (4, "id")]
        assert all("line 1 too" in one.found for one in found)

    def test_a_json_array_is_one_problem(self) -> None:
        data = json.dumps([item(number) for number in range(300)], indent=2).encode()
        assert only(folder() | {"items.jsonl": data}).found == "the file is one JSON array"

    @pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
    def test_no_items_is_a_problem(self, data: bytes) -> None:
        assert only(folder() | {"items.jsonl": data}).found == "the file is empty"

    def test_practice_must_agree_with_itself(self) -> None:
        rows = [practice(1, additional=["HCO"]), practice(2, dominant="NONE", additional=["DCP"])]
        found = problems_of(folder(training_jsonl=lines(rows)))
        assert [one.line for one in found] == [1, 2]

    def test_what_is_shown_of_a_text_cannot_act_on_a_terminal(self) -> None:
        rows = [{"id": "\x1b[31m\u202e", "request": "x", "gold": "\x9b1m" * 100}]
        shown = "\n".join(str(one) for one in problems_of(folder(items=rows)))
        assert shown.replace("\n", "").isprintable()
        assert len(shown) < 600


@given(st.dictionaries(st.sampled_from(sorted(folder())), st.binary(max_size=200), min_size=1))
def test_any_bytes_give_problems_or_a_study_and_never_another_error(wrong: dict[str, bytes]) -> None:
    files = folder() | wrong
    errors = {one for one in check(files) if not one.warning}
    try:
        parse(files)
    except FolderError as refused:
        found = refused.problems
    else:
        found = ()
    assert set(found) <= errors
