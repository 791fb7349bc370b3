"""Entry points of installed packages, with their distributions (spec INST-4)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NamedTuple

from jupyter_colophon.system import entry_points

SCHEMASPACES = "metadata.schemaspaces"
SCHEMAS_PROVIDERS = "metadata.schemas_providers"
#: Our own groups, by Elyra's groups of the same purpose. Elyra loads every entry point of its groups, and each of its
#: commands logs an error for each one that does not have its base classes.
_OWN_GROUPS = {
    SCHEMASPACES: "jupyter_colophon.schemaspaces",
    SCHEMAS_PROVIDERS: "jupyter_colophon.schemas_providers",
}
OWN_DISTRIBUTION = "jupyter-colophon"


@dataclass(frozen=True, slots=True)
class PackageRegistration:
    """One entry point: its name, `module:attribute`, its distribution, and a function that loads it."""

    name: str
    value: str
    distribution: str
    version: str
    load: Callable[[], Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the registration."""
        return self.name, self.value, self.distribution

    @property
    def is_builtin(self) -> bool:
        """Whether it is part of this package."""
        return _normalize_name(self.distribution) == OWN_DISTRIBUTION


class _OwnerDistribution(NamedTuple):
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class BuiltinEntryPoint:
    """A built-in entry point, which is not in the package metadata."""

    name: str
    value: str

    @property
    def dist(self) -> _OwnerDistribution:
        """The distribution."""
        return _OwnerDistribution(OWN_DISTRIBUTION, "")

    def load(self) -> Any:
        """Import and return the object."""
        module, _, attribute = self.value.partition(":")
        return getattr(import_module(module), attribute)


#: The provider of schemas that administrators stored.
STORED: Final = BuiltinEntryPoint(
    "stored-schemas", "jupyter_colophon.schemaspaces.shipped.stored_schemas:StoredSchemasProvider"
)


def find_entry_points(group: str) -> Iterable[Any]:
    """Return the entry points of a group; for a group of Elyra, also those of our own group of that purpose."""
    own = _OWN_GROUPS.get(group)
    return [*(entry_points.find_entry_points(own) if own else ()), *entry_points.find_entry_points(group)]


def list_registrations(candidates: Iterable[Any], packages: Iterable[str]) -> Iterator[PackageRegistration]:
    """Yield registrations for entry points (of `importlib.metadata` or the package `entrypoints`), each once, ours first.

    `packages` are the distributions that may register anything, besides ours; empty means all.
    """
    allowed = {_normalize_name(name) for name in packages}
    by_key: dict[tuple[str, str, str], PackageRegistration] = {}
    owners: dict[int, tuple[Any, str, str]] = {}
    for entry_point in candidates:
        registration = _create_registration(entry_point, owners)
        if not allowed or registration.is_builtin or _normalize_name(registration.distribution) in allowed:
            by_key.setdefault(registration.key, registration)
    yield from sorted(by_key.values(), key=lambda entry_point: not entry_point.is_builtin)


def _create_registration(entry_point: Any, owners: dict[int, tuple[Any, str, str]]) -> PackageRegistration:
    owner = getattr(entry_point, "dist", None) or getattr(entry_point, "distro", None)
    if id(owner) not in owners:
        owners[id(owner)] = (owner, *_read_distribution(owner))
    _, distribution, version = owners[id(owner)]
    module = getattr(entry_point, "module_name", "") or getattr(entry_point, "module", "")
    attribute = getattr(entry_point, "object_name", "") or getattr(entry_point, "attr", "")
    return PackageRegistration(
        name=str(entry_point.name),
        value=str(getattr(entry_point, "value", "") or f"{module}:{attribute}"),
        distribution=distribution,
        version=version,
        load=entry_point.load,
    )


def _read_distribution(owner: Any) -> tuple[str, str]:
    """Return the name and version of a distribution. Its metadata is accessed once, since each access reads the file."""
    metadata = getattr(owner, "metadata", None)
    if metadata is None:
        return str(getattr(owner, "name", "") or ""), str(getattr(owner, "version", "") or "")
    return str(metadata["Name"] or ""), str(metadata["Version"] or "")


def _normalize_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
