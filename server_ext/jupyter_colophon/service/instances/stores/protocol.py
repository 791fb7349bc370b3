"""The protocol of metadata stores, which store the instances of one schemaspace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.instances.instance import SaveResult, StoredInstance
from jupyter_colophon.core.model.proposal import WriteCondition


class InstanceStore(Protocol):
    """The instances of one schemaspace. All methods are safe for concurrent use by threads and processes.

    A store stores documents, with their secrets; it knows neither schemas nor hooks. Every change of it is eventually
    recorded in the change log.
    """

    #: The schemaspace's name, in lower case.
    space: str
    #: Whether its documents may contain secrets, because it protects them itself.
    keeps_secrets: bool

    def has_stored_instances(self) -> bool:
        """Return whether anything was ever stored for this schemaspace."""

    def list_instance_names(self) -> list[str]:
        """Return the names of all instances at any level, sorted, without opening them."""

    def find_instance(self, name: str) -> StoredInstance | None:
        """Return one instance. An unreadable file is returned with its problem, not raised."""

    def read_existing_instances(self, names: Iterable[str]) -> Iterator[StoredInstance]:
        """Yield the existing instances of these names. Unchanged ones are not read again."""

    def read_and_record_current(self, name: str) -> tuple[StoredInstance | None, int | None]:
        """Return one instance with the version of its record; unrecorded content is recorded first.

        The version is None if there is no instance, and while the catalog is unavailable.
        """

    def record_and_read_versions(self, stored: Sequence[StoredInstance]) -> Mapping[str, int | None]:
        """Return the versions by name, as `read_and_record_current` does; None also for instances changed since they were read."""

    def save_instance(
        self, name: str, document: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> SaveResult:
        """Save an instance, durably and atomically. A condition of version -1 requires that no instance of the name exists.

        Raises InstanceExists, ConditionFailed, AccessDenied, StoreFull, StorageError.
        """

    def remove_instance(self, name: str, condition: WriteCondition, principal: Principal) -> SaveResult:
        """Remove an instance, readable or not. Raises InstanceNotFound, RemovalNotPermitted (it is not `own`), ConditionFailed."""

    def close_store(self) -> None:
        """Release all resources."""
