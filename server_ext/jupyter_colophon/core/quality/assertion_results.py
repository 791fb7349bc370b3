"""Results of checks from the run events of assertions that DataHub's clients emit."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.quality.imported import build_result, get_mapping_or_empty, make_id
from jupyter_colophon.core.quality.results import OTHER, WARNING

_PREFIX: Final = "datahub"
#: A result of any other type is that of an assertion that has not been evaluated.
_STATUSES: Final = {"SUCCESS": "passed", "FAILURE": "failed", "ERROR": "error"}
_PLATFORM: Final = "urn:li:dataPlatform:"
_NAME_MAX, _COLUMN_MAX = 512, 4096
#: The member of `assertionInfo` that has what is asserted, by its type.
_PARTS: Final = {
    "DATASET": "datasetAssertion",
    "FRESHNESS": "freshnessAssertion",
    "VOLUME": "volumeAssertion",
    "SQL": "sqlAssertion",
    "FIELD": "fieldAssertion",
    "DATA_SCHEMA": "schemaAssertion",
    "CUSTOM": "customAssertion",
}

Document = Mapping[str, Any]


class AssertionResult(NamedTuple):
    """The result of an assertion of a dataset."""

    dataset: Urn
    result: dict[str, Any]


def is_result_id_of_assertion(id_: str) -> bool:
    """Return whether a result is that of an assertion of a client, which is an entity of its own."""
    return id_.startswith(f"{_PREFIX}:")


def make_result_id(assertion: Urn) -> str:
    """Return the id of the result of an assertion of a client."""
    return make_id(_PREFIX, assertion.parts[0])


def find_asserted_dataset(info: Document | None) -> Urn | None:
    """Return the dataset that an assertion is about; None if it is not known."""
    part = _get_part(get_mapping_or_empty(info))
    return _parse_dataset(part.get("dataset") or part.get("entity") or get_mapping_or_empty(info).get("entityUrn"))


def read_assertion_result(event: Document, info: Document | None, instance: Document | None) -> AssertionResult | None:
    """Return the result that a run event reports; None without one, or about anything but a dataset.

    `info` and `instance` are the aspects `assertionInfo` and `dataPlatformInstance` of the assertion. Values of the data
    that the event has are left out.
    """
    measured = get_mapping_or_empty(event.get("result"))
    dataset, status = _parse_dataset(event.get("asserteeUrn")), _STATUSES.get(str(measured.get("type")))
    if dataset is None or status is None:
        return None
    platform = str(get_mapping_or_empty(instance).get("platform", "")).removeprefix(_PLATFORM)
    severity = {"severity": WARNING} if measured.get("severity") == "LOW" else {}
    result = {
        **_describe_assertion(get_mapping_or_empty(info)),
        **severity,
        **build_result(status, failing=measured.get("unexpectedCount"), rows=measured.get("rowCount")),
        "time": event["timestampMillis"],
        "source": {"kind": "import", "name": platform or _PREFIX},
    }
    return AssertionResult(dataset, result)


def _describe_assertion(info: Document) -> dict[str, Any]:
    part = _get_part(info)
    names = (part.get("nativeType"), info.get("description"), part.get("type"), info.get("type"), "assertion")
    name = next(text for text in names if isinstance(text, str) and text)
    column = _find_column(part)
    return {"kind": OTHER, "name": name[:_NAME_MAX], **({"column": column} if column else {})}


def _get_part(info: Document) -> Document:
    return get_mapping_or_empty(info.get(_PARTS.get(str(info.get("type")), "")))


def _find_column(part: Document) -> str:
    """Return the column that an assertion is about; empty for several or none."""
    values = get_mapping_or_empty(part.get("fieldValuesAssertion") or part.get("fieldMetricAssertion"))
    path = get_mapping_or_empty(values.get("field")).get("path") or part.get("fieldPath")
    if isinstance(path, str):
        return path[:_COLUMN_MAX]
    fields = part.get("fields") or [part.get("field")]
    if len(fields) != 1 or not isinstance(fields[0], str):
        return ""
    try:
        urn = Urn.parse(fields[0])
    except InvalidName:
        return ""
    return urn.parts[1][:_COLUMN_MAX] if urn.type == "schemaField" else ""


def _parse_dataset(text: object) -> Urn | None:
    try:
        urn = Urn.parse(text) if isinstance(text, str) else None
    except InvalidName:
        return None
    return urn if urn is not None and urn.type == "dataset" else None
