"""Expectations and results of checks as DataHub's aspects of assertions."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_colophon.core.identity.names import Urn, make_field_urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.quality.results import OTHER, WARNING

ASSERTION_INFO: Final = "assertionInfo"
ASSERTION_RUN_EVENT: Final = "assertionRunEvent"
#: The platform of assertions that no other tool defined.
_OWN_PLATFORM: Final = "colophon"
_RESULT_TYPES: Final = {"passed": "SUCCESS", "failed": "FAILURE", "error": "ERROR"}
#: The members of an expectation that other members of the aspect have.
_SHOWN: Final = frozenset({"kind", "column", "name", "parameters", "description", "origin", "severity"})

Document = Mapping[str, Any]
Value = dict[str, Any]


def build_assertion_aspects(urn: Urn, dataset: Urn, expectation_id: str, about: Document) -> dict[str, Value]:
    """Return the aspects of an assertion; `about` is the expectation, or a result without one."""
    origin = about.get("origin")
    info = {
        "type": "DATASET",
        "datasetAssertion": _build_dataset_assertion(dataset, about),
        "source": {"type": "NATIVE" if origin is None and about["kind"] != OTHER else "EXTERNAL"},
        "customProperties": {"expectation": expectation_id, "severity": about.get("severity", "error")},
        "entityUrn": str(dataset),
    }
    described = {"description": about["description"]} if "description" in about else {}
    return {
        "assertionKey": {"assertionId": urn.parts[0]},
        ASSERTION_INFO: {**info, **described},
        "dataPlatformInstance": {"platform": f"{PREFIX}dataPlatform:{origin or _OWN_PLATFORM}"},
        "status": {"removed": False},
    }


def build_assertion_run_events(urn: Urn, dataset: Urn, result: Document) -> list[Value]:
    """Return the checks of an expectation, newest first. Only the newest has numbers and values."""
    return [
        {
            "timestampMillis": entry["time"],
            "runId": _get_run_id(result, entry) or str(entry["time"]),
            "asserteeUrn": str(dataset),
            "assertionUrn": str(urn),
            "status": "COMPLETE",
            "result": {
                "type": _RESULT_TYPES[entry["status"]],
                **({} if entry["status"] == "passed" else {"severity": _get_severity(result)}),
                **(_build_measures(result) if entry["time"] == result["time"] else {}),
            },
        }
        for entry in result["history"]
    ]


def _get_run_id(result: Document, entry: Document) -> str:
    run = result["source"].get("run", "")
    return run.removeprefix(f"{PREFIX}dataProcessInstance:") if entry["time"] == result["time"] else ""


def _get_severity(result: Document) -> str:
    return "LOW" if result.get("severity") == WARNING else "HIGH"


def _build_measures(result: Document) -> Value:
    counts = {
        name: result[member]
        for name, member in (("rowCount", "rows"), ("unexpectedCount", "failing"))
        if member in result
    }
    native = {name: _write_text(result[name]) for name in ("observed", "samples") if name in result}
    error = {"type": "UNKNOWN_ERROR", "properties": {"message": result.get("message", "")}}
    return {
        **counts,
        **({"nativeResults": native} if native else {}),
        **({"error": error} if result["status"] == "error" else {}),
    }


def _build_dataset_assertion(dataset: Urn, about: Document) -> Value:
    kind, column = about["kind"], about.get("column")
    scope = _SCOPES.get(kind, "UNKNOWN" if column is None else "DATASET_COLUMN")
    fields = {} if column is None else {"fields": [str(make_field_urn(dataset, column))]}
    standard = _STANDARD[kind](about) if kind in _STANDARD else {"operator": "_NATIVE_"}
    native = {**about.get("parameters", {}), **{name: about[name] for name in about.keys() - _SHOWN - _OF_RESULTS}}
    return {
        "dataset": str(dataset),
        "scope": scope,
        **fields,
        **standard,
        "nativeType": about.get("name", kind),
        "nativeParameters": {name: _write_text(value) for name, value in sorted(native.items())},
    }


#: The members that a result without an expectation has.
_OF_RESULTS: Final = frozenset(
    {"status", "time", "failing", "rows", "observed", "samples", "message", "source", "history"}
)
_SCOPES: Final = {"rowCount": "DATASET_ROWS", "columns": "DATASET_SCHEMA"}


def _build_limits(about: Document, aggregation: str) -> Value:
    limits = {name: _build_parameter(about[name]) for name in ("min", "max") if name in about}
    if len(limits) == 2:
        operator, parameters = "BETWEEN", {"minValue": limits["min"], "maxValue": limits["max"]}
    else:
        ((name, limit),) = limits.items()
        operator = "GREATER_THAN_OR_EQUAL_TO" if name == "min" else "LESS_THAN_OR_EQUAL_TO"
        parameters = {"value": limit}
    return {"aggregation": aggregation, "operator": operator, "parameters": parameters}


def _build_parameter(value: Any) -> Value:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    type_ = "SET" if isinstance(value, list) else "NUMBER" if is_number else "STRING"
    return {"value": _write_text(value), "type": type_}


def _write_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _build_comparison(aggregation: str, operator: str, value: Any = None) -> Value:
    parameters = {} if value is None else {"parameters": {"value": _build_parameter(value)}}
    return {"aggregation": aggregation, "operator": operator, **parameters}


_STANDARD: Final[Mapping[str, Callable[[Document], Value]]] = {
    "notNull": lambda _: _build_comparison("IDENTITY", "NOT_NULL"),
    "unique": lambda _: _build_comparison("UNIQUE_PROPORTION", "EQUAL_TO", 1),
    "range": lambda about: _build_limits(about, "IDENTITY"),
    "set": lambda about: _build_comparison("IDENTITY", "IN", about["values"]),
    "pattern": lambda about: _build_comparison("IDENTITY", "REGEX_MATCH", about["pattern"]),
    "freshness": lambda _: _build_comparison("MAX", "_NATIVE_"),
    "rowCount": lambda about: _build_limits(about, "ROW_COUNT"),
    "columns": lambda about: _build_comparison("COLUMNS", "CONTAIN", [column["name"] for column in about["columns"]]),
}
