"""The seam of metadata stores: where the instances of one schemaspace are kept."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.instances.instance import Held, Kept
from jupyter_colophon.core.model.proposal import Condition


class InstanceStore(Protocol):
    """The instances of one schemaspace. Each call is safe from any thread, and beside other processes.

    A store keeps documents; it knows neither schemas nor hooks. Documents come with their secrets in place. Everything
    that it changes is a change in the change log, sooner or later.
    """

    #: The schemaspace's name, in lower case.
    space: str
    #: Whether secrets may stand in its documents: it keeps them from others' eyes, or that is its own business.
    keeps_secrets: bool

    def exists(self) -> bool:
        """Whether anything was ever kept for this schemaspace."""

    def names(self) -> list[str]:
        """The names of all instances at any level, sorted. Opens none of them."""

    def read(self, name: str) -> Held | None:
        """One instance, as it is now. A file that cannot be read is Held with its problem, not an error."""

    def read_many(self, names: Iterable[str]) -> Iterator[Held]:
        """Those of the names that are there. What is unchanged since it was last read costs no reading."""

    def current(self, name: str) -> tuple[Held | None, int | None]:
        """One instance with the version of its record, which is made first where the content is not the one recorded.

        The version is None where there is no instance, and while the catalog is away.
        """

    def versions(self, held: Sequence[Held]) -> Mapping[str, int | None]:
        """The versions of these, by name, as by `current`; None also for what changed since it was read."""

    def save(self, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal) -> Kept:
        """Write it whole, durably. A condition of version -1 means that no instance of the name is at any level.

        Raises InstanceExists, ConditionFailed, AccessDenied, StoreFull, StorageError.
        """

    def remove(self, name: str, condition: Condition, principal: Principal) -> Kept:
        """Remove it, readable or not. Raises InstanceNotFound, RemovalNotPermitted (it is not `own`), ConditionFailed."""

    def close(self) -> None:
        """Let go of it."""
