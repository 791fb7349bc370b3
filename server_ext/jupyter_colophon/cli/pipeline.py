"""`jupyter colophon pipeline …`: pipelines are listed, checked, tried, run and packaged (docs/pipelines.md)."""

import os
import signal
import sys
import threading
import uuid
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets import Bool, Int, List, Unicode

from jupyter_colophon.cli.catalog.entity_command import pairs
from jupyter_colophon.cli.command import FINE, REFUSED, WRONG_USAGE, Command, tell
from jupyter_colophon.cli.signal_handling import Ending
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidInstance
from jupyter_colophon.core.identity.names import run_urn
from jupyter_colophon.rendering.page import table_page
from jupyter_colophon.rendering.renderers import render

# A plugin is loaded when one is needed.
if TYPE_CHECKING:
    from jupyter_colophon.client.programs.reading import MetadataSnapshot
    from jupyter_colophon.pipelines.check import Prepared

#: Each with what is named behind it.
_VERBS = {
    "list": "",
    "plugins": "",
    "validate": "PIPELINE",
    "preview": "PIPELINE",
    "run": "PIPELINE",
    "stop": "PIPELINE",
    "schedules": "",
    "enable": "SCHEDULE",
    "disable": "SCHEDULE",
    "package": "PIPELINE",
}


class Pipeline(Command):
    """Does what its first word says."""

    name = "jupyter-colophon-pipeline"
    description = (
        "list: the pipelines; plugins: what stages can do; validate, preview, run, stop or package PIPELINE: its name among the"
        " instances of the schemaspace pipelines, or a JSON file. schedules: when they run by themselves; enable or disable"
        " SCHEDULE."
    )
    more = "list|plugins|schedules|validate|preview|run|stop|package|enable|disable [NAME]"
    aliases: dict[str, str] = Command.aliases | {
        "url": "Pipeline.url",
        "argument": "Pipeline.arguments_",
        "conf": "Pipeline.conf",
        "snapshot": "Pipeline.snapshot",
        "stage": "Pipeline.stage",
        "rows": "Pipeline.rows",
        "output": "Pipeline.output",
        "run-id": "Pipeline.run_id",
    }
    flags: dict[str, Any] = Command.flags | {
        "with-snapshot": (
            {"Pipeline": {"with_snapshot": True}},
            "Take along what plugins read of metadata: the run asks no server (package).",
        ),
        "stop-on-stdin-eof": (
            {"Pipeline": {"stop_on_stdin_eof": True}},
            "End, as if it were stopped, when the standard input ends: with the process at its other end (run).",
        ),
    }

    url = Unicode("", config=True, help="The server (its token in COLOPHON_TOKEN). Default: COLOPHON_URL.")
    arguments_ = List(Unicode(), config=True, help="NAME=VALUE, an argument of the run; more than once.")
    conf = List(Unicode(), config=True, help="KEY=VALUE, a setting of Spark's; more than once (preview, run).")
    snapshot = Unicode("", config=True, help="A file of metadata that is read instead of a server's (run).")
    stage = Unicode("", config=True, help="Up to this stage (preview).")
    rows = Int(20, min=1, max=1_000, config=True, help="How many rows of each stage (preview).")
    output = Unicode("", config=True, help="The folder that is made (package). Default: the pipeline's name.")
    run_id = Unicode("", config=True, help="The id of the run (run). Default: a new one.")
    stop_on_stdin_eof = Bool(False, config=True, help="End, as if it were stopped, when the standard input ends (run).")
    with_snapshot = Bool(False, config=True, help="Take along what plugins read of metadata (package).")

    def work(self) -> int:
        """Do it."""
        verb, *rest = self.extra_args
        if (wanted := _VERBS.get(verb)) is None:
            return self.told(f"{self.more.replace('|', ', ')}, not {verb!r}", WRONG_USAGE)
        if len(rest) != bool(wanted):
            return self.told(f"this command is called so: jupyter colophon pipeline {verb} {wanted}", WRONG_USAGE)
        if self.url:
            # The programs' API, and with it every plugin, asks this server.
            os.environ["COLOPHON_URL"] = self.url
        if not rest:
            return int(getattr(self, f"_{verb}")())
        return int(getattr(self, f"_{verb}")(rest[0]))

    def _list(self) -> int:
        from jupyter_colophon.cli.instances.open_instances import source_of

        with source_of(self.url or None, self.asked) as source:
            found = source.listed("pipelines", "pipeline")
        told = [
            {
                "name": one.name,
                "display_name": one.display_name,
                "namespace": str(one.metadata.get("namespace", "")),
                "stages": len(one.metadata.get("stages", ())),
                "valid": not one.reason,
            }
            for one in found
        ]
        rows = [tuple(one.values()) for one in told]
        columns = ("name", "display name", "namespace", "stages", "valid")
        self.answer({"pipelines": told}, str(table_page(rows, *columns)))
        return FINE

    def _plugins(self) -> int:
        from jupyter_colophon.pipelines.documents import plugins
        from jupyter_colophon.pipelines.plugin_registry import installed

        told = plugins(installed())
        rows = [(one["type"], one["name"], one["description"]) for one in told["plugins"]]
        self.answer(told, str(table_page(rows, "type", "plugin", "description")))
        for one in told["problems"]:
            return self.told(f"{one['plugin']}: {one['reason']}", REFUSED)
        return FINE

    def _schedules(self) -> int:
        from jupyter_colophon.cli.instances.open_instances import server_of, source_of

        server = server_of(self.url or None)
        if server is not None:
            from jupyter_colophon.client.operations import Operations
            from jupyter_colophon.client.transport import Transport

            told = Operations(Transport(server)).list_pipeline_schedules()["schedules"]
        else:
            with source_of("", self.asked) as source:
                found = source.listed("pipelines", None)
            with self.keeper() as keeper:
                told = keeper.schedules(found)
        columns = ("schedule", "pipeline", "when", "due", "last run", "status", "problem")
        rows = [
            (one["name"], one["pipeline"], _when(one), one["nextRun"], one["run"], one["status"], one["problem"])
            for one in told
        ]
        self.answer({"schedules": told}, str(table_page(rows, *columns)))
        return FINE

    def _enable(self, named: str) -> int:
        return self._switched(named, on=True)

    def _disable(self, named: str) -> int:
        return self._switched(named, on=False)

    def _switched(self, named: str, *, on: bool) -> int:
        from jupyter_colophon.cli.instances.instances_protocol import record
        from jupyter_colophon.cli.instances.open_instances import source_of

        with source_of(self.url or None, self.asked) as source:
            found = source.get("pipelines", named)
            if found.schema_name != "schedule":
                return self.told(f"{named} is no schedule", REFUSED)
            told = record(found)
            document = {key: told[key] for key in ("display_name", "schema_name", "metadata")}
            document["metadata"]["enabled"] = on
            source.replace("pipelines", named, document, found.version)
        self.answer({"schedule": named, "enabled": on}, f"{named} is {'enabled' if on else 'disabled'}.")
        return FINE

    def _validate(self, named: str) -> int:
        from jupyter_colophon.pipelines.documents import refused, valid

        try:
            prepared = self._prepared(named)
        except InvalidInstance as error:
            self.answer(refused(error), str(render("pipeline-wrong", {"name": named, **refused(error)})))
            return REFUSED
        found = valid(prepared)
        self.answer(found, str(render("pipeline-valid", {"name": named, **found})))
        return FINE

    def _preview(self, named: str) -> int:
        from jupyter_colophon.pipelines.preview import preview

        prepared = self._prepared(named)
        if self.stage and prepared.pipeline.stage(self.stage) is None:
            raise InvalidConfiguration(f"--stage: there is no stage {self.stage}")
        found = preview(prepared, self._session(prepared, pairs("conf", self.conf)), until=self.stage, shown=self.rows)
        told = [
            asdict(one) | {"columns": [dict(zip(("name", "type"), two, strict=True)) for two in one.columns]}
            for one in found
        ]
        self.answer({"stages": told}, str(render("pipeline-preview", {"stages": told})))
        return REFUSED if any(one.error for one in found) else FINE

    def _run(self, named: str) -> int:
        prepared, snapshot, run_id = self._prepared(named), self._snapshot(), self.run_id or str(uuid.uuid4())
        settings = pairs("conf", self.conf)
        ending = Ending()
        if self.stop_on_stdin_eof:
            threading.Thread(target=_stopped_with_stdin, daemon=True).start()
        from jupyter_colophon.pipelines.runner import run
        from jupyter_colophon.pipelines.running_pipelines import register_running

        pipeline, server = prepared.pipeline, self._end_killed()[0]
        told = {"run": str(run_urn(pipeline.program, run_id)), "server": server}
        # The run can be stopped as soon as it is listed, and is recorded a moment later.
        ending.defer()
        try:
            with register_running(pipeline.name, run_id, pipeline.namespace, **told):
                outcome = run(
                    prepared,
                    lambda: ending.late(lambda: self._session(prepared, settings)),
                    snapshot=snapshot,
                    run_id=run_id,
                    tell=self._say,
                )
        except KeyboardInterrupt:
            return self.told(f"the run {run_id} was stopped", REFUSED)
        stages = [asdict(one) | {"stage": one.name} for one in outcome.stages]
        document = {"name": pipeline.name, "status": outcome.status, "error": "", "run": outcome.run, "stages": stages}
        self.answer(asdict(outcome), f"\n{render('pipeline-run', document)}")
        if outcome.waiting and not server:
            tell(
                "no server is named (--url=, COLOPHON_URL): what the run told waits until a program, a kernel or"
                " `jupyter colophon outbox flush` has one"
            )
        if outcome.error:
            return self.told(outcome.error, REFUSED)
        return FINE

    def _snapshot(self) -> "MetadataSnapshot | None":
        """The metadata that is read instead of a server's. Raises InvalidConfiguration, OSError."""
        from jupyter_colophon.client.programs.reading import MetadataSnapshot

        try:
            return MetadataSnapshot.load(self.snapshot) if self.snapshot else None
        except (ValueError, LookupError, TypeError, AttributeError):
            raise InvalidConfiguration(f"--snapshot: {self.snapshot} is none") from None

    def _stop(self, named: str) -> int:
        from jupyter_colophon.pipelines.documents import in_file
        from jupyter_colophon.pipelines.running_pipelines import stop

        if in_file(named) is not None:
            named = self._document(named)[0]
        ended = self._end_killed()[1]
        found = stop(named) + [run for run, pipeline in ended.items() if named.rpartition(":")[2] in (run, pipeline)]
        if not found:
            return self.told(f"no pipeline or run {named} is under way on this machine", REFUSED)
        self.answer({"stopped": found}, str(table_page([(one,) for one in found], "run")))
        return FINE

    def _end_killed(self) -> tuple[str, dict[str, str]]:
        """The URL of the server, and the runs of killed processes that are ended now, as far as it answers."""
        from jupyter_colophon.client.operations import Operations
        from jupyter_colophon.client.problems import ServerUnavailable
        from jupyter_colophon.client.programs.running import known_server
        from jupyter_colophon.client.transport import Transport
        from jupyter_colophon.pipelines.killed_runs import end_killed

        ended: dict[str, str] = {}
        if (server := known_server()) is None:
            return "", ended
        with closing(Operations(Transport(server))) as catalog, suppress(ServerUnavailable):
            ended = end_killed(catalog, server.url)
        return server.url, ended

    def _say(self, line: str) -> None:
        if not self.json:
            print(line, flush=True)

    def _package(self, named: str) -> int:
        from jupyter_colophon.client.programs.reading import MetadataUnavailable
        from jupyter_colophon.pipelines.package import package

        prepared, document = self._prepared(named), self._document(named)[1]
        folder = Path(self.output or prepared.pipeline.name)
        if folder.exists():
            raise InvalidConfiguration(f"--output: {folder} is there already")
        try:
            files = package(prepared, document, folder, with_snapshot=self.with_snapshot)
        except MetadataUnavailable as error:
            return self.told(str(error), REFUSED)
        self.answer(
            {"folder": str(folder), "files": files}, f"{folder} was made. Run it by\n\n  {_submit(folder, files)}"
        )
        return FINE

    def _prepared(self, named: str) -> "Prepared":
        """The pipeline, checked with the arguments that were given. Raises InvalidInstance, NotFound, OSError."""
        from jupyter_colophon.pipelines.check import checked
        from jupyter_colophon.pipelines.plugin_registry import installed

        name, document = self._document(named)
        return checked(name, document, installed(), pairs("argument", self.arguments_))

    def _document(self, named: str) -> tuple[str, Mapping[str, Any]]:
        """The pipeline's name and document, of a file or of the schemaspace."""
        from jupyter_colophon.cli.instances.open_instances import source_of
        from jupyter_colophon.pipelines.documents import document_of, in_file, read

        if (path := in_file(named)) is not None:
            return read(path)
        with source_of(self.url or None, self.asked) as source:
            return named, document_of(source.get("pipelines", named))

    def _session(self, prepared: "Prepared", settings: Mapping[str, str]) -> Any:
        """Spark on this machine. Raises InvalidConfiguration where there is none."""
        try:
            from jupyter_colophon.spark.session import session

            return session(f"colophon pipeline {prepared.pipeline.name}", **settings)
        except ImportError as error:
            raise InvalidConfiguration("PySpark is not installed: pip install jupyter-colophon[spark]") from error


def _stopped_with_stdin() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _when(one: dict[str, Any]) -> str:
    if not one["enabled"]:
        return "disabled"
    words = (one["every"], one["cron"], "on change" if one["onChange"] else "")
    return ", ".join(word for word in words if word)


def _submit(folder: Path, files: list[str]) -> str:
    along = ",".join(str(folder / name) for name in files if name.endswith(".json"))
    return f"spark-submit --py-files {folder / 'colophon.zip'} --files {along} {folder / 'main.py'} [NAME=VALUE …]"
