"""The versions of Delta and Iceberg tables that an execution read or created, from Spark's objects.

A plan is read after its execution, when a table may have a newer version. So a version that was read is taken from the scan
that was planned, and a version that was created from the table's log, by its time: both are left out if they are uncertain.
"""

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from py4j.java_gateway import JVMView
from py4j.protocol import DEFAULT_JVM_ID, DEFAULT_JVM_NAME, Py4JError

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DataRef, DatasetKind
from jupyter_colophon.spark.capture.jvm_calls import iterate_leaves
from jupyter_colophon.spark.capture.row_changes import CHANGED_PLANS
from jupyter_colophon.spark.plans.datasets_from_jvm import find_file_refs, find_v2_refs
from jupyter_colophon.spark.plans.plan import Statement

log = logging.getLogger("jupyter_colophon.spark")

_DELTA: Final = "org.apache.spark.sql.delta."
_ICEBERG: Final = "org.apache.iceberg."
#: Iceberg's tables, of which the second is one that a command creates.
_ICEBERG_TABLES: Final = ("SparkTable", "StagedSparkTable")
_SCANS: Final = ("DataSourceV2Relation", "DataSourceV2ScanRelation")
_WRITES_INTO_TABLE: Final = (
    "AppendData",
    "OverwriteByExpression",
    "OverwritePartitionsDynamic",
    "DeltaDynamicPartitionOverwriteCommand",
)
_CREATES_TABLE: Final = ("CreateTableAsSelect", "ReplaceTableAsSelect")

MAX_SEARCHED: Final = 20
"""How many of the newest versions of a table are searched for the one that an execution created."""
MAX_REMEMBERED: Final = 64

Versions = dict[str, dict[str, None]]
"""Versions by the URN of their table."""


class TableVersions:
    """Adds the versions of tables to statements. Only for the listener's thread."""

    def __init__(self, session: Any) -> None:
        self._session = session
        #: The versions that executions read which are parts of others, with the number of the execution.
        self._nested: deque[tuple[int, Versions]] = deque(maxlen=MAX_REMEMBERED)

    def _remember_nested_reads(self, execution: Any) -> None:
        """Remember what an execution read that is part of another one, for the statement to which it belongs."""
        try:
            versions = _collect_versions(execution.optimizedPlan(), _find_scanned_version)
        except Py4JError:
            return
        if versions:
            self._nested.append((execution.id(), versions))

    def add_versions(
        self, execution: Any, statements: list[Statement], started_ms: int, finished_ms: int
    ) -> list[Statement]:
        """Return the statements of a finished execution with the versions of their tables, as far as they are known.

        An execution without a statement may be a part of one that is reported later.
        """
        if not statements:
            self._remember_nested_reads(execution)
        if not any(_may_have_versions(ref) for each in statements for ref in (*each.reads, *each.writes)):
            return statements
        try:
            read = self._find_read_versions(execution)
            created = self._find_created_version(execution, started_ms, finished_ms)
        except Py4JError as error:
            # The lineage is complete without versions.
            log.debug("The versions of tables could not be read (%s).", type(error).__name__)
            return statements
        return [
            replace(
                each,
                reads=tuple(replace(ref, versions=tuple(read.get(ref.urn, ()))) for ref in each.reads),
                writes=_add_created_version(each.writes, created),
            )
            for each in statements
        ]

    def _find_read_versions(self, execution: Any) -> Mapping[str, Iterable[str]]:
        versions = _collect_versions(execution.optimizedPlan(), _find_scanned_version)
        for number, nested in self._nested:
            if number > execution.id():
                _merge_versions(versions, nested)
        plan = execution.analyzed()
        part = CHANGED_PLANS.get(_get_kind(plan), ("", None))[1]
        return {**_collect_versions(getattr(plan, part)() if part else plan, _find_fixed_version), **versions}

    def _find_created_version(self, execution: Any, started_ms: int, finished_ms: int) -> tuple[str, ...]:
        table = self._find_written_table(execution, execution.analyzed())
        if table is None:
            return ()
        found = [
            version
            for version, time in self._iterate_newest_versions(table, started_ms)
            if started_ms <= time <= finished_ms
        ]
        return (found[0],) if len(found) == 1 else ()

    def _find_written_table(self, execution: Any, plan: Any) -> Any:
        """Return Delta's log or Iceberg's table of what a command writes; None for any other table."""
        kind = _get_kind(plan)
        if kind in _WRITES_INTO_TABLE:
            return _get_table_log(plan.table().table())
        if kind in _CREATES_TABLE:
            return _get_table_log(plan.name().catalog().loadTable(plan.name().identifier()))
        if kind in CHANGED_PLANS:
            leaves = list(iterate_leaves(getattr(plan, CHANGED_PLANS[kind][0])()))
            return _get_log_of_leaf(leaves[0]) if len(leaves) == 1 else None
        if kind == "SaveIntoDataSourceCommand" and _is_class_of(plan.dataSource(), _DELTA):
            path = plan.options().get("path")
            return None if path.isEmpty() else self._open_delta_log(execution.sparkSession(), str(path.get()))
        return None

    def _open_delta_log(self, session: Any, path: str) -> Any:
        return self._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, path)

    @property
    def _jvm(self) -> JVMView:
        return JVMView(self._session._gateway_client, DEFAULT_JVM_NAME, DEFAULT_JVM_ID)  # type: ignore[no-untyped-call]

    def _iterate_newest_versions(self, table: Any, since_ms: int) -> Iterator[tuple[str, int]]:
        """Yield the versions of a table with their times, newest first, at most MAX_SEARCHED and back to a time."""
        versions = (
            self._iterate_delta_versions(table) if _is_class_of(table, _DELTA) else self._iterate_snapshots(table)
        )
        for _, (version, time) in zip(range(MAX_SEARCHED), versions, strict=False):
            if time < since_ms:
                return
            yield version, time

    def _iterate_delta_versions(self, delta_log: Any) -> Iterator[tuple[str, int]]:
        """Yield the versions of a Delta table; the first line of a version's file has its time."""
        hadoop = delta_log.newDeltaHadoopConf()
        for version in range(delta_log.unsafeVolatileSnapshot().version(), -1, -1):
            file = self._jvm.org.apache.hadoop.fs.Path(delta_log.logPath(), f"{version:020d}.json")
            lines = delta_log.store().readAsIterator(file, hadoop)
            try:
                info = json.loads(lines.next()).get("commitInfo", {}) if lines.hasNext() else {}
            finally:
                lines.close()
            yield str(version), int(info.get("timestamp", 0))

    def _iterate_snapshots(self, table: Any) -> Iterator[tuple[str, int]]:
        """Yield the snapshots of an Iceberg table that this application created; another one's are passed over."""
        application, snapshot = self._session.sparkContext().applicationId(), table.currentSnapshot()
        while snapshot is not None:
            if snapshot.summary().get("spark.app.id") == application:
                yield str(snapshot.snapshotId()), snapshot.timestampMillis()
            parent = snapshot.parentId()
            snapshot = None if parent is None else table.snapshot(parent)


def _add_created_version(writes: tuple[DataRef, ...], created: tuple[str, ...]) -> tuple[DataRef, ...]:
    return tuple(replace(ref, versions=created) for ref in writes) if len(writes) == 1 and created else writes


def _may_have_versions(ref: DataRef) -> bool:
    """Return whether data may have versions, without a call of the JVM: tables of other catalogs have no format here."""
    return ref.format == "delta" or (ref.kind is DatasetKind.TABLE and ref.format is None)


def _get_kind(java_object: Any) -> str:
    return str(java_object.getClass().getSimpleName())


def _collect_versions(plan: Any, find: Callable[[Any], Iterable[tuple[str, str]]]) -> Versions:
    """Return what a function finds in the leaves of a plan: URNs of tables with a version of each."""
    versions: Versions = {}
    for leaf in iterate_leaves(plan):
        for urn, version in find(leaf):
            versions.setdefault(urn, {})[version] = None
    return versions


def _find_scanned_version(leaf: Any) -> Iterator[tuple[str, str]]:
    """Yield the version of a table that a leaf of an optimised plan scans."""
    kind = _get_kind(leaf)
    if kind == "LogicalRelation" and (index := _get_delta_index(leaf)) is not None:
        if _get_kind(index) == "PreparedDeltaFileIndex":
            yield from ((urn, str(index.preparedScan().version())) for urn in _list_relation_urns(leaf))
    elif kind == "DataSourceV2ScanRelation" and _is_class_of(leaf.scan(), _ICEBERG):
        version = _get_snapshot_of_scan(leaf.scan())
        yield from ((ref.urn, version) for ref in find_v2_refs(leaf.relation()) if version)


def _get_snapshot_of_scan(scan: Any) -> str | None:
    """Return the snapshot that an Iceberg scan has read; None if it did not need to scan.

    Only the report of the scan has it, for which the class has no public method.
    """
    class_ = scan.getClass()
    while class_ is not None:
        for field in class_.getDeclaredFields():
            if field.getName() == "scanReportSupplier":
                field.setAccessible(True)
                report = field.get(scan).get()
                return None if report is None else str(report.snapshotId())
        class_ = class_.getSuperclass()
    return None


def _find_fixed_version(leaf: Any) -> Iterator[tuple[str, str]]:
    """Yield the version of a table that cannot have changed since the analysis: that of a query of an earlier version."""
    kind = _get_kind(leaf)
    if kind == "LogicalRelation" and (index := _get_delta_index(leaf)) is not None:
        if _get_kind(index) != "TahoeLogFileIndex":
            return
        version = index.snapshotAtAnalysis().version()
        if index.isTimeTravelQuery() or version == index.deltaLog().unsafeVolatileSnapshot().version():
            yield from ((urn, str(version)) for urn in _list_relation_urns(leaf))
    elif (
        kind == "DataSourceV2Relation"
        and _is_class_of(leaf.table(), _ICEBERG)
        and _get_kind(leaf.table()) == "SparkTable"
    ):
        snapshot = leaf.table().snapshotId()
        yield from ((ref.urn, str(snapshot)) for ref in find_v2_refs(leaf) if snapshot is not None)


def _list_relation_urns(leaf: Any) -> list[str]:
    """Return the URN of a table of the catalog, or else those of the relation's folders."""
    table = leaf.catalogTable()
    if table.isEmpty():
        return [ref.urn for ref in find_file_refs(leaf.relation())]
    name = table.get().identifier()
    parts = {"table": name.table()} | {
        part: value.get()
        for part, value in (("database", name.database()), ("catalog", name.catalog()))
        if value.isDefined()
    }
    urn = dataset_names.build_table_urn(parts)
    return [urn] if urn else []


def _get_delta_index(leaf: Any) -> Any:
    """Return Delta's list of files of a relation; None for other relations."""
    relation = leaf.relation()
    class_ = relation.getClass()
    if "HadoopFsRelation" not in (class_.getSimpleName() or class_.getSuperclass().getSimpleName()):
        return None
    return relation.location() if _is_class_of(relation.location(), _DELTA) else None


def _get_log_of_leaf(leaf: Any) -> Any:
    kind = _get_kind(leaf)
    if kind == "LogicalRelation":
        index = _get_delta_index(leaf)
        return None if index is None else index.deltaLog()
    return _get_table_log(leaf.table()) if kind in _SCANS else None


def _get_table_log(table: Any) -> Any:
    """Return Delta's log or Iceberg's table of a table of a catalog plug-in."""
    if _get_kind(table) == "RowLevelOperationTable":
        table = table.table()
    if _get_kind(table) == "DeltaTableV2":
        return table.deltaLog()
    # A branch has snapshots of its own.
    is_iceberg = _is_class_of(table, _ICEBERG) and _get_kind(table) in _ICEBERG_TABLES
    return table.table() if is_iceberg and table.branch() is None else None


def _is_class_of(java_object: Any, prefix: str) -> bool:
    return str(java_object.getClass().getName()).startswith(prefix)


def _merge_versions(versions: Versions, others: Versions) -> None:
    for urn, found in others.items():
        versions.setdefault(urn, {}).update(found)
