"""`jupyter colophon export NAMESPACE FILE`."""

import sys
from functools import partial

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, parse_path, set_completer
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.save_export import save_export_atomically


class ExportCommand(CatalogCommand):
    """Export a namespace to a file."""

    description = "Write the aspects of a namespace to a file: sorted lines of JSON, one per aspect."
    examples = ("sales sales.jsonl",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the namespace and the file."""
        super().add_arguments(parser)
        namespace = parser.add_argument("namespace", metavar="NAMESPACE", help="The namespace to export.")
        set_completer(namespace, complete_namespaces)
        parser.add_argument("file", metavar="FILE", type=parse_path, help="The file to write.")

    def run(self) -> int:
        """Write the file; it is replaced only when it is complete."""
        namespace, file = self.args.namespace, self.args.file
        with self.connect_to_catalog() as client, ProgressLine(sys.stderr) as line:
            lines, show = client.export_namespace(namespace), partial(line.show, "aspects")
            count = save_export_atomically(lines, file, show)
        self.print_result(
            {"namespace": namespace, "lines": count}, f"Exported {count} aspects of {namespace} to {file}."
        )
        return EXIT_OK
