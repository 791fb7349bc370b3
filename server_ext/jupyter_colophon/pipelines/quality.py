"""Check the expectations of a dataset that a pipeline wrote."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.spark.error_messages import get_error_class
from jupyter_colophon.spark.quality.checking import CheckReport, check_and_record

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations


class QualityFailed(Exception):
    """Data does not satisfy its expectations, or could not be checked, and the pipeline asks for both."""


def check_written_data(
    catalog: "Operations | None",
    urn: str,
    read: Callable[[], Any],
    source: Mapping[str, str],
    *,
    must_pass: bool,
) -> str:
    """Check a dataset and record the results; return a line for the log.

    With `must_pass`, raises QualityFailed unless every expectation of the severity error passed.
    """
    try:
        if catalog is None:
            line, is_success = "expectations are not checked without a server", False
        else:
            line, is_success = _describe_report(check_and_record(catalog, urn, read, source))
    except Exception as error:
        if must_pass:
            raise QualityFailed(f"{urn}: its expectations could not be checked: {error}") from error
        return f"expectations could not be checked ({get_error_class(error)})"
    if must_pass and not is_success:
        raise QualityFailed(f"{urn}: {line}")
    return line


def _describe_report(report: CheckReport) -> tuple[str, bool]:
    number, failed, warned = len(report.results), sorted(report.failed_ids), sorted(report.warning_ids)
    if failed or warned:
        names = ", ".join([*failed, *(f"{id_} (warning)" for id_ in warned)])
        return f"{len(failed) + len(warned)} of {number} expectations failed: {names}", not failed
    return (f"{number} expectations passed" if number else "no expectations to check"), True
