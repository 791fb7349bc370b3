"""Verify and reindex a store with Spark: a task for each slice of a check (service/admin/check_slices.py)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.service.admin.check_slices import CheckPart, CheckSlice
from jupyter_colophon.store_jobs.store_address import StoreAddress, report_store_errors
from jupyter_colophon.store_jobs.task_progress import ShowTasks, show_task_progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from jupyter_colophon.storage.integrity.counters_check import CountSums

_VERIFIED: tuple[CheckPart, ...] = ("derived rows", "sources", "log", "store")


def verify_store(
    spark: "SparkSession", address: StoreAddress, partitions: int, findings_max: int, show: ShowTasks
) -> list[IntegrityIssue]:
    """Return the issues of a store, at most `findings_max`, in the order of the checks.

    Counts that differ are counted again by this process, in one transaction: others may write during the tasks.
    """
    checker = address.open().create_slice_checker()
    checker.seal_logs()
    slices = checker.list_slices(_VERIFIED, partitions)
    find = partial(_find_first_issues, address, findings_max)
    issues = dict.fromkeys(IntegrityIssue(*issue) for issue in _run_tasks(spark, "verify", slices, find, show))
    if _has_wrong_counts(spark, address, partitions, show):
        issues |= dict.fromkeys(checker.checker.find_issues_of_counts())
    return list(islice(issues, findings_max))


def rebuild_derived_rows_of_store(
    spark: "SparkSession", address: StoreAddress, partitions: int, show: ShowTasks
) -> int:
    """Repair the derived rows of a store, and return the number of differences.

    Tasks compare rows side by side, and take turns to write: a store has one writer at a time.
    """
    checker = address.open().create_slice_checker()
    if checker.checker.provider.find_store_problems():
        checker.checker.provider.rebuild_derived_data()
    slices = checker.list_slices(("derived rows",), partitions)
    with show_task_progress(spark, "reindex", len(slices), show):
        tasks = spark.sparkContext.parallelize(slices, len(slices))
        repaired = tasks.flatMap(partial(_repair_slice, address)).distinct(partitions).count()
    if _has_wrong_counts(spark, address, partitions, show):
        repaired += checker.checker.repair_wrong_counts()
    return int(repaired)


def _has_wrong_counts(spark: "SparkSession", address: StoreAddress, partitions: int, show: ShowTasks) -> bool:
    slices = address.open().create_slice_checker().list_slices(("counts",), partitions)
    first, *others = _run_tasks(spark, "counts", slices, partial(_compute_count_sums, address), show)
    for sums in others:
        first.add_sums(sums)
    return bool(first.find_wrong_sums())


def _run_tasks(
    spark: "SparkSession",
    title: str,
    slices: Sequence[CheckSlice],
    work: Callable[[CheckSlice], Sequence[Any]],
    show: ShowTasks,
) -> list[Any]:
    """Run a task for each slice, and return all results in the order of the slices."""
    with show_task_progress(spark, title, len(slices), show):
        return list(spark.sparkContext.parallelize(slices, len(slices)).flatMap(work).collect())


def _find_first_issues(address: StoreAddress, findings_max: int, part: CheckSlice) -> list[tuple[str, str]]:
    with report_store_errors():
        issues = address.open().create_slice_checker().find_issues(part)
        return [(subject, problem) for subject, problem in islice(issues, findings_max)]


def _repair_slice(address: StoreAddress, part: CheckSlice) -> Iterator[tuple[str, str]]:
    with report_store_errors():
        yield from address.open().create_slice_checker().repair_slice(part)


def _compute_count_sums(address: StoreAddress, part: CheckSlice) -> "list[CountSums]":
    with report_store_errors():
        return [address.open().create_slice_checker().compute_count_sums(part)]
