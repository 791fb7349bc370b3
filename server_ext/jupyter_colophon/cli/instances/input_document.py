"""The document of --file or --json: an instance, or only its metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.values import parse_object_or_file, read_object
from jupyter_colophon.core.identity.instance_names import generate_instance_name

FILE = Option(
    "file",
    "The filename containing the metadata instance. Can be used to bypass individual property arguments.",
    ("object",),
    hint="An existing file containing valid JSON consisting of at least the 'metadata' stanza",
)
JSON = Option(
    "json",
    "The JSON string containing the metadata instance. Can be used to bypass individual property arguments.",
    ("object",),
    hint="A JSON-formatted string consisting of at least the 'metadata' stanza (e.g., --json=\"{'metadata': {'one': 1}}\")",
)
_NAMES = ("name", "display_name", "schema_name", "resource", "reason", "metadata")


@dataclass(frozen=True, slots=True)
class InputDocument:
    """The parsed `content`. `stem` is the file's name without its suffix, "" for `--json`."""

    content: Mapping[str, Any]
    stem: str = ""

    def get_name(self, key: str) -> str | None:
        """Return `name`, `display_name` or `schema_name`, if it is given.

        As in Elyra, the instance is named after the file, or for `--json` after the display name; a member `name` is ignored.
        """
        if key == "name" and self.stem:
            return self.stem
        if key == "name":
            title = self.get_name("display_name")
            return generate_instance_name(title) if title else None
        return self.get_nonempty_text(key)

    def get_nonempty_text(self, key: str) -> str | None:
        """Return the value of a member if it is a non-empty string."""
        value = self.content.get(key)
        return value if isinstance(value, str) and value else None

    def get_metadata(self, schema_keys: frozenset[str]) -> dict[str, Any]:
        """Return the member `metadata`; without it, the whole document except names that are not keys of the schema."""
        if "metadata" not in self.content:
            return {key: value for key, value in self.content.items() if key in schema_keys or key not in _NAMES}
        metadata = self.content["metadata"]
        if not isinstance(metadata, dict):
            raise InstanceCommandError("The member 'metadata' of the given instance is not an object.", shows_help=True)
        return dict(metadata)

    def get_extra_members(self, schema_keys: frozenset[str]) -> dict[str, Any]:
        """Return the other members that are keys of the schema."""
        return (
            {key: self.content[key] for key in schema_keys if key in self.content} if "metadata" in self.content else {}
        )


def read_input_document(file: str | None, text: str | None) -> InputDocument | None:
    """Return the document of --file or --json, or None without them. Raises InstanceCommandError."""
    if file is not None and text is not None:
        raise InstanceCommandError("At most one of '--json' or '--file' can be set at a time.", shows_help=True)
    if file is not None:
        return _read_input_file(file)
    if text == "":
        raise _create_missing_value_error("--json", "value")
    return InputDocument(parse_object_or_file("--json", text)) if text is not None else None


def _read_input_file(file: str) -> InputDocument:
    if not file:
        raise _create_missing_value_error("--file", "file")
    path = Path(file)
    if not path.is_file():
        raise InstanceCommandError(
            f"Parameter '--file' requires a file with format JSON and {file} is not a file.  "
            "Try again with an appropriate value.",
            shows_help=True,
        )
    return InputDocument(read_object("--file", path), path.stem)


def _create_missing_value_error(option: str, expected: str) -> InstanceCommandError:
    return InstanceCommandError(
        f"Parameter '{option}' requires a {expected} with format JSON and no value was "
        "provided.  Try again with an appropriate value.",
        shows_help=True,
    )
