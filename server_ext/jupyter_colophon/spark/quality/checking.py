"""Check data against the expectations of its dataset, and record the results."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.quality.results import (
    EXPECTATIONS,
    OTHER,
    WARNING,
    decide_status,
    is_warning,
    list_expectations,
)
from jupyter_colophon.spark.crawl.catalog_state import read_catalog_state
from jupyter_colophon.spark.quality.outcome import Expectation, Result
from jupyter_colophon.spark.quality.pandas_check import evaluate_on_pandas

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found: the expectations that were evaluated, and their results, by id."""

    urn: str
    expectations: Mapping[str, Expectation]
    results: Mapping[str, Result]

    @property
    def failed_ids(self) -> list[str]:
        """Return the ids of the expectations of the severity error that failed or could not be evaluated."""
        return [id_ for id_, status in self._list_statuses() if status not in ("passed", WARNING)]

    @property
    def warning_ids(self) -> list[str]:
        """Return the ids of the expectations of the severity warning that failed or could not be evaluated."""
        return [id_ for id_, status in self._list_statuses() if status == WARNING]

    @property
    def status(self) -> str:
        """Return the status of the data, as in the aspect `quality`."""
        return decide_status(Counter(status for _, status in self._list_statuses()))

    def describe(self) -> str:
        """Return the numbers of failures and warnings; empty if all passed."""
        counts = ((self.failed_ids, "failed"), (self.warning_ids, "warned"))
        parts = [f"{len(ids)} of {len(self.results)} {verb}" for ids, verb in counts if ids]
        return ", ".join(parts)

    def _list_statuses(self) -> Iterator[tuple[str, str]]:
        for id_, result in self.results.items():
            yield id_, WARNING if is_warning(result, self.expectations[id_]) else result["status"]


def check_and_record(
    catalog: "Operations", urn: str, read: Callable[[], Any], source: Mapping[str, str]
) -> CheckReport:
    """Evaluate the expectations of a dataset on a DataFrame of Spark or pandas, and record the results.

    `read` returns the DataFrame; without expectations it is not called, and nothing is recorded. Raises ClientError, TypeError for other data, and what Spark raises.
    """
    expectations = read_expectations(catalog, urn)
    if not expectations:
        return CheckReport(urn, {}, {})
    confidential = read_catalog_state(catalog, urn).confidential
    results = _evaluate(read(), expectations, lambda column: not confidential.has_column(column))
    body = {"source": dict(source), "time": time.time_ns() // 1_000_000, "results": results}
    catalog.record_quality_results(urn, body)
    return CheckReport(urn, expectations, results)


def read_expectations(catalog: "Operations", urn: str) -> dict[str, Expectation]:
    """Return the expectations of a dataset that can be evaluated, by id. Raises ClientError."""
    stored = read_stored_aspect(catalog, urn, EXPECTATIONS).value
    return {id_: item for id_, item in list_expectations(stored).items() if item["kind"] != OTHER}


def _evaluate(data: Any, expectations: Mapping[str, Expectation], may_show: Any) -> dict[str, Result]:
    now = datetime.now(UTC)
    module = type(data).__module__.partition(".")[0]
    if module == "pyspark":
        from jupyter_colophon.spark.quality.spark_check import SparkCheck

        return SparkCheck(data, now, may_show).evaluate(expectations)
    if module == "pandas":
        return evaluate_on_pandas(data, expectations, now, may_show)
    msg = f"the data must be a DataFrame of Spark or pandas, not {type(data).__name__}"
    raise TypeError(msg)
