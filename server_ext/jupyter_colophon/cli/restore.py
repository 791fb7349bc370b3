"""`jupyter colophon restore FILE`."""

import sys
from importlib.metadata import version

from jupyter_colophon.cli.checks.verify import gathered, summary
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser, file_path
from jupyter_colophon.client.progress_line import Line


class Restore(Command):
    """Fills an empty store."""

    description = "Fill an empty store, of any provider, from a backup; then check it."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the file."""
        parser.add_argument("file", metavar="FILE", type=file_path, help="What `backup` wrote.")

    def run(self) -> int:
        """Take over the rows, derive the rest, verify."""
        from jupyter_colophon.service.admin.backups import checked
        from jupyter_colophon.service.registry_files import load_registry

        path = self.args.file
        with Line(sys.stderr) as line:
            # Before anything is made of a store that is not there yet.
            header = checked(path, load_registry(self.settings.overlay()), line.show)
        with self.keeper(new=True) as keeper:
            rows = keeper.backups(version("jupyter-colophon")).restore(path, header)
            found = gathered(keeper.checker().findings())
        documents = [{"subject": one.subject, "fault": one.fault} for one in found]
        lines = [f"{one.subject}: {one.fault}" for one in found]
        self.answer(
            {"rows": rows, "sound": not found, "findings": documents},
            "\n".join([*lines, f"{rows} rows, {summary(found)}"]),
        )
        return EXIT_FAILED if found else EXIT_OK
