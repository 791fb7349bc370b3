"""`jupyter colophon import FILE`."""

import sys

from traitlets import Bool

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.import_export import taken_in
from jupyter_colophon.cli.command import FINE, REFUSED
from jupyter_colophon.cli.filesystem_info import file_called
from jupyter_colophon.client.progress_line import Line


class Importing(CatalogCommand):
    """Takes an exported namespace in."""

    name = "jupyter-colophon-import"
    description = (
        "Take in what `export` wrote. What was changed both in the file and in the catalog, at the same place, is told "
        "and left as it is."
    )
    arguments = ("FILE",)
    flags = CatalogCommand.flags | {
        "dry-run": ({"Importing": {"dry_run": True}}, "Write nothing; say what would be done."),
        "overwrite": ({"Importing": {"overwrite": True}}, "Overwrite what is there with another value."),
    }

    dry_run = Bool(False, config=True, help="Write nothing; say what would be done.")
    overwrite = Bool(False, config=True, help="Overwrite what is there with another value.")

    def work(self) -> int:
        """Take it in; conflicts end with 1."""
        file = file_called(self.extra_args[0])
        with self.source() as source, Line(sys.stderr) as line:
            told = taken_in(
                source,
                file,
                overwrite=self.overwrite,
                dry_run=self.dry_run,
                done=lambda done: line.show("aspects", done),
            )
        lines = [f"{aspect} of {urn} is there with another value" for urn, aspect in told.conflicts]
        counts = dict(sorted(told.counts.items()))
        summary = ", ".join(f"{count} {word}" for word, count in counts.items()) or "nothing to take in"
        lines.append(f"{summary}{' (dry run)' if self.dry_run else ''}")
        conflicts = [{"urn": urn, "aspect": aspect} for urn, aspect in told.conflicts]
        self.answer({"dryRun": self.dry_run, "counts": counts, "conflicts": conflicts}, "\n".join(lines))
        return REFUSED if told.counts["conflict"] else FINE
