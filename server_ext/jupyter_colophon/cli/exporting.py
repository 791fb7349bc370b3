"""`jupyter colophon export NAMESPACE FILE`."""

import sys

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.keeping import kept_lines
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.cli.places import file_called
from jupyter_colophon.cli.progress import Line


class Exporting(CatalogCommand):
    """Writes a namespace to a file."""

    name = "jupyter-colophon-export"
    description = "Write all that is said in a namespace to a file, one sorted line an aspect."
    arguments = ("NAMESPACE", "FILE")

    def work(self) -> int:
        """Write it, all at once or not at all."""
        namespace, file = self.extra_args
        with self.source() as source, Line(sys.stderr) as line:
            count = kept_lines(source, namespace, file_called(file), lambda done: line.show("aspects", done))
        self.answer({"namespace": namespace, "lines": count}, f"Wrote {count} aspects of {namespace} to {file}.")
        return FINE
