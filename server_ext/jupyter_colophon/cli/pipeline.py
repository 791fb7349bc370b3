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

from jupyter_colophon.cli.catalog.entity_command import add_pairs
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK, print_error
from jupyter_colophon.cli.parser import Parser, whole_number
from jupyter_colophon.cli.servers import add_server_url
from jupyter_colophon.cli.signal_handling import Ending
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidInstance
from jupyter_colophon.core.identity.names import run_urn
from jupyter_colophon.rendering.page import table_page
from jupyter_colophon.rendering.renderers import render

# A plugin is loaded when one is needed.
if TYPE_CHECKING:
    from jupyter_colophon.client.programs.reading import MetadataSnapshot
    from jupyter_colophon.pipelines.check import Prepared

#: What each subcommand does, and what it is about.
_VERBS = {
    "list": ("List the pipelines.", ""),
    "plugins": ("List what stages can do.", ""),
    "validate": ("Check a pipeline.", "PIPELINE"),
    "preview": ("Run a pipeline on a few rows, and write nothing.", "PIPELINE"),
    "run": ("Run a pipeline.", "PIPELINE"),
    "stop": ("Stop the runs of a pipeline on this machine, or one run.", "PIPELINE"),
    "schedules": ("List when pipelines run by themselves.", ""),
    "enable": ("Enable a schedule.", "SCHEDULE"),
    "disable": ("Disable a schedule.", "SCHEDULE"),
    "package": ("Write a pipeline to a folder from which spark-submit runs it.", "PIPELINE"),
}
_NAMES = {
    "PIPELINE": "A name among the instances of the schemaspace pipelines, or a JSON file.",
    "SCHEDULE": "A name among the instances of the schemaspace pipelines.",
}


class Pipeline(Command):
    """Works on pipelines, with a subcommand for each verb."""

    description = "List, check, try, run or package pipelines."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare a subcommand for each verb."""
        verbs = parser.add_subparsers(title="subcommands", dest="verb", metavar="SUBCOMMAND", required=True)
        for verb, (help_, about) in _VERBS.items():
            one = verbs.add_parser(verb, help=help_, description=help_)
            add_server_url(one)
            if about:
                one.add_argument("name", metavar=about, help=_NAMES[about])
            if verb in ("validate", "preview", "run", "package"):
                add_pairs(one, "--argument", "An argument of the run; may be repeated.", "NAME=VALUE")
            if verb in ("preview", "run"):
                add_pairs(one, "--conf", "A setting of Spark's; may be repeated.")
        preview, run, package = (verbs.choices[verb] for verb in ("preview", "run", "package"))
        preview.add_argument("--stage", default="", metavar="NAME", help="Stop after this stage.")
        preview.add_argument(
            "--rows", type=whole_number(1, 1_000), default=20, metavar="N", help="Number of rows of each stage."
        )
        run.add_argument(
            "--snapshot", default="", metavar="FILE", help="Read metadata from this file, not from a server."
        )
        run.add_argument("--run-id", default="", metavar="ID", help="The id of the run. Default: a new one.")
        run.add_argument(
            "--stop-on-stdin-eof",
            action="store_true",
            help="Stop when the standard input ends: with the process at its other end.",
        )
        package.add_argument(
            "--output", default="", metavar="FOLDER", help="The folder to create. Default: the pipeline's name."
        )
        package.add_argument(
            "--with-snapshot",
            action="store_true",
            help="Include what plugins read of metadata: the run needs no server.",
        )

    def run(self) -> int:
        """Do what the verb says."""
        if self.args.url:
            # The programs' API, and with it every plugin, asks this server.
            os.environ["COLOPHON_URL"] = self.args.url
        method = getattr(self, f"_{self.args.verb}")
        return int(method(self.args.name) if "name" in self.args else method())

    def _list(self) -> int:
        from jupyter_colophon.cli.instances.client import open_client

        with open_client(self.args.url or None, self.settings) as client:
            found = client.instances("pipelines", "pipeline")
        documents = [
            {
                "name": one["name"],
                "display_name": one["display_name"],
                "namespace": str(one["metadata"].get("namespace", "")),
                "stages": len(one["metadata"].get("stages", ())),
                "valid": one["valid"],
            }
            for one in found
        ]
        rows = [tuple(one.values()) for one in documents]
        columns = ("name", "display name", "namespace", "stages", "valid")
        self.answer({"pipelines": documents}, str(table_page(rows, *columns)))
        return EXIT_OK

    def _plugins(self) -> int:
        from jupyter_colophon.pipelines.documents import plugins
        from jupyter_colophon.pipelines.plugin_registry import installed_plugins

        documents = plugins(installed_plugins())
        rows = [(one["type"], one["name"], one["description"]) for one in documents["plugins"]]
        self.answer(documents, str(table_page(rows, "type", "plugin", "description")))
        for one in documents["problems"]:
            return self.fail(f"{one['plugin']}: {one['reason']}")
        return EXIT_OK

    def _schedules(self) -> int:
        from jupyter_colophon.cli.instances.client import find_server

        server = find_server(self.args.url or None)
        if server is not None:
            from jupyter_colophon.client.operations import Operations
            from jupyter_colophon.client.transport import Transport

            documents = Operations(Transport(server)).list_pipeline_schedules()["schedules"]
        else:
            from jupyter_colophon.cli.instances.local_services import LocalServices

            with closing(LocalServices.open(self.settings)) as services:
                found = services.instances().list("pipelines", invalid=True)
            with self.keeper() as keeper:
                documents = keeper.schedules(found)
        columns = ("schedule", "pipeline", "when", "due", "last run", "status", "problem")
        rows = [
            (one["name"], one["pipeline"], _when(one), one["nextRun"], one["run"], one["status"], one["problem"])
            for one in documents
        ]
        self.answer({"schedules": documents}, str(table_page(rows, *columns)))
        return EXIT_OK

    def _enable(self, named: str) -> int:
        return self._switched(named, on=True)

    def _disable(self, named: str) -> int:
        return self._switched(named, on=False)

    def _switched(self, named: str, *, on: bool) -> int:
        from jupyter_colophon.cli.instances.client import open_client

        with open_client(self.args.url or None, self.settings) as client:
            if client.read_instance("pipelines", named)["schema_name"] != "schedule":
                return self.fail(f"{named} is no schedule")
            client.patch_instance("pipelines", named, {"metadata": {"enabled": on}})
        self.answer({"schedule": named, "enabled": on}, f"{named} is {'enabled' if on else 'disabled'}.")
        return EXIT_OK

    def _validate(self, named: str) -> int:
        from jupyter_colophon.pipelines.documents import refused, valid

        try:
            prepared = self._prepared(named)
        except InvalidInstance as error:
            self.answer(refused(error), str(render("pipeline-wrong", {"name": named, **refused(error)})))
            return EXIT_FAILED
        found = valid(prepared)
        self.answer(found, str(render("pipeline-valid", {"name": named, **found})))
        return EXIT_OK

    def _preview(self, named: str) -> int:
        from jupyter_colophon.pipelines.preview import preview

        prepared = self._prepared(named)
        stage, rows = self.args.stage, self.args.rows
        if stage and prepared.pipeline.stage(stage) is None:
            raise InvalidConfiguration(f"--stage: there is no stage {stage}")
        found = preview(prepared, self._session(prepared, dict(self.args.conf)), until=stage, shown=rows)
        documents = [
            asdict(one) | {"columns": [dict(zip(("name", "type"), two, strict=True)) for two in one.columns]}
            for one in found
        ]
        self.answer({"stages": documents}, str(render("pipeline-preview", {"stages": documents})))
        return EXIT_FAILED if any(one.error for one in found) else EXIT_OK

    def _run(self, named: str) -> int:
        prepared, snapshot, run_id = self._prepared(named), self._snapshot(), self.args.run_id or str(uuid.uuid4())
        settings = dict(self.args.conf)
        ending = Ending()
        if self.args.stop_on_stdin_eof:
            threading.Thread(target=_stopped_with_stdin, daemon=True).start()
        from jupyter_colophon.pipelines.runner import run
        from jupyter_colophon.pipelines.running_pipelines import register_running

        pipeline, server = prepared.pipeline, self._end_killed()[0]
        place = {"run": str(run_urn(pipeline.program, run_id)), "server": server}
        # The run can be stopped as soon as it is listed, and is recorded a moment later.
        ending.defer()
        try:
            with register_running(pipeline.name, run_id, pipeline.namespace, **place):
                outcome = run(
                    prepared,
                    lambda: ending.late(lambda: self._session(prepared, settings)),
                    snapshot=snapshot,
                    run_id=run_id,
                    tell=self._say,
                )
        except KeyboardInterrupt:
            return self.fail(f"the run {run_id} was stopped")
        stages = [asdict(one) | {"stage": one.name} for one in outcome.stages]
        document = {"name": pipeline.name, "status": outcome.status, "error": "", "run": outcome.run, "stages": stages}
        self.answer(asdict(outcome), f"\n{render('pipeline-run', document)}")
        if outcome.waiting and not server:
            print_error(
                "no server is named (--url=, COLOPHON_URL): what the run reported waits until a program, a kernel or"
                " `jupyter colophon outbox flush` has one"
            )
        if outcome.error:
            return self.fail(outcome.error)
        return EXIT_OK

    def _snapshot(self) -> "MetadataSnapshot | None":
        """The metadata that is read instead of a server's. Raises InvalidConfiguration, OSError."""
        from jupyter_colophon.client.programs.reading import MetadataSnapshot

        try:
            return MetadataSnapshot.load(self.args.snapshot) if self.args.snapshot else None
        except (ValueError, LookupError, TypeError, AttributeError):
            raise InvalidConfiguration(f"--snapshot: {self.args.snapshot} is none") from None

    def _stop(self, named: str) -> int:
        from jupyter_colophon.pipelines.documents import in_file
        from jupyter_colophon.pipelines.running_pipelines import stop

        if in_file(named) is not None:
            named = self._document(named)[0]
        ended = self._end_killed()[1]
        found = stop(named) + [run for run, pipeline in ended.items() if named.rpartition(":")[2] in (run, pipeline)]
        if not found:
            return self.fail(f"no pipeline or run {named} is under way on this machine")
        self.answer({"stopped": found}, str(table_page([(one,) for one in found], "run")))
        return EXIT_OK

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
        folder = Path(self.args.output or prepared.pipeline.name)
        if folder.exists():
            raise InvalidConfiguration(f"--output: {folder} is there already")
        try:
            files = package(prepared, document, folder, with_snapshot=self.args.with_snapshot)
        except MetadataUnavailable as error:
            return self.fail(str(error))
        self.answer(
            {"folder": str(folder), "files": files}, f"{folder} was made. Run it by\n\n  {_submit(folder, files)}"
        )
        return EXIT_OK

    def _prepared(self, named: str) -> "Prepared":
        """The pipeline, checked with the arguments that were given. Raises InvalidInstance, NotFound, OSError."""
        from jupyter_colophon.pipelines.check import check_pipeline
        from jupyter_colophon.pipelines.plugin_registry import installed_plugins

        name, document = self._document(named)
        return check_pipeline(name, document, installed_plugins(), dict(self.args.argument))

    def _document(self, named: str) -> tuple[str, Mapping[str, Any]]:
        """The pipeline's name and document, of a file or of the schemaspace."""
        from jupyter_colophon.cli.instances.client import open_client
        from jupyter_colophon.pipelines.documents import in_file, read

        if (path := in_file(named)) is not None:
            return read(path)
        with open_client(self.args.url or None, self.settings) as client:
            found = client.read_instance("pipelines", named)
        return named, {key: found[key] for key in ("display_name", "schema_name", "metadata")}

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
