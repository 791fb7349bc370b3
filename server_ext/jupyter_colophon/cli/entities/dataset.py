"""`jupyter colophon dataset list|create|show|delete`."""

from pathlib import Path
from typing import Any

from traitlets import Int, List, Unicode

from jupyter_colophon.cli.catalog.entity_command import EntityCommand, pairs
from jupyter_colophon.core.documents.json_parsing import decoded


class Dataset(EntityCommand):
    """Makes, shows, lists and deletes datasets."""

    name = "jupyter-colophon-dataset"
    description = "list: all datasets; create NAME, show NAME, delete NAME: a table's name, the path of a file (from / or ./), or a URN."
    aliases = EntityCommand.aliases | {
        "type": "Dataset.type_name",
        "ttl": "Dataset.ttl",
        "schema": "Dataset.schema",
        "setting": "Dataset.settings",
    }
    type, word, subject = "dataset", "Dataset", "ENTITY"

    type_name = Unicode(None, allow_none=True, config=True, help="What kind of data it is, such as table (create).")
    ttl = Int(
        None,
        allow_none=True,
        min=0,
        max=10**18 - 1,
        config=True,
        help="How long its data are kept, in seconds (create).",
    )
    schema = Unicode("", config=True, help="A file with its schema, Avro as JSON or any text (create).")
    settings = List(Unicode(), config=True, help="KEY=VALUE, what the source itself has set; more than once (create).")

    def meant(self, text: str) -> str:
        """A table's name, a file's path, or a URN."""
        return self.urn(text)

    def deployment(self) -> dict[str, Any]:
        """What the options say."""
        told = super().deployment()
        words = {"typeName": self.type_name, "ttl": None if self.ttl is None else str(self.ttl)}
        told |= {name: value for name, value in words.items() if value is not None}
        if self.settings:
            told["properties"] = pairs("setting", self.settings)
        if self.schema:
            told["schema"] = decoded(Path(self.schema).expanduser().read_bytes(), f"the file {self.schema}")
        return told
