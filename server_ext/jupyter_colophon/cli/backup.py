"""`jupyter colophon backup FILE`."""

from jupyter_colophon.cli.command import FINE, Command
from jupyter_colophon.cli.filesystem_info import file_called


class Backup(Command):
    """Writes a backup."""

    name = "jupyter-colophon-backup"
    description = "Write everything that the catalog holds at this moment to FILE (gzip; readable for you alone)."
    arguments = ("FILE",)

    def work(self) -> int:
        """Write the file, wholly or not at all."""
        path = file_called(self.extra_args[0])
        with self.keeper() as keeper:
            rows = keeper.backups(self.version).write(path)
        told = {"file": str(path), "bytes": path.stat().st_size, "rows": rows}
        self.answer(told, f"{path}: {sum(rows.values())} rows, {told['bytes']} bytes")
        return FINE
