"""The study folder's reference, generated from the models: `python -m studies.schema_docs`."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem
from studies.clarification.materials import ClarificationTask
from studies.folder import MAX_BYTES, MAX_FILES
from studies.reading import nested_model
from studies.roleplay.materials import Profiles, ShippedSession, Task
from studies.setting_types import CODE, FUNCTION, IDENTIFIER, LANGUAGE, PATTERNS, SLUG
from studies.settings import AnalysisSettings, StudySettings
from studies.specification.materials import Personas, Project

MODELS: Mapping[str, type[BaseModel]] = {
    "study.toml": StudySettings,
    "analysis.toml": AnalysisSettings,
    "items.jsonl": Item,
    "training.jsonl": TrainingItem,
    "checks.jsonl": CheckItem,
    "codebook.toml": Codebook,
    "profiles.toml": Profiles,
    "tasks.jsonl": Task,
    "histories.jsonl": ShippedSession,
    "tasks.jsonl (clarification)": ClarificationTask,
    "projects.jsonl": Project,
    "personas.toml": Personas,
}
"""The model of each file; of a JSON Lines file, the model of a line. Two kinds have a tasks.jsonl."""

_NAMES = {SLUG: "slug", IDENTIFIER: "identifier", CODE: "code", LANGUAGE: "language", FUNCTION: "function"}

_HEAD = f"""\
# The study folder

<!-- Generated from the models: python -m studies.schema_docs > docs/study-folder.md -->

A study is a folder of text files, UTF-8 throughout. `capa-tui new DIR` writes one that explains itself,
`capa-tui check DIR` names everything wrong with it, and `capa-tui load DIR` copies it into the database.
What was loaded is frozen: its identity is the SHA-256 over all files, so any change makes a new version.

| file | needed | what it holds |
|---|---|---|
| `study.toml` | yes | title, consent, what participants do and how they are assigned |
| `analysis.toml` | no | the analysis plan; without it, the defaults below |
| `consent.md` | yes | the text above the boxes of the consent form, as Markdown |
| `instructions.md` | yes | instructions; a line of `---` begins a new page |
| `debrief.md` | yes | the closing text: what was hidden, and thanks |
| `codebook.toml` | no | mechanisms and escape codes; without it, the program's own joins the version |

In a study of the kind `annotation`:

| file | needed | what it holds |
|---|---|---|
| `items.jsonl` | yes | the requests to annotate, one JSON object a line |
| `training.jsonl` | no | practice items with the right answers and feedback |
| `checks.jsonl` | no | attention checks |

In a study of the kind `roleplay`:

| file | needed | what it holds |
|---|---|---|
| `profiles.toml` | yes | whom participants play |
| `tasks.jsonl` | yes | what they want to have programmed, one JSON object a line |
| `histories.jsonl` | no | resolved sessions of nobody in the study, for the condition `shuffled` |
| `prompts/NAME.md` | no | system prompts of the assistants |

In a study of the kind `clarification`:

| file | needed | what it holds |
|---|---|---|
| `tasks.jsonl` | yes | tasks with gaps in their statements, and the key questions that uncover them |
| `prompts/NAME.md` | no | system prompts of the assistants |

In a study of the kind `specification`:

| file | needed | what it holds |
|---|---|---|
| `projects.jsonl` | yes | what is to be specified, one JSON object a line |
| `personas.toml` | with `identity = "persona"` | whom participants answer as |
| `prompts/DESIGN-STAGE.md` | no | what agents of that design are told at that stage |

Hidden files, editors' backups (`~`, `.bak`, `.orig`, `.swp`, `.tmp`) and `__pycache__` are not part of the
study. Any other file is, though nothing reads it. A folder may hold {MAX_FILES:,} files of together
{MAX_BYTES // 2**20} MiB; links that leave it are refused. Keys that are not listed here are refused, except
in `items.jsonl`.

{chr(10).join(f"- **{name}**: {PATTERNS[pattern]}." for pattern, name in _NAMES.items())}

`python -m studies.schema_docs --json-schema` prints the JSON Schemas of these files.
"""


@cache
def _declarations(module: ModuleType) -> dict[str, dict[str, str]]:
    """The docstring under each annotated attribute, by class and attribute."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        words = found.setdefault(node.name, {})
        for declared, after in zip(node.body, node.body[1:], strict=False):
            if isinstance(declared, ast.AnnAssign) and isinstance(declared.target, ast.Name):
                match after:
                    case ast.Expr(value=ast.Constant(value=str(text))):
                        words[declared.target.id] = " ".join(text.split())
    return found


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """What each field of a model means, from the docstring under it."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        module = inspect.getmodule(one)
        if module is not None and issubclass(one, BaseModel) and one is not BaseModel:
            found |= _declarations(module).get(one.__name__, {})
    return found


def nested(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The model and those it holds, each after the one that holds it."""
    yield model
    for spec in model.model_fields.values():
        if inner := nested_model(spec.annotation):
            yield from nested(inner)


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A file's JSON Schema (of a line, for JSON Lines), with the docstrings as descriptions."""
    schema = model.model_json_schema()
    for one in nested(model):
        place = schema if one is model else schema["$defs"][one.__name__]
        for name, words in descriptions(one).items():
            if name in place["properties"]:
                place["properties"][name]["description"] = words
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


@cache
def reference() -> str:
    """The reference page, as Markdown."""
    parts = [_HEAD]
    for file, model in MODELS.items():
        parts.append(f"## {file}\n\n{_sentence(model)}\n\n{_table(model)}")
        parts += _sections(model, "", tables=file.endswith(".toml"))
    return "\n".join(parts)


def _sections(model: type[BaseModel], prefix: str, *, tables: bool) -> Iterator[str]:
    schema = model.model_json_schema()
    for name, spec in model.model_fields.items():
        if inner := nested_model(spec.annotation):
            path = f"{prefix}{name}"
            many = schema["properties"][name].get("type") == "array"
            heading = (f"[[{path}]]" if many else f"[{path}]") if tables else f"an entry of {path}"
            yield f"### {heading}\n\n{_sentence(inner)}\n\n{_table(inner)}"
            yield from _sections(inner, f"{path}.", tables=tables)


def _sentence(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _table(model: type[BaseModel]) -> str:
    schema, words = model.model_json_schema(), descriptions(model)
    lines = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for name, spec in model.model_fields.items():
        shape = schema["properties"][name]
        default = "**needed**" if spec.is_required() else _default(shape, bool(nested_model(spec.annotation)))
        cells = [f"`{name}`", _type(shape), default, words.get(name, "")]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _default(shape: Mapping[str, Any], is_table: bool) -> str:
    value = shape.get("default")
    if value is None or (is_table and not isinstance(value, list)):
        return "none" if not is_table else "as below"
    if value in ([], {}):
        return "none"
    return f"`{json.dumps(value, ensure_ascii=False)}`"


_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table of any keys",
}


def _type(shape: Mapping[str, Any]) -> str:
    if "anyOf" in shape:
        return " or ".join(_type(one) for one in shape["anyOf"] if one.get("type") != "null")
    if "allOf" in shape or "$ref" in shape:
        return "table"
    if "const" in shape or "enum" in shape:
        return " or ".join(f"`{one}`" for one in shape.get("enum", [shape.get("const")]))
    if shape.get("type") == "array":
        if places := shape.get("prefixItems"):
            kinds = list(dict.fromkeys(map(_type, places)))
            return f"list of {len(places)}: {', '.join(kinds)}"
        inner = _type(shape["items"])
        return "tables" if inner == "table" else f"list of {inner}"
    if pattern := shape.get("pattern"):
        return _NAMES[pattern]
    return _TYPES[shape["type"]] + _limits(shape)


_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
}


def _limits(shape: Mapping[str, Any]) -> str:
    limits = [words.format(f"{shape[key]:g}") for key, words in _LIMITS.items() if key in shape]
    return f", {', '.join(limits)}" if limits else ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the reference, or with `--json-schema` the JSON Schemas by file name."""
    parser = argparse.ArgumentParser(prog="python -m studies.schema_docs", description=main.__doc__)
    parser.add_argument("--json-schema", action="store_true", help="JSON Schemas instead of the page")
    if parser.parse_args(arguments).json_schema:
        schemas = {file: json_schema(model) for file, model in MODELS.items()}
        sys.stdout.write(json.dumps(schemas, indent=2) + "\n")
    else:
        sys.stdout.write(reference())


if __name__ == "__main__":
    main()
