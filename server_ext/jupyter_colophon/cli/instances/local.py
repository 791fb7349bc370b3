"""The instances of this machine, with or without a server beside."""

import getpass
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

from jupyter_colophon.cli.instances.instances_protocol import Leftover
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import SchemaspaceNotFound
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.instances.instance_query import ExportChoice, Outcome
from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.core.model.proposal import Condition
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.instances import Instances
from jupyter_colophon.service.instances.recovery import Recovery
from jupyter_colophon.service.schemaspaces.space import LoadingProblem, Migration
from jupyter_colophon.service.schemaspaces.spaces import Spaces
from jupyter_colophon.settings import Settings


class Local:
    """Asks the same services as a server's doors do. Nothing is opened before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._principal = Principal(_account())

    @cached_property
    def _spaces(self) -> Spaces:
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        manager: SchemaManager = SchemaManager.instance(config=self._settings.config)
        return manager.spaces

    @cached_property
    def _instances(self) -> Instances:
        from jupyter_colophon.schemaspaces.instances import current

        return current(self._settings)

    def spaces(self, *, deprecated: bool) -> list[str]:
        """Their names."""
        return self._spaces.names(deprecated=deprecated)

    def known(self, name: str) -> str | None:
        """The name of a schemaspace that is called so or has this id."""
        try:
            return self._spaces.space(name).key
        except SchemaspaceNotFound:
            return None

    def schemas(self, space: str) -> Mapping[str, Mapping[str, Any]]:
        """Its schemas by name."""
        return self._spaces.space(space).schemas

    def listed(self, space: str, of_schema: str | None) -> list[Instance]:
        """All instances."""
        return self._instances.list(space, invalid=True, of_schema=of_schema)

    def get(self, space: str, name: str) -> Instance:
        """One instance."""
        return self._instances.get_any(space, name, self._principal)

    def create(self, space: str, name: str | None, document: Mapping[str, Any]) -> Instance:
        """Make an instance."""
        return self._instances.create(space, name, document, self._principal)

    def replace(self, space: str, name: str, document: Mapping[str, Any], version: int | None) -> Instance:
        """Replace an instance."""
        return self._instances.update(space, name, document, Condition(version=version), self._principal)

    def merging(self, space: str, name: str) -> AbstractContextManager[None]:
        """Without a catalog, files have no versions."""
        store = self._instances.store(space)
        return store.files.merging(name) if isinstance(store, FileInstances) else nullcontext()

    def remove(self, space: str, name: str) -> None:
        """Remove an instance."""
        self._instances.remove(space, name, Condition(), self._principal)

    def exported(self, space: str, choice: ExportChoice) -> Sequence[dict[str, Any]]:
        """Documents, each with its name."""
        return self._instances.exported(space, choice, self._principal)

    def imported(
        self, space: str, documents: Sequence[Mapping[str, Any]], *, overwrite: bool, dry_run: bool
    ) -> Sequence[Outcome]:
        """Take documents in."""
        return self._instances.imported(space, documents, self._principal, overwrite=overwrite, dry_run=dry_run)

    def move(self, space: str, from_: str, to: str, *, dry_run: bool) -> Sequence[Outcome]:
        """Move all instances to another kind of store."""
        return self._instances.move(space, from_, to, self._principal, dry_run=dry_run)

    def leftovers(self, space: str) -> Sequence[Leftover]:
        """What killed saves left behind."""
        return self._recovery(space).leftovers()

    def recover(self, space: str, name: str, file: str) -> str:
        """Let a leftover be its instance again, and record that."""
        self._recovery(space).recover(file, name)
        return self._instances.get_any(space, name, self._principal).resource

    def discard(self, space: str, name: str, file: str) -> None:
        """Throw a leftover away."""
        self._recovery(space).discard(file, name)

    def migrate(self, space: str, *, dry_run: bool) -> Migration:
        """Have the schemaspace's packages migrate instances, in the stores that the settings name."""
        self._instances.exists(space)
        return self._spaces.migrate(space, dry_run=dry_run)

    def problems(self) -> Sequence[LoadingProblem]:
        """What did not load."""
        return self._spaces.problems()

    def findings(self) -> Sequence[Finding]:
        """What is wrong with instances, and what torn saves left."""
        return self._instances.findings()

    def _recovery(self, space: str) -> Recovery:
        return self._instances.recovery(space, self._principal, "admin")

    def close(self) -> None:
        """Let go of the stores, if they were opened."""
        if "_instances" in self.__dict__:
            from jupyter_colophon.schemaspaces.instances import release

            release()


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
