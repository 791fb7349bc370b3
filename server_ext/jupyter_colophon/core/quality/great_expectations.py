"""Read validation results of Great Expectations, of the versions 0.x and 1.x."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
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

_ORIGIN: Final = "great-expectations"
#: The parameters that are not part of what is expected.
_INCIDENTAL: Final = frozenset({"batch_id", "result_format", "catch_exceptions", "include_config", "meta"})
_DEPTH_MAX: Final = 6
#: The severities that are warnings here. The other one is `critical`.
_WARNINGS: Final = ("warning", "info")


def read_validation_results(document: Any) -> list[ImportedDataset]:
    """Return the datasets of a validation result, or of a checkpoint with several. Raises UnreadableResults."""
    datasets: dict[str, ImportedDataset] = {}
    for validation in _find_validations(document):
        name, time = _find_asset_name(validation), _find_time(validation)
        dataset = datasets.setdefault(name, ImportedDataset(name))
        for item in validation["results"]:
            _add_item(dataset, item, time)
    if not datasets:
        raise UnreadableResults("has no validation result: expected `results` with `expectation_config`")
    return list(datasets.values())


def read_suite(document: Any) -> ImportedDataset | None:
    """Return the expectations of a suite, under the name of the suite; None if the document is none."""
    expectations = document.get("expectations") if isinstance(document, Mapping) else None
    name = _find_suite_name(document)
    if not name or not isinstance(expectations, list) or not all(_is_config(config) for config in expectations):
        return None
    suite = ImportedDataset(name)
    for config in expectations:
        id_, expectation = _read_expectation(config)
        suite.add(id_, expectation, None, 0)
    return suite


def read_validation_definition(document: Any) -> tuple[str, str] | None:
    """Return the names of the suite and the data asset of a validation definition; None if the document is none."""
    if not isinstance(document, Mapping):
        return None
    data, suite = document.get("data"), document.get("suite")
    asset = data.get("asset") if isinstance(data, Mapping) else None
    names = [one.get("name") if isinstance(one, Mapping) else None for one in (suite, asset)]
    return (names[0], names[1]) if all(isinstance(name, str) and name for name in names) else None  # type: ignore[return-value]


def _find_suite_name(document: Any) -> str:
    found = (document.get(key) for key in ("expectation_suite_name", "name")) if isinstance(document, Mapping) else ()
    return next((name for name in found if isinstance(name, str) and name), "")


def _find_validations(document: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if isinstance(document, Mapping):
        results = document.get("results")
        if isinstance(results, list) and results and all(_is_item(item) for item in results):
            yield document
            return
    if isinstance(document, Mapping | list) and depth < _DEPTH_MAX:
        for below in document.values() if isinstance(document, Mapping) else document:
            yield from _find_validations(below, depth + 1)


def _is_item(item: object) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("expectation_config"), Mapping)


def _is_config(config: object) -> bool:
    return isinstance(config, Mapping) and any(isinstance(config.get(key), str) for key in ("type", "expectation_type"))


def _find_asset_name(validation: Mapping[str, Any]) -> str:
    meta = get_mapping_or_empty(validation.get("meta"))
    for holder in ("active_batch_definition", "batch_spec", "batch_kwargs"):
        name = get_mapping_or_empty(meta.get(holder)).get("data_asset_name")
        if isinstance(name, str) and name:
            return name
    raise UnreadableResults("a validation result does not name its data asset (`meta.active_batch_definition`)")


def _find_time(validation: Mapping[str, Any]) -> int:
    meta = get_mapping_or_empty(validation.get("meta"))
    times = (meta.get("validation_time"), get_mapping_or_empty(meta.get("run_id")).get("run_time"))
    return next((time for text in times if (time := parse_time_of_tool(text))), 0)


def _add_item(dataset: ImportedDataset, item: Mapping[str, Any], time: int) -> None:
    id_, expectation = _read_expectation(item["expectation_config"])
    dataset.add(id_, expectation, _build_result(item), time)


def _read_expectation(config: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the id and the expectation of a configuration, which a suite and a result write in the same way."""
    name = str(config.get("type") or config.get("expectation_type") or "unknown")
    given = get_mapping_or_empty(config.get("kwargs"))
    parameters = {key: value for key, value in given.items() if key not in _INCIDENTAL and value is not None}
    digest = hashlib.sha256(encode_canonical_json(parameters).encode()).hexdigest()[:12]
    column = parameters.get("column")
    id_ = make_id("ge", ".".join(filter(None, (name, str(column or ""), digest))))
    severity = {"severity": WARNING} if config.get("severity") in _WARNINGS else {}
    return id_, {**_map_expectation(name, parameters), **severity}


def _map_expectation(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectation as one of ours; as `other` if it has parameters that ours does not have."""
    build, known = _KINDS.get(name, (None, frozenset()))
    mapped = None
    if build is not None and parameters.keys() <= known | {"column", "mostly"}:
        mapped = {member: value for member, value in build(parameters).items() if value is not None}
    if mapped is None or not _is_complete(mapped):
        return build_other_expectation(name, parameters.get("column"), parameters, _ORIGIN)
    if isinstance(column := parameters.get("column"), str):
        mapped["column"] = column
    if isinstance(share := parameters.get("mostly"), int | float) and 0 < share < 1:
        mapped["tolerance"] = round(1 - share, 12)
    return {**mapped, "origin": _ORIGIN}


def _is_complete(mapped: Mapping[str, Any]) -> bool:
    if mapped["kind"] in ("range", "rowCount"):
        limits = [mapped[name] for name in ("min", "max") if name in mapped]
        types = int | float | str if mapped["kind"] == "range" else int
        return bool(limits) and all(isinstance(limit, types) for limit in limits)
    if mapped["kind"] == "set":
        values = mapped.get("values")
        return isinstance(values, list) and bool(values) and all(isinstance(one, str | int | float) for one in values)
    if mapped["kind"] == "columns":
        return isinstance(mapped["columns"][0]["name"], str)
    return mapped["kind"] != "pattern" or isinstance(mapped.get("pattern"), str)


def _build_limits(kind: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "min": parameters.get("min_value"), "max": parameters.get("max_value")}


_LIMITS: Final = frozenset({"min_value", "max_value"})
_KINDS: Final[Mapping[str, tuple[Any, frozenset[str]]]] = {
    "expect_column_values_to_not_be_null": (lambda _: {"kind": "notNull"}, frozenset()),
    "expect_column_values_to_be_unique": (lambda _: {"kind": "unique"}, frozenset()),
    "expect_column_values_to_be_between": (lambda given: _build_limits("range", given), _LIMITS),
    "expect_column_values_to_be_in_set": (
        lambda given: {"kind": "set", "values": given.get("value_set")},
        frozenset({"value_set"}),
    ),
    "expect_column_values_to_match_regex": (
        lambda given: {"kind": "pattern", "pattern": given.get("regex")},
        frozenset({"regex"}),
    ),
    "expect_table_row_count_to_be_between": (lambda given: _build_limits("rowCount", given), _LIMITS),
    "expect_table_row_count_to_equal": (
        lambda given: {"kind": "rowCount", "min": given.get("value"), "max": given.get("value")},
        frozenset({"value"}),
    ),
    "expect_column_to_exist": (
        lambda given: {"kind": "columns", "columns": [{"name": given.get("column")}]},
        frozenset(),
    ),
}


def _build_result(item: Mapping[str, Any]) -> dict[str, Any]:
    found, raised = get_mapping_or_empty(item.get("result")), get_mapping_or_empty(item.get("exception_info"))
    samples = found.get("partial_unexpected_list")
    has_raised = bool(raised.get("raised_exception"))
    status = "error" if has_raised else "passed" if item.get("success") else "failed"
    return build_result(
        status,
        failing=found.get("unexpected_count"),
        rows=found.get("element_count"),
        observed=found.get("observed_value"),
        samples=samples if isinstance(samples, list) else (),
        message=raised.get("exception_message") if has_raised else None,
    )
