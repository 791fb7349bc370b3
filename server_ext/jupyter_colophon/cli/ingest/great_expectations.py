"""Read suites and validation results of Great Expectations: a file, or all files below a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.ingest.json_files import read_json_file
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.quality.great_expectations import (
    read_suite,
    read_validation_definition,
    read_validation_results,
)
from jupyter_colophon.core.quality.imported import ImportedDataset, UnreadableResults


def read_great_expectations(place: Path) -> list[ImportedDataset]:
    """Return the datasets of a file or a folder by name; the newest result of each expectation counts.

    A suite is about the data assets of its validation definitions, or else has its own name. Files of other kinds in a
    folder are left out. Raises InvalidConfiguration.
    """
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    documents = [(file, read_json_file(file)) for file in files]
    assets: dict[str, set[str]] = {}
    for _, document in documents:
        if pair := read_validation_definition(document):
            assets.setdefault(pair[0], set()).add(pair[1])
    parts = [part for file, document in documents for part in _read_document(file, document, assets, place)]
    found: dict[str, ImportedDataset] = {}
    for part in sorted(parts, key=lambda one: one.time):
        dataset = found.setdefault(part.name, ImportedDataset(part.name))
        for id_, expectation in part.expectations.items():
            dataset.add(id_, expectation, part.results.get(id_), part.time)
    if not found:
        raise InvalidConfiguration(f"{place} has no suite and no validation result of Great Expectations")
    return list(found.values())


def _read_document(file: Path, document: Any, assets: dict[str, set[str]], place: Path) -> Iterator[ImportedDataset]:
    if suite := read_suite(document):
        for name in sorted(assets.get(suite.name, {suite.name})):
            yield ImportedDataset(name, expectations=suite.expectations)
        return
    try:
        yield from read_validation_results(document)
    except UnreadableResults as error:
        # Beside results, the folder of a project has its configuration.
        if file == place:
            raise InvalidConfiguration(f"{file} {error}") from None
