"""`jupyter colophon pipeline …`: list, validate, preview, run and package pipelines (docs/pipelines.md)."""

import os
import threading
import uuid
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK, print_error
from jupyter_colophon.cli.parser import CommandParser, build_integer_type
from jupyter_colophon.cli.servers import add_server_url_option
from jupyter_colophon.cli.spark.signal_handling import InterruptHandler, add_stop_option, stop_on_stdin_eof
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidInstance
from jupyter_colophon.core.identity.names import make_run_urn
from jupyter_colophon.rendering.page import build_table_page
from jupyter_colophon.rendering.renderers import render_document_page

# Plugins are loaded when they are needed.
if TYPE_CHECKING:
    from jupyter_colophon.client.programs.reading import MetadataSnapshot
    from jupyter_colophon.pipelines.check import PreparedPipeline
    from jupyter_colophon.pipelines.pipeline_code import PipelineCode
    from jupyter_colophon.pipelines.plugin_registry import PluginRegistry

#: Help of each subcommand, and its argument.
_VERBS = {
    "list": ("List the pipelines.", ""),
    "plugins": ("List the plugins for stages.", ""),
    "validate": ("Validate a pipeline.", "PIPELINE"),
    "preview": ("Run a pipeline on a few rows, without writing anything.", "PIPELINE"),
    "run": ("Run a pipeline.", "PIPELINE"),
    "stop": ("Stop the runs of a pipeline on this machine, or a single run.", "PIPELINE"),
    "schedules": ("List the schedules of pipelines.", ""),
    "enable": ("Enable a schedule.", "SCHEDULE"),
    "disable": ("Disable a schedule.", "SCHEDULE"),
    "package": ("Write a pipeline to a folder that spark-submit can run.", "PIPELINE"),
}
_EXAMPLES = {
    "validate": "daily-sales --argument=day=2026-11-20",
    "preview": "daily-sales --stage=join --rows=5",
    "run": "./daily-sales.json --argument=day=2026-11-20",
    "stop": "daily-sales",
    "enable": "every-night",
    "disable": "every-night",
    "package": "daily-sales --output=dist/daily-sales",
}
_NAMES = {
    "PIPELINE": "The name of an instance in the schemaspace pipelines, or a JSON file.",
    "SCHEDULE": "The name of an instance in the schemaspace pipelines.",
}
#: What only reads or changes instances, and runs no code of a pipeline, which may log.
_CATALOG_VERBS = ("list", "schedules", "enable", "disable")


class PipelineCommand(CliCommand):
    """Manage and run pipelines."""

    description = "List, validate, preview, run or package pipelines."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        verbs = parser.add_group_of_subcommands()
        for verb, (help_, argument) in _VERBS.items():
            subparser = verbs.add_parser(verb, help=help_, description=help_, examples=(_EXAMPLES.get(verb, ""),))
            add_server_url_option(subparser)
            if argument:
                subparser.add_argument("name", metavar=argument, help=_NAMES[argument])
            if verb in ("validate", "preview", "run", "package"):
                add_pairs_option(subparser, "--argument", "An argument of the run; may be repeated.", "NAME=VALUE")
            if verb in ("preview", "run"):
                add_pairs_option(subparser, "--conf", "A Spark setting; may be repeated.")
        verbs.choices["plugins"].add_argument(
            "--namespace", default="", metavar="NAME", help="List also the plugins of the artifacts of this namespace."
        )
        preview, run, package = (verbs.choices[verb] for verb in ("preview", "run", "package"))
        preview.add_argument(
            "--stage", default="", metavar="NAME", help="Preview only this stage and those that lead to it."
        )
        preview.add_argument(
            "--rows", type=build_integer_type(1, 1_000), default=20, metavar="N", help="Number of rows of each stage."
        )
        run.add_argument(
            "--snapshot", default="", metavar="FILE", help="Read metadata from this snapshot instead of a server."
        )
        run.add_argument("--run-id", default="", metavar="ID", help="The id of the run. Default: a new one.")
        for command in (preview, run):
            add_stop_option(command)
        package.add_argument(
            "--output", default="", metavar="FOLDER", help="The folder to create. Default: the pipeline's name."
        )
        package.add_argument(
            "--with-snapshot",
            action="store_true",
            help="Include the metadata that plugins read, so that the run needs no server.",
        )

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.url:
            # Plugins and the API for programs use this server.
            os.environ["COLOPHON_URL"] = self.args.url
        if self.args.verb in _CATALOG_VERBS:
            self.drop_logs_unless_debug()
        if "name" not in self.args:
            lists = {"list": self._list_pipelines, "plugins": self._list_plugins, "schedules": self._list_schedules}
            return lists[self.args.verb]()
        actions = {
            "validate": self._validate,
            "preview": self._preview,
            "run": self._run,
            "stop": self._stop,
            "enable": self._enable,
            "disable": self._disable,
            "package": self._write_package,
        }
        return actions[self.args.verb](self.args.name)

    def _list_pipelines(self) -> int:
        from jupyter_colophon.cli.instances.client import open_instance_client

        with open_instance_client(self.args.url or None, self.settings) as client:
            instances = client.list_all_instances("pipelines", "pipeline")
        documents = [
            {
                "name": instance["name"],
                "display_name": instance["display_name"],
                "namespace": str(instance["metadata"].get("namespace", "")),
                "stages": len(instance["metadata"].get("stages", ())),
                "valid": instance["valid"],
            }
            for instance in instances
        ]
        rows = [tuple(document.values()) for document in documents]
        columns = ("name", "display name", "namespace", "stages", "valid")
        self.print_result({"pipelines": documents}, str(build_table_page(rows, *columns, empty="No pipelines.")))
        return EXIT_OK

    def _list_plugins(self) -> int:
        from jupyter_colophon.cli.instances.client import open_instance_client
        from jupyter_colophon.pipelines.artifact_plugins import add_declared_plugins, list_artifacts
        from jupyter_colophon.pipelines.documents import build_plugins_document
        from jupyter_colophon.pipelines.plugin_registry import load_plugins

        registry = load_plugins()
        if self.args.namespace:
            with open_instance_client(self.args.url or None, self.settings) as client:
                registry = add_declared_plugins(registry, list_artifacts(client, self.args.namespace))
        documents = build_plugins_document(registry)
        rows = [(plugin["type"], plugin["name"], plugin["description"]) for plugin in documents["plugins"]]
        self.print_result(documents, str(build_table_page(rows, "type", "plugin", "description", empty="No plugins.")))
        for problem in documents["problems"]:
            return self.print_error_and_get_status(f"{problem['plugin']}: {problem['reason']}")
        return EXIT_OK

    def _list_schedules(self) -> int:
        from jupyter_colophon.cli.instances.client import find_server

        server = find_server(self.args.url or None)
        if server is not None:
            from jupyter_colophon.client.operations import Operations
            from jupyter_colophon.client.transport import Transport

            documents = Operations(Transport(server)).list_pipeline_schedules()["schedules"]
        else:
            from jupyter_colophon.cli.instances.local_services import LocalServices

            with closing(LocalServices.open(self.settings)) as services:
                instances = services.get_or_create_instances().list_visible_instances("pipelines", invalid=True)
            with self.open_maintenance() as maintenance:
                documents = maintenance.describe_schedule_states(instances)
        columns = ("schedule", "pipeline", "when", "due", "last run", "status", "problem")
        members = ("name", "pipeline", "nextRun", "run", "status", "problem")
        rows = []
        for schedule in documents:
            name, pipeline, *others = (schedule[member] for member in members)
            rows.append((name, pipeline, _format_trigger(schedule), *others))
        self.print_result({"schedules": documents}, str(build_table_page(rows, *columns, empty="No schedules.")))
        return EXIT_OK

    def _enable(self, name: str) -> int:
        return self._set_schedule_enabled(name, enabled=True)

    def _disable(self, name: str) -> int:
        return self._set_schedule_enabled(name, enabled=False)

    def _set_schedule_enabled(self, name: str, *, enabled: bool) -> int:
        from jupyter_colophon.cli.instances.client import open_instance_client

        with open_instance_client(self.args.url or None, self.settings) as client:
            if client.read_instance("pipelines", name)["schema_name"] != "schedule":
                return self.print_error_and_get_status(f"{name} is not a schedule")
            client.patch_instance("pipelines", name, {"metadata": {"enabled": enabled}})
        self.print_result({"schedule": name, "enabled": enabled}, f"{name} is {'enabled' if enabled else 'disabled'}.")
        return EXIT_OK

    def _validate(self, name: str) -> int:
        from jupyter_colophon.pipelines.check import PipelineCheck, check_pipeline
        from jupyter_colophon.pipelines.documents import build_check_document

        try:
            name, document = self._read_pipeline_document(name)
            plugins = self._load_plugins(document, is_run=False)
            check = check_pipeline(name, document, plugins, dict(self.args.argument))
        except InvalidInstance as error:
            check = PipelineCheck(error.problems)
        result = build_check_document(check)
        page = "pipeline-valid" if result["valid"] else "pipeline-wrong"
        self.print_result(result, str(render_document_page(page, {"name": name, **result})))
        return EXIT_OK if result["valid"] else EXIT_FAILED

    def _preview(self, name: str) -> int:
        from jupyter_colophon.pipelines.preview import preview_stages

        prepared = self._read_and_check_pipeline(name, until=self.args.stage)
        if self.args.stop_on_stdin_eof:
            threading.Thread(target=stop_on_stdin_eof, daemon=True).start()
        session = self._start_spark_session(prepared, dict(self.args.conf))
        previews = preview_stages(prepared, session, max_rows=self.args.rows)
        documents = [
            asdict(each) | {"columns": [{"name": name, "type": type_} for name, type_ in each.columns]}
            for each in previews
        ]
        self.print_result({"stages": documents}, str(render_document_page("pipeline-preview", {"stages": documents})))
        return EXIT_FAILED if any(each.error for each in previews) else EXIT_OK

    def _run(self, name: str) -> int:
        prepared, snapshot, run_id = (
            self._read_and_check_pipeline(name),
            self._load_snapshot(),
            self.args.run_id or str(uuid.uuid4()),
        )
        settings = dict(self.args.conf)
        interrupts = InterruptHandler()
        if self.args.stop_on_stdin_eof:
            threading.Thread(target=stop_on_stdin_eof, daemon=True).start()
        from jupyter_colophon.pipelines.runner import run_pipeline
        from jupyter_colophon.pipelines.running_pipelines import register_running

        pipeline, server = prepared.pipeline, self._record_killed_runs_and_get_pipelines()[0]
        place = {"run": str(make_run_urn(pipeline.program, run_id)), "server": server}
        # A registered run can be stopped, but it is recorded only later.
        interrupts.defer_signals()
        try:
            with register_running(pipeline.name, run_id, pipeline.namespace, **place):
                outcome = run_pipeline(
                    prepared,
                    lambda: interrupts.run_uninterrupted(lambda: self._start_spark_session(prepared, settings)),
                    snapshot=snapshot,
                    run_id=run_id,
                    log=self._print_progress,
                )
        except KeyboardInterrupt:
            return self.print_error_and_get_status(f"run {run_id} stopped")
        stages = [asdict(stage) | {"stage": stage.name} for stage in outcome.stages]
        document = {"name": pipeline.name, "status": outcome.status, "error": "", "run": outcome.run, "stages": stages}
        self.print_result(asdict(outcome), f"\n{render_document_page('pipeline-run', document)}")
        if outcome.waiting and not server:
            print_error(
                "no server given (--url=, COLOPHON_URL): the run's report stays in the outbox until a program, a kernel or"
                " `jupyter colophon outbox flush` sends it"
            )
        if outcome.error:
            return self.print_error_and_get_status(outcome.error)
        return EXIT_OK

    def _load_snapshot(self) -> "MetadataSnapshot | None":
        """Return the metadata snapshot of `--snapshot`, or None. Raises InvalidConfiguration, OSError."""
        from jupyter_colophon.client.programs.reading import MetadataSnapshot

        try:
            return MetadataSnapshot.load(self.args.snapshot) if self.args.snapshot else None
        except (ValueError, LookupError, TypeError, AttributeError):
            raise InvalidConfiguration(f"--snapshot: {self.args.snapshot} is not a metadata snapshot") from None

    def _stop(self, name: str) -> int:
        from jupyter_colophon.pipelines.documents import parse_file_path
        from jupyter_colophon.pipelines.running_pipelines import stop_runs

        if parse_file_path(name) is not None:
            name = self._read_pipeline_document(name)[0]
        ended = self._record_killed_runs_and_get_pipelines()[1]
        stopped = stop_runs(name) + [
            run for run, pipeline in ended.items() if name.rpartition(":")[2] in (run, pipeline)
        ]
        if not stopped:
            return self.print_error_and_get_status(f"no running pipeline or run {name} on this machine")
        self.print_result(
            {"stopped": stopped}, str(build_table_page([(run,) for run in stopped], "run", empty="No runs."))
        )
        return EXIT_OK

    def _record_killed_runs_and_get_pipelines(self) -> tuple[str, dict[str, str]]:
        """End the runs of killed processes; return the server's URL ("" without one), and these runs with their pipelines."""
        from jupyter_colophon.client.operations import Operations
        from jupyter_colophon.client.problems import ServerUnavailable
        from jupyter_colophon.client.programs.running import get_configured_server
        from jupyter_colophon.client.transport import Transport
        from jupyter_colophon.pipelines.killed_runs import record_killed_runs_and_get_pipelines

        ended: dict[str, str] = {}
        if (server := get_configured_server()) is None:
            return "", ended
        with closing(Operations(Transport(server))) as catalog, suppress(ServerUnavailable):
            ended = record_killed_runs_and_get_pipelines(catalog, server.url)
        return server.url, ended

    def _print_progress(self, line: str) -> None:
        if not self.json:
            print(line, flush=True)

    def _write_package(self, name: str) -> int:
        from jupyter_colophon.client.programs.reading import MetadataUnavailable
        from jupyter_colophon.pipelines.package import create_package, format_submit_command

        prepared, document = self._read_and_check_pipeline(name), self._read_pipeline_document(name)[1]
        code = self._read_pipeline_code(document)
        folder = Path(self.args.output or prepared.pipeline.name)
        if folder.exists():
            raise InvalidConfiguration(f"--output: {folder} already exists")
        try:
            files = create_package(prepared, document, folder, code, with_snapshot=self.args.with_snapshot)
        except MetadataUnavailable as error:
            return self.print_error_and_get_status(str(error))
        self.print_result(
            {"folder": str(folder), "files": files},
            f"{folder} created. To run it:\n\n  {format_submit_command(folder, files)}",
        )
        return EXIT_OK

    def _read_and_check_pipeline(self, name: str, until: str = "") -> "PreparedPipeline":
        """Return the pipeline, checked with the given arguments, up to a stage. Raises InvalidInstance, NotFound, OSError."""
        from jupyter_colophon.pipelines.check import check_and_prepare_pipeline

        name, document = self._read_pipeline_document(name)
        plugins = self._load_plugins(document, is_run=self.args.verb != "package")
        return check_and_prepare_pipeline(name, document, plugins, dict(self.args.argument), until=until)

    def _load_plugins(self, document: Mapping[str, Any], *, is_run: bool) -> "PluginRegistry":
        """Return the plugins for a pipeline. A run executes the code of artifacts that it names."""
        from jupyter_colophon.cli.instances.client import open_instance_client
        from jupyter_colophon.pipelines import artifact_plugins
        from jupyter_colophon.pipelines.plugin_registry import load_plugins

        if not artifact_plugins.has_artifact_plugins(document):
            return load_plugins()
        load = artifact_plugins.load_plugins_for_run if is_run else artifact_plugins.load_plugins_with_declared
        with open_instance_client(self.args.url or None, self.settings) as client:
            return load(client, document)

    def _read_pipeline_code(self, document: Mapping[str, Any]) -> "PipelineCode":
        """Return the classes of artifacts that a pipeline names. Raises PluginFailed for damaged content."""
        from jupyter_colophon.cli.instances.client import open_instance_client
        from jupyter_colophon.pipelines.artifact_plugins import has_artifact_plugins, read_pipeline_code
        from jupyter_colophon.pipelines.pipeline_code import PipelineCode

        if not has_artifact_plugins(document):
            return PipelineCode()
        with open_instance_client(self.args.url or None, self.settings) as client:
            return read_pipeline_code(client, document)

    def _read_pipeline_document(self, name: str) -> tuple[str, Mapping[str, Any]]:
        """Return the pipeline's name and document, from a file or the schemaspace."""
        from jupyter_colophon.cli.instances.client import open_instance_client
        from jupyter_colophon.pipelines.documents import parse_file_path, read_pipeline_file

        if (path := parse_file_path(name)) is not None:
            return read_pipeline_file(path)
        with open_instance_client(self.args.url or None, self.settings) as client:
            instance = client.read_instance("pipelines", name)
        return name, {key: instance[key] for key in ("display_name", "schema_name", "metadata")}

    def _start_spark_session(self, prepared: "PreparedPipeline", settings: Mapping[str, str]) -> Any:
        """Start a Spark session on this machine. Raises InvalidConfiguration without PySpark."""
        try:
            from jupyter_colophon.spark.session import get_session

            return get_session(f"colophon pipeline {prepared.pipeline.name}", **settings)
        except ImportError as error:
            raise InvalidConfiguration("PySpark is not installed: pip install jupyter-colophon[spark]") from error


def _format_trigger(schedule: dict[str, Any]) -> str:
    if not schedule["enabled"]:
        return "disabled"
    triggers = (schedule["every"], schedule["cron"], "on change" if schedule["onChange"] else "")
    return ", ".join(trigger for trigger in triggers if trigger)
