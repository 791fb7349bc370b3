"""Where the data of a dataset is, as far as it can be read on this machine by the dataset's name alone."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.core.errors import DataUnreadable
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.spark.crawl.catalogs import CatalogTables, CrawlTargetNotFound
from jupyter_colophon.spark.crawl.discovered import Discovered, FoundDataset, PathFilter
from jupyter_colophon.spark.crawl.local_files import FolderWalk

_FILE_PLATFORM = "file"


@dataclass(frozen=True, slots=True)
class DataLocation:
    """The data of a dataset: a file or folder of this machine, else a table of Spark."""

    urn: str
    path: Path | None
    table: str

    @classmethod
    def parse(cls, urn: Urn) -> "DataLocation":
        """Return the location, without starting Spark. Raises DataUnreadable with the reason if it cannot be read here."""
        platform, name = urn.parse_part_as_urn(0).parts[0], urn.parts[1]
        if platform not in (_FILE_PLATFORM, dataset_names.HOME_PLATFORM):
            raise DataUnreadable(f"data of the platform {platform} is not read by its name: check it in a notebook")
        if find_spec("pyspark") is None:
            raise DataUnreadable("PySpark is not installed here: pip install jupyter-colophon[spark]")
        if platform == dataset_names.HOME_PLATFORM:
            return cls(str(urn), None, _quote_table_name(name))
        path = Path(name)
        try:
            path.stat()
        except OSError as error:
            raise DataUnreadable(f"{name} cannot be read on this machine: {error.strerror}") from error
        return cls(str(urn), path, "")

    def find_dataset(self, spark: Any) -> FoundDataset:
        """Return the dataset as crawls find it. Raises DataUnreadable."""
        selection = PathFilter()
        try:
            found: Any = FolderWalk(self.path, selection) if self.path else CatalogTables(spark, self.table, selection)
        except CrawlTargetNotFound as error:
            raise DataUnreadable(str(error)) from error
        first: Discovered | None = next(iter(found), None)
        if not isinstance(first, FoundDataset):
            reason = "is not a dataset" if first is None else first.reason
            raise DataUnreadable(f"{self.path or self.table} {reason}")
        if first.ref.urn != self.urn:
            raise DataUnreadable(f"{self.path or self.table} has several datasets: check one of them")
        return first


def _quote_table_name(name: str) -> str:
    """Return the name of a table in Spark, with its catalog: that of `catalog/database.table`."""
    catalog, _, table = name.rpartition("/")
    database, _, last = table.rpartition(".")
    return ".".join(f"`{part}`" for part in (catalog or dataset_names.HOME_CATALOG, database or "default", last))
