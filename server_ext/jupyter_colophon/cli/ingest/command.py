"""`jupyter colophon ingest dbt TARGET_DIR`, `… great-expectations FILE|DIR` (docs/how-to/connect-dbt.md)."""

import sys
from typing import Any, Final

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.ingest.dbt_project import DbtOptions, read_dbt_project
from jupyter_colophon.cli.ingest.dbt_writer import DbtWriter
from jupyter_colophon.cli.ingest.great_expectations import read_great_expectations
from jupyter_colophon.cli.ingest.quality_writer import QualityWriter
from jupyter_colophon.cli.parser import CommandParser, parse_path
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.core.dbt.tables import ENGINE

_VERBS: Final = (
    (
        "dbt",
        "Ingest the artifacts of dbt: models, columns, lineage, runs and tests.",
        "target --connection=postgres://db:5432",
    ),
    (
        "great-expectations",
        "Ingest suites and validation results of Great Expectations: a file, or a folder with files.",
        "gx --dataset orders=sales.orders",
    ),
)


class IngestCommand(CatalogCommand):
    """Ingest what other tools left in files."""

    description = (
        "Ingest what dbt or Great Expectations left in files. A repeated call writes only what differs; what people and"
        " other clients wrote is kept."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the tools."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            subparser.add_argument(
                "--dry-run", action="store_true", help="Print what would be written, and change nothing."
            )
            (_add_dbt_arguments if verb == "dbt" else _add_great_expectations_arguments)(subparser)

    def run(self) -> int:
        """Ingest, and print what was written; the exit code is 1 if something was refused."""
        document, text = self._ingest_dbt() if self.args.verb == "dbt" else self._ingest_great_expectations()
        self.print_result(document, text)
        return EXIT_FAILED if document["problems"] else EXIT_OK

    def _ingest_dbt(self) -> tuple[dict[str, Any], str]:
        args = self.args
        options = DbtOptions(
            args.target_dir,
            args.catalog,
            args.run_results,
            args.connection,
            args.profiles_dir,
            args.profile,
            args.target,
            args.job_namespace,
        )
        project = read_dbt_project(options, self.settings.build_identity())
        with self.connect_to_catalog() as catalog, ProgressLine(sys.stderr) as line:
            writer = DbtWriter(catalog, project, dry_run=args.dry_run, show=line.show)
            return writer.write(with_runs=not args.no_runs, remove_missing=args.remove_missing)

    def _ingest_great_expectations(self) -> tuple[dict[str, Any], str]:
        datasets = read_great_expectations(self.args.place)
        with self.connect_to_catalog() as catalog, ProgressLine(sys.stderr) as line:
            writer = QualityWriter(catalog, "great-expectations", dry_run=self.args.dry_run)
            return writer.write_named(datasets, dict(self.args.dataset), self.resolve_urn, line.show)


def _add_dbt_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "target_dir",
        metavar="TARGET_DIR",
        type=parse_path,
        help="The folder with manifest.json, and with catalog.json and run_results.json if dbt wrote them.",
    )
    parser.add_argument(
        "--connection",
        default="",
        metavar="URL",
        help="Where the tables are, as OpenLineage names it: postgres://HOST:PORT, duckdb:///FILE. Default: the"
        " target in profiles.yml.",
    )
    parser.add_argument(
        "--profiles-dir",
        type=parse_path,
        metavar="DIR",
        help="The folder with profiles.yml. Default: DBT_PROFILES_DIR, the folder of the project, that of the last"
        " run, or ~/.dbt.",
    )
    parser.add_argument("--profile", default="", metavar="NAME", help="The profile. Default: that of the project.")
    parser.add_argument(
        "--target", default="", metavar="NAME", help="The target. Default: that of the last run, or of the profile."
    )
    parser.add_argument("--catalog", type=parse_path, metavar="FILE", help="The catalog, if it is not in TARGET_DIR.")
    parser.add_argument(
        "--run-results", type=parse_path, metavar="FILE", help="The run results, if they are not in TARGET_DIR."
    )
    parser.add_argument(
        "--job-namespace",
        default=ENGINE,
        metavar="NAME",
        help="OpenLineage's namespace of the jobs, as in dbt-ol's OPENLINEAGE_NAMESPACE. Default: dbt.",
    )
    parser.add_argument(
        "--no-runs", action="store_true", help="Leave out the runs: dbt-ol has reported them as events."
    )
    parser.add_argument(
        "--remove-missing",
        action="store_true",
        help="Mark what the project had before, and no longer has, as removed. Without it, it is only listed.",
    )


def _add_great_expectations_arguments(parser: CommandParser) -> None:
    parser.add_argument("place", metavar="FILE|DIR", type=parse_path, help="A JSON file, or a folder with JSON files.")
    add_pairs_option(
        parser,
        "--dataset",
        "Ingest what NAME has in the tool into this dataset, as NAME=DATASET; may be repeated.",
    )
