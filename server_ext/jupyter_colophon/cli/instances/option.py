"""An option of a command, most of them made of a property of a schema."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: Where an option's value goes: to the command itself, beside `metadata` in the document, or into it.
Target = Literal["command", "document", "metadata"]
#: Keywords in a property's schema from which no single option can be made (spec INST-12).
COMPOSING = ("$ref", "$defs", "$anchor", "oneOf", "anyOf", "allOf")
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
    """One option. `kinds` are JSON's types as the schema names them, none where it does not; a flag takes no value.

    `items` is the type of an array's items, "" where the schema does not say. `composing` are the keywords because of
    which the option alone may not say everything.
    """

    name: str
    description: str = ""
    kinds: tuple[str, ...] = ("string",)
    target: Target = "command"
    choices: tuple[Any, ...] = ()
    is_required: bool = False
    has_default: bool = False
    is_flag: bool = False
    is_secret: bool = False
    items: str = ""
    composing: tuple[str, ...] = ()
    hint: str = ""

    @property
    def kind(self) -> str:
        """The type in one word; "" where there is none, or more than one."""
        return self.kinds[0] if len(self.kinds) == 1 else ""

    @property
    def format(self) -> str:
        """How its value is written."""
        if self.hint:
            return self.hint
        if self.choices:
            return f"must be one of: {list(self.choices)}"
        return " or ".join(_HINTS.get(kind, kind) for kind in self.kinds) or "JSON, or sequence of characters"

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to a parser: None where it is absent, "" where it has no value."""
        if self.is_flag:
            parser.add_argument(
                f"--{self.name}", nargs="?", const=True, default=False, type=_true_or_false, help=self.description
            )
        else:
            parser.add_argument(
                f"--{self.name}", dest=self.name, nargs="?", const="", metavar="VALUE", help=self.description
            )

    def lines(self) -> list[str]:
        """The option in a help text."""
        if self.is_flag:
            return [f"--{self.name}", f"\t{self.description}"]
        requirement = f"{'Required. ' if self.is_required else ''}Format: {self.format}"
        note = (
            f" *** References unsupported keywords: {set(self.composing)}.  See note below." if self.composing else ""
        )
        lines = [f"--{self.name}=<{'|'.join(self.kinds) or '?'}> ({requirement}){note}"]
        if self.description:
            lines.append(f"\t{self.description}")
        if self.is_secret:
            lines.append("\tA secret: others may see it among this machine's processes; --file hides it.")
        return lines


def flag(name: str, description: str) -> Option:
    """An option without a value."""
    return Option(name, description, ("boolean",), is_flag=True)


def _true_or_false(text: str) -> bool:
    if text.lower() not in ("true", "1", "false", "0"):
        raise argparse.ArgumentTypeError("takes no value, or true or false")
    return text.lower() in ("true", "1")


def of_property(name: str, schema: object, target: Target, *, required: bool) -> Option:
    """The option of a property. A schema that is no object says nothing."""
    says: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    items = says.get("items")
    return Option(
        name=name,
        description=str(says.get("description") or says.get("title") or ""),
        kinds=_kinds(says),
        target=target,
        choices=_choices(says),
        is_required=required,
        has_default="default" in says,
        is_secret=_is_secret(says),
        items=items["type"] if isinstance(items, Mapping) and isinstance(items.get("type"), str) else "",
        composing=tuple(word for word in COMPOSING if word in says) if not _constants(says) else (),
    )


def _kinds(says: Mapping[str, Any]) -> tuple[str, ...]:
    kind = says.get("type", ())
    if isinstance(kind, str):
        return (kind,)
    return tuple(str(one) for one in kind) if isinstance(kind, list | tuple) else ()


def _choices(says: Mapping[str, Any]) -> tuple[Any, ...]:
    choices = says.get("enum")
    return tuple(choices) if isinstance(choices, list | tuple) else _constants(says)


def _constants(says: Mapping[str, Any]) -> tuple[Any, ...]:
    """What `oneOf` or `anyOf` choose from, where each of them is one constant: an enumeration with titles."""
    for word in ("oneOf", "anyOf"):
        branches = says.get(word)
        if isinstance(branches, list) and all(isinstance(one, Mapping) and "const" in one for one in branches):
            return tuple(one["const"] for one in branches)
    return ()


def _is_secret(says: Mapping[str, Any]) -> bool:
    hints = says.get("uihints")
    return says.get("format") == "password" or (isinstance(hints, Mapping) and hints.get("secure") is True)
