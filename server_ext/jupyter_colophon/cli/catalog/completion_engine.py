"""What can come next on a command line that somebody is typing."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traitlets.utils.importstring import import_item

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Identity, parse_data_name
from jupyter_colophon.core.identity.urn import PREFIX

if TYPE_CHECKING:
    from jupyter_colophon.cli.app import ColophonApp

#: What is called; the command comes behind it.
_PROGRAMS = ("colophon", "jupyter-colophon")
#: What stands behind an option, as the arguments of commands are called.
_OF_OPTIONS = {"namespace": "NAMESPACE", "tag": "TAG", "prefix": "KEY", "values": "KEY", "property": "KEY=VALUE"}


@dataclass(frozen=True, slots=True)
class Typed:
    """A line up to the cursor: options and words behind the program's name, and the word that is not finished."""

    options: Sequence[str]
    words: Sequence[str]
    last: str

    @classmethod
    def of(cls, line: str) -> "Typed":
        """The line as a shell has it."""
        try:
            parts = shlex.split(line)
        except ValueError:
            # A quote that is still open.
            parts = line.split()
        last = parts.pop() if parts and not line[-1:].isspace() else ""
        at = next((at for at, part in enumerate(parts) if part.rpartition("/")[2] in _PROGRAMS), -1)
        behind = parts[at + 1 :]
        dashed = [part for part in behind if part.startswith("-")]
        return cls(dashed, [part for part in behind if not part.startswith("-")], last)


@dataclass(frozen=True, slots=True)
class Next:
    """Finds what can come next; the catalog is opened where its names are asked for alone."""

    typed: Typed
    app: "type[ColophonApp]"
    opened: Callable[[], CatalogSource]
    identity: Identity

    def candidates(self) -> list[str]:
        """Whole words, sorted. Raises MetadataError, OSError."""
        found = (one for one in self._found() if one.startswith(self.typed.last) and one.isprintable())
        return sorted(set(found))

    def _found(self) -> Iterable[str]:
        commands = self.app.subcommands
        if not self.typed.words:
            return _options(self.app) if self.typed.last.startswith("-") else list(commands)
        command, *given = self.typed.words
        if command not in commands:
            return []
        kind = import_item(commands[command][0])
        if not self.typed.last.startswith("-"):
            return self._words(kind, len(given))
        option, equals, value = self.typed.last.partition("=")
        if not equals:
            return _options(kind)
        return [f"{option}={one}" for one in self._named(_OF_OPTIONS.get(option.lstrip("-"), ""), value)]

    def _words(self, kind: Any, place: int) -> Iterable[str]:
        verbs: Sequence[str] = getattr(kind, "verbs", ())
        if verbs:
            return verbs if place == 0 else self._named(kind.subject, self.typed.last) if place == 1 else ()
        names = [*getattr(kind, "arguments", ()), getattr(kind, "more", "")]
        return self._named(names[min(place, len(names) - 1)], self.typed.last)

    def _named(self, what: str, begun: str) -> list[str]:
        find = _FINDERS.get(what)
        if find is None:
            return []
        source = self.opened()
        try:
            return list(find(self, source, begun))
        finally:
            source.close()

    def namespaces(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """Names of namespaces."""
        yield from (one.namespace for one in source.begun("namespace", "", begun))

    def datasets(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """Datasets as people call them, or before a dot the namespaces that they are in."""
        yield from self._within(source, "dataset", begun, lambda name: str(parse_data_name(name, self.identity)))

    def applications(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """Applications as `<namespace>.<name>`."""
        yield from self._within(source, "dataFlow", begun, lambda name: "")

    def tags(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """Tags that there are."""
        yield from (one.text for one in source.keys(begun) if one.kind == "tag")

    def keys(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """Keys of properties that there are."""
        yield from (one.text for one in source.keys(begun) if one.kind == "property")

    def pairs(self, source: CatalogSource, begun: str) -> Iterator[str]:
        """The same, before their values."""
        yield from (f"{key}=" for key in self.keys(source, begun))

    def _within(self, source: CatalogSource, type_: str, begun: str, urn_of: Callable[[str], str]) -> Iterator[str]:
        space, dot, name = begun.partition(".")
        if begun.startswith(PREFIX):
            return
        if not dot:
            yield from (f"{one}." for one in self.namespaces(source, space))
            return
        for one in source.begun(type_, space, name):
            called = f"{one.namespace}.{one.name}"
            if _meant(urn_of, called) in ("", one.urn):
                yield called


def _meant(urn_of: Callable[[str], str], called: str) -> str | None:
    try:
        return urn_of(called)
    except InvalidName:
        return None


_FINDERS: dict[str, Callable[[Next, CatalogSource, str], Iterator[str]]] = {
    "NAMESPACE": Next.namespaces,
    "ENTITY": Next.datasets,
    "APPLICATION": Next.applications,
    "TAG": Next.tags,
    "KEY": Next.keys,
    "KEY=VALUE": Next.pairs,
}


def _options(kind: Any) -> list[str]:
    return ["--help", *(f"--{name}" for name in kind.flags), *(f"--{name}=" for name in kind.aliases)]
