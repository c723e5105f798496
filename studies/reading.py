"""From a file's bytes to values and models: every problem at once, in words for whoever wrote the file."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from studies.errors import Problem
from studies.setting_types import PATTERNS

M = TypeVar("M", bound=BaseModel)

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Row(Generic[M]):
    """A model and the line (from 1) it was read from."""

    line: int
    value: M


# -- words -------------------------------------------------------------------------------------


def shown(value: object, limit: int = 60) -> str:
    """A value as a problem shows it: on one line, cut, control and invisible characters escaped."""
    if isinstance(value, str):
        return repr(value) if len(value) <= limit else f"{value[:limit]!r}..."
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return str(value)[:limit]


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that `name` was most likely meant to be, if any comes near."""
    by_folded = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), by_folded, 1, cutoff)
    return by_folded[near[0]] if near else None


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names in a sentence, escaped where needed, the rest of a long list counted."""
    words = [one if one.isprintable() and one else repr(one) for one in names]
    more = f" and {len(words) - limit} more" if len(words) > limit else ""
    return ", ".join(words[:limit]) + more


# -- bytes to values ---------------------------------------------------------------------------


def read_text(file: str, data: bytes, problems: list[Problem]) -> str | None:
    """The text of a UTF-8 file without its byte-order mark; None, with problems by line, if it is not."""
    if data.startswith(_UTF16):
        problems.append(Problem(file, 0, "", "the file is UTF-16", "UTF-8"))
        return None
    data = data.removeprefix(_BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        for line, raw in enumerate(data.split(b"\n"), 1):
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as error:
                found = f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8"
                problems.append(Problem(file, line, "", found, "UTF-8"))
        return None


def read_objects(file: str, data: bytes, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their lines (from 1). Blank lines are passed over."""
    text = read_text(file, data, problems)
    if text is None:
        return
    # Not `splitlines`: JSON strings may hold U+2028 and others that it also splits at.
    lines = text.split("\n")
    if _is_one_array(text):
        problems.append(Problem(file, 1, "", "the file is one JSON array", "one JSON object a line"))
        return
    for line, raw in enumerate(lines, 1):
        if not raw or raw.isspace():
            continue
        try:
            value = _JSON.decode(raw)
        except json.JSONDecodeError as error:
            found = f"not JSON: {error.msg} (column {error.colno})"
            problems.append(Problem(file, line, "", found, "one JSON object a line"))
        except RecursionError:
            problems.append(Problem(file, line, "", "brackets are nested too deeply", "a flat object"))
        except ValueError as error:
            problems.append(Problem(file, line, "", str(error), "one JSON object a line"))
        else:
            if isinstance(value, dict):
                yield line, value
            else:
                problems.append(Problem(file, line, "", shown(value), "one JSON object a line"))


def read_table(file: str, data: bytes, problems: list[Problem]) -> dict[str, Any] | None:
    """The keys of a TOML file, lists as tuples; None, with a problem, if it is not TOML."""
    text = read_text(file, data, problems)
    if text is None:
        return None
    try:
        return {key: _tuples(value) for key, value in tomllib.loads(text).items()}
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        column = f" (column {place[2]})" if place and place[2] else ""
        found = f"not TOML: {_TOML_PLACE.sub('', str(error))}{column}"
        problems.append(Problem(file, line, "", found, "TOML"))
    except RecursionError:
        problems.append(Problem(file, 0, "", "brackets are nested too deeply", "TOML"))
    return None


def _is_one_array(text: str) -> bool:
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(twice)} is there twice in one object")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {digits} is too large")
    return value


_JSON = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    if isinstance(value, dict):
        return {key: _tuples(one) for key, one in value.items()}
    return value


# -- values to models --------------------------------------------------------------------------


def read_settings(file: str, data: bytes, model: type[M], problems: list[Problem]) -> M | None:
    """The model a TOML file describes, or None with problems by key path. No type is converted."""
    values = read_table(file, data, problems)
    if values is None:
        return None
    try:
        return model.model_validate(values, strict=True)
    except ValidationError as error:
        problems.extend(explain(error, model, file))
        return None


def read_rows(file: str, data: bytes, model: type[M], problems: list[Problem]) -> tuple[Row[M], ...]:
    """The models a JSON Lines file holds; problems by line and key path, repeated ids with both lines."""
    rows: list[Row[M]] = []
    first: dict[str, int] = {}
    validate = model.__pydantic_validator__.validate_python
    for line, values in read_objects(file, data, problems):
        row_id = values.get("id")
        if isinstance(row_id, str) and first.setdefault(row_id, line) != line:
            found = f"the id {shown(row_id)} is on line {first[row_id]} too"
            problems.append(Problem(file, line, "id", found, "an id of its own for each line"))
        try:
            rows.append(Row(line, validate(values)))
        except ValidationError as error:
            problems.extend(explain(error, model, file, line))
    return tuple(rows)


def explain(error: ValidationError, model: type[BaseModel], file: str, line: int = 0) -> Iterator[Problem]:
    """What pydantic found, for a person: key path, what was found, what was expected."""
    for details in error.errors(include_url=False):
        found, expected = _found_expected(details, model)
        yield Problem(file, line, key_path(details["loc"]), found, expected)


def key_path(location: Sequence[int | str]) -> str:
    """Where a value is, as in `consent.0.id`."""
    return ".".join(one if str(one).isprintable() else repr(one) for one in map(str, location))


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a table of keys",
    "blank": "text that is not blank",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "string_unicode": "text without lone surrogates",
}


def _found_expected(details: ErrorDetails, model: type[BaseModel]) -> tuple[str, str]:
    sort, location, value = details["type"], details["loc"], details["input"]
    context = details.get("ctx", {})
    if sort == "extra_forbidden":
        return "unknown key", _known_keys(str(location[-1]), location, model)
    if sort == "missing":
        return "missing", _present_keys(str(location[-1]), value)
    if sort == "value_error":
        return str(context["error"]), ""
    if sort == "string_pattern_mismatch":
        return shown(value), PATTERNS.get(context["pattern"], context["pattern"])
    if sort == "literal_error":
        near = closest(str(value), re.findall(r"'([^']*)'", context["expected"]))
        return shown(value), context["expected"] + (f"; did you mean {near!r}?" if near else "")
    if sort == "too_short":
        return f"{context['actual_length']} entries", _EXPECTED[sort].format(**context)
    if sort in _EXPECTED:
        return shown(value), _EXPECTED[sort].format(**context)
    return f"{shown(value)}: {details['msg']}", ""


def _known_keys(name: str, location: Sequence[int | str], model: type[BaseModel]) -> str:
    owner = _model_at(model, location[:-1])
    known = list(owner.model_fields)
    near = closest(name, known)
    # A key that is right in another table is likelier misplaced than misspelt.
    if elsewhere := next((path for path in _paths(model) if path.split(".")[-1] == name), None):
        return f"did you mean {elsewhere}?"
    return f"did you mean {near}?" if near else f"one of {listed(known, 30)}"


def _present_keys(name: str, values: object) -> str:
    if not isinstance(values, Mapping):
        return f"the key {name}"
    near = closest(name, values)
    hint = f"; did you mean it by {near}?" if near else ""
    return f"the key {name} (there are: {listed(values)})" + hint if values else f"the key {name}"


def nested_model(annotation: Any) -> type[BaseModel] | None:
    """The model that a field's annotation holds, itself or in a list, if any."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(nested_model, get_args(annotation))), None)


def _model_at(model: type[BaseModel], location: Sequence[int | str]) -> type[BaseModel]:
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            model = nested_model(model.model_fields[part].annotation) or model
    return model


def _paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, spec in model.model_fields.items():
        yield prefix + name
        if isinstance(spec.annotation, type) and issubclass(spec.annotation, BaseModel):
            yield from _paths(spec.annotation, f"{prefix}{name}.")
