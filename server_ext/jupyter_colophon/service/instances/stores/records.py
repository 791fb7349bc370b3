"""The records of instances in the catalog: the aspect `instance`, its versions, and who changed it."""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import CommitUnknown, NotFound, StorageError, TransactionConflict, TransactionTimeout
from jupyter_colophon.core.identity.names import Urn, make_instance_urn, make_namespace_urn
from jupyter_colophon.core.model.proposal import ABSENT, Proposal, WriteCondition

# Not imported at run time: listing files needs no catalog, and the command line must start fast.
if TYPE_CHECKING:
    from jupyter_colophon.service.write_path import WritePath
    from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext

#: The aspect, and the API that manages it (schemas/aspects/instance.json).
ASPECT: Final = "instance"
API: Final = "instances"
#: The member that names the source of truth; without it, that is the record itself.
SOURCE: Final = "$kept"
#: The member that changes with the secrets.
DIGEST: Final = "$secrets"
#: The member with the reason why the instance cannot be read.
PROBLEM: Final = "$problem"
#: The pause before an unavailable catalog is tried again, in seconds.
PAUSE_S = 5.0


class InstanceRecord(NamedTuple):
    """A current record. `text` is its stored value, `time` is in milliseconds."""

    version: int
    text: str
    time: int
    actor: str

    @property
    def value(self) -> dict[str, Any]:
        """The value. Raises StoreDamaged."""
        value: dict[str, Any] = parse_stored_json(self.text)
        return value


class InstanceRecords:
    """Reads and writes the records of one open catalog. All methods raise StorageError."""

    def __init__(self, provider: "StorageProvider", write_path: "WritePath") -> None:
        self._provider, self._write_path = provider, write_path

    def read_existing_records(self, space: str, names: Sequence[str]) -> dict[str, InstanceRecord]:
        """Return the existing records of these instances, by name."""
        keys = [(str(make_instance_urn(space, name)), ASPECT) for name in names]

        def read_records(tx: "TableContext") -> dict[str, InstanceRecord]:
            rows = {row["urn"]: row for row in tx.get_table("aspects").read_many(keys)}
            pairs = ((name, rows.get(urn)) for name, (urn, _) in zip(names, keys, strict=True))
            return {
                name: _create_record_of_row(row) for name, row in pairs if row is not None and row["value"] is not None
            }

        return self._provider.tx_runner.run(read_records, read_only=True)

    def read_records_of_schemaspace(self, space: str) -> dict[str, InstanceRecord]:
        """Return the records of all instances of a schemaspace, by name."""
        from jupyter_colophon.storage.spi import Range

        head = str(make_instance_urn(space, "x")).removesuffix("x)")
        # "-" is the character after ",", so this takes every URN of the schemaspace and no other.
        within = Range((head,), (f"{head[:-1]}-",), end_inclusive=False)

        def read_space(tx: "TableContext") -> dict[str, InstanceRecord]:
            rows = tx.get_table("aspects").scan(within)
            live = (row for row in rows if row["aspect"] == ASPECT and row["value"] is not None)
            return {Urn.parse(row["urn"]).parts[1]: _create_record_of_row(row) for row in live}

        return self._provider.tx_runner.run(read_space, read_only=True)

    def has_namespace(self, name: str) -> bool:
        """Return whether a namespace exists."""
        from jupyter_colophon.storage.entities.aspects import find_entity_summary

        urn = str(make_namespace_urn(name))
        return self._provider.tx_runner.run(lambda tx: find_entity_summary(tx, urn), read_only=True) is not None

    def read_value_of_version(self, space: str, name: str, version: int) -> dict[str, Any]:
        """Return the value of a version, also of a removed instance. Raises NotFound."""
        key = (str(make_instance_urn(space, name)), ASPECT, version)
        row = self._provider.tx_runner.run(lambda tx: tx.get_table("aspect_versions").read(key), read_only=True)
        if row is None or row["value"] is None:
            raise NotFound(f"version of instance {name}", str(version))
        value: dict[str, Any] = parse_stored_json(row["value"])
        return value

    def write_record(
        self, space: str, name: str, value: Mapping[str, Any], principal: Principal, expected: int | None = None
    ) -> int:
        """Write the record; return its version. Raises ConditionFailed unless it is at `expected` (-1: absent)."""
        proposal = Proposal(make_instance_urn(space, name), ASPECT, "upsert", value, WriteCondition(version=expected))
        return self._write_path.apply_proposals_atomically([proposal], principal, api=API)[0].version

    def create_records_atomically(
        self, space: str, values: Mapping[str, Mapping[str, Any]], principal: Principal
    ) -> None:
        """Create the records of these instances, atomically. Raises ConditionFailed if any exists."""
        absent = WriteCondition(version=ABSENT)
        proposals = [
            Proposal(make_instance_urn(space, name), ASPECT, "upsert", value, absent) for name, value in values.items()
        ]
        self._write_path.apply_proposals_atomically(proposals, principal, api=API)

    def delete_record(self, space: str, name: str, principal: Principal, expected: int | None = None) -> None:
        """Remove the record with all metadata of the instance, if it exists."""
        urn = make_instance_urn(space, name)
        removal = Proposal(urn, None, "delete")
        first = [Proposal(urn, ASPECT, "delete", condition=WriteCondition(version=expected))] if expected else []
        try:
            self._write_path.apply_proposals_atomically([*first, removal], principal, api=API)
        except NotFound:
            return


class InstanceRecordsSource:
    """Provides the catalog's records if available. After a failure, the catalog is not tried again for a while."""

    def __init__(self, open_records: Callable[[], InstanceRecords | None]) -> None:
        """`open_records` opens the catalog if necessary; it returns None if there is none, and may raise StorageError."""
        self._open = open_records
        self._lock = Lock()
        self._not_before = 0.0

    def get_records_or_none(self) -> InstanceRecords | None:
        """Return the records, or None if the catalog is unavailable."""
        if time.monotonic() < self._not_before:
            return None
        try:
            return self._open()
        except StorageError as error:
            self.record_failure_and_pause(error)
            return None

    def may_have_namespace(self, name: str) -> bool:
        """Return whether a namespace exists; True if the catalog is unavailable, since files are saved without it."""
        records = self.get_records_or_none()
        try:
            return records is None or records.has_namespace(name)
        except StorageError as error:
            self.record_failure_and_pause(error)
            return True

    def record_failure_and_pause(self, error: StorageError) -> None:
        """Record a failed call; after a transient conflict, the catalog is used again at once."""
        if isinstance(error, TransactionConflict | TransactionTimeout | CommitUnknown):
            return
        with self._lock:
            self._not_before = time.monotonic() + PAUSE_S


def _create_record_of_row(row: "Row") -> InstanceRecord:
    return InstanceRecord(row["version"], row["value"], row["time"], row["actor"])


def get_version_or_absent(record: InstanceRecord | None) -> int:
    """Return the version of a record, -1 if there is none."""
    return ABSENT if record is None else record.version
