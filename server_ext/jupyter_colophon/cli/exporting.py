"""`jupyter colophon export NAMESPACE FILE`."""

from pathlib import Path

from jupyter_colophon.cli.catalog.keeping import kept_lines
from jupyter_colophon.cli.command import FINE, Command


class Exporting(Command):
    """Writes a namespace to a file."""

    name = "jupyter-colophon-export"
    description = "Write all that is said in a namespace to a file, one sorted line an aspect."
    arguments = ("NAMESPACE", "FILE")

    def work(self) -> int:
        """Write it, all at once or not at all."""
        namespace, file = self.extra_args
        count = kept_lines(self.asked, namespace, Path(file))
        self.answer({"namespace": namespace, "lines": count}, f"Wrote {count} aspects of {namespace} to {file}.")
        return FINE
