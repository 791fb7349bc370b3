"""`jupyter colophon dataset list|create|show|delete`."""

from pathlib import Path
from typing import Any

from jupyter_colophon.cli.catalog.command import ENTITY_HELP
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.catalog.entity_command import EntityCommand, add_pairs
from jupyter_colophon.cli.parser import Parser, whole_number
from jupyter_colophon.core.documents.json_parsing import decoded


class Dataset(EntityCommand):
    """Creates, shows, lists and deletes datasets."""

    description = "List, create, show and delete datasets."
    type, word, name_help, completer = "dataset", "Dataset", ENTITY_HELP, complete_datasets

    @classmethod
    def add_members(cls, parser: Parser) -> None:
        """Declare the options of a dataset that is created."""
        super().add_members(parser)
        parser.add_argument("--type", help="What kind of data it is, such as table.")
        parser.add_argument(
            "--ttl", type=whole_number(0, 10**18 - 1), metavar="SECONDS", help="How long its data are kept."
        )
        parser.add_argument("--schema", default="", metavar="FILE", help="Its schema, Avro as JSON or any text.")
        add_pairs(parser, "--setting", "A setting of the source itself; may be repeated.")

    def meant(self, text: str) -> str:
        """A table's name, a file's path, or a URN."""
        return self.urn(text)

    def deployment(self) -> dict[str, Any]:
        """What the options say."""
        members = super().deployment()
        args = self.args
        words = {"typeName": args.type, "ttl": None if args.ttl is None else str(args.ttl)}
        members |= {name: value for name, value in words.items() if value is not None}
        if args.setting:
            members["properties"] = dict(args.setting)
        if args.schema:
            members["schema"] = decoded(Path(args.schema).expanduser().read_bytes(), f"the file {args.schema}")
        return members
