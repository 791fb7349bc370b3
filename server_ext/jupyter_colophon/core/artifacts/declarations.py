"""The plugins that the classes of an artifact declare."""

import ast
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from jupyter_colophon.core.artifacts.artifact import DeclaredPlugin, PluginUse
from jupyter_colophon.core.artifacts.source_modules import NotLiteral, SourceClass, SourceModule, SourceTree
from jupyter_colophon.core.errors import Problem


class _Base(NamedTuple):
    """What a base class declares for its plugins. An empty type must be declared by the plugin."""

    use: PluginUse
    type: str
    inputs: tuple[int, int | None]


#: The base classes of plugins: `jupyter_colophon.pipelines.plugin`, `jupyter_colophon.apps` and `jupyter_colophon.wrangling`.
_BASES: Final = {
    "SourcePlugin": _Base("pipeline", "source", (0, 0)),
    "TransformPlugin": _Base("pipeline", "transform", (1, 1)),
    "SinkPlugin": _Base("pipeline", "sink", (1, 1)),
    "ActionPlugin": _Base("pipeline", "action", (0, 0)),
    "ApplicationPlugin": _Base("application", "", (0, 0)),
    "DirectivePlugin": _Base("application", "directive", (0, 0)),
}
_STAGE_TYPES: Final = ("source", "transform", "aggregator", "joiner", "sink", "action")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_TEXT_MAX: Final = 1_000


class InvalidDeclaration(Exception):
    """A class that is not a valid plugin."""


def read_plugins_of_module(module: SourceModule) -> Iterator[DeclaredPlugin]:
    """Yield the plugins of a single module: its public classes with a base class of plugins. Raises InvalidDeclaration."""
    tree = SourceTree(lambda name: module if name == module.name else None)
    for node in module.classes.values():
        class_ = SourceClass(module, node)
        if not node.name.startswith("_") and tree.find_base_named(class_, _BASES):
            yield read_plugin(tree, class_, f"{module.name}:{node.name}")


def read_plugin(tree: SourceTree, class_: SourceClass, value: str) -> DeclaredPlugin:
    """Return the plugin that a class declares. Raises InvalidDeclaration."""
    base = _BASES.get(tree.find_base_named(class_, _BASES))
    if base is None:
        raise InvalidDeclaration(f"{value} has none of the base classes {', '.join(_BASES)}")
    reader = _AttributeReader(tree, class_, value)
    name = reader.read_word("name", "")
    type_ = reader.read_word("type", base.type)
    if (type_ == "directive") != (base.type == "directive"):
        raise InvalidDeclaration(
            f"{value}: classes of the type directive, and no others, have the base class DirectivePlugin"
        )
    if base.use == "pipeline" and type_ not in _STAGE_TYPES:
        raise InvalidDeclaration(f"{value}: type must be one of {', '.join(_STAGE_TYPES)}")
    title = reader.read_text("title", name)
    description = reader.read_text("description", _get_first_line_of_docstring(class_.node))
    return DeclaredPlugin(
        base.use,
        type_,
        name,
        title,
        description,
        value,
        reader.read_inputs(base.inputs),
        tuple(reader.read_texts("arguments")),
        {
            "title": title,
            "description": description,
            "type": "object",
            "properties": reader.read_properties(),
            "required": reader.read_texts("required"),
            "additionalProperties": False,
        },
    )


def find_repeated_plugins(plugins: list[DeclaredPlugin]) -> Iterator[Problem]:
    """Yield a problem for each plugin with the use, type and name of an earlier one."""
    seen: dict[tuple[str, str, str], str] = {}
    for plugin in plugins:
        first = seen.setdefault((plugin.use, plugin.type, plugin.name), plugin.value)
        if first != plugin.value:
            yield Problem("", f"{plugin.value} and {first} declare the same {plugin.type} {plugin.name}")


class _AttributeReader:
    """Reads the attributes of one class, which must be literals."""

    def __init__(self, tree: SourceTree, class_: SourceClass, value: str) -> None:
        self._tree, self._class, self._value = tree, class_, value

    def read_word(self, name: str, default: str) -> str:
        word = self._read(name, default)
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            raise InvalidDeclaration(
                f"{self._value}: {name} must be a text of at most 64 letters, digits, . _ and -, that begins with a letter"
            )
        return word

    def read_text(self, name: str, default: str) -> str:
        text = self._read(name, default)
        if not isinstance(text, str):
            raise InvalidDeclaration(f"{self._value}: {name} must be a text")
        return text[:_TEXT_MAX]

    def read_texts(self, name: str) -> list[str]:
        texts = self._read(name, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise InvalidDeclaration(f"{self._value}: {name} must be a tuple of texts")
        return texts

    def read_properties(self) -> dict[str, Any]:
        properties = self._read("properties", {})
        if not isinstance(properties, dict):
            raise InvalidDeclaration(f"{self._value}: properties must be a mapping of names to JSON Schemas")
        return properties

    def read_inputs(self, default: tuple[int, int | None]) -> tuple[int, int | None]:
        inputs = self._read("takes", list(default))
        match inputs:
            case [int() as fewest, int() | None as most] if fewest >= 0:
                return fewest, most
        raise InvalidDeclaration(f"{self._value}: takes must be a minimum and a maximum number of inputs")

    def _read(self, name: str, default: Any) -> Any:
        try:
            return self._tree.read_attribute(self._class, name, default)
        except NotLiteral:
            raise InvalidDeclaration(
                f"{self._value}: {name} must be a literal, since the code is not executed to list its plugins"
            ) from None


def _get_first_line_of_docstring(node: ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]
