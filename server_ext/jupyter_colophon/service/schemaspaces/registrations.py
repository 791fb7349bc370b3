"""What installed packages register: entry points, with whose they are (spec INST-4)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, NamedTuple

SCHEMASPACES = "metadata.schemaspaces"
SCHEMAS_PROVIDERS = "metadata.schemas_providers"
#: The groups that we alone read, by Elyra's of the same purpose. Elyra loads every entry point of its own groups and
#: logs an error for each that is not of its base classes, in each of its commands.
_OWN_GROUPS = {
    SCHEMASPACES: "jupyter_colophon.schemaspaces",
    SCHEMAS_PROVIDERS: "jupyter_colophon.schemas_providers",
}
OURS = "jupyter-colophon"


@dataclass(frozen=True, slots=True)
class Registration:
    """One entry point: its name, `module:attribute`, the distribution that has it, and how it is loaded."""

    name: str
    value: str
    distribution: str
    version: str
    load: Callable[[], Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it this one."""
        return self.name, self.value, self.distribution

    @property
    def ours(self) -> bool:
        """Whether we ship it."""
        return _canonical(self.distribution) == OURS


class _Owner(NamedTuple):
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Built:
    """An entry point of ours that no installation lists."""

    name: str
    value: str

    @property
    def dist(self) -> _Owner:
        """Whose it is."""
        return _Owner(OURS, "")

    def load(self) -> Any:
        """What it names."""
        module, _, attribute = self.value.partition(":")
        return getattr(import_module(module), attribute)


#: Provides the schemas that administrators stored, beside the providers of packages.
STORED: Final = Built("stored-schemas", "jupyter_colophon.schemaspaces.shipped.stored_schemas:WrittenSchemas")


def installed(group: str) -> Iterable[Any]:
    """Return the entry points of a group of all installed packages; for a group of Elyra's, ours of that purpose too."""
    own = _OWN_GROUPS.get(group)
    return [*(entry_points(group=own) if own else ()), *entry_points(group=group)]


def registrations(found: Iterable[Any], packages: Iterable[str]) -> Iterator[Registration]:
    """Entry points of this kind or of the package `entrypoints`, each once, ours first.

    `packages` are the distributions that may register anything besides us; none means all of them.
    """
    allowed = {_canonical(name) for name in packages}
    known: dict[tuple[str, str, str], Registration] = {}
    owners: dict[int, tuple[Any, str, str]] = {}
    for one in found:
        registration = _registration(one, owners)
        if not allowed or registration.ours or _canonical(registration.distribution) in allowed:
            known.setdefault(registration.key, registration)
    yield from sorted(known.values(), key=lambda one: not one.ours)


def _registration(entry_point: Any, owners: dict[int, tuple[Any, str, str]]) -> Registration:
    owner = getattr(entry_point, "dist", None) or getattr(entry_point, "distro", None)
    if id(owner) not in owners:
        owners[id(owner)] = (owner, *_about(owner))
    _, distribution, version = owners[id(owner)]
    module = getattr(entry_point, "module_name", "") or getattr(entry_point, "module", "")
    attribute = getattr(entry_point, "object_name", "") or getattr(entry_point, "attr", "")
    return Registration(
        name=str(entry_point.name),
        value=str(getattr(entry_point, "value", "") or f"{module}:{attribute}"),
        distribution=distribution,
        version=version,
        load=entry_point.load,
    )


def _about(owner: Any) -> tuple[str, str]:
    """The name and version of a distribution. Each look at its metadata reads the file anew: one look for both."""
    told = getattr(owner, "metadata", None)
    if told is None:
        return str(getattr(owner, "name", "") or ""), str(getattr(owner, "version", "") or "")
    return str(told["Name"] or ""), str(told["Version"] or "")


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
