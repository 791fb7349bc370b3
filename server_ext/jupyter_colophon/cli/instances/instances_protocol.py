"""What the commands ask of: the instances on this machine, or a server's."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.instances.instance_query import ExportChoice, Outcome
from jupyter_colophon.service.schemaspaces.space import Migration


class Leftover(Protocol):
    """What a killed save left of an instance; `time` is in milliseconds, `missing` says that its own file is no use."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def file(self) -> str: ...  # noqa: D102
    @property
    def time(self) -> int: ...  # noqa: D102
    @property
    def missing(self) -> bool: ...  # noqa: D102
    @property
    def problem(self) -> str: ...  # noqa: D102


class Source(Protocol):
    """Schemaspaces and their instances. What is refused is raised as a MetadataError."""

    def spaces(self, *, deprecated: bool) -> list[str]:
        """Their names, in lower case, deprecated ones too where that is asked for."""

    def known(self, name: str) -> str | None:
        """The name, in lower case, of a schemaspace that is called so or has this id."""

    def schemas(self, space: str) -> Mapping[str, Mapping[str, Any]]:
        """Its schemas by name, without deprecated ones."""

    def listed(self, space: str, of_schema: str | None) -> list[Instance]:
        """All instances, valid or not, by name, secrets masked."""

    def get(self, space: str, name: str) -> Instance:
        """One instance, whatever is wrong with it."""

    def create(self, space: str, name: str | None, document: Mapping[str, Any]) -> Instance:
        """Make an instance."""

    def replace(self, space: str, name: str, document: Mapping[str, Any], version: int | None) -> Instance:
        """Replace an instance, if its version is still this one; None is any."""

    def merging(self, space: str, name: str) -> AbstractContextManager[None]:
        """Within it no other command merges into the same instance, where versions do not tell of it."""

    def remove(self, space: str, name: str) -> None:
        """Remove an instance, readable and valid or not."""

    def exported(self, space: str, choice: ExportChoice) -> Sequence[dict[str, Any]]:
        """Documents, each with its name."""

    def imported(
        self, space: str, documents: Sequence[Mapping[str, Any]], *, overwrite: bool, dry_run: bool
    ) -> Sequence[Outcome]:
        """Take documents in, each by itself."""

    def move(self, space: str, from_: str, to: str, *, dry_run: bool) -> Sequence[Outcome]:
        """Move all instances to another kind of store."""

    def migrate(self, space: str, *, dry_run: bool) -> Migration:
        """Have the schemaspace's providers migrate its instances."""

    def leftovers(self, space: str) -> Sequence[Leftover]:
        """What killed saves left behind, by name, the newest first."""

    def recover(self, space: str, name: str, file: str) -> str:
        """Let a leftover be its instance again; returns where it is."""

    def discard(self, space: str, name: str, file: str) -> None:
        """Throw a leftover away."""

    def close(self) -> None:
        """Let go of what is open."""


def record(instance: Instance) -> dict[str, Any]:
    """An instance as Elyra's command line shows it whole."""
    told: dict[str, Any] = {
        "name": instance.name,
        "display_name": instance.display_name,
        "metadata": dict(instance.metadata),
        "schema_name": instance.schema_name,
        **instance.extra,
        "resource": instance.resource,
    }
    return told | ({"reason": instance.reason} if instance.reason else {})
