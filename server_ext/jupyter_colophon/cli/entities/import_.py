"""`jupyter colophon import FILE`."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from jupyter_colophon.cli.catalog.client import CatalogClient
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, parse_path
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.core.entities.export_lines import split_lines_into_chunks_with_header

#: Size of the chunks that are sent: a server accepts 10 MiB by default.
_CHUNK_BYTES: Final = 4 * 1024 * 1024
_TIMEOUT_S: Final = 300.0


class ImportCommand(CatalogCommand):
    """Import a file that `export` wrote."""

    description = (
        "Import a file that `export` wrote. An aspect whose value was changed in the file and in the catalog at the same "
        "JSON path is reported as a conflict and not changed."
    )
    examples = ("sales.jsonl --dry-run", "sales.jsonl")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the file, and how it is imported."""
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=parse_path, help="A file that `export` wrote.")
        parser.add_argument("--dry-run", action="store_true", help="Print what would be imported, and change nothing.")
        parser.add_argument(
            "--overwrite", action="store_true", help="Replace values in the catalog that differ from the file."
        )

    def run(self) -> int:
        """Import the file; the exit code is 1 if there are conflicts."""
        overwrite, dry_run = self.args.overwrite, self.args.dry_run
        counts: Counter[str] = Counter()
        conflicts: list[Document] = []
        with self.connect_to_catalog() as client, ProgressLine(sys.stderr) as line:
            if not dry_run:
                # An invalid line fails the command before anything is written.
                for _ in _send_file_in_chunks(client, self.args.file, overwrite=overwrite, dry_run=True):
                    pass
            for answer in _send_file_in_chunks(client, self.args.file, overwrite=overwrite, dry_run=dry_run):
                counts.update(answer["counts"])
                conflicts += ({name: each[name] for name in ("urn", "aspect")} for each in answer["conflicts"])
                line.show("aspects", counts.total())
        lines = [f"conflict: {each['aspect']} of {each['urn']} has another value in the catalog" for each in conflicts]
        summary = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "nothing to import"
        lines.append(f"{summary}{' (dry run)' if dry_run else ''}")
        document = {"dryRun": dry_run, "counts": dict(sorted(counts.items())), "conflicts": conflicts}
        self.print_result(document, "\n".join(lines))
        return EXIT_FAILED if counts["conflict"] else EXIT_OK


def _send_file_in_chunks(client: CatalogClient, file: Path, *, overwrite: bool, dry_run: bool) -> Iterator[Document]:
    """Send the file in chunks, and yield the answers."""
    with file.open("rb") as lines:
        for chunk in split_lines_into_chunks_with_header(lines, _CHUNK_BYTES):
            yield client.import_namespace(chunk, overwrite=overwrite, dry_run=dry_run, timeout_s=_TIMEOUT_S)
