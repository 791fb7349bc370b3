"""The tables of the platform (spec STORE-24). Times are milliseconds since 1970, UTC; documents are JSON text."""

from collections.abc import Mapping

from jupyter_colophon.storage import audit_tables
from jupyter_colophon.storage.app_files.rows import SYSTEM_APP_FILES
from jupyter_colophon.storage.artifacts import ARTIFACT_PARTS, ARTIFACTS
from jupyter_colophon.storage.changes import load_tables
from jupyter_colophon.storage.changes.schedules import SCHEDULES
from jupyter_colophon.storage.dead_events import DEAD_EVENTS
from jupyter_colophon.storage.entities.ingestion import INGESTED, INGESTIONS
from jupyter_colophon.storage.namespace_secrets import NAMESPACE_SECRETS
from jupyter_colophon.storage.privacy.erasures import ERASURES
from jupyter_colophon.storage.service_tokens import SERVICE_TOKENS
from jupyter_colophon.storage.spi import FieldType, TableSpec
from jupyter_colophon.storage.system_app_logs import SYSTEM_APP_LOGS
from jupyter_colophon.storage.system_app_schedules import SYSTEM_APP_SCHEDULES
from jupyter_colophon.storage.system_app_workers import SYSTEM_APP_WORKERS
from jupyter_colophon.storage.system_apps import SYSTEM_APPS

#: The fields of the change log (`spi.ChangeLog`); `seq` is the number.
CHANGE: Mapping[str, FieldType] = {
    "seq": "long",
    "time": "long",
    "urn": "string",
    "type": "string",
    "namespace": "string",
    "name": "string",
    "aspect": "string",
    "operation": "string",
    "version": "long",
    "scope": "string",
    "actor": "string",
    "via": "string",
    "run": "string",
    "previous": "string",
    "value": "string",
    "previous_system": "string",
    "system": "string",
    "token": "string",
}
#: Fields that the log got after its first version: a store creates it without them, and adds them.
CHANGE_ADDED = ("previous_system", "system", "token")
#: The fields by which the change log can be filtered.
CHANGE_FILTERS = ("namespace", "urn", "type")

SETTINGS = TableSpec("settings", {"name": "string", "value": "bytes"}, ("name",))

#: Signed hashes of the change log (storage/changes/signed_chain.py).
LOG_SEALS = TableSpec(
    "log_seals",
    {
        "seq": "long",
        "hash": "bytes",
        "rows": "long",
        "newest": "long",
        "time": "long",
        "checkpoint": "bool",
        "signature": "bytes",
    },
    ("seq",),
)

#: `removed` is true after a soft deletion (the aspect `status`), else null. `spelling` is the URN as DataHub's clients
#: sent it, if that differs.
ENTITIES = TableSpec(
    "entities",
    {
        "urn": "string",
        "type": "string",
        "namespace": "string",
        "name": "string",
        "platform": "string",
        "created": "long",
        "created_by": "string",
        "updated": "long",
        "updated_by": "string",
        "deleted": "bool",
        "removed": "bool",
        "spelling": "string",
    },
    ("urn",),
)

#: Existing entities in the order in which they are listed.
ENTITY_NAMES = TableSpec(
    "entity_names",
    {"namespace": "string", "type": "string", "name": "string", "urn": "string"},
    ("namespace", "type", "name", "urn"),
)

#: `value` is null after a deletion; `base` is the last version before the entity was last created. `system` is the
#: system metadata (core/model/system_metadata.py); versions up to `floor` were deleted. An `implied` aspect was written
#: by the platform only.
ASPECTS = TableSpec(
    "aspects",
    {
        "urn": "string",
        "aspect": "string",
        "version": "long",
        "base": "long",
        "value": "string",
        "actor": "string",
        "via": "string",
        "time": "long",
        "system": "string",
        "floor": "long",
        "implied": "bool",
    },
    ("urn", "aspect"),
)

#: Versions with `rolled_back` were rolled back with their run: later rollbacks skip them.
ASPECT_VERSIONS = TableSpec(
    "aspect_versions",
    {
        "urn": "string",
        "aspect": "string",
        "version": "long",
        "value": "string",
        "actor": "string",
        "via": "string",
        "time": "long",
        "system": "string",
        "rolled_back": "bool",
    },
    ("urn", "aspect", "version"),
)

#: Timeseries values; `part` distinguishes values of the same time, `recorded` is the time of the write.
TIMESERIES = TableSpec(
    "timeseries",
    {
        "urn": "string",
        "aspect": "string",
        "time": "long",
        "part": "string",
        "value": "string",
        "actor": "string",
        "via": "string",
        "recorded": "long",
        "system": "string",
    },
    ("urn", "aspect", "time", "part"),
)

#: One row for each value of an entity, for `key:value` search, keys and completion.
METADATA_VALUES = TableSpec(
    "metadata_values",
    {
        "namespace": "string",
        "key": "string",
        "value": "string",
        "urn": "string",
        "scope": "string",
        "kind": "string",
        "shown": "string",
    },
    ("namespace", "key", "value", "urn", "scope"),
)

#: Past values, under the last version that had them (storage/search/past_values.py).
VALUE_HISTORY = TableSpec(
    "value_history",
    {
        "namespace": "string",
        "key": "string",
        "value": "string",
        "urn": "string",
        "aspect": "string",
        "version": "long",
        "until": "long",
    },
    ("namespace", "key", "value", "urn", "aspect", "version"),
)

#: The number of entities of a kind (core/entities/entity_kinds.py) with a key; `folded` makes prefixes
#: case-insensitive.
KEY_COUNTS = TableSpec(
    "key_counts",
    {
        "namespace": "string",
        "folded": "string",
        "key": "string",
        "kind": "string",
        "scope": "string",
        "entity_kind": "string",
        "entities": "long",
    },
    ("namespace", "folded", "key", "kind", "scope", "entity_kind"),
)

VALUE_COUNTS = TableSpec(
    "value_counts",
    {"namespace": "string", "key": "string", "value": "string", "shown": "string", "entities": "long"},
    ("namespace", "key", "value", "shown"),
)

#: Entities by those that they name (storage/lineage/relationships.py); `urn` names `target` in an aspect, in a kind of
#: relationship.
RELATIONSHIPS = TableSpec(
    "relationships",
    {"target": "string", "urn": "string", "aspect": "string", "kind": "string"},
    ("target", "urn", "aspect", "kind"),
)

#: Custom entities by parent; the row is kept after deletion. Other parents follow from the URN
#: (core/entities/containment.py).
CONTAINMENT = TableSpec("containment", {"parent": "string", "urn": "string"}, ("parent", "urn"))

#: Each rename of an entity, under the number of its change (storage/lineage/renames.py).
RENAMES = TableSpec("renames", {"urn": "string", "seq": "long", "time": "long", "new": "string"}, ("urn", "seq"))

#: Deleted namespaces whose content is still being deleted (storage/entities/deleting_namespaces.py).
DELETING_NAMESPACES = TableSpec(
    "deleting_namespaces", {"namespace": "string", "actor": "string", "time": "long"}, ("namespace",)
)

#: `intended_outputs` are the URNs of data that failed statements would have written, as JSON; null if there are none.
RUNS = TableSpec(
    "runs",
    {
        "program": "string",
        "run_id": "string",
        "urn": "string",
        "start": "long",
        "stop": "long",
        "status": "string",
        "parent": "string",
        "actor": "string",
        "via": "string",
        "facts": "string",
        "arguments": "string",
        "intended_outputs": "string",
    },
    ("program", "run_id"),
    ("urn", "via"),
)

#: Runs by time: of one program, and (program "") of all.
RUN_TIMES = TableSpec(
    "run_times",
    {"program": "string", "start": "long", "urn": "string"},
    ("program", "start", "urn"),
)

#: `first` and `last` are times of the access, `recorded` is when the catalog recorded it first; `table_versions` is a
#: JSON list (storage/lineage/table_versions.py).
ACCESSES = TableSpec(
    "accesses",
    {
        "run": "string",
        "data": "string",
        "mode": "string",
        "component": "string",
        "first": "long",
        "last": "long",
        "recorded": "long",
        "table_versions": "string",
    },
    ("run", "data", "mode", "component"),
)

#: The statements of an access; an access without a row has no statement, as does one with a row for ""
#: (storage/lineage/statements.py).
ACCESS_STATEMENTS = TableSpec(
    "access_statements",
    {"run": "string", "data": "string", "mode": "string", "component": "string", "statement": "string"},
    ("run", "data", "mode", "component", "statement"),
)

#: The metadata of dataset, program and application at the run's first access.
SNAPSHOTS = TableSpec(
    "snapshots",
    {"run": "string", "entity": "string", "time": "long", "user_metadata": "string", "system_metadata": "string"},
    ("run", "entity"),
)

COLUMN_EDGES = TableSpec(
    "column_edges",
    {
        "target": "string",
        "target_field": "string",
        "source": "string",
        "source_field": "string",
        "program": "string",
        "transformation": "string",
        "run": "string",
        "last": "long",
    },
    ("target", "target_field", "source", "source_field", "program"),
    ("source",),
)

#: The column lineage of each run: JSON, [[target field, source, source field, transformation], …].
COLUMN_RUNS = TableSpec(
    "column_runs",
    {"target": "string", "program": "string", "run": "string", "edges": "string"},
    ("target", "program", "run"),
)

#: The content of OpenLineage events beyond aspects: JSON by part (storage/commit/openlineage.py).
OPENLINEAGE = TableSpec("openlineage", {"subject": "string", "part": "string", "value": "string"}, ("subject", "part"))

#: The OpenLineage names of datasets and jobs; a namespace has a row with the name "". `first` is in ms.
OPENLINEAGE_NAMES = TableSpec(
    "openlineage_names",
    {"kind": "string", "namespace": "string", "name": "string", "urn": "string", "first": "long"},
    ("kind", "namespace", "name"),
)

#: The results of writes with an idempotency key (storage/changes/idempotency_results.py): compressed JSON.
IDEMPOTENCY_RESULTS = TableSpec(
    "idempotency_results",
    {"actor": "string", "key": "string", "fingerprint": "string", "result": "bytes", "time": "long"},
    ("actor", "key"),
    ("time",),
)

#: `principal` is the principal with its scopes; `proposals` is null once `outcome` is set.
INBOX = TableSpec(
    "inbox",
    {
        "id": "long",
        "actor": "string",
        "principal": "string",
        "run": "string",
        "time": "long",
        "state": "string",
        "proposals": "string",
        "outcome": "string",
    },
    ("id",),
    ("state",),
)

#: `seq` is the number of a change that a sink did not accept, `event` is an invalid OpenLineage event.
DEAD_LETTERS = TableSpec(
    "dead_letters",
    {
        "id": "long",
        "kind": "string",
        "actor": "string",
        "principal": "string",
        "run": "string",
        "time": "long",
        "failed": "long",
        "attempts": "int",
        "problem": "string",
        "proposals": "string",
        "seq": "long",
        "document": "string",
    },
    ("id",),
    ("actor",),
)

#: Failures of proposals in order, for sinks that deliver them (storage/changes/dead_letters.py).
FAILURES = TableSpec("failures", {"position": "long", "dead_letter": "long"}, ("position",))

#: Consumed offsets of partitions of topics (storage/changes/consumed_offsets.py).
CONSUMED_OFFSETS = TableSpec(
    "consumed_offsets", {"topic": "string", "partition": "int", "next_offset": "long"}, ("topic", "partition")
)

#: The process that holds each lease (storage/changes/leases.py).
LEASES = TableSpec("leases", {"name": "string", "owner": "string", "heartbeat": "long"}, ("name",))

#: How far each follower of the change log has come (storage/changes/cursors.py).
CURSORS = TableSpec("cursors", {"name": "string", "seq": "long", "skipped": "long"}, ("name",))

#: The state of delivery to each sink (storage/changes/sinks.py).
SINK_STATES = TableSpec(
    "sink_states", {"sink": "string", "attempts": "int", "problem": "string", "failed": "long"}, ("sink",)
)

#: Changes to deliver to a sink again.
REDELIVERIES = TableSpec("redeliveries", {"sink": "string", "seq": "long"}, ("sink", "seq"))

ALL = (
    SETTINGS,
    LOG_SEALS,
    ENTITIES,
    ENTITY_NAMES,
    ASPECTS,
    ASPECT_VERSIONS,
    TIMESERIES,
    INGESTED,
    INGESTIONS,
    METADATA_VALUES,
    VALUE_HISTORY,
    KEY_COUNTS,
    VALUE_COUNTS,
    RELATIONSHIPS,
    CONTAINMENT,
    RENAMES,
    DELETING_NAMESPACES,
    RUNS,
    RUN_TIMES,
    ACCESSES,
    ACCESS_STATEMENTS,
    SNAPSHOTS,
    COLUMN_EDGES,
    COLUMN_RUNS,
    OPENLINEAGE,
    OPENLINEAGE_NAMES,
    IDEMPOTENCY_RESULTS,
    INBOX,
    DEAD_LETTERS,
    FAILURES,
    CONSUMED_OFFSETS,
    LEASES,
    CURSORS,
    SINK_STATES,
    REDELIVERIES,
    *load_tables.ALL,
    SCHEDULES,
    SERVICE_TOKENS,
    *audit_tables.ALL,
    ERASURES,
    SYSTEM_APPS,
    DEAD_EVENTS,
    SYSTEM_APP_SCHEDULES,
    SYSTEM_APP_FILES,
    SYSTEM_APP_LOGS,
    ARTIFACTS,
    ARTIFACT_PARTS,
    SYSTEM_APP_WORKERS,
    NAMESPACE_SECRETS,
)

#: Derived from the others: `reindex` rebuilds them, and a backup omits them.
DERIVED = frozenset(
    spec.id
    for spec in (ENTITY_NAMES, METADATA_VALUES, VALUE_HISTORY, KEY_COUNTS, VALUE_COUNTS, RELATIONSHIPS, RUN_TIMES)
)
