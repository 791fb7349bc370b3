"""The options of `create` and `update`, made of a schema's properties."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_colophon.cli.instances.option import COMPOSING, Option, of_property

#: Options of the command itself; a property of such a name is set by --file or --json alone.
OWN = ("file", "json", "schema_name", "name", "output", "debug", "log-level", "help")


def options_of(schema: Mapping[str, Any], *, creates: bool, whole: bool) -> list[Option]:
    """An option for each property beside `metadata`, and for each in it.

    `creates` says that `display_name` and the like are required, `whole` that all of the metadata comes from here and
    so what the schema requires of it is.
    """
    options: dict[str, Option] = {}
    for name, says in _properties(schema).items():
        if name == "metadata":
            required = _required(says) if whole else ()
            for inner, inner_says in _properties(says).items():
                if inner not in OWN:
                    options[inner] = of_property(inner, inner_says, "metadata", required=inner in required)
        elif name not in OWN:
            required = _required(schema) if creates else ()
            options[name] = of_property(name, says, "document", required=name in required)
    return list(options.values())


def document_keys(schema: Mapping[str, Any]) -> frozenset[str]:
    """What the schema knows beside `metadata` and the names."""
    return frozenset(_properties(schema)) - {"metadata", "schema_name", "display_name", "name"}


def metadata_keys(schema: Mapping[str, Any]) -> frozenset[str]:
    """What the schema knows in `metadata`."""
    return frozenset(_properties(_properties(schema).get("metadata")))


def composed_note(options: Sequence[Option], say: Callable[[str], None]) -> None:
    """Print which properties an option describes in part only."""
    composed = [option.name for option in options if option.composing]
    if composed:
        say(
            "Note: The following properties in this schema contain JSON keywords that are not supported by the tooling: "
            f"{composed}."
        )
        say(
            "Their types, descriptions and values may be incomplete here. They can be set as JSON, or by --file or --json."
        )
        say(f"The following are considered unsupported keywords: {list(COMPOSING)}")


def _properties(schema: object) -> Mapping[str, Any]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _required(schema: object) -> tuple[str, ...]:
    found = schema.get("required") if isinstance(schema, Mapping) else None
    return tuple(found) if isinstance(found, list | tuple) else ()
