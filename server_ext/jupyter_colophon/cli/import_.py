"""`jupyter colophon import FILE`."""

import sys

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.import_export import taken_in
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser, file_path
from jupyter_colophon.client.progress_line import Line


class Importing(CatalogCommand):
    """Takes an exported namespace in."""

    description = (
        "Take in what `export` wrote. What was changed both in the file and in the catalog, at the same place, is told "
        "and left as it is."
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
        with self.source() as source, Line(sys.stderr) as line:
            told = taken_in(
                source,
                self.args.file,
                overwrite=self.args.overwrite,
                dry_run=self.args.dry_run,
                done=lambda done: line.show("aspects", done),
            )
        lines = [f"{aspect} of {urn} is there with another value" for urn, aspect in told.conflicts]
        counts = dict(sorted(told.counts.items()))
        summary = ", ".join(f"{count} {word}" for word, count in counts.items()) or "nothing to take in"
        lines.append(f"{summary}{' (dry run)' if self.args.dry_run else ''}")
        conflicts = [{"urn": urn, "aspect": aspect} for urn, aspect in told.conflicts]
        self.answer({"dryRun": self.args.dry_run, "counts": counts, "conflicts": conflicts}, "\n".join(lines))
        return EXIT_FAILED if told.counts["conflict"] else EXIT_OK
