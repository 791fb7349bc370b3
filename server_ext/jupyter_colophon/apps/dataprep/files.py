"""Connections to folders of files."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, ClassVar, Self

from jupyter_colophon.apps import ServiceContext
from jupyter_colophon.apps.dataprep.connection import Entry
from jupyter_colophon.apps.shipped.bodies import Body
from jupyter_colophon.apps.shipped.folders import find_file, list_folder, require_permitted_folder
from jupyter_colophon.apps.shipped.samples import (
    MEMBERS,
    READING_MEMBERS,
    Sample,
    SampleOptions,
    parse_reading_members,
    read_sample,
)


@dataclass(frozen=True, slots=True)
class FileConnection:
    """A folder of files, and how they are read unless a sample differs."""

    members: ClassVar[tuple[str, ...]] = ("folder", *READING_MEMBERS)
    sample_members: ClassVar[tuple[str, ...]] = MEMBERS
    folder: str
    reading: Mapping[str, Any]

    @classmethod
    def from_body(cls, context: ServiceContext, body: Body) -> Self:
        """Return the connection of a document. Raises BadRequest."""
        return cls(str(require_permitted_folder(context, body.get_text("folder"))), parse_reading_members(body))

    def get_properties(self) -> Mapping[str, Any]:
        """Return the folder, and how files are read."""
        return {"folder": self.folder, **self.reading}

    def test(self, context: ServiceContext) -> str:
        """Require that the folder is permitted and exists. Raises BadRequest."""
        count = len(list_folder(require_permitted_folder(context, self.folder), ""))
        return f"the folder has {count} {'entry' if count == 1 else 'entries'}"

    def list_entries(self, context: ServiceContext, path: str) -> list[Entry]:
        """Return the folders and files of a folder. Raises NotFound, BadRequest."""
        entries = list_folder(require_permitted_folder(context, self.folder), path)
        return [
            {
                **entry,
                "path": str(PurePosixPath(path, entry["name"])),
                "canBrowse": entry["type"] == "folder",
                "canSample": entry["type"] == "file",
            }
            for entry in entries
        ]

    def read_sample(self, context: ServiceContext, body: Body) -> tuple[dict[str, Any], Sample]:
        """Return the file and how it is read, and the sample. Raises NotFound, BadRequest."""
        folder = require_permitted_folder(context, self.folder)
        options = SampleOptions.from_body(Body({**self.reading, **body.document}, MEMBERS))
        file = find_file(folder, options.path)
        source = {
            "path": options.path,
            "file": str(file),
            "format": options.format,
            "header": options.header,
            "delimiter": options.separator,
            "encoding": options.encoding,
        }
        return source, read_sample(file, options, context.get_remaining_seconds)
