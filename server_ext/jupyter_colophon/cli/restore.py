"""`jupyter colophon restore FILE`."""

import sys

from jupyter_colophon.cli.checks.verify import Verify, gathered, summary
from jupyter_colophon.cli.command import FINE, REFUSED
from jupyter_colophon.cli.filesystem_info import file_called
from jupyter_colophon.client.progress_line import Line


class Restore(Verify):
    """Fills an empty store."""

    name = "jupyter-colophon-restore"
    description = "Fill an empty store, of any provider, from a backup; then check it."
    arguments = ("FILE",)

    def work(self) -> int:
        """Take over the rows, derive the rest, verify."""
        from jupyter_colophon.service.admin.backups import checked
        from jupyter_colophon.service.registry_files import load_registry

        path = file_called(self.extra_args[0])
        with Line(sys.stderr) as line:
            # Before anything is made of a store that is not there yet.
            header = checked(path, load_registry(self.asked.overlay()), line.show)
        with self.keeper(new=True) as keeper:
            rows = keeper.backups(self.version).restore(path, header)
            found = gathered(keeper.checker().findings())
        told = [{"subject": one.subject, "fault": one.fault} for one in found]
        lines = [f"{one.subject}: {one.fault}" for one in found]
        self.answer(
            {"rows": rows, "sound": not found, "findings": told}, "\n".join([*lines, f"{rows} rows, {summary(found)}"])
        )
        return REFUSED if found else FINE
