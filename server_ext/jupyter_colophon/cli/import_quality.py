"""`jupyter colophon import-quality great-expectations FILE|DIR`, `… dbt TARGET_DIR` (docs/how-to/check-data-quality.md)."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.ingest.great_expectations import read_great_expectations
from jupyter_colophon.cli.ingest.json_files import read_json_file
from jupyter_colophon.cli.ingest.quality_writer import describe_imports
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.aspect_edits import edit_aspect_with_retries
from jupyter_colophon.client.programs.entity import resolve_entity
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName
from jupyter_colophon.core.quality.dbt import read_test_results
from jupyter_colophon.core.quality.imported import ImportedDataset, UnreadableResults
from jupyter_colophon.core.quality.results import EXPECTATIONS

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

_VERBS = (
    (
        "great-expectations",
        "Import validation results of Great Expectations: a file, or a folder with files.",
        "uncommitted/validations --dataset orders=sales.orders",
    ),
    ("dbt", "Import the tests of a target folder of dbt, with the results of the last run.", "target"),
)


class ImportQualityCommand(CatalogCommand):
    """Import expectations and results of other tools."""

    description = (
        "Import what Great Expectations or dbt expect of datasets, and what they found. Expectations of earlier imports"
        " from the same tool are replaced; others are kept."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the tools."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            place = (
                ("FILE|DIR", "A JSON file, or a folder with JSON files.")
                if verb != "dbt"
                else ("TARGET_DIR", "The folder with manifest.json and run_results.json.")
            )
            subparser.add_argument("place", metavar=place[0], help=place[1])
            add_pairs_option(
                subparser,
                "--dataset",
                "Import what NAME has in the tool into this dataset, as NAME=DATASET; may be repeated.",
            )

    def run(self) -> int:
        """Import, and print what was imported."""
        place = Path(self.args.place)
        datasets = _read_dbt(place) if self.args.verb == "dbt" else read_great_expectations(place)
        names = dict(self.args.dataset)
        targets = [(_resolve_dataset(names.get(item.name, item.name)), item) for item in datasets]
        with self.connect_to_catalog() as catalog:
            for urn, item in targets:
                import_dataset(catalog, urn, item, self.args.verb)
        imported, table = describe_imports(targets, empty="Nothing to import.")
        self.print_result({"datasets": imported}, table)
        return EXIT_OK


def import_dataset(catalog: "Operations", urn: str, item: ImportedDataset, tool: str) -> None:
    """Write the expectations and record the results of a dataset. Raises ClientError."""
    edit_aspect_with_retries(catalog, urn, EXPECTATIONS, lambda stored: item.replace_expectations(stored, tool))
    at = item.time or time.time_ns() // 1_000_000
    if item.results:
        body = {"source": {"kind": "import", "name": tool}, "time": at, "results": item.results}
        catalog.record_quality_results(urn, body)


def _resolve_dataset(name: str) -> str:
    try:
        return str(resolve_entity(name).urn)
    except InvalidName as error:
        raise InvalidConfiguration(f"{name}: {error.detail}; name the dataset with --dataset={name}=DATASET") from None


def _read_dbt(place: Path) -> list[ImportedDataset]:
    manifest, results = (read_json_file(place / name) for name in ("manifest.json", "run_results.json"))
    return list(_explain_unreadable(place, read_test_results, manifest, results))


def _explain_unreadable(place: Path, read: Any, *documents: Any) -> Iterable[ImportedDataset]:
    try:
        datasets: list[ImportedDataset] = read(*documents)
    except UnreadableResults as error:
        raise InvalidConfiguration(f"{place} {error}") from None
    return datasets
