"""The options of `create` and `update`, derived from a schema's properties."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_colophon.cli.instances.option import UNSUPPORTED_KEYWORDS, Option, create_property_option

#: Options of the command itself. A property with such a name can only be set by --file or --json.
COMMAND_OPTIONS = ("file", "json", "schema_name", "name", "output", "debug", "log-level", "help")


def create_options(schema: Mapping[str, Any], *, document_required: bool, metadata_required: bool) -> list[Option]:
    """Return an option for each property of the document and of its `metadata`.

    Args:
        schema: the JSON Schema of the instance.
        document_required: whether required properties of the document, such as `display_name`, are required options.
        metadata_required: whether required properties of `metadata` are required options.
    """
    options: dict[str, Option] = {}
    for name, definition in _read_properties(schema).items():
        if name == "metadata":
            required = _read_required(definition) if metadata_required else ()
            for inner, inner_definition in _read_properties(definition).items():
                if inner not in COMMAND_OPTIONS:
                    options[inner] = create_property_option(
                        inner, inner_definition, "metadata", required=inner in required
                    )
        elif name not in COMMAND_OPTIONS:
            required = _read_required(schema) if document_required else ()
            options[name] = create_property_option(name, definition, "document", required=name in required)
    return list(options.values())


def list_document_keys(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the properties of the document without `metadata` and names."""
    return frozenset(_read_properties(schema)) - {"metadata", "schema_name", "display_name", "name"}


def list_metadata_keys(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the properties of `metadata`."""
    return frozenset(_read_properties(_read_properties(schema).get("metadata")))


def print_unsupported_note(options: Sequence[Option], write_line: Callable[[str], None]) -> None:
    """Print a note on properties that options do not fully represent."""
    names = [option.name for option in options if option.unsupported]
    if names:
        write_line(
            "Note: The following properties in this schema contain JSON keywords that are not supported by the tooling: "
            f"{names}."
        )
        write_line(
            "Their types, descriptions and values may be incomplete here. They can be set as JSON, or by --file or --json."
        )
        write_line(f"The following are considered unsupported keywords: {list(UNSUPPORTED_KEYWORDS)}")


def _read_properties(schema: object) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def _read_required(schema: object) -> tuple[str, ...]:
    required = schema.get("required") if isinstance(schema, Mapping) else None
    return tuple(required) if isinstance(required, list | tuple) else ()
