"""`jupyter colophon apps`."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_choice_type, build_integer_type
from jupyter_colophon.core.display_text import escape_control_characters
from jupyter_colophon.core.system_app_log import LOG_LEVELS
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS = ("name", "version", "state", "tables", "workers", "problem")
#: How many records are read at once, and how often new ones are looked for, in seconds.
_RECORDS, _POLL_S = 200, 1.0
_VERBS = (
    ("list", "List the system applications. Exits with 1 if one has failed.", ""),
    (
        "enable",
        "Enable a system application, and load it again if it has failed. Exits with 1 if that fails.",
        "dataprep",
    ),
    ("disable", "Disable a system application; its tables are kept.", "dataprep"),
    (
        "drop-tables",
        "Delete all that a system application has stored, if it is disabled or not installed.",
        "dataprep --yes",
    ),
    (
        "logs",
        "List the newest log records of a system application.",
        "dataprep --level=WARNING --since=now-1d --follow",
    ),
    ("scale", "Run a service of a system application in worker processes.", "dataprep 4"),
    ("events", "List the events that listeners of a system application have not handled.", "dataprep"),
    ("retry-event", "Let a listener handle an event once more.", "dataprep Recorder 512"),
    ("drop-event", "Drop an event that a listener cannot handle.", "dataprep Recorder 512"),
)
_EVENT_COLUMNS = ("number", "listener", "entity", "state", "problem")
_INSTANCES_MAX = 64
#: The words for states that differ from those of the API.
_STATES: Mapping[str, str] = {"uninstalled": "not installed"}


class SystemAppsCommand(CatalogCommand):
    """Manage system applications."""

    description = (
        "List, enable, disable and scale the system applications that installed packages provide, list their logs and "
        "failed events, and delete what uninstalled ones left."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            if verb != "list":
                subparser.add_argument("name", metavar="NAME", help="The name of the application.")
            if verb == "logs":
                subparser.add_argument("--follow", action="store_true", help="Keep following new records.")
                subparser.add_argument(
                    "--level",
                    choices=LOG_LEVELS,
                    type=build_choice_type(LOG_LEVELS),
                    default="",
                    help="Only records of this level or a higher one.",
                )
                subparser.add_argument(
                    "--since",
                    default="",
                    metavar="TIME",
                    help="Only records from this time on, such as now-1d or 2026-11-20.",
                )
            if verb == "drop-tables":
                subparser.add_argument("--yes", action="store_true", help="Required, since this cannot be undone.")
            if verb == "scale":
                subparser.add_argument(
                    "instances",
                    metavar="N",
                    type=build_integer_type(0, _INSTANCES_MAX),
                    help="The number of processes, in all servers of the store together; 0: none, as before the first request.",
                )
                subparser.add_argument(
                    "--service", default="service", help="The name of the service; default: service."
                )
            if verb.endswith("-event"):
                subparser.add_argument("listener", metavar="LISTENER", help="The name of the listener.")
                subparser.add_argument("number", metavar="NUMBER", help="The number of the event.")

    def run(self) -> int:
        """Run the subcommand."""
        run = {
            "list": self._list,
            "events": self._list_events,
            "logs": self._list_logs_and_follow,
            "scale": self._set_instances,
            "drop-tables": self._drop_tables,
        }
        return run.get(self.args.verb, self._change_event if "event" in self.args.verb else self._enable_or_disable)()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_system_apps()
        apps = document["systemApps"]
        rows = [
            (
                app["name"],
                app["version"],
                _STATES.get(app["state"], app["state"]),
                ", ".join(app["tables"]),
                ", ".join(_format_workers(item) for item in app["workers"]),
                "; ".join(filter(None, (app["problem"], *app["warnings"]))),
            )
            for app in apps
        ]
        self.print_result(document, str(build_table_page(rows, *_COLUMNS, empty="No applications.")))
        return EXIT_FAILED if any(app["state"] == "failed" for app in apps) else EXIT_OK

    def _list_events(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_system_app_events(self.args.name)
        rows = [
            (event["number"], event["listener"], event["urn"], _describe_event_state(event), event["problem"])
            for event in document["events"]
        ]
        self.print_result(document, str(build_table_page(rows, *_EVENT_COLUMNS, empty="All events are handled.")))
        return EXIT_OK

    def _change_event(self) -> int:
        key = (self.args.name, self.args.listener, self.args.number)
        with self.connect_to_catalog() as client:
            if self.args.verb == "retry-event":
                event, done = client.retry_system_app_event(*key), "will be retried"
            else:
                event, done = client.drop_system_app_event(*key), "was dropped"
        self.print_result(event, f"Event {event['number']} {done}.")
        return EXIT_OK

    def _enable_or_disable(self) -> int:
        with self.connect_to_catalog() as client:
            if self.args.verb == "enable":
                app = client.enable_system_app(self.args.name)
            else:
                app = client.disable_system_app(self.args.name)
        if app["state"] == "failed":
            return self.print_error_and_get_status(f"the system application {app['name']} has failed: {app['problem']}")
        self.print_result(app, f"System application {app['name']} is {app['state']}.")
        return EXIT_OK

    def _drop_tables(self) -> int:
        name = self.args.name
        if not self.args.yes:
            return self.print_error_and_get_status(
                f"the tables, files, schedules and events of {name} cannot be restored: add --yes to delete them"
            )
        with self.connect_to_catalog() as client:
            app = client.drop_system_app_tables(name)
        done = "are being deleted by the server" if app["tables"] else "were deleted"
        self.print_result(app, f"The tables, files, schedules and events of the system application {name} {done}.")
        return EXIT_OK

    def _list_logs_and_follow(self) -> int:
        filters = {"level": self.args.level, "limit": _RECORDS} | self.parse_time_options("since")
        with self.connect_to_catalog() as client:
            page = client.list_system_app_logs(self.args.name, **filters)
            self._print_records(page["records"])
            while self.args.follow:
                time.sleep(_POLL_S)
                page = client.list_system_app_logs(self.args.name, after=str(page["cursor"]), **filters)
                self._print_records(page["records"])
        return EXIT_OK

    def _print_records(self, records: Sequence[Mapping[str, Any]]) -> None:
        for record in records:
            line = f"{format_ms_as_iso_time(record['time'])}  {record['level']:7}  {record['message']}"
            text = json.dumps(record, ensure_ascii=False) if self.json else escape_control_characters(line)
            print(text, flush=self.args.follow)

    def _set_instances(self) -> int:
        name, service, number = self.args.name, self.args.service, self.args.instances
        with self.connect_to_catalog() as client:
            document = client.v3.set_service_instances(name, service, {"instances": number})
        state = f"has {document['requested']} instances requested, and {document['provisioned']} running"
        if number == 0:
            state = "has no instances requested any more"
        self.print_result(document, f"Service {service} of the system application {name} {state}.")
        return EXIT_OK


def _format_workers(workers: Mapping[str, Any]) -> str:
    """Return the processes of a service as `service 2/2`, with the number of restarts."""
    text = f"{workers['service']} {workers['running']}/{workers['requested']}"
    return f"{text}, {workers['restarts']} restarts" if workers["restarts"] else text


def _describe_event_state(event: Mapping[str, Any]) -> str:
    if event["parked"]:
        return "parked"
    return f"retried at {event['due']}" if event["due"] else "waiting"
