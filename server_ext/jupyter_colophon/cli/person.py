"""`jupyter colophon person export|erase|erasures`."""

import sys
import time
from functools import partial

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, parse_path
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.save_export import save_export_atomically
from jupyter_colophon.core.privacy.erasure import FINISHED
from jupyter_colophon.rendering.page import build_table_page

_VERBS = (
    ("export", "Write everything that the catalog has of a person to a file.", "ada ada.jsonl"),
    ("erase", "Replace the names of a person by a pseudonym.", "ada --yes"),
    ("erasures", "List erasures, and what they have changed.", ""),
)
_COLUMNS = ("pseudonym", "requested by", "started", "finished", "changed")
#: How often the progress of an erasure is read, in seconds.
_POLL_S = 0.2


class PersonCommand(CatalogCommand):
    """Export or erase the data of people."""

    description = "Export what the catalog has of a person, or replace the names of a person by a pseudonym."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            if verb != "erasures":
                subparser.add_argument("person", metavar="USER", help="The name of the user.")
            if verb == "export":
                subparser.add_argument("file", metavar="FILE", type=parse_path, help="The file to write.")
            if verb == "erase":
                subparser.add_argument(
                    "--yes", action="store_true", help="Required, since an erasure cannot be undone."
                )

    def run(self) -> int:
        """Run the subcommand."""
        return {"export": self._export, "erase": self._erase, "erasures": self._list}[self.args.verb]()

    def _export(self) -> int:
        person, file = self.args.person, self.args.file
        with self.connect_to_catalog() as client, ProgressLine(sys.stderr) as line:
            lines = client.export_person({"person": person})
            count = save_export_atomically(lines, file, partial(line.show, "records"))
        self.print_result({"lines": count}, f"Exported {count} records to {file}.")
        return EXIT_OK

    def _erase(self) -> int:
        if not self.args.yes:
            return self.print_error_and_get_status("an erasure cannot be undone: add --yes to erase this person")
        with self.connect_to_catalog() as client, ProgressLine(sys.stderr) as line:
            erasure = client.start_erasure({"person": self.args.person})
            while erasure["step"] != FINISHED and not erasure["problem"]:
                line.show(f"erasing: {erasure['step']}", sum(erasure["changed"].values()))
                time.sleep(_POLL_S)
                erasure = client.read_erasure(erasure["pseudonym"])
        self.print_result(erasure, _format_erasure(erasure))
        return EXIT_FAILED if erasure["problem"] else EXIT_OK

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_erasures()
        rows = [
            (
                erasure["pseudonym"],
                erasure["requestedBy"],
                erasure["started"],
                erasure["problem"] or erasure["finished"] or erasure["step"],
                sum(erasure["changed"].values()),
            )
            for erasure in document["erasures"]
        ]
        self.print_result(document, str(build_table_page(rows, *_COLUMNS, empty="No erasures.")))
        return EXIT_OK


def _format_erasure(erasure: Document) -> str:
    if erasure["problem"]:
        return f"The erasure has stopped: {erasure['problem']}"
    lines = [f"{place}: {count}" for place, count in erasure["changed"].items()]
    changed = sum(erasure["changed"].values())
    return "\n".join([f"{changed} records changed, the pseudonym is {erasure['pseudonym']}", *lines])
