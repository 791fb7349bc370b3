"""`jupyter colophon audit list|export|verify`."""

import sys
from functools import partial
from typing import Any, Final

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_integer_type, parse_path
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.save_export import save_lines_atomically
from jupyter_colophon.core.audit import ACTIONS, OUTCOMES
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS: Final = ("time", "user", "by", "action", "outcome", "entity", "detail")
_VERBS: Final = (
    ("list", "List entries of the audit, newest first.", "--user=ada --outcome=denied --start=now-7d"),
    ("export", "Write entries of the audit to a file, a line of JSON each.", "audit.jsonl --start=2026-11-01"),
    ("verify", "Compare the audit with its seals. Exits with 1 if they differ.", ""),
)
_DEFAULT_LIMIT, _LIMIT_MAX = 50, 500


class AuditCommand(CatalogCommand):
    """The audit."""

    description = "List, export and verify who read or changed what is marked as sensitive, and what was denied."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            if verb == "export":
                subparser.add_argument("file", metavar="FILE", type=parse_path, help="The file to write.")
            if verb == "list":
                subparser.add_argument(
                    "--limit",
                    type=build_integer_type(1, _LIMIT_MAX),
                    default=_DEFAULT_LIMIT,
                    metavar="NUMBER",
                    help=f"How many entries are listed, at most {_LIMIT_MAX}. Default: {_DEFAULT_LIMIT}.",
                )
            if verb != "verify":
                _add_selection(subparser)

    def run(self) -> int:
        """Run the subcommand."""
        return {"list": self._list, "export": self._export, "verify": self._verify}[self.args.verb]()

    def _list(self) -> int:
        entries: list[dict[str, Any]] = []
        cursor, selection = None, self._read_selection()
        with self.connect_to_catalog() as client:
            while len(entries) < self.args.limit:
                page = client.list_audit_entries(**selection, limit=self.args.limit - len(entries), cursor=cursor)
                entries += page["entries"]
                if (cursor := page["cursor"]) is None:
                    break
        rows = [
            (
                entry["time"],
                entry["user"],
                entry["program"] or entry["via"] or "",
                entry["action"],
                entry["outcome"],
                entry["urn"],
                entry["detail"],
            )
            for entry in entries
        ]
        self.print_result({"entries": entries}, str(build_table_page(rows, *_COLUMNS, empty="No audit entries.")))
        return EXIT_OK

    def _export(self) -> int:
        file, selection = self.args.file, self._read_selection()
        with self.connect_to_catalog() as client, ProgressLine(sys.stderr) as line:
            lines, show = client.export_audit_entries(**selection), partial(line.show, "entries")
            count = save_lines_atomically(lines, file, show)
        noun = "entry" if count == 1 else "entries"
        self.print_result({"entries": count}, f"Exported {count} {noun} to {file}.")
        return EXIT_OK

    def _verify(self) -> int:
        problems: list[str] = []
        count, cursor = 0, None
        with self.connect_to_catalog() as client:
            while True:
                part = client.verify_audit(cursor=cursor)
                count, problems = count + part["entries"], problems + part["problems"]
                if (cursor := part["cursor"]) is None:
                    break
        document = {"entries": count, "problems": problems, "number": part["number"], "hash": part["hash"]}
        lines = problems or [f"no problems found; entry {part['number']} has the hash {part['hash']}"]
        self.print_result(document, "\n".join(lines))
        return EXIT_FAILED if problems else EXIT_OK

    def _read_selection(self) -> dict[str, Any]:
        urn = None if self.args.entity is None else self.resolve_urn(self.args.entity)
        chosen = {name: getattr(self.args, name) for name in ("user", "program", "run", "action", "outcome")}
        return chosen | {"urn": urn} | self.parse_time_options("start", "end")


def _add_selection(parser: CommandParser) -> None:
    parser.add_argument("--user", metavar="USER", help="Only entries of this user, or service account service:NAME.")
    parser.add_argument("--entity", metavar="ENTITY", help="Only entries about this table, file or URN.")
    parser.add_argument("--program", metavar="URN", help="Only entries by this program.")
    parser.add_argument("--run", metavar="URN", help="Only entries by this run.")
    parser.add_argument("--action", choices=ACTIONS, help="Only entries with this action.")
    parser.add_argument("--outcome", choices=OUTCOMES, help="Only entries with this outcome.")
    parser.add_argument("--start", metavar="TIME", help="Only entries from this time on, such as now-7d or 2026-11-01.")
    parser.add_argument("--end", metavar="TIME", help="Only entries before this time.")
