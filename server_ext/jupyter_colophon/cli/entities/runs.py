"""`jupyter colophon runs ENTITY`: what ran, and what one run touched."""

import time

from traitlets import CaselessStrEnum, Int, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.run_codec import run_shown, touched_shown
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.lineage.graph import RunListing, Window
from jupyter_colophon.core.time_format import parse_time

_RUN = f"{PREFIX}dataProcessInstance:"
_PROGRAM = f"{PREFIX}dataJob:"
#: Of a program that is not told by its URN.
_PARTS = 4


class Runs(CatalogCommand):
    """Lists runs, or shows one."""

    name = "jupyter-colophon-runs"
    description = (
        "List the runs that touched a table, a file (by its path) or any data (by its URN), or those of a program"
        " (NAMESPACE/APPLICATION/TYPE/PROGRAM, or its URN); of a run's URN, show everything that was recorded."
    )
    arguments = ("ENTITY",)
    aliases = CatalogCommand.aliases | {
        "start": "Runs.since",
        "end": "Runs.until",
        "status": "Runs.status",
        "limit": "Runs.limit",
    }

    since = Unicode("", config=True, help="Those alone that were not over before this time, such as now-1d.")
    until = Unicode("", config=True, help="Those alone that began before this time.")
    status = CaselessStrEnum(
        ("", "running", "succeeded", "failed", "killed"), "", config=True, help="With this status alone."
    )
    limit = Int(20, min=1, max=500, config=True, help="How many at most.")

    def work(self) -> int:
        """List them, or show one."""
        meant = self.meant(self.extra_args[0])
        if meant.startswith(_RUN):
            return self._show(meant)
        is_program = meant.startswith(_PROGRAM)
        listing = RunListing(
            program=meant if is_program else "",
            data="" if is_program else meant,
            window=self._window(),
            status=self.status,
            limit=self.limit,
        )
        with self.source() as source:
            found = source.runs(listing)
        document = {"runs": [run_shown(one) for one in found]}
        self.answer(document, self.page("runs", {**document, "cursor": None}))
        return FINE

    def meant(self, text: str) -> str:
        """The URN of what is meant. Raises InvalidName."""
        parts = text.split("/", _PARTS - 1)
        if text.startswith((PREFIX, "/", "./")) or len(parts) < _PARTS:
            return self.urn(text)
        space, application, type_, program = parts
        path = ("namespaces", space, "apps", application, type_, program)
        return str(from_v3(path, self.asked.identity()))

    def _show(self, urn: str) -> int:
        with self.source() as source:
            run, touched = source.run(urn)
        document = run_shown(run) | {"accesses": [touched_shown(one) for one in touched]}
        self.answer(document, self.page("run", document))
        return FINE

    def _window(self) -> Window:
        now = time.time_ns() // 1_000_000
        times = {"--start": self.since, "--end": self.until}
        start, end = (parse_time(told, now, option) if told else None for option, told in times.items())
        if start is not None and end is not None and start > end:
            raise InvalidQuery("is after --end", "--start")
        return Window(start, end)
