"""Options of commands on instances. Most are derived from a property of a schema."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: Where an option's value goes: to the command, into the document, or into the document's `metadata`.
Target = Literal["command", "document", "metadata"]
#: Keywords of a property's schema that a single option cannot represent (spec INST-12).
UNSUPPORTED_KEYWORDS = ("$ref", "$defs", "$anchor", "oneOf", "anyOf", "allOf")
_HINTS = {
    "array": "\"['item1', 'item2']\" or \"item1,item2\"",
    "object": "\"{'str1': 'value1', 'int2': 2}\" or file containing JSON",
    "integer": "'n' where 'n' is an integer",
    "number": "'n.m' where 'n' and 'm' are integers",
    "boolean": "'true' or 'false'",
    "null": "'null' or 'None'",
    "string": "sequence of characters",
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option. `types` are the JSON types in the schema, if any. A flag takes no value.

    `items` is the type of an array's items, or "". `unsupported` are keywords of the schema that the option does not
    represent.
    """

    name: str
    description: str = ""
    types: tuple[str, ...] = ("string",)
    target: Target = "command"
    choices: tuple[Any, ...] = ()
    is_required: bool = False
    has_default: bool = False
    is_flag: bool = False
    is_secret: bool = False
    items: str = ""
    unsupported: tuple[str, ...] = ()
    hint: str = ""

    @property
    def type(self) -> str:
        """The type, or "" if there is not exactly one."""
        return self.types[0] if len(self.types) == 1 else ""

    @property
    def format(self) -> str:
        """The format of its value."""
        if self.hint:
            return self.hint
        if self.choices:
            return f"must be one of: {list(self.choices)}"
        return " or ".join(_HINTS.get(name, name) for name in self.types) or "JSON, or sequence of characters"

    def add_to_parser(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to a parser. Its value is None if it is absent, and "" if it is given without a value."""
        if self.is_flag:
            parser.add_argument(
                f"--{self.name}", nargs="?", const=True, default=False, type=_parse_flag_value, help=self.description
            )
        else:
            parser.add_argument(
                f"--{self.name}", dest=self.name, nargs="?", const="", metavar="VALUE", help=self.description
            )

    def format_help(self) -> list[str]:
        """Return the lines of the option in help."""
        if self.is_flag:
            return [f"--{self.name}", f"\t{self.description}"]
        requirement = f"{'Required. ' if self.is_required else ''}Format: {self.format}"
        note = (
            f" *** References unsupported keywords: {set(self.unsupported)}.  See note below."
            if self.unsupported
            else ""
        )
        lines = [f"--{self.name}=<{'|'.join(self.types) or '?'}> ({requirement}){note}"]
        if self.description:
            lines.append(f"\t{self.description}")
        if self.is_secret:
            lines.append("\tA secret: other users can see it in the list of processes; use --file instead.")
        return lines


def create_flag_option(name: str, description: str) -> Option:
    """Return an option without a value."""
    return Option(name, description, ("boolean",), is_flag=True)


def _parse_flag_value(text: str) -> bool:
    if text.lower() not in ("true", "1", "false", "0"):
        raise argparse.ArgumentTypeError("must have no value, or true or false")
    return text.lower() in ("true", "1")


def create_property_option(name: str, schema: object, target: Target, *, required: bool) -> Option:
    """Return the option of a property. A schema that is not an object is ignored."""
    definition: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    items = definition.get("items")
    return Option(
        name=name,
        description=str(definition.get("description") or definition.get("title") or ""),
        types=_read_types(definition),
        target=target,
        choices=_read_choices(definition),
        is_required=required,
        has_default="default" in definition,
        is_secret=_is_secret(definition),
        items=items["type"] if isinstance(items, Mapping) and isinstance(items.get("type"), str) else "",
        unsupported=_list_unsupported_keywords(definition),
    )


def _read_types(definition: Mapping[str, Any]) -> tuple[str, ...]:
    types = definition.get("type", ())
    if isinstance(types, str):
        return (types,)
    return tuple(str(name) for name in types) if isinstance(types, list | tuple) else ()


def _read_choices(definition: Mapping[str, Any]) -> tuple[Any, ...]:
    choices = definition.get("enum")
    return tuple(choices) if isinstance(choices, list | tuple) else _read_constants(definition)


def _read_constants(definition: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the constants of `oneOf` or `anyOf` if every branch is a constant: an enumeration with titles."""
    for keyword in ("oneOf", "anyOf"):
        branches = definition.get(keyword)
        if isinstance(branches, list) and all(isinstance(branch, Mapping) and "const" in branch for branch in branches):
            return tuple(branch["const"] for branch in branches)
    return ()


def _list_unsupported_keywords(definition: Mapping[str, Any]) -> tuple[str, ...]:
    if _read_constants(definition):
        return ()
    return tuple(keyword for keyword in UNSUPPORTED_KEYWORDS if keyword in definition)


def _is_secret(definition: Mapping[str, Any]) -> bool:
    hints = definition.get("uihints")
    return definition.get("format") == "password" or (isinstance(hints, Mapping) and hints.get("secure") is True)
