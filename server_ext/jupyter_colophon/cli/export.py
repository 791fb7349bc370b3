"""`jupyter colophon export NAMESPACE FILE`."""

import sys
from functools import partial

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with, file_path
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.save_export import save_lines


class Exporting(CatalogCommand):
    """Writes a namespace to a file."""

    description = "Write the aspects of a namespace to a file, one a line, sorted."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the namespace and the file."""
        super().add_arguments(parser)
        complete_with(parser.add_argument("namespace", metavar="NAMESPACE"), complete_namespaces)
        parser.add_argument("file", metavar="FILE", type=file_path, help="The file to write.")

    def run(self) -> int:
        """Write it, all at once or not at all."""
        namespace, file = self.args.namespace, self.args.file
        with self.client() as client, Line(sys.stderr) as line:
            lines, show = client.export_namespace(namespace), partial(line.show, "aspects")
            count = save_lines(lines, file, show)
        self.answer({"namespace": namespace, "lines": count}, f"Wrote {count} aspects of {namespace} to {file}.")
        return EXIT_OK
