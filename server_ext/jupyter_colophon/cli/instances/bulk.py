"""A document that comes whole, by --file or --json: an instance, or its metadata alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.values import object_in, object_of_file
from jupyter_colophon.core.identity.instance_names import normalized

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
class Bulk:
    """What was given. `stem` is the file's name without its suffix, "" for `--json`."""

    given: Mapping[str, Any]
    stem: str = ""

    def word(self, key: str) -> str | None:
        """Return `name`, `display_name` or `schema_name`, if it is given.

        As in Elyra, a file names the instance by its own name, and `--json` by its display name; a member `name` does not.
        """
        if key == "name" and self.stem:
            return self.stem
        if key == "name":
            title = self.word("display_name")
            return normalized(title) if title else None
        return self.member(key)

    def member(self, key: str) -> str | None:
        """Return a member that is text, and not empty."""
        value = self.given.get(key)
        return value if isinstance(value, str) and value else None

    def metadata(self, known: frozenset[str]) -> dict[str, Any]:
        """The metadata; all of it where there is no such member, without names that the schema does not know in there."""
        if "metadata" not in self.given:
            return {key: value for key, value in self.given.items() if key in known or key not in _NAMES}
        metadata = self.given["metadata"]
        if not isinstance(metadata, dict):
            raise Refusal("The member 'metadata' of the given instance is no object.", shows_help=True)
        return dict(metadata)

    def beside(self, known: frozenset[str]) -> dict[str, Any]:
        """What else the schema knows beside `metadata`."""
        return {key: self.given[key] for key in known if key in self.given} if "metadata" in self.given else {}


def bulk_of(file: str | None, text: str | None) -> Bulk | None:
    """The document of --file or --json; None where there is neither. Raises Refusal."""
    if file is not None and text is not None:
        raise Refusal("At most one of '--json' or '--file' can be set at a time.", shows_help=True)
    if file is not None:
        return _of_file(file)
    if text == "":
        raise _without_value("--json", "value")
    return Bulk(object_in("--json", text)) if text is not None else None


def _of_file(file: str) -> Bulk:
    if not file:
        raise _without_value("--file", "file")
    path = Path(file)
    if not path.is_file():
        raise Refusal(
            f"Parameter '--file' requires a file with format JSON and {file} is not a file.  "
            "Try again with an appropriate value.",
            shows_help=True,
        )
    return Bulk(object_of_file("--file", path), path.stem)


def _without_value(option: str, what: str) -> Refusal:
    return Refusal(
        f"Parameter '{option}' requires a {what} with format JSON and no value was "
        "provided.  Try again with an appropriate value.",
        shows_help=True,
    )
