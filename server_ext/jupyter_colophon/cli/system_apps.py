"""`jupyter colophon apps list|enable|disable`."""

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS = ("name", "version", "state", "tables", "problem")
_VERBS = (
    ("list", "List the system applications. Exits with 1 if one has failed.", ""),
    ("enable", "Enable a system application, and load it again if it has failed.", "dataprep"),
    ("disable", "Disable a system application; its tables are kept.", "dataprep"),
)


class SystemAppsCommand(CatalogCommand):
    """Manage system applications."""

    description = "List, enable and disable the system applications that installed packages provide."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            if verb != "list":
                subparser.add_argument("name", metavar="NAME", help="The name of the application.")

    def run(self) -> int:
        """Run the subcommand."""
        return self._list() if self.args.verb == "list" else self._enable_or_disable()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_system_apps()
        apps = document["systemApps"]
        rows = [(app["name"], app["version"], app["state"], ", ".join(app["tables"]), app["problem"]) for app in apps]
        self.print_result(document, str(build_table_page(rows, *_COLUMNS)))
        return EXIT_FAILED if any(app["state"] == "failed" for app in apps) else EXIT_OK

    def _enable_or_disable(self) -> int:
        with self.connect_to_catalog() as client:
            if self.args.verb == "enable":
                app = client.enable_system_app(self.args.name)
            else:
                app = client.disable_system_app(self.args.name)
        self.print_result(app, f"System application {app['name']} is {app['state']}.")
        return EXIT_OK
