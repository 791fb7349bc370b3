"""What is wrong with an option's or a setting's value, in a line of plain words: which it takes, and never the value itself."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from traitlets import Bool, CInt, Container, Dict, Enum, Float, HasTraits, Int, TraitType

#: Every sentence of traitlets' about a value names the trait and its class.
_NAMED = re.compile(r"'(\w+)' trait of (?:an?|the) '?(\w+)")
#: Sentences of argparse's, which names options by their traits.
_USAGE = (
    (re.compile(r"argument ([-\w.]+)(?:/[-\w./]+)?: expected .*argument"), "{} needs a value"),
    (re.compile(r"argument ([-\w.]+)(?:/[-\w./]+)?: ignored explicit argument"), "{} takes no value"),
    (re.compile(r"unrecognized arguments: (.*)"), "this is too much: {}"),
)


def told(error: str, classes: Iterable[type[HasTraits]], aliases: Mapping[Any, Any]) -> str:
    """Traitlets' sentence about a value in plain words; as it is, where it names no trait of these classes."""
    named = _NAMED.search(error)
    kinds = {kind.__name__: kind for kind in classes}
    if named is None or named[2] not in kinds:
        return error
    trait = kinds[named[2]].class_traits().get(named[1])
    return error if trait is None else f"{_option(f'{named[2]}.{named[1]}', aliases)} takes {_taken(trait)}"


def twice(options: Iterable[str], classes: Iterable[type[HasTraits]], aliases: Mapping[Any, Any]) -> str:
    """The first option that is told again and takes one value; empty where there is none."""
    kinds, told = {kind.__name__: kind for kind in classes}, set[str]()
    for option in options:
        target = aliases.get(option, option)
        name = target[0] if isinstance(target, tuple) else target
        section, _, trait = name.partition(".")
        if name in told and not isinstance(kinds[section].class_traits().get(trait), Container | Dict):
            return _option(name, aliases)
        if section in kinds:
            told.add(name)
    return ""


def usage(said: str, aliases: Mapping[Any, Any]) -> str:
    """Argparse's sentence in plain words; as it is, where it is another one."""
    for pattern, words in _USAGE:
        if found := pattern.match(said):
            return words.format(_option(found[1].lstrip("-"), aliases) if found[1].startswith("-") else found[1])
    return said


def _option(name: str, aliases: Mapping[Any, Any]) -> str:
    """What a person writes for a trait: its alias, where it has one."""
    for alias, target in aliases.items():
        if (target[0] if isinstance(target, tuple) else target) == name:
            return f"--{alias[-1] if isinstance(alias, tuple) else alias}"
    return f"--{name}"


def _taken(trait: TraitType[Any, Any]) -> str:
    if isinstance(trait, Enum):
        return "one of " + ", ".join(str(value) for value in trait.values or () if value != "")
    if isinstance(trait, Bool):
        return "true or false"
    if isinstance(trait, Int | CInt | Float):
        kind = "a number" if isinstance(trait, Float) else "a whole number"
        ends = (("from", trait.min), ("to", trait.max))
        return " ".join([kind, *(f"{word} {end}" for word, end in ends if end is not None and end != float("-inf"))])
    return trait.info()
