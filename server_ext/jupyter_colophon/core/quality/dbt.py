"""Read the tests of dbt: `manifest.json` has what they expect, `run_results.json` what they found."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.dbt.runs import describe_failure
from jupyter_colophon.core.quality.imported import (
    ImportedDataset,
    UnreadableResults,
    build_other_expectation,
    build_result,
    get_mapping_or_empty,
    make_id,
    parse_time_of_tool,
)
from jupyter_colophon.core.quality.results import WARNING

_ORIGIN: Final = "dbt"
_STATUSES: Final = {"pass": "passed", "fail": "failed", "warn": "failed", "error": "error", "runtime error": "error"}
#: The parameters that name what is tested.
_SUBJECT: Final = frozenset({"model", "column_name"})


def read_test_results(manifest: Any, run_results: Any) -> list[ImportedDataset]:
    """Return the datasets that tests are attached to, with the ids of dbt's nodes. Raises UnreadableResults."""
    nodes, found = get_mapping_or_empty(manifest).get("nodes"), get_mapping_or_empty(run_results).get("results")
    if not isinstance(nodes, Mapping):
        raise UnreadableResults("has no `nodes` in the manifest", "/manifest/nodes")
    if not isinstance(found, list):
        raise UnreadableResults("has no `results` in the run results", "/runResults/results")
    tested = {**get_mapping_or_empty(manifest.get("sources")), **nodes}
    results = {str(item.get("unique_id")): item for item in found if isinstance(item, Mapping)}
    written = parse_time_of_tool(get_mapping_or_empty(run_results.get("metadata")).get("generated_at"))
    datasets: dict[str, ImportedDataset] = {}
    for id_, node in nodes.items():
        is_test = get_mapping_or_empty(node).get("resource_type") == "test"
        subject_id = _find_subject(node) if is_test else ""
        if not (subject := get_mapping_or_empty(tested.get(subject_id))):
            continue
        name = f"{subject.get('schema')}.{subject.get('identifier') or subject.get('alias') or subject.get('name')}"
        dataset = datasets.setdefault(subject_id, ImportedDataset(name, id=subject_id))
        item = results.get(id_)
        expectation = {**_map_expectation(node), **_build_severity(node, item)}
        dataset.add(make_id("dbt", id_), expectation, _build_result(item), written)
    return list(datasets.values())


def _find_subject(node: Mapping[str, Any]) -> str:
    """Return the id of what a test reads; empty for several."""
    if node.get("attached_node"):
        return str(node["attached_node"])
    # Tests of sources, and tests written as SQL, name what they read.
    depends = get_mapping_or_empty(node.get("depends_on")).get("nodes")
    return str(depends[0]) if isinstance(depends, list) and len(depends) == 1 else ""


def _map_expectation(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectation as one of ours; as `other` if the test has parameters that ours does not have."""
    test = get_mapping_or_empty(node.get("test_metadata"))
    given = get_mapping_or_empty(test.get("kwargs"))
    parameters = {key: value for key, value in given.items() if key not in _SUBJECT}
    column = node.get("column_name") or given.get("column_name")
    words = [str(test[part]) for part in ("namespace", "name") if test.get(part)]
    name = ".".join(words) or str(node.get("name") or "unknown")
    has_filter = bool(get_mapping_or_empty(node.get("config")).get("where"))
    mapped = None if has_filter else _MAP.get(name, lambda _: None)(parameters)
    if mapped is None or (mapped["kind"] != "rowCount" and not isinstance(column, str)):
        return build_other_expectation(name, column, parameters, _ORIGIN)
    return {**mapped, **({"column": column} if mapped["kind"] != "rowCount" else {}), "origin": _ORIGIN}


def _build_severity(node: Mapping[str, Any], item: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the severity: a test of any severity warned if its thresholds for a failure were not reached."""
    status = str((item or {}).get("status"))
    configured = str(get_mapping_or_empty(node.get("config")).get("severity")).lower()
    return {"severity": WARNING} if status == "warn" or (configured == "warn" and status != "fail") else {}


def _map_plain(kind: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    return None if parameters else {"kind": kind}


def _map_accepted_values(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    values = parameters.get("values")
    is_plain = parameters.keys() <= {"values", "quote"} and isinstance(values, list) and bool(values)
    return {"kind": "set", "values": values} if is_plain and _are_scalars(values) else None


def _map_between(kind: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    limits = {name[:3]: value for name, value in parameters.items() if name in ("min_value", "max_value")}
    others = parameters.keys() - {"min_value", "max_value", "inclusive"}
    # Limits that are SQL expressions are not ours.
    is_plain = bool(limits) and not others and parameters.get("inclusive", True) is True
    types = int if kind == "rowCount" else int | float
    return {"kind": kind, **limits} if is_plain and all(isinstance(one, types) for one in limits.values()) else None


def _map_pattern(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    regex = parameters.get("regex")
    return {"kind": "pattern", "pattern": regex} if parameters.keys() == {"regex"} and isinstance(regex, str) else None


_MAP: Final[Mapping[str, Any]] = {
    "not_null": lambda given: _map_plain("notNull", given),
    "unique": lambda given: _map_plain("unique", given),
    "accepted_values": _map_accepted_values,
    "dbt_utils.accepted_range": lambda given: _map_between("range", given),
    "dbt_expectations.expect_column_values_to_be_between": lambda given: _map_between("range", given),
    "dbt_expectations.expect_table_row_count_to_be_between": lambda given: _map_between("rowCount", given),
    "dbt_expectations.expect_column_values_to_match_regex": _map_pattern,
}


def _are_scalars(values: Any) -> bool:
    return all(isinstance(value, str | int | float) for value in values)


def _build_result(item: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the result of a test; None if it did not run."""
    status = _STATUSES.get(str((item or {}).get("status")))
    if item is None or status is None:
        return None
    is_error = status == "error"
    return build_result(
        status,
        failing=None if is_error else item.get("failures"),
        message=describe_failure(item.get("message")) if is_error else None,
    )
