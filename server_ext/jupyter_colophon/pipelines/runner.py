"""Run a pipeline on a Spark session, and record it as a run in the catalog."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.reading import MetadataSnapshot
from jupyter_colophon.client.programs.running import run as begin
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.pipelines.build_dataframes import Building
from jupyter_colophon.pipelines.check import Prepared
from jupyter_colophon.pipelines.document import Stage
from jupyter_colophon.pipelines.metrics import Rows
from jupyter_colophon.pipelines.overwrite_guard import require_apart
from jupyter_colophon.pipelines.plugin import Action, Sink, Source
from jupyter_colophon.pipelines.propagation import Rule, propagate
from jupyter_colophon.spark.capture.attach import Capture, attach
from jupyter_colophon.spark.capture.report_documents import accesses, proposals
from jupyter_colophon.spark.error_messages import in_a_line, kind
from jupyter_colophon.spark.plans.observation import Observation

Status = Literal["waiting", "running", "succeeded", "failed", "killed"]
#: How long the end of a run waits for Spark's events.
DRAIN_MS = 30_000
#: Pauses between attempts of a stage: doubled from the first to the last.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
#: Maximum number of characters of the log that are stored with the run, from its end.
_LOG_CHARS = 20_000
_GROUP = "spark.jobGroup.id"


@dataclass(slots=True)
class StageReport:
    """The result of a stage. `rows` is its number of output rows (input rows for a sink); None if not counted."""

    name: str
    status: Status = "waiting"
    rows: int | None = None
    ms: int = 0
    tries: int = 0


@dataclass(slots=True)
class Outcome:
    """The result of a run. `error` is only for the user of the run, since it may contain values."""

    run: str
    status: Status = "running"
    stages: list[StageReport] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    error: str = ""
    #: Number of emitted entries that the server has not received yet, and that it refused.
    waiting: int = 0
    dropped: int = 0


class PipelineRun:
    """One run of a pipeline. `execute` runs the stages; failures are in the outcome."""

    def __init__(
        self, prepared: Prepared, spark: Any, run: RunContext, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        self._prepared, self._run, self._tell = prepared, run, tell
        self._building = Building(prepared, spark, run, self.log)
        self._rows: dict[str, Rows] = {}
        self._apart: set[str] = set()
        self._seen: list[Observation] = []
        self._components: dict[tuple[str, str], str] = {}
        #: Sources whose data no sink has written yet.
        self._unrecorded: dict[str, Stage] = {}
        self._reports = {one.name: StageReport(one.name) for one in prepared.order}
        self.outcome = Outcome(run.urn, stages=list(self._reports.values()))

    def execute(self) -> Outcome:
        """Execute all stages and end the run. Raises KeyboardInterrupt if stopped, after recording the run as killed."""
        capture = attach(self._building.spark, self._seen.append)
        context = self._building.spark.sparkContext
        group = context.getLocalProperty(_GROUP)
        # A job group, so that stopping the run cancels only its own jobs.
        context.setLocalProperty(_GROUP, self._run.run_id)
        try:
            self._building.require(*self._prepared.order)
            for stage in self._prepared.order:
                if not stage.gives:
                    self._require_apart()
                self._work(stage)
            self.outcome.status = "succeeded"
        except Exception as error:  # noqa: BLE001  a plugin, or Spark, may raise anything
            self.outcome.status, self.outcome.error = "failed", in_a_line(error)
        except BaseException:
            self.outcome.status = "killed"
            context.cancelJobGroup(self._run.run_id)
            raise
        finally:
            self._end(capture)
            context.setLocalProperty(_GROUP, group)
        return self.outcome

    def log(self, line: str) -> None:
        """Add a line to the run's log. It must not contain values of data."""
        self.outcome.lines.append(f"{format_time(time.time_ns() // 1_000_000)} {line}")
        self._tell(line)

    def _require_apart(self) -> None:
        """Check every sink whose inputs are ready, so that a forbidden overwrite is found before another sink writes."""
        for stage in self._prepared.order:
            plugin = self._prepared.plugins[stage.name]
            if not isinstance(plugin, Sink) or stage.name in self._apart or not self._building.has_inputs(stage):
                continue
            (data,) = self._building.inputs(stage).values()
            try:
                require_apart(plugin, self._prepared.pipeline.namespace, data)
            except Exception as error:
                self._reports[stage.name].status = "failed"
                self.log(f"{stage.name} failed ({kind(error)})")
                raise
            self._apart.add(stage.name)

    def _work(self, stage: Stage) -> None:
        report, retries = self._reports[stage.name], self._prepared.pipeline.retries
        started, pause = time.monotonic(), FIRST_PAUSE_S
        report.status = "running"
        if not stage.gives:
            # Stages with output only define DataFrames; their rows are computed when a sink or action uses them.
            self._run.record_facts(self._facts())
        try:
            while True:
                report.tries += 1
                try:
                    self._do(stage)
                    break
                except Exception as error:
                    if stage.gives or report.tries > retries:
                        raise
                    self.log(f"{stage.name} failed ({kind(error)}), retrying in {pause:.0f} s")
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
            report.status = "succeeded"
        except BaseException as error:
            report.status = "failed" if isinstance(error, Exception) else "killed"
            self.log(f"{stage.name} {report.status} ({kind(error)})")
            raise
        finally:
            report.ms = int((time.monotonic() - started) * 1000)

    def _do(self, stage: Stage) -> None:
        plugin, context = self._prepared.plugins[stage.name], self._building.context(stage)
        if isinstance(plugin, Sink):
            (data,) = self._building.inputs(stage).values()
            plugin.write(context, self._counted(stage, data))
            self._record_write(stage)
            self.log(f"{stage.name} wrote")
        elif isinstance(plugin, Action):
            plugin.act(context)
            self.log(f"{stage.name} is done")
        else:
            self._building.keep(stage, self._counted(stage, self._building.made(stage, context)))
            if isinstance(plugin, Source) and stage.name in self._building.datasets:
                self._components[self._building.datasets[stage.name].urn, "read"] = stage.name
                self._unrecorded[stage.name] = stage

    def _counted(self, stage: Stage, data: Any) -> Any:
        rows = self._rows[stage.name] = Rows(stage.name)
        return rows.counted(data)

    def _record_write(self, stage: Stage) -> None:
        """Record as one statement what a sink wrote, and what the sources read that lead to it (decision 17)."""
        datasets = self._building.datasets
        if stage.name not in datasets:
            return
        self._components[datasets[stage.name].urn, "write"] = stage.name
        sources = [one for one in self._prepared.pipeline.sources(stage) if one.name in datasets]
        for one in sources:
            self._unrecorded.pop(one.name, None)
        self._run.record_accesses(
            {"accesses": [*(self._access(one, "read", 0) for one in sources), self._access(stage, "write", 0)]}
        )

    def _record_unused(self) -> None:
        """Record the sources whose data no sink wrote, each as a separate statement without outputs."""
        rows = [self._access(one, "read", number) for number, one in enumerate(self._unrecorded.values())]
        if rows:
            self._run.record_accesses({"accesses": rows})

    def _access(self, stage: Stage, mode: Literal["read", "write"], statement: int) -> dict[str, Any]:
        time_ = format_time(time.time_ns() // 1_000_000)
        place = {"data": self._building.datasets[stage.name].urn, "mode": mode, "component": stage.name}
        return {**place, "time": time_, "statement": statement}

    def _end(self, capture: Capture) -> None:
        self._record_unused()
        try:
            self._collect_lineage(capture)
        except Exception as error:  # noqa: BLE001  Spark may be gone, and the run has to end all the same
            self.log(f"lineage from Spark is unavailable ({type(error).__name__})")
        self._propagate()
        self.log(str(self.outcome.status))
        self._run.facts |= self._facts()
        self._run.end(self.outcome.status if self.outcome.status != "running" else "killed")  # type: ignore[arg-type]

    def _collect_lineage(self, capture: Capture) -> None:
        if not capture.drain(DRAIN_MS):
            self.log("Spark's events are late: lineage may be incomplete")
        capture.detach()
        for name, rows in self._rows.items():
            self._reports[name].rows = rows.count
        self._record()

    def _record(self) -> None:
        """Record Spark's reads and writes with their stages, and the column lineage."""
        for document in accesses(self._seen):
            self._rename(document)
            for row in document["accesses"]:
                row["component"] = self._components.get((row["data"], row["mode"]), "")
            self._run.record_accesses(document)
        known = self._building.aliases
        refs = {
            ref.urn: ref
            for seen in self._seen
            for ref in (*seen.reads, *seen.writes)
            if ref.fields and ref.urn not in known
        }
        self._run.metadata.emit(one for ref in refs.values() for one in proposals(ref, self._run.urn))

    def _propagate(self) -> None:
        """Propagate metadata from sources to sinks if the pipeline has a rule."""
        rule = self._prepared.pipeline.propagation
        # A form leaves an empty object if nothing was entered.
        if not rule or self.outcome.status != "succeeded":
            return
        aliases = {urn: one.urn for urn, one in self._building.aliases.items()}
        edges = (edge for seen in self._seen for edge in seen.columns)
        columns = [replace(edge, source_urn=aliases.get(edge.source_urn, edge.source_urn)) for edge in edges]
        try:
            pipeline, datasets = self._prepared.pipeline, self._building.datasets
            propagate(Rule.from_document(rule), pipeline, datasets, columns, self._run.metadata)
        except Exception as error:  # noqa: BLE001  data is written, and the run has to end
            self.log(f"metadata of sources could not be propagated ({type(error).__name__})")

    def _rename(self, document: dict[str, Any]) -> None:
        """Replace captured dataset names by the names of plugins."""
        aliases = self._building.aliases
        for rows, names in ((document["accesses"], ("data",)), (document["columns"], ("source", "target"))):
            for row in rows:
                row.update({name: aliases[row[name]].urn for name in names if row[name] in aliases})

    def _facts(self) -> dict[str, str | int]:
        """Return the metrics of the stages and the log as facts of the run."""
        found: dict[str, str | int] = {"log": "\n".join(self.outcome.lines)[-_LOG_CHARS:]}
        for at, stage in enumerate(self._prepared.order):
            one = self._reports[stage.name]
            figures: dict[str, str | int | None] = {"at": at, "status": one.status}
            figures |= {"ms": None if one.status in {"waiting", "running"} else one.ms}
            figures |= {"in": self._rows_in(stage), "rows": one.rows, "tries": one.tries if one.tries > 1 else None}
            found |= {f"stage.{one.name}.{name}": value for name, value in figures.items() if value is not None}
        return found

    def _rows_in(self, stage: Stage) -> int | None:
        """Return the number of input rows of a stage; None if there are none, or an input was not counted."""
        rows = [self._reports[one.name].rows for one in self._prepared.pipeline.inputs(stage)]
        known = [one for one in rows if one is not None]
        return sum(known) if rows and len(known) == len(rows) else None


def run(
    prepared: Prepared,
    spark: Any,
    *,
    snapshot: MetadataSnapshot | str | os.PathLike[str] | None = None,
    run_id: str | None = None,
    parent: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Run a pipeline on a classic session, and wait until emitted metadata is sent.

    `spark` is a session, or a function that starts one; a failure to start it fails the run. With a `snapshot` nothing is
    read from the server (docs/programs.md). Raises KeyboardInterrupt if stopped, ValueError for a Spark Connect session.
    """
    if not callable(spark):
        _require_classic(spark)
    pipeline = prepared.pipeline
    context = begin(
        str(pipeline.program),
        namespace=pipeline.namespace,
        arguments=prepared.arguments,
        snapshot=snapshot,
        run_id=run_id,
        parent=parent,
    )
    places = {f"stage.{stage.name}.at": at for at, stage in enumerate(prepared.order)}
    context.record_facts(places | {f"stage.{stage.name}.status": "waiting" for stage in prepared.order})
    # Errors before the first stage also end the run.
    try:
        with context:
            if callable(spark):
                tell("Spark starts")
            session = spark() if callable(spark) else spark
            _require_classic(session)
            outcome = PipelineRun(prepared, session, context, tell).execute()
    finally:
        waiting = context.metadata.flush()
    outcome.waiting, outcome.dropped = waiting, context.metadata.dropped
    return outcome


def _require_classic(spark: Any) -> None:
    if not hasattr(spark, "_jsparkSession"):
        msg = "pipelines require a classic session, and this one is a Spark Connect session"
        raise ValueError(msg)
