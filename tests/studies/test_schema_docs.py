"""The study folder's reference page and JSON Schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studies.schema_docs import MODELS, descriptions, json_schema, main, nested, reference

PAGE = Path(__file__).parents[2] / "docs" / "study-folder.md"


def test_the_page_on_disk_is_the_one_the_models_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "stale: python -m studies.schema_docs > docs/study-folder.md"
    )


def test_every_key_of_every_file_is_explained() -> None:
    for model in MODELS.values():
        for one in nested(model):
            assert set(descriptions(one)) >= set(one.model_fields), one.__name__
            assert all(f"| `{name}` |" in reference() for name in one.model_fields)


def test_the_schemas_carry_types_limits_and_meanings(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--json-schema"])
    schemas = json.loads(capsys.readouterr().out)
    assert schemas == {file: json_schema(model) for file, model in MODELS.items()}
    design = schemas["study.toml"]["$defs"]["Design"]["properties"]
    assert design["repeats"] | {"title": ""} == {
        "default": 0,
        "minimum": 0,
        "title": "",
        "type": "integer",
        "description": "Items each participant annotates a second time, at least ten items later.",
    }
    item = schemas["items.jsonl"]
    assert item["required"] == ["id", "request"]
    assert item["additionalProperties"] is True
    assert item["properties"]["request"]["minLength"] == 1


def test_printing_gives_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert capsys.readouterr().out == reference()
