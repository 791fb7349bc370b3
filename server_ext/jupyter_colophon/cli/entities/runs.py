"""`jupyter colophon runs ENTITY`: what ran, and what one run touched."""

from typing import Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with, ignoring_case, whole_number
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.identity.urn import PREFIX

_RUN = f"{PREFIX}dataProcessInstance:"
_PROGRAM = f"{PREFIX}dataJob:"
#: Of a program that is not named by its URN.
_PARTS = 4
_STATUSES = ("running", "succeeded", "failed", "killed")


class Runs(CatalogCommand):
    """Lists runs, or shows one."""

    description = (
        "List the runs that touched a table, a file (by its path) or any data (by its URN), or those of a program"
        " (NAMESPACE/APPLICATION/TYPE/PROGRAM, or its URN); of a run's URN, show everything that was recorded."
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the entity, and which of its runs are listed."""
        super().add_arguments(parser)
        entity = parser.add_argument("entity", metavar="ENTITY", help="Data or a program by its name or URN, or a run.")
        complete_with(entity, complete_datasets)
        parser.add_argument(
            "--start", default="", metavar="TIME", help="Without those that ended before this time, such as now-1d."
        )
        parser.add_argument("--end", default="", metavar="TIME", help="Without those that began at this time or later.")
        parser.add_argument(
            "--status", choices=_STATUSES, type=ignoring_case(_STATUSES), default="", help="With this status only."
        )
        parser.add_argument("--limit", type=whole_number(1, 500), default=20, help="Maximum number of results.")

    def run(self) -> int:
        """List them, or show one."""
        meant = self.meant(self.args.entity)
        if meant.startswith(_RUN):
            return self._show(meant)
        is_program = meant.startswith(_PROGRAM)
        filters: dict[str, Any] = {"program" if is_program else "data": meant, "status": self.args.status or None}
        filters |= self.times("start", "end")
        found: list[Document] = []
        cursor: str | None = ""
        with self.client() as client:
            while cursor is not None and len(found) < self.args.limit:
                page = client.list_runs(limit=self.args.limit - len(found), cursor=cursor or None, **filters)
                found += page["runs"]
                cursor = page["cursor"]
        self.answer({"runs": found}, self.page("runs", {"runs": found, "cursor": None}))
        return EXIT_OK

    def meant(self, text: str) -> str:
        """The URN of what is meant. Raises InvalidName."""
        parts = text.split("/", _PARTS - 1)
        if text.startswith((PREFIX, "/", "./")) or len(parts) < _PARTS:
            return self.urn(text)
        space, application, type_, program = parts
        path = ("namespaces", space, "apps", application, type_, program)
        return str(from_v3(path, self.settings.identity()))

    def _show(self, urn: str) -> int:
        with self.client() as client:
            document = client.read_run(urn) | {"accesses": client.list_run_accesses(urn)["accesses"]}
        self.answer(document, self.page("run", document))
        return EXIT_OK
