"""`jupyter colophon retention show|apply`."""

from collections import Counter

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.rendering.page import build_table_page

_RULES = ("namespace", "entity", "aspect", "versions", "seconds")
_EXPIRED = ("namespace", "entity", "aspect", "versions")


class RetentionCommand(CatalogCommand):
    """Show and apply the rules for how long versions are kept."""

    description = "Show how long versions of aspects are kept, and delete those that are not kept."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        verbs = parser.add_group_of_subcommands()
        show = verbs.add_parser(
            "show", help="Show the rules.", description="Show the rules of the setting `retention`.", examples=("",)
        )
        super().add_arguments(show)
        apply_ = verbs.add_parser(
            "apply",
            help="Delete versions that are not kept.",
            description="Delete the versions that the rules do not keep. Servers do the same once a day.",
            examples=("--dry-run", ""),
        )
        super().add_arguments(apply_)
        apply_.add_argument("--dry-run", action="store_true", help="Print what would be deleted, and delete nothing.")

    def run(self) -> int:
        """Run the subcommand."""
        return self._show() if self.args.verb == "show" else self._apply()

    def _show(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.read_retention()
        rows = [
            (rule["namespace"], rule["entity"], rule["aspect"], rule["maxVersions"], rule["maxAgeInSeconds"])
            for rule in document["rules"]
        ]
        table = build_table_page(rows, *_RULES, empty="All versions are kept.")
        days = document["changeLogDays"]
        self.print_result(document, f"{table}\nChanges are kept {f'for {days} days' if days else 'without limit'}.")
        return EXIT_OK

    def _apply(self) -> int:
        counts: Counter[tuple[str, str, str]] = Counter()
        cursor: str | None = ""
        with self.connect_to_catalog() as client:
            while cursor is not None:
                answer = client.apply_retention(dry_run=self.args.dry_run, cursor=cursor or None)
                for item in answer["expired"]:
                    counts[item["namespace"], item["type"], item["aspect"]] += item["versions"]
                cursor = answer["cursor"]
        rows = [(*place, number) for place, number in sorted(counts.items())]
        document = {
            "dryRun": self.args.dry_run,
            "expired": [
                {"namespace": namespace, "type": type_, "aspect": aspect, "versions": number}
                for namespace, type_, aspect, number in rows
            ],
        }
        table = build_table_page(rows, *_EXPIRED, empty="No version has expired.")
        done = "would be deleted" if self.args.dry_run else "deleted"
        self.print_result(document, f"{table}\n{counts.total()} versions {done}.")
        return EXIT_OK
