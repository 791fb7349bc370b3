"""Storage of rejected rows: a file of JSON lines for each batch with rejected rows, in a folder for each load.

Tasks write these files, so the folder must be accessible to all of them: local, or a shared mount. A file is written
completely and then renamed; if a task is repeated, it writes the same content.
"""

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jupyter_colophon.spark.source.options import InvalidOption


@dataclass(frozen=True, slots=True)
class BadRecords:
    """A folder for rejected rows."""

    folder: str

    @classmethod
    def from_option(cls, value: str | None) -> "BadRecords | None":
        """Create it from an option; None if the option is not set. Raises InvalidOption."""
        if not value:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("", "file"):
            raise InvalidOption(
                f"badRecordsPath must be a folder in a file system that all tasks can access, not {parts.scheme}:"
            )
        folder = unquote(parts.path) if parts.scheme else value
        if not Path(folder).is_absolute():
            # A relative path would be below the working directory of a task, which may be deleted with it.
            raise InvalidOption(f"badRecordsPath must be an absolute path, such as /data/bad, not {value!r}")
        return cls(folder)

    def write_rejected(
        self, load: str, partition: int, number: int, batch: Sequence[bytes], refused: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write the rejected rows of a batch, each with its problem."""
        folder = Path(self.folder) / load
        folder.mkdir(parents=True, exist_ok=True)
        name = f"part-{partition:05}-{number:06}.json"
        part = folder / f".{name}.{uuid.uuid4().hex}"
        lines = [
            {"partition": partition, "number": number, **rejection, "record": json.loads(batch[rejection["row"]])}
            for rejection in refused
        ]
        part.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        os.replace(part, folder / name)
