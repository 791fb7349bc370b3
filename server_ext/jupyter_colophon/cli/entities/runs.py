"""`jupyter colophon runs ENTITY`: list runs, or show a run with its accesses."""

from typing import Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_choice_type, build_integer_type, set_completer
from jupyter_colophon.client.api.did_you_mean import require_entity
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.cdap.names import parse_v3_path
from jupyter_colophon.core.identity.urn import PREFIX

_RUN = f"{PREFIX}dataProcessInstance:"
_PROGRAM = f"{PREFIX}dataJob:"
#: Number of parts of a program's name.
_PROGRAM_PARTS = 4
_STATUSES = ("running", "succeeded", "failed", "killed")


class RunsCommand(CatalogCommand):
    """List runs, or show a run."""

    description = (
        "List the runs that read or wrote a dataset (a table, a file's path or a URN), or those of a program"
        " (NAMESPACE/APPLICATION/TYPE/PROGRAM or a URN). Given the URN of a run, show the run with its accesses."
    )
    examples = ("sales.orders --start=now-1d", "shop/etl/flows/Load --status=failed")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity, and filters of its runs."""
        super().add_arguments(parser)
        entity = parser.add_argument(
            "entity", metavar="ENTITY", help="The name or URN of a dataset or a program, or the URN of a run."
        )
        set_completer(entity, complete_datasets)
        parser.add_argument(
            "--start", default="", metavar="TIME", help="Omit runs that ended before this time, such as now-1d."
        )
        parser.add_argument("--end", default="", metavar="TIME", help="Omit runs that began at this time or later.")
        parser.add_argument(
            "--status",
            choices=_STATUSES,
            type=build_choice_type(_STATUSES),
            default="",
            help="Only runs with this status.",
        )
        parser.add_argument("--limit", type=build_integer_type(1, 500), default=20, help="Maximum number of results.")

    def run(self) -> int:
        """List the runs, or show the run."""
        urn = self.resolve_entity(self.args.entity)
        if urn.startswith(_RUN):
            return self._show_run(urn)
        is_program = urn.startswith(_PROGRAM)
        filters: dict[str, Any] = {"program" if is_program else "data": urn, "status": self.args.status or None}
        filters |= self.parse_time_options("start", "end")
        runs: list[Document] = []
        cursor: str | None = ""
        with self.connect_to_catalog() as client:
            while cursor is not None and len(runs) < self.args.limit:
                page = client.list_runs(limit=self.args.limit - len(runs), cursor=cursor or None, **filters)
                runs += page["runs"]
                cursor = page["cursor"]
            if not runs:
                require_entity(client, urn)
        self.print_result({"runs": runs}, self.render_document("runs", {"runs": runs, "cursor": None}))
        return EXIT_OK

    def resolve_entity(self, text: str) -> str:
        """Return the URN of a dataset, a program or a run. Raises InvalidName."""
        parts = text.split("/", _PROGRAM_PARTS - 1)
        if text.startswith((PREFIX, "/", "./")) or len(parts) < _PROGRAM_PARTS:
            return self.resolve_urn(text)
        namespace, application, type_, program = parts
        path = ("namespaces", namespace, "apps", application, type_, program)
        return str(parse_v3_path(path, self.settings.build_identity()))

    def _show_run(self, urn: str) -> int:
        with self.connect_to_catalog() as client:
            document = client.read_run(urn) | {"accesses": client.list_run_accesses(urn)["accesses"]}
        self.print_result(document, self.render_document("run", document))
        return EXIT_OK
