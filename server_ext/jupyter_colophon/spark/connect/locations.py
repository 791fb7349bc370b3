"""Paths as a Spark Connect server completes them: the program's machine may have other files."""

import os
import re
from collections.abc import Iterable
from typing import Final

from jupyter_colophon.capture.origins import Dataset, Source

#: Formats of files and folders.
FILE_FORMATS: Final = frozenset(
    {"parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile", "delta", "libsvm"}
)
#: Set by PySpark if the server runs on this machine, started by the program.
_LOCAL_SERVER: Final = "SPARK_LOCAL_REMOTE"
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_WAREHOUSE: Final = re.compile(r"(file:|hdfs://[^/]*)/")
_PATTERN: Final = re.compile(r"[*?\[{]")
#: A part file of Spark; its folder is the dataset.
_PART_FILE: Final = re.compile(r"/part-\d{5}[-.][^/]*$")


class ServerFiles:
    """Completes paths. The default file system is that of the warehouse, whose location the server reports completely."""

    def __init__(self, warehouse: str | None) -> None:
        """Create the files of a server; `warehouse` is the location of its warehouse, None if unknown."""
        match = _WAREHOUSE.match(warehouse or "")
        self._prefix = match[1] if match else None

    def list_datasets(self, paths: Iterable[str], format_: str | None) -> tuple[Source, ...] | None:
        """Return files and folders by their paths, of patterns their folder; None if one of them cannot be completed."""
        locations = [self._complete_path(path) for path in paths]
        if not locations or None in locations:
            return None
        return tuple(Dataset(location=each, format=format_) for each in dict.fromkeys(filter(None, locations)))

    def _complete_path(self, path: str) -> str | None:
        match = _PATTERN.search(path)
        text = _PART_FILE.sub("", path[: match.start()].rpartition("/")[0] if match else path)
        if _SCHEME.match(text):
            return re.sub(r"^file:/+", "file:/", text)
        if not text or self._prefix is None:
            return None
        if text.startswith("/"):
            return f"{self._prefix}{os.path.normpath(text)}"
        is_local = self._prefix == "file:" and os.environ.get(_LOCAL_SERVER) is not None
        return f"file:{os.path.abspath(text)}" if is_local else None
