"""Compose a catalog: store, registry, authorizer, and the services on top of them."""

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jupyter_colophon.core.access import Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.identity.names import Identity, make_namespace_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.retention import KEEP_ALL, Retention
from jupyter_colophon.core.model.system_filter import INCLUDE_ALL, SystemFilter
from jupyter_colophon.core.package_data import load_documents
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.service.changes.dead_letters import DeadLetters
from jupyter_colophon.service.changes.feed import Feed
from jupyter_colophon.service.changes.inbox import Inbox
from jupyter_colophon.service.changes.loads import Loads
from jupyter_colophon.service.changes.sealing import Sealer
from jupyter_colophon.service.datahub.aspects import AspectReader
from jupyter_colophon.service.datahub.facade import DataHub
from jupyter_colophon.service.datahub.ingestions import Ingestions
from jupyter_colophon.service.datahub.relationships import RelationshipReader
from jupyter_colophon.service.datahub.search import EntityFinder
from jupyter_colophon.service.datahub.timeseries import TimeseriesReader
from jupyter_colophon.service.datahub.trace import WriteTracer
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.entities.export_import import NamespaceTransfer
from jupyter_colophon.service.entities.metadata import MetadataReader
from jupyter_colophon.service.entities.mutations import Mutator
from jupyter_colophon.service.entities.namespaces import Namespaces
from jupyter_colophon.service.entities.registration import Deployer
from jupyter_colophon.service.entities.streams import EventStreams
from jupyter_colophon.service.lineage.lineage import LineageReader
from jupyter_colophon.service.lineage.runs import RunReader
from jupyter_colophon.service.openlineage.collector import Collector
from jupyter_colophon.service.openlineage.marquez import MarquezReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.registry_files import load_registry
from jupyter_colophon.service.search.entity_search_list import EntityLister
from jupyter_colophon.service.search.key_stats import KeyLister
from jupyter_colophon.service.search.search import Searcher
from jupyter_colophon.service.write_path import BUILTIN_NAMESPACES, WritePath
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.changes.read_audit import ProgramReadAudit
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.integrity.restoring import require_complete_restore
from jupyter_colophon.storage.migrations.baseline import record_version
from jupyter_colophon.storage.migrations.numbered import list_migrations
from jupyter_colophon.storage.migrations.runner import migrate, rename_tables, require_not_newer
from jupyter_colophon.storage.secret import read_store_key
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Catalog:
    """An open catalog and its services."""

    provider: StorageProvider
    registry: Registry
    identity: Identity
    write_path: WritePath
    reader: EntityReader
    searcher: Searcher
    keys: KeyLister
    lineage: LineageReader
    runs: RunReader
    feed: Feed
    formatter: ChangeFormatter
    collector: Collector
    marquez: MarquezReader
    sealer: Sealer
    inbox: Inbox
    loads: Loads
    dead_letters: DeadLetters
    metadata: MetadataReader
    lister: EntityLister
    deployer: Deployer
    namespaces: Namespaces
    mutator: Mutator
    transfer: NamespaceTransfer
    streams: EventStreams
    datahub: DataHub

    def derive_origin(self) -> str:
        """Return the id of this catalog in event ids; it does not reveal the store's key. Raises StorageError."""
        return hmac.digest(read_store_key(self.provider), b"events", "sha256").hex()[:16]

    def close(self) -> None:
        """Stop background work, sign the written changes, and close the store."""
        self.streams.close()
        self.inbox.close()
        self.namespaces.close()
        self.feed.close()
        self.sealer.close()
        self.provider.close()


def open_catalog(
    store: StoreChoice,
    identity: Identity,
    system_filter: SystemFilter = INCLUDE_ALL,
    *,
    snapshots_system: bool = False,
    retention: Retention = KEEP_ALL,
    events: Path | None = None,
    registry_extension: Path | None = None,
    always_log: bool = False,
    letters_days: int = 0,
    authorizer: Authorizer | None = None,
    audit: Path | None = None,
) -> Catalog:
    """Open the catalog in this store, creating it if there is none; `system_filter` filters machine-made metadata.

    `snapshots_system`: snapshots of runs include SYSTEM metadata. `retention`: the rules for deleting versions.
    `events` is the folder of stream events; without one they are dropped. `registry_extension` is the file that extends
    the registry. `always_log`: the change log includes proposals that changed nothing. Dead letters are kept for
    `letters_days`, 0 without limit. `authorizer` decides on permissions; without one, the scopes of tokens do. Reads by
    programs are recorded in the folder `audit`; without one they are not.

    Raises StorageError, or InvalidField for an invalid option.
    """
    provider = providers.open_provider(store)
    try:
        registry = load_registry(registry_extension)
        prepare(provider, registry)
        writing = partial(
            WritePath,
            system_filter=system_filter,
            snapshots_system=snapshots_system,
            retained=retention,
            always_log=always_log,
        )
        files = None if events is None else EventFiles(events)
        reads = open_audit(audit, identity)
        read_policy = ReadPolicy(authorizer or ScopeAuthorizer(), identity, provider, reads)
        return _compose_catalog(registry, read_policy, writing, files, letters_days)
    except BaseException:
        provider.close()
        raise


@dataclass(frozen=True, slots=True)
class WritableCatalog:
    """A catalog opened for writing by a process without a server: without listeners and background work."""

    provider: StorageProvider
    write_path: WritePath

    def close(self) -> None:
        """Close the store."""
        self.provider.close()


def open_for_writing(
    store: StoreChoice, identity: Identity, registry_extension: Path | None = None, authorizer: Authorizer | None = None
) -> WritableCatalog | None:
    """Open the catalog in this store for writing; return None if there is none. Raises StorageError."""
    provider = providers.open_provider(store)
    try:
        if not provider.table_admin.exists(tables.SETTINGS.id):
            provider.close()
            return None
        registry = load_registry(registry_extension)
        prepare(provider, registry)
        decides = authorizer or ScopeAuthorizer()
        # Servers find the change in the log and sign it.
        write_path = WritePath(provider, registry, identity, decides, read_time_ms, lambda: None)
    except BaseException:
        provider.close()
        raise
    return WritableCatalog(provider, write_path)


def open_audit(folder: Path | None, identity: Identity) -> ProgramReadAudit | None:
    """Return the record of reads in a folder, None if reads are not audited."""
    return None if folder is None else ProgramReadAudit(folder, identity, read_time_ms)


def prepare(provider: StorageProvider, registry: Registry) -> None:
    """Create or migrate the store's tables and data.

    Raises StoreTooNew, UnsupportedStore, IncompleteRestore before anything is changed.
    """
    migrations = list_migrations(registry)
    if provider.table_admin.exists(tables.SETTINGS.id):
        require_not_newer(provider, migrations)
        require_complete_restore(provider)
        record_version(provider, migrations)
        rename_tables(provider, migrations)
    provider.table_admin.create_or_update(*tables.ALL)
    record_version(provider, migrations)
    migrate(provider, migrations)


def _compose_catalog(
    registry: Registry,
    policy: ReadPolicy,
    writing: Callable[..., WritePath],
    files: EventFiles | None,
    letters_days: int,
) -> Catalog:
    provider, identity, key = policy.provider, policy.identity, read_store_key(policy.provider)
    cursors, feed, sealer = Cursors(key), Feed(provider, policy), Sealer(provider, key, read_time_ms)
    write_path = writing(provider, registry, identity, policy.authorizer, read_time_ms, partial(_wake, feed, sealer))
    _create_builtin_namespaces(provider, write_path)
    collector = Collector(provider, write_path, identity, Schema(load_documents("openlineage")["event"]), read_time_ms)
    inbox, namespaces = Inbox(provider, write_path, read_time_ms, letters_days), Namespaces(provider, write_path, files)
    namespaces.resume()
    inbox.resume()
    reader = EntityReader(provider, registry, policy, cursors)
    searcher = Searcher(provider, registry, policy, cursors)
    lineage = LineageReader(provider, registry, policy, time.monotonic)
    return Catalog(
        provider=provider,
        registry=registry,
        identity=identity,
        write_path=write_path,
        reader=reader,
        searcher=searcher,
        keys=KeyLister(searcher),
        lineage=lineage,
        runs=RunReader(provider, policy, cursors),
        feed=feed,
        formatter=ChangeFormatter(identity, registry),
        collector=collector,
        marquez=MarquezReader(provider, policy, lineage, searcher),
        sealer=sealer,
        inbox=inbox,
        loads=Loads(provider, write_path, cursors, read_time_ms),
        dead_letters=DeadLetters(provider, policy, write_path, cursors, collector, read_time_ms),
        metadata=MetadataReader(provider, registry, policy, write_path.system_filter, cursors),
        lister=EntityLister(searcher, identity),
        deployer=Deployer(reader, write_path),
        namespaces=namespaces,
        mutator=Mutator(write_path),
        transfer=NamespaceTransfer(reader, write_path, registry),
        streams=EventStreams(provider, policy, write_path, files, read_time_ms),
        datahub=_compose_datahub(reader, searcher, write_path, inbox),
    )


def _wake(feed: Feed, sealer: Sealer) -> None:
    feed.wake()
    sealer.wake()


def _compose_datahub(reader: EntityReader, searcher: Searcher, write_path: WritePath, inbox: Inbox) -> DataHub:
    provider, registry, read_policy = reader.provider, reader.registry, reader.read_policy
    aspects = AspectReader(provider, registry, read_policy)
    return DataHub(
        reader=aspects,
        finder=EntityFinder(reader, searcher),
        tracer=WriteTracer(inbox, aspects),
        relater=RelationshipReader(provider, registry, read_policy, reader.cursors),
        timeseries=TimeseriesReader(provider, registry, read_policy),
        ingestions=Ingestions(provider, registry, read_policy, write_path),
    )


def read_time_ms() -> int:
    """Return the present time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def _create_builtin_namespaces(provider: StorageProvider, write_path: WritePath) -> None:
    urns = [make_namespace_urn(name) for name in sorted(BUILTIN_NAMESPACES)]

    def read_existing(tx: TableContext) -> set[str]:
        return {row["urn"] for row in tx.get_table("entities").read_many([(str(urn),) for urn in urns])}

    existing = provider.tx_runner.run(read_existing, read_only=True)
    status = {"removed": False}
    missing = [Proposal(urn, "status", "upsert", status) for urn in urns if str(urn) not in existing]
    if missing:
        write_path.propose(missing, Principal("colophon"))
