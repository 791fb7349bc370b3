"""`jupyter colophon backup FILE`."""

from importlib.metadata import version

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, parse_path


class BackupCommand(CliCommand):
    """Write a backup."""

    description = "Write a consistent backup of the catalog to FILE (gzip). Only the file's owner can read it."
    examples = ("colophon.jsonl.gz",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the file."""
        parser.add_argument("file", metavar="FILE", type=parse_path, help="The file to write.")

    def run(self) -> int:
        """Write the file; it is replaced only when it is complete."""
        path = self.args.file
        with self.open_maintenance() as maintenance:
            rows = maintenance.create_backup_service(version("jupyter-colophon")).write_backup_file(path)
        document = {"file": str(path), "bytes": path.stat().st_size, "rows": rows}
        self.print_result(document, f"{path}: {sum(rows.values())} rows, {document['bytes']} bytes")
        return EXIT_OK
