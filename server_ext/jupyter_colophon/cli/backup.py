"""`jupyter colophon backup FILE`."""

from importlib.metadata import version

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, file_path


class Backup(Command):
    """Writes a backup."""

    description = "Write everything that the catalog holds at this moment to FILE (gzip; readable for you alone)."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the file."""
        parser.add_argument("file", metavar="FILE", type=file_path, help="The file to write.")

    def run(self) -> int:
        """Write the file, wholly or not at all."""
        path = self.args.file
        with self.keeper() as keeper:
            rows = keeper.backups(version("jupyter-colophon")).write(path)
        document = {"file": str(path), "bytes": path.stat().st_size, "rows": rows}
        self.answer(document, f"{path}: {sum(rows.values())} rows, {document['bytes']} bytes")
        return EXIT_OK
