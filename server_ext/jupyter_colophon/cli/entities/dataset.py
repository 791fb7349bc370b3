"""`jupyter colophon dataset list|create|show|delete`."""

from pathlib import Path
from typing import Any

from jupyter_colophon.cli.catalog.command import ENTITY_HELP
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.catalog.entity_command import EntityCommand, add_pairs_option
from jupyter_colophon.cli.parser import CommandParser, build_integer_type
from jupyter_colophon.core.documents.json_parsing import decode_utf8


class DatasetCommand(EntityCommand):
    """List, create, show and delete datasets."""

    description = "List, create, show and delete datasets."
    entity_type = "dataset"
    label = "Dataset"
    name_help = ENTITY_HELP
    completer = complete_datasets
    create_example = "sales.orders --description='One row per order' --tag=reviewed"

    @classmethod
    def add_entity_options(cls, parser: CommandParser) -> None:
        """Declare the options of `create`."""
        super().add_entity_options(parser)
        parser.add_argument("--type", help="The kind of dataset, such as table.")
        parser.add_argument(
            "--ttl", type=build_integer_type(0, 10**18 - 1), metavar="SECONDS", help="How long its data is kept."
        )
        parser.add_argument(
            "--schema", default="", metavar="FILE", help="A file with its schema: Avro as JSON, or any text."
        )
        add_pairs_option(parser, "--setting", "A property of the data source; may be repeated.")

    def resolve_entity(self, name: str) -> str:
        """Return the URN for a table name, the path of a file, or a URN. Raises InvalidName."""
        return self.resolve_urn(name)

    def build_registration_document(self) -> dict[str, Any]:
        """Return the options as a document of the CDAP API. Raises OSError."""
        members = super().build_registration_document()
        args = self.args
        texts = {"typeName": args.type, "ttl": None if args.ttl is None else str(args.ttl)}
        members |= {name: value for name, value in texts.items() if value is not None}
        if args.setting:
            members["properties"] = dict(args.setting)
        if args.schema:
            members["schema"] = decode_utf8(Path(args.schema).expanduser().read_bytes(), f"the file {args.schema}")
        return members
