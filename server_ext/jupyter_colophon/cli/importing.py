"""`jupyter colophon import FILE`."""

from collections import Counter
from pathlib import Path

from traitlets import Bool

from jupyter_colophon.cli.catalog.keeping import taken_in
from jupyter_colophon.cli.command import FINE, REFUSED, Command


class Importing(Command):
    """Takes an exported namespace in."""

    name = "jupyter-colophon-import"
    description = "Take in what `export` wrote. What is there with another value is told, and left as it is."
    arguments = ("FILE",)
    flags = Command.flags | {
        "dry-run": ({"Importing": {"dry_run": True}}, "Write nothing; say what would be done."),
        "overwrite": ({"Importing": {"overwrite": True}}, "Overwrite what is there with another value."),
    }

    dry_run = Bool(False, config=True, help="Write nothing; say what would be done.")
    overwrite = Bool(False, config=True, help="Overwrite what is there with another value.")

    def work(self) -> int:
        """Take it in; conflicts end with 1."""
        told = taken_in(self.asked, Path(self.extra_args[0]), overwrite=self.overwrite, dry_run=self.dry_run)
        counts = Counter(one.outcome for one in told)
        conflicts = [{"urn": str(one.line.urn), "aspect": one.line.aspect} for one in told if one.outcome == "conflict"]
        lines = [f"{one['aspect']} of {one['urn']} is there with another value" for one in conflicts]
        summary = ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing to take in"
        lines.append(f"{summary}{' (dry run)' if self.dry_run else ''}")
        self.answer({"dryRun": self.dry_run, "counts": dict(counts), "conflicts": conflicts}, "\n".join(lines))
        return REFUSED if conflicts else FINE
