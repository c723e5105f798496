"""Parquet: typed columns, lists as lists, through pyarrow, which is an extra."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from storage.export.cells import flat
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.errors import MachineError
from studies.ports import Exporting
from studies.tables import Column, ColumnType, Filled

CONVENTIONS = (
    "Parquet. time is a timestamp in milliseconds, UTC; list is a list of strings; messages a list of "
    "structs; json is JSON text. Lone surrogates, which UTF-8 cannot hold, are written as visible escapes "
    "such as \\ud800."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write every table.

    Raises:
        MachineError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MachineError(
            "the format parquet needs pyarrow, which is not installed; install it beside "
            "capa-tui (the extra parquet)"
        ) from error
    types: Mapping[ColumnType, Any] = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("ms", tz="UTC"),
        "list": pyarrow.list_(pyarrow.string()),
        "messages": pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("text", pyarrow.string())])),
        "json": pyarrow.string(),
    }
    for filled in data.tables:
        schema = pyarrow.schema(
            [
                pyarrow.field(one.name, types[one.type], one.nullable, {"description": one.description})
                for one in filled.table.columns
            ]
        )
        table = pyarrow.Table.from_pylist(list(map(_typed(filled), filled.rows)), schema=schema)
        sink = io.BytesIO()
        pyarrow.parquet.write_table(table, sink)
        out.write(
            f"{filled.table.name}.parquet",
            [sink.getvalue()],
            about=filled.table.description,
            rows=len(filled.rows),
            columns=filled.table.columns,
        )
    return CONVENTIONS


def _typed(filled: Filled) -> Any:
    def typed(row: Any) -> dict[str, Any]:
        values = filled.table.values(row)
        return {one.name: _value(values[one.name], one) for one in filled.table.columns}

    return typed


def _value(value: Any, column: Column) -> Any:
    if column.type == "time" and value is not None:
        return datetime.fromisoformat(value)
    return flat(value, column.type)
