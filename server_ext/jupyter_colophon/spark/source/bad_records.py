"""Where refused rows are kept: a file of JSON lines for each batch that had some, below a folder for the load.

Tasks write them, so the folder is one that all of them reach: on this machine, or mounted everywhere. A file is written
whole under its final name, and again with the same content where a task is run again.
"""

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jupyter_colophon.spark.source.options import WrongOption


@dataclass(frozen=True, slots=True)
class BadRecords:
    """A folder for refused rows."""

    folder: str

    @classmethod
    def at(cls, told: str | None) -> "BadRecords | None":
        """The folder that an option names; None where it names none. Raises WrongOption."""
        if not told:
            return None
        parts = urlsplit(told)
        if parts.scheme not in ("", "file"):
            raise WrongOption(f"badRecordsPath is a folder that all tasks reach as files, not {parts.scheme}:")
        folder = unquote(parts.path) if parts.scheme else told
        if not Path(folder).is_absolute():
            # A relative one would be somewhere below a folder of the task's own, which may go with it.
            raise WrongOption(f"badRecordsPath is a whole path, such as /data/bad, not {told!r}")
        return cls(folder)

    def keep(
        self, load: str, partition: int, number: int, batch: Sequence[bytes], refused: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write down the refused rows of a batch, each with its problem."""
        folder = Path(self.folder) / load
        folder.mkdir(parents=True, exist_ok=True)
        name = f"part-{partition:05}-{number:06}.json"
        part = folder / f".{name}.{uuid.uuid4().hex}"
        lines = [
            {"partition": partition, "number": number, **one, "record": json.loads(batch[one["row"]])}
            for one in refused
        ]
        part.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        os.replace(part, folder / name)
