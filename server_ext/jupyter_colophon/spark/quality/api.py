"""`metadata.check(…)`, which `%metadata check` calls (docs/how-to/check-data-quality.md)."""

from typing import Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Result, create_table_result
from jupyter_colophon.client.api.current_connection import current, send_pending_and_get_api
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity
from jupyter_colophon.client.problems import EntityNotFound
from jupyter_colophon.spark.quality.checking import CheckReport, check_and_record

_COLUMNS = "expectation kind column severity status failing rows observed samples message"


def check(data: Any, name: str) -> Result:
    """Check a DataFrame of Spark or pandas against the expectations of a dataset, and record the results.

    `name` is the dataset's name or URN. The document of the result has `urn`, `status` and `results`. Rows: expectation,
    kind, column, severity, status, failing, rows, observed, samples, message. Raises ClientError, also for an unknown
    dataset, TypeError for other data, and what Spark raises.
    """
    api = send_pending_and_get_api()
    urn = api.resolve_urn(name)
    with current.show_progress():
        report = check_and_record(api.catalog, urn, lambda: data, current.describe_source())
        if not report.expectations and find_entity(api.catalog, urn, "status") is None:
            raise EntityNotFound(explain_missing_entity(api.catalog, urn))
    document = build_check_document(report)
    return create_table_result("check", document, _COLUMNS, document["results"])


def build_check_document(report: CheckReport) -> dict[str, Any]:
    """Return what a check found: `urn`, `status` and `results`."""
    rows = [
        {
            "expectation": id_,
            "kind": expectation["kind"],
            "column": expectation.get("column"),
            "severity": expectation.get("severity", "error"),
            **report.results[id_],
        }
        for id_, expectation in report.expectations.items()
    ]
    return {"urn": report.urn, "status": report.status, "results": rows}
