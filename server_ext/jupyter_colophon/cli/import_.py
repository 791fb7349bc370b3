"""`jupyter colophon import FILE`."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jupyter_colophon.cli.catalog.client import CatalogClient
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser, file_path
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.core.entities.export_lines import chunks

#: How many bytes of lines are sent at once: a server takes 10 MiB by default.
_SENT_BYTES: Final = 4 * 1024 * 1024
_TIMEOUT_S: Final = 300.0


class Importing(CatalogCommand):
    """Takes an exported namespace in."""

    description = (
        "Import a file that `export` wrote. An aspect that was changed both in the file and in the catalog, at the same "
        "place, is reported as a conflict and left as it is."
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the file, and what happens to values that differ."""
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=file_path, help="What `export` wrote.")
        parser.add_argument("--dry-run", action="store_true", help="Write nothing; print what would be done.")
        parser.add_argument("--overwrite", action="store_true", help="Overwrite values of the catalog that differ.")

    def run(self) -> int:
        """Take it in; conflicts end with 1."""
        overwrite, dry_run = self.args.overwrite, self.args.dry_run
        counts: Counter[str] = Counter()
        conflicts: list[Document] = []
        with self.client() as client, Line(sys.stderr) as line:
            if not dry_run:
                # Nothing is written where a line cannot be taken in.
                for _ in _import(client, self.args.file, overwrite=overwrite, dry_run=True):
                    pass
            for answer in _import(client, self.args.file, overwrite=overwrite, dry_run=dry_run):
                counts.update(answer["counts"])
                conflicts += ({name: one[name] for name in ("urn", "aspect")} for one in answer["conflicts"])
                line.show("aspects", counts.total())
        lines = [f"{one['aspect']} of {one['urn']} is there with another value" for one in conflicts]
        summary = ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing to take in"
        lines.append(f"{summary}{' (dry run)' if dry_run else ''}")
        document = {"dryRun": dry_run, "counts": dict(sorted(counts.items())), "conflicts": conflicts}
        self.answer(document, "\n".join(lines))
        return EXIT_FAILED if counts["conflict"] else EXIT_OK


def _import(client: CatalogClient, file: Path, *, overwrite: bool, dry_run: bool) -> Iterator[Document]:
    """Send a file in parts, and yield the answers."""
    with file.open("rb") as lines:
        for part in chunks(lines, _SENT_BYTES):
            yield client.import_namespace(part, overwrite=overwrite, dry_run=dry_run, timeout_s=_TIMEOUT_S)
