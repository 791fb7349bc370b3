"""Run a pipeline on a Spark session, and record it as a run in the catalog."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.capture.report_documents import build_access_documents, build_written_data_proposals
from jupyter_colophon.client.programs.context import RunContext
from jupyter_colophon.client.programs.reading import MetadataSnapshot
from jupyter_colophon.client.programs.running import run as begin
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.pipelines.build_dataframes import DataFrameBuilder
from jupyter_colophon.pipelines.check import PreparedPipeline
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.document import Stage
from jupyter_colophon.pipelines.metrics import ObservedNumber, observe_row_count
from jupyter_colophon.pipelines.overwrite_guard import require_no_overwrite
from jupyter_colophon.pipelines.plugin import ActionPlugin, SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.propagation import PropagationRule, emit_propagated_metadata
from jupyter_colophon.pipelines.quality import check_written_data
from jupyter_colophon.spark.capture.attach import Capture, attach_listener
from jupyter_colophon.spark.error_messages import format_spark_error, get_error_class

Status = Literal["waiting", "running", "succeeded", "failed", "killed"]
#: How long the end of a run waits for Spark's events, in milliseconds.
FLUSH_TIMEOUT_MS = 30_000
#: Pauses between attempts of a stage: doubled from the first to the last.
FIRST_PAUSE_S, MAX_PAUSE_S = 1.0, 30.0
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
class PipelineOutcome:
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
        self, prepared: PreparedPipeline, spark: Any, run: RunContext, log: Callable[[str], None] = lambda line: None
    ) -> None:
        self._prepared, self._run, self._log_line = prepared, run, log
        self._builder = DataFrameBuilder(prepared, spark, run, self.add_log_line)
        self._rows: dict[str, ObservedNumber] = {}
        #: What plugins observe, by stage and figure.
        self._observed: dict[str, dict[str, ObservedNumber]] = {}
        self._figures: dict[str, dict[str, int]] = {}
        self._checked_sinks: set[str] = set()
        self._sink_contexts: dict[str, StageContext] = {}
        self._observations: list[Observation] = []
        self._components: dict[tuple[str, str], str] = {}
        #: Sources whose data no sink has written yet.
        self._unrecorded: dict[str, Stage] = {}
        self._reports = {stage.name: StageReport(stage.name) for stage in prepared.order}
        self.outcome = PipelineOutcome(run.urn, stages=list(self._reports.values()))

    def execute_and_end_run(self) -> PipelineOutcome:
        """Execute all stages and end the run. Raises KeyboardInterrupt if stopped, after recording the run as killed."""
        capture = attach_listener(self._builder.spark, self._observations.append)
        context = self._builder.spark.sparkContext
        group = context.getLocalProperty(_GROUP)
        # A job group, so that stopping the run cancels only its own jobs.
        context.setLocalProperty(_GROUP, self._run.run_id)
        try:
            self._builder.require_connectors(*self._prepared.order)
            for stage in self._prepared.order:
                if not stage.has_output:
                    self._require_no_overwrite()
                self._run_stage_with_retries(stage)
                self._check_quality(stage, capture)
            self.outcome.status = "succeeded"
        except Exception as error:  # noqa: BLE001  plugins and Spark may raise any exception
            self.outcome.status, self.outcome.error = "failed", format_spark_error(error)
        except BaseException:
            self.outcome.status = "killed"
            context.cancelJobGroup(self._run.run_id)
            raise
        finally:
            self._end(capture)
            context.setLocalProperty(_GROUP, group)
        return self.outcome

    def add_log_line(self, line: str) -> None:
        """Add a line to the run's log. It must not contain values of data."""
        self.outcome.lines.append(f"{format_ms_as_iso_time(time.time_ns() // 1_000_000)} {line}")
        self._log_line(line)

    def _require_no_overwrite(self) -> None:
        """Check every sink whose inputs are ready, so that a forbidden overwrite is found before another sink writes."""
        for stage in self._prepared.order:
            plugin = self._prepared.plugins[stage.name]
            if (
                not isinstance(plugin, SinkPlugin)
                or stage.name in self._checked_sinks
                or not self._builder.has_all_inputs(stage)
            ):
                continue
            (data,) = self._builder.get_inputs(stage).values()
            try:
                require_no_overwrite(plugin, self._prepared.pipeline.namespace, data)
            except Exception as error:
                self._reports[stage.name].status = "failed"
                self.add_log_line(f"{stage.name} failed ({get_error_class(error)})")
                raise
            self._checked_sinks.add(stage.name)

    def _run_stage_with_retries(self, stage: Stage) -> None:
        report, retries = self._reports[stage.name], self._prepared.pipeline.retries
        started, pause = time.monotonic(), FIRST_PAUSE_S
        report.status = "running"
        if not stage.has_output:
            # Stages with output only define DataFrames; their rows are computed when a sink or action uses them.
            self._run.record_facts(self._collect_facts())
        try:
            while True:
                report.tries += 1
                try:
                    self._execute_stage(stage)
                    break
                except Exception as error:
                    if stage.has_output or report.tries > retries:
                        raise
                    self.add_log_line(f"{stage.name} failed ({get_error_class(error)}), retrying in {pause:.0f} s")
                time.sleep(pause)
                pause = min(pause * 2, MAX_PAUSE_S)
            report.status = "succeeded"
        except BaseException as error:
            report.status = "failed" if isinstance(error, Exception) else "killed"
            self.add_log_line(f"{stage.name} {report.status} ({get_error_class(error)})")
            raise
        finally:
            report.ms = int((time.monotonic() - started) * 1000)

    def _execute_stage(self, stage: Stage) -> None:
        plugin, context = self._prepared.plugins[stage.name], self._builder.create_initialized_context(stage)
        self._observed[stage.name] = context.figures
        if isinstance(plugin, SinkPlugin):
            (data,) = self._builder.get_inputs(stage).values()
            plugin.write(context, self._observe_row_count(stage, data))
            self._sink_contexts[stage.name] = context
            self._record_write(stage)
            self.add_log_line(f"{stage.name} has written")
        elif isinstance(plugin, ActionPlugin):
            plugin.act(context)
            self.add_log_line(f"{stage.name} has finished")
        else:
            self._builder.store_output(
                stage, self._observe_row_count(stage, self._builder.build_output(stage, context))
            )
            if isinstance(plugin, SourcePlugin) and stage.name in self._builder.datasets:
                self._components[self._builder.datasets[stage.name].urn, "read"] = stage.name
                self._unrecorded[stage.name] = stage

    def _check_quality(self, stage: Stage, capture: Capture) -> None:
        """Check the expectations of the dataset that a sink wrote. Raises QualityFailed if the pipeline asks for it."""
        plugin, mode = self._prepared.plugins[stage.name], self._prepared.pipeline.quality
        if not mode or not isinstance(plugin, SinkPlugin) or stage.name not in self._builder.datasets:
            return
        urn, context = self._builder.datasets[stage.name].urn, self._sink_contexts[stage.name]
        source = {"kind": "pipeline", "run": self._run.urn, "name": self._prepared.pipeline.name}
        capture.wait_for_observations(FLUSH_TIMEOUT_MS)
        known = len(self._observations)
        try:
            line = check_written_data(
                self._run.catalog, urn, lambda: plugin.read_written(context), source, must_pass=mode == "fail"
            )
        finally:
            # What the check reads is not data of the pipeline.
            capture.wait_for_observations(FLUSH_TIMEOUT_MS)
            del self._observations[known:]
        self.add_log_line(f"{stage.name}: {line}")

    def _observe_row_count(self, stage: Stage, data: Any) -> Any:
        observed, self._rows[stage.name] = observe_row_count(data, stage.name)
        return observed

    def _record_write(self, stage: Stage) -> None:
        """Record as one statement what a sink wrote, and what the sources read that lead to it (decision 17)."""
        datasets = self._builder.datasets
        if stage.name not in datasets:
            return
        self._components[datasets[stage.name].urn, "write"] = stage.name
        sources = [source for source in self._prepared.pipeline.list_source_stages(stage) if source.name in datasets]
        for source in sources:
            self._unrecorded.pop(source.name, None)
        self._run.record_accesses(
            {
                "accesses": [
                    *(self._build_access(source, "read", 0) for source in sources),
                    self._build_access(stage, "write", 0),
                ]
            }
        )

    def _record_unused_sources(self) -> None:
        """Record the sources whose data no sink wrote, each as a separate statement without outputs."""
        rows = [self._build_access(source, "read", number) for number, source in enumerate(self._unrecorded.values())]
        if rows:
            self._run.record_accesses({"accesses": rows})

    def _build_access(self, stage: Stage, mode: Literal["read", "write"], statement: int) -> dict[str, Any]:
        time_ = format_ms_as_iso_time(time.time_ns() // 1_000_000)
        place = {"data": self._builder.datasets[stage.name].urn, "mode": mode, "component": stage.name}
        return {**place, "time": time_, "statement": statement}

    def _end(self, capture: Capture) -> None:
        self._record_unused_sources()
        try:
            self._collect_lineage(capture)
        except Exception as error:  # noqa: BLE001  Spark may have stopped, and the run must still end
            self.add_log_line(f"lineage from Spark is unavailable ({type(error).__name__})")
        self._propagate_metadata()
        self.add_log_line(str(self.outcome.status))
        self._run.facts |= self._collect_facts()
        self._run.end(self.outcome.status if self.outcome.status != "running" else "killed")  # type: ignore[arg-type]

    def _collect_lineage(self, capture: Capture) -> None:
        if not capture.wait_for_observations(FLUSH_TIMEOUT_MS):
            self.add_log_line("Spark's events are late: lineage may be incomplete")
        capture.detach()
        for name, rows in self._rows.items():
            self._reports[name].rows = rows.value
        self._collect_figures()
        self._record_captured_accesses()

    def _collect_figures(self) -> None:
        """Collect the figures that plugins observed, and log them."""
        for stage, numbers in self._observed.items():
            values = {name: number.value for name, number in numbers.items()}
            self._figures[stage] = {name: value for name, value in values.items() if value is not None}
            for name, value in self._figures[stage].items():
                self.add_log_line(f"{stage} {name}: {value}")

    def _record_captured_accesses(self) -> None:
        """Record Spark's reads and writes with their stages, and the column lineage."""
        for document in build_access_documents(self._observations):
            self._replace_dataset_names(document)
            for row in document["accesses"]:
                row["component"] = self._components.get((row["data"], row["mode"]), "")
            self._run.record_accesses(document)
        aliases = self._builder.aliases
        refs = {
            ref.urn: ref
            for seen in self._observations
            for ref in (*seen.reads, *seen.writes)
            if ref.fields and ref.urn not in aliases
        }
        self._run.metadata.emit(
            proposal for ref in refs.values() for proposal in build_written_data_proposals(ref, self._run.urn)
        )

    def _propagate_metadata(self) -> None:
        """Propagate metadata from sources to sinks if the pipeline has a rule."""
        rule = self._prepared.pipeline.propagation
        # A form leaves an empty object if nothing was entered.
        if not rule or self.outcome.status != "succeeded":
            return
        aliases = {urn: entity.urn for urn, entity in self._builder.aliases.items()}
        edges = (edge for seen in self._observations for edge in seen.columns)
        columns = [replace(edge, source_urn=aliases.get(edge.source_urn, edge.source_urn)) for edge in edges]
        try:
            pipeline, datasets = self._prepared.pipeline, self._builder.datasets
            emit_propagated_metadata(
                PropagationRule.from_document(rule), pipeline, datasets, columns, self._run.metadata
            )
        except Exception as error:  # noqa: BLE001  the data is written, and the run must still end
            self.add_log_line(f"metadata of sources could not be propagated ({type(error).__name__})")

    def _replace_dataset_names(self, document: dict[str, Any]) -> None:
        """Replace captured dataset names by the names of plugins."""
        aliases = self._builder.aliases
        for rows, names in ((document["accesses"], ("data",)), (document["columns"], ("source", "target"))):
            for row in rows:
                row.update({name: aliases[row[name]].urn for name in names if row[name] in aliases})

    def _collect_facts(self) -> dict[str, str | int]:
        """Return the metrics of the stages and the log as facts of the run."""
        facts: dict[str, str | int] = {"log": "\n".join(self.outcome.lines)[-_LOG_CHARS:]}
        for at, stage in enumerate(self._prepared.order):
            report = self._reports[stage.name]
            figures: dict[str, str | int | None] = {
                **self._figures.get(stage.name, {}),
                "at": at,
                "status": report.status,
            }
            figures |= {"ms": None if report.status in {"waiting", "running"} else report.ms}
            figures |= {
                "in": self._count_input_rows(stage),
                "rows": report.rows,
                "tries": report.tries if report.tries > 1 else None,
            }
            facts |= {f"stage.{report.name}.{name}": value for name, value in figures.items() if value is not None}
        return facts

    def _count_input_rows(self, stage: Stage) -> int | None:
        """Return the number of input rows of a stage; None if there are none, or an input was not counted."""
        rows = [self._reports[item.name].rows for item in self._prepared.pipeline.list_input_stages(stage)]
        counted = [item for item in rows if item is not None]
        return sum(counted) if rows and len(counted) == len(rows) else None


def run_pipeline(
    prepared: PreparedPipeline,
    spark: Any,
    *,
    snapshot: MetadataSnapshot | str | os.PathLike[str] | None = None,
    run_id: str | None = None,
    parent: str | None = None,
    log: Callable[[str], None] = lambda line: None,
) -> PipelineOutcome:
    """Run a pipeline on a classic session, and wait until emitted metadata is sent.

    `spark` is a session, or a function that starts one; a failure to start it fails the run. With a `snapshot` nothing is
    read from the server (docs/programs.md). Raises KeyboardInterrupt if stopped, ValueError for a Spark Connect session.
    """
    if not callable(spark):
        _require_classic_session(spark)
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
                log("Spark starts")
            session = spark() if callable(spark) else spark
            _require_classic_session(session)
            outcome = PipelineRun(prepared, session, context, log).execute_and_end_run()
    finally:
        waiting = context.metadata.flush()
    outcome.waiting, outcome.dropped = waiting, context.metadata.dropped
    return outcome


def _require_classic_session(spark: Any) -> None:
    if not hasattr(spark, "_jsparkSession"):
        msg = "pipelines require a classic session, and this one is a Spark Connect session"
        raise ValueError(msg)
