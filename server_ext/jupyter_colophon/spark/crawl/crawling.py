"""A crawl: what is in a place is compared with what the catalog knows, looked at where that is needed, and told."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.spark.capture.report_documents import proposals
from jupyter_colophon.spark.crawl import documents, reading
from jupyter_colophon.spark.crawl.catalog_state import Known, known
from jupyter_colophon.spark.crawl.catalogs import Tables
from jupyter_colophon.spark.crawl.disappeared import Place, gone
from jupyter_colophon.spark.crawl.discovered import Found, Met, Trouble, Wanted
from jupyter_colophon.spark.crawl.documents import Document
from jupyter_colophon.spark.crawl.local_files import Walk
from jupyter_colophon.spark.crawl.options import Asked
from jupyter_colophon.spark.crawl.places import folder_named
from jupyter_colophon.spark.crawl.profile import Profile, fields_of, profile
from jupyter_colophon.spark.crawl.report import Line, Report
from jupyter_colophon.spark.crawl.run import CrawlRun
from jupyter_colophon.spark.names.file_formats import TEXTS
from jupyter_colophon.spark.plans.connectors import ConnectorMissing
from jupyter_colophon.spark.silence_pyspark import quiet

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

_END_S = 20
"""How long a crawl that was stopped waits for what it has under way."""

Seen = Callable[[int, int, str], None]
"""Told how many datasets of how many are done, and which one was the last."""


def _unseen(_done: int, _all: int, _name: str) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A dataset to be looked at."""

    found: Found
    known: Known
    mark: str | None
    line: Line


def crawl(catalog: "Operations", spark: Callable[[], Any], asked: Asked, seen: Seen = _unseen) -> Report:
    """Crawl a place, as a run that is `failed` where anything could not be read; `spark` gives the session, when one is needed.

    Whatever ends it early, what was told stays told, and the report says how much is left. Raises OtherMachine,
    NoSuchPlace, OSError for a place that is not there, ClientError where the catalog cannot be asked at all.
    """
    folder, wanted = folder_named(asked.place), Wanted(asked.include, asked.exclude)
    with ExitStack() as until_done:

        def hushed() -> Any:
            found = spark()
            until_done.enter_context(quiet())
            return found

        found = Walk(folder, wanted) if folder else Tables(hushed(), asked.place, wanted, views=asked.views)
        place = str(folder.absolute()) if folder else asked.place
        return _Crawl(catalog, hushed, asked, seen).crawl(found, place)


class _Crawl:
    def __init__(self, catalog: "Operations", spark: Callable[[], Any], asked: Asked, seen: Seen) -> None:
        self._catalog, self._spark, self._asked, self._seen = catalog, spark, asked, seen

    def crawl(self, where: Place, place: str) -> Report:
        report, met = Report(is_dry=self._asked.dry), list(where)
        waiting = list(self._compared(met, report))
        report.lines += gone(self._catalog, where, {one.ref.urn for one in met if isinstance(one, Found)})
        report.status = report.outcome
        if self._asked.dry:
            return report
        run = CrawlRun.begun(self._catalog, place, self._asked.namespace)
        report.run = run.urn
        try:
            if waiting:
                self._work(waiting, run, report)
            report.status = report.outcome
        except KeyboardInterrupt:
            report.status, report.reason = "killed", "it was stopped"
        except BaseException:
            report.status = "failed"
            raise
        finally:
            told = {one.urn for one in report.lines}
            report.left = sum(1 for one in waiting if one.line.urn not in told)
            with suppress(ClientError):
                run.end(report)
        return report

    def _compared(self, met: Sequence[Met], report: Report) -> Iterator[_Work]:
        """What has to be looked at; all else is in the report at once."""
        for done, one in enumerate(met):
            self._seen(done, len(met), f"compares {one.name}")
            if isinstance(one, Trouble):
                report.lines.append(Line(one.name, "failed" if one.is_failure else "skipped", reason=one.reason))
                continue
            before = known(self._catalog, one.ref.urn)
            mark = documents.fingerprint(one, self._asked, self._hidden(before))
            line = Line(one.name, "new" if before.is_new else "changed", one.ref.urn, bytes=one.bytes)
            if not self._asked.force and mark is not None and mark == before.mark:
                line.status = "same"
            if line.status == "same" or report.is_dry:
                report.lines.append(line)
            else:
                yield _Work(one, before, mark, line)

    @staticmethod
    def _hidden(before: Known) -> frozenset[str]:
        return before.confidential | ({"*"} if before.is_confidential else frozenset())

    def _work(self, waiting: Sequence[_Work], run: CrawlRun, report: Report) -> None:
        spark, total = self._spark(), len(waiting)
        self._seen(0, total, waiting[0].found.name)
        pool = ThreadPoolExecutor(self._asked.jobs, thread_name_prefix="colophon-crawl")
        futures: list[Future[Line]] = []
        try:
            futures += (pool.submit(self._look, spark, one, run) for one in waiting)
            for done, future in enumerate(as_completed(futures), 1):
                line = future.result()
                report.lines.append(line)
                self._seen(done, total, line.name)
        except ServerUnavailable as away:
            report.reason = str(away)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _stop(spark, run, futures)
            report.lines += _late(futures, report)

    def _look(self, spark: Any, work: _Work, run: CrawlRun) -> Line:
        """Look at one dataset, and tell. Raises ServerUnavailable."""
        line, started = work.line, time.monotonic()
        try:
            run.mark_jobs(spark)
            told, columns, found = self._told(spark, work, run)
            self._catalog.submit_proposals({"proposals": told})
            line.rows, line.columns = found.rows if found else None, columns
            if found and found.lost:
                line.reason = f"{found.lost:,} of {found.looked_at:,} rows could not be read"
        except ServerUnavailable:
            raise
        except RequestFailed as refusal:
            line.status, line.reason = "failed", str(refusal)
        except ConnectorMissing as missing:
            line.status, line.reason = "skipped", str(missing)
        except Exception as error:  # noqa: BLE001  data may be broken in any way, and Spark says so by any class
            line.status, line.reason = "failed", reading.why(error)
        line.ms = int((time.monotonic() - started) * 1000)
        return line

    def _told(self, spark: Any, work: _Work, run: CrawlRun) -> tuple[list[Document], int, Profile | None]:
        """The proposals for a dataset, which count together or not at all, and how many columns it has."""
        data = reading.read(spark, work.found, self._asked.options)
        lost, now = reading.lost(work.found, data), time.time_ns() // 1_000_000
        fields = tuple(one for one in fields_of(data) if one.path != lost)
        everything = work.known.is_confidential or not self._asked.statistics
        hidden = {one.path for one in fields} if everything else work.known.confidential
        ref, found = replace(work.found.ref, fields=fields), None
        if not work.found.schema_only:
            is_text = work.found.ref.format in TEXTS
            found = profile(data, hidden=hidden, lost=lost, sample=self._asked.sample, is_text=is_text)
        told = [*proposals(ref, run.urn)]
        if found is not None:
            value = documents.dataset_profile(found, work.found.bytes, now)
            told.append({"urn": ref.urn, "aspect": "datasetProfile", "operation": "upsert", "value": value})
        noted = documents.note(work.found, found, work.mark, hidden, now)
        told.append({"urn": ref.urn, "aspect": documents.ASPECT, "operation": "upsert", "value": noted})
        return [{**one, "run": run.urn} for one in told], len(fields), found


def _stop(spark: Any, run: CrawlRun, futures: Sequence["Future[Line]"]) -> None:
    """Stop Spark's jobs of what is not done, and let what is being told come to its end."""
    if not all(one.done() for one in futures):
        run.stop_jobs(spark)
        # One that was cancelled is never done for `wait`.
        wait([one for one in futures if not one.cancelled()], _END_S)


def _late(futures: Sequence["Future[Line]"], report: Report) -> list[Line]:
    """What was told after somebody stopped the crawl. What failed then was stopped itself, and is left."""
    ended = [one.result() for one in futures if one.done() and not one.cancelled() and one.exception() is None]
    heard = {id(one) for one in report.lines}
    return [line for line in ended if id(line) not in heard and line.status != "failed"]
