"""`jupyter colophon export NAMESPACE FILE`."""

import sys
from functools import partial

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.cli.filesystem_info import file_called
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.save_export import kept_lines


class Exporting(CatalogCommand):
    """Writes a namespace to a file."""

    name = "jupyter-colophon-export"
    description = "Write all that is said in a namespace to a file, one sorted line an aspect."
    arguments = ("NAMESPACE", "FILE")

    def work(self) -> int:
        """Write it, all at once or not at all."""
        namespace, file = self.extra_args
        with self.source() as source, Line(sys.stderr) as line:
            lines, show = source.exported(namespace), partial(line.show, "aspects")
            count = kept_lines(lines, file_called(file), show)
        self.answer({"namespace": namespace, "lines": count}, f"Wrote {count} aspects of {namespace} to {file}.")
        return FINE
