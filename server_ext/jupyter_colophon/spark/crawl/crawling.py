"""Crawl a place: compare its datasets with the catalog, read new and changed ones, and record them."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.names.file_formats import TEXTS
from jupyter_colophon.capture.report_documents import build_written_data_proposals
from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.spark.crawl import documents, reading
from jupyter_colophon.spark.crawl.catalog_state import CatalogState, read_catalog_state
from jupyter_colophon.spark.crawl.catalogs import CatalogTables
from jupyter_colophon.spark.crawl.disappeared import CrawlTarget, find_disappeared
from jupyter_colophon.spark.crawl.discovered import CrawlIssue, Discovered, FoundDataset, PathFilter
from jupyter_colophon.spark.crawl.documents import Document
from jupyter_colophon.spark.crawl.local_files import FolderWalk
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.crawl.places import resolve_local_path
from jupyter_colophon.spark.crawl.profile import Profile, compute_profile, read_dataframe_fields
from jupyter_colophon.spark.crawl.report import CrawlReport, DatasetReport
from jupyter_colophon.spark.crawl.run import CrawlRun
from jupyter_colophon.spark.error_messages import get_error_class
from jupyter_colophon.spark.plans.connectors import ConnectorMissing
from jupyter_colophon.spark.quality.checking import check_and_record
from jupyter_colophon.spark.silence_pyspark import silence_temporarily

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

_STOP_TIMEOUT_S = 20
"""How long a stopped crawl waits for datasets that are being recorded, in seconds."""

ProgressCallback = Callable[[int, int, str], None]
"""Called with the number of finished datasets, the total, and the name of the last one."""


def _ignore_progress(_done: int, _all: int, _name: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class _PendingDataset:
    """A dataset to read."""

    found: FoundDataset
    known: CatalogState
    fingerprint: str | None
    line: DatasetReport


def crawl_and_record(
    catalog: "Operations",
    spark: Callable[[], Any],
    options: CrawlOptions,
    on_progress: ProgressCallback = _ignore_progress,
) -> CrawlReport:
    """Crawl a place and record it as a run, which is `failed` if any dataset could not be read.

    `spark` returns the session; it is called only if needed. If the crawl is stopped early, recorded datasets are kept, and
    the report has the number of remaining ones. Raises RemoteFolder, CrawlTargetNotFound, OSError if the place does not exist,
    ClientError if the catalog cannot be reached.
    """
    folder, selection = resolve_local_path(options.place), PathFilter(options.include, options.exclude)
    with ExitStack() as until_done:

        def start_quietly() -> Any:
            session = spark()
            until_done.enter_context(silence_temporarily())
            return session

        discovered = (
            FolderWalk(folder, selection)
            if folder
            else CatalogTables(start_quietly(), options.place, selection, views=options.views)
        )
        place = str(folder.absolute()) if folder else options.place
        return _Crawl(catalog, start_quietly, options, on_progress).crawl_target(discovered, place)


class _Crawl:
    def __init__(
        self, catalog: "Operations", spark: Callable[[], Any], options: CrawlOptions, on_progress: ProgressCallback
    ) -> None:
        self._catalog, self._spark, self._options, self._on_progress = catalog, spark, options, on_progress

    def crawl_target(self, target: CrawlTarget, place: str) -> CrawlReport:
        report, discovered = CrawlReport(is_dry=self._options.dry), list(target)
        waiting = list(self._select_changed_datasets(discovered, report))
        report.lines += find_disappeared(
            self._catalog, target, {item.ref.urn for item in discovered if isinstance(item, FoundDataset)}
        )
        report.status = report.final_status
        if self._options.dry:
            return report
        run = CrawlRun.begin_and_end_orphaned(self._catalog, place, self._options.namespace)
        report.run = run.urn
        try:
            if waiting:
                self._inspect_datasets(waiting, run, report)
            report.status = report.final_status
        except KeyboardInterrupt:
            report.status, report.reason = "killed", "the crawl was stopped"
        except BaseException:
            report.status = "failed"
            raise
        finally:
            finished = {item.urn for item in report.lines}
            report.left = sum(1 for item in waiting if item.line.urn not in finished)
            with suppress(ClientError):
                run.end(report)
        return report

    def _select_changed_datasets(
        self, discovered: Sequence[Discovered], report: CrawlReport
    ) -> Iterator[_PendingDataset]:
        """Yield the datasets that must be read; add all others to the report."""
        for done, item in enumerate(discovered):
            self._on_progress(done, len(discovered), f"comparing {item.name}")
            if isinstance(item, CrawlIssue):
                report.lines.append(
                    DatasetReport(item.name, "failed" if item.is_failure else "skipped", reason=item.reason)
                )
                continue
            before = read_catalog_state(self._catalog, item.ref.urn)
            fingerprint = documents.compute_dataset_fingerprint(item, self._options, self._list_hidden_columns(before))
            line = DatasetReport(item.name, "new" if before.is_new else "changed", item.ref.urn, bytes=item.bytes)
            if not self._options.force and fingerprint is not None and fingerprint == before.fingerprint:
                line.status = "same"
            if line.status == "same" or report.is_dry:
                report.lines.append(line)
            else:
                yield _PendingDataset(item, before, fingerprint, line)

    @staticmethod
    def _list_hidden_columns(before: CatalogState) -> frozenset[str]:
        return before.confidential.paths | ({"*"} if before.confidential.all else frozenset())

    def _inspect_datasets(self, waiting: Sequence[_PendingDataset], run: CrawlRun, report: CrawlReport) -> None:
        spark, total = self._spark(), len(waiting)
        self._on_progress(0, total, waiting[0].found.name)
        pool = ThreadPoolExecutor(self._options.jobs, thread_name_prefix="colophon-crawl")
        futures: list[Future[DatasetReport]] = []
        try:
            futures += (pool.submit(self._profile_and_record_dataset, spark, pending, run) for pending in waiting)
            for done, future in enumerate(as_completed(futures), 1):
                line = future.result()
                report.lines.append(line)
                self._on_progress(done, total, line.name)
        except ServerUnavailable as away:
            report.reason = str(away)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _cancel_jobs_and_wait(spark, run, futures)
            report.lines += _list_unreported_successes(futures, report)

    def _profile_and_record_dataset(self, spark: Any, work: _PendingDataset, run: CrawlRun) -> DatasetReport:
        """Read one dataset and record it. Raises ServerUnavailable."""
        line, started = work.line, time.monotonic()
        try:
            run.assign_jobs_to_group(spark)
            proposals, columns, profiled = self._profile_and_build_proposals(spark, work, run)
            self._catalog.submit_proposals({"proposals": proposals})
            line.rows, line.columns = profiled.rows if profiled else None, columns
            if self._options.check:
                line.quality = self._check_quality(spark, work, run)
            if profiled and profiled.corrupt_rows:
                line.reason = f"{profiled.corrupt_rows:,} of {profiled.inspected_rows:,} rows could not be read"
        except ServerUnavailable:
            raise
        except RequestFailed as refusal:
            line.status, line.reason = "failed", str(refusal)
        except ConnectorMissing as missing:
            line.status, line.reason = "skipped", str(missing)
        except Exception as error:  # noqa: BLE001  broken data may raise any exception
            line.status, line.reason = "failed", reading.describe_read_error(error)
        line.ms = int((time.monotonic() - started) * 1000)
        return line

    def _check_quality(self, spark: Any, work: _PendingDataset, run: CrawlRun) -> str:
        """Check the expectations of a dataset; return its status, empty without expectations.

        A check that fails does not fail the crawl. Raises ServerUnavailable.
        """
        if work.found.schema_only:
            return ""
        source = {"kind": "crawl", "run": run.urn}
        try:
            checked = check_and_record(
                self._catalog,
                work.found.ref.urn,
                lambda: reading.read_dataset(spark, work.found, self._options.options),
                source,
            )
        except ServerUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  broken data may raise any exception
            return f"not checked ({get_error_class(error)})"
        if not checked.results:
            return ""
        return checked.describe() or checked.status

    def _profile_and_build_proposals(
        self, spark: Any, work: _PendingDataset, run: CrawlRun
    ) -> tuple[list[Document], int, Profile | None]:
        """Return the proposals for a dataset, which are applied together, its number of columns, and its profile."""
        data = reading.read_dataset(spark, work.found, self._options.options)
        corrupt_column, now = reading.find_corrupt_column(work.found, data), time.time_ns() // 1_000_000
        fields = tuple(item for item in read_dataframe_fields(data) if item.path != corrupt_column)
        confidential = work.known.confidential
        hidden = {item.path for item in fields if not self._options.statistics or confidential.has_column(item.path)}
        ref, profiled = replace(work.found.ref, fields=fields), None
        if not work.found.schema_only:
            is_text = work.found.ref.format in TEXTS
            profiled = compute_profile(
                data, hidden=hidden, corrupt_column=corrupt_column, sample=self._options.sample, is_text=is_text
            )
        submitted = [*build_written_data_proposals(ref, run.urn)]
        if profiled is not None:
            value = documents.build_dataset_profile(profiled, work.found.bytes, now)
            submitted.append({"urn": ref.urn, "aspect": "datasetProfile", "operation": "upsert", "value": value})
        noted = documents.build_crawl_aspect(work.found, profiled, work.fingerprint, hidden, now)
        submitted.append({"urn": ref.urn, "aspect": documents.ASPECT, "operation": "upsert", "value": noted})
        return [{**item, "run": run.urn} for item in submitted], len(fields), profiled


def _cancel_jobs_and_wait(spark: Any, run: CrawlRun, futures: Sequence["Future[DatasetReport]"]) -> None:
    """Cancel Spark's jobs for unfinished datasets, and wait for those that are being recorded."""
    if not all(future.done() for future in futures):
        run.cancel_jobs(spark)
        # `wait` never counts a cancelled future as done.
        wait([future for future in futures if not future.cancelled()], _STOP_TIMEOUT_S)


def _list_unreported_successes(futures: Sequence["Future[DatasetReport]"], report: CrawlReport) -> list[DatasetReport]:
    """Return the results that arrived after the crawl was stopped. Failures are left out: they were caused by the stop."""
    ended = [item.result() for item in futures if item.done() and not item.cancelled() and item.exception() is None]
    reported = {id(item) for item in report.lines}
    return [line for line in ended if id(line) not in reported and line.status != "failed"]
