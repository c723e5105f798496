"""Croissant metadata: what the files are and what their columns hold, as schema.org JSON-LD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.export.cells import encodable
from storage.export.dataset import Dataset
from storage.export.staging import Written
from studies.tables import Column, ColumnType

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The JSON-LD context that the Croissant 1.0 specification asks for."""

TYPES: Mapping[ColumnType, str] = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "time": "sc:DateTime",
    "list": "sc:Text",
    "json": "sc:Text",
}


def croissant(data: Dataset, files: Sequence[Written]) -> dict[str, Any]:
    """The metadata of the data files; what only the researcher knows (licence, citation) is absent."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": data.record.name,
        "description": f"{encodable(data.record.title)}. Study version {data.record.sha256}.",
        "distribution": [_file(one) for one in files],
        "recordSet": [_records(one) for one in files],
    }


def _file(one: Written) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": one.name,
        "name": one.name,
        "description": one.about,
        "contentUrl": one.name,
        "contentSize": f"{one.size} B",
        "encodingFormat": "application/jsonlines",
        "sha256": one.sha256,
    }


def _records(one: Written) -> dict[str, Any]:
    table = one.name.removeprefix("data/").removesuffix(".jsonl")
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "description": one.about,
        "field": [_field(table, one.name, column) for column in one.columns],
    }


def _field(table: str, file: str, column: Column) -> dict[str, Any]:
    described = {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": column.description,
    }
    source = {"fileObject": {"@id": file}, "extract": {"column": column.name}}
    if column.type == "messages":
        parts = [_part(f"{table}/{column.name}/{key}", key, source) for key in ("role", "text")]
        return described | {"repeated": True, "subField": parts}
    repeated = {"repeated": True} if column.type == "list" else {}
    return described | {"dataType": TYPES[column.type], "source": source} | repeated


def _part(identity: str, key: str, source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": identity,
        "name": key,
        "description": f"The {key} of a message.",
        "dataType": "sc:Text",
        "source": {**source, "transform": {"jsonPath": key}},
    }
