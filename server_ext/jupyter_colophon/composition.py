"""Compose a catalog: store, registry, authorizer, and the services on top of them."""

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from jupyter_colophon.apps.topics import TopicReader
from jupyter_colophon.core.access import INTERNAL, Authorizer
from jupyter_colophon.core.audit import NO_AUDIT, AuditRules
from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import NoCatalog
from jupyter_colophon.core.identity.names import IdentityRules, make_namespace_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.retention import KEEP_ALL, Retention
from jupyter_colophon.core.model.system_filter import INCLUDE_ALL, SystemFilter
from jupyter_colophon.core.package_data import load_schema_documents
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.access_answers import AccessExplainer
from jupyter_colophon.service.access_control import AccessControl, create_access_control
from jupyter_colophon.service.admin.service_tokens import ServiceTokenService
from jupyter_colophon.service.artifacts import ArtifactService
from jupyter_colophon.service.audit.audit_reader import AuditReader
from jupyter_colophon.service.audit.recorder import AuditRecorder
from jupyter_colophon.service.changes.dead_letters import DeadLetterService
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_colophon.service.changes.independent_proposals import IndependentProposalService
from jupyter_colophon.service.changes.loads import LoadService
from jupyter_colophon.service.changes.sealing import BackgroundSealer
from jupyter_colophon.service.datahub.aspects import AspectReader
from jupyter_colophon.service.datahub.facade import DataHubServices
from jupyter_colophon.service.datahub.ingestions import IngestionRuns
from jupyter_colophon.service.datahub.relationships import RelationshipReader
from jupyter_colophon.service.datahub.search import DataHubEntityFinder
from jupyter_colophon.service.datahub.timeseries import TimeseriesReader
from jupyter_colophon.service.datahub.trace import WriteTracer
from jupyter_colophon.service.entities.display_names import DisplayNameService
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.entities.export_import import NamespaceTransfer
from jupyter_colophon.service.entities.metadata import MetadataReader
from jupyter_colophon.service.entities.moved_notebooks import MovedNotebookFinder
from jupyter_colophon.service.entities.mutations import MetadataMutator
from jupyter_colophon.service.entities.namespaces import NamespaceDeleter
from jupyter_colophon.service.entities.notebooks import NotebookRecords
from jupyter_colophon.service.entities.registration import EntityRegistrar
from jupyter_colophon.service.entities.streams import EventStreams
from jupyter_colophon.service.instances.secrets.stores import SecretStores
from jupyter_colophon.service.lineage.cell_states import CellStateReader
from jupyter_colophon.service.lineage.lineage import LineageReader
from jupyter_colophon.service.lineage.runs import RunReader
from jupyter_colophon.service.namespace_secrets import NamespaceSecretService
from jupyter_colophon.service.openlineage.collector import OpenLineageCollector
from jupyter_colophon.service.openlineage.marquez import MarquezReader
from jupyter_colophon.service.openlineage.run_exporter import RunExporter
from jupyter_colophon.service.policy_reader import PolicyReader
from jupyter_colophon.service.privacy.erasure import ErasurePlace, PersonEraser
from jupyter_colophon.service.privacy.person_export import PersonExporter
from jupyter_colophon.service.privacy.retention import RetentionSweeper
from jupyter_colophon.service.quality.importer import QualityImporter
from jupyter_colophon.service.quality.recorder import QualityRecorder
from jupyter_colophon.service.quality.statuses import QualityStatusReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.registry_files import load_entity_registry
from jupyter_colophon.service.search.entity_search_list import EntitySearchLister
from jupyter_colophon.service.search.key_stats import KeyStatsReader
from jupyter_colophon.service.search.search import CatalogSearcher
from jupyter_colophon.service.stewardship.hierarchy import HierarchyReader
from jupyter_colophon.service.stewardship.owners import OwnershipService
from jupyter_colophon.service.stewardship.people import PeopleReader
from jupyter_colophon.service.stewardship.requests import RequestService
from jupyter_colophon.service.stewardship.reviews import ReviewService
from jupyter_colophon.service.stewardship.services import StewardshipServices
from jupyter_colophon.service.write_authorization import BUILTIN_NAMESPACES
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.changes.stream_files import EventFiles
from jupyter_colophon.storage.integrity.restoring import require_complete_restore
from jupyter_colophon.storage.migrations.baseline import record_missing_schema_version
from jupyter_colophon.storage.migrations.numbered import list_store_migrations
from jupyter_colophon.storage.migrations.runner import (
    apply_remaining_migrations,
    rename_tables_and_fields,
    require_store_not_newer,
)
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Catalog:
    """An open catalog and its services."""

    provider: StorageProvider
    registry: Registry
    identity: IdentityRules
    write_path: WritePath
    reader: EntityReader
    searcher: CatalogSearcher
    keys: KeyStatsReader
    lineage: LineageReader
    runs: RunReader
    feed: ChangeFeed
    formatter: ChangeFormatter
    collector: OpenLineageCollector
    marquez: MarquezReader
    sealer: BackgroundSealer
    inbox: ProposalInbox
    loads: LoadService
    dead_letters: DeadLetterService
    metadata: MetadataReader
    lister: EntitySearchLister
    deployer: EntityRegistrar
    namespaces: NamespaceDeleter
    mutator: MetadataMutator
    transfer: NamespaceTransfer
    streams: EventStreams
    datahub: DataHubServices
    access: AccessExplainer
    eraser: PersonEraser

    @property
    def stewardship(self) -> StewardshipServices:
        """Who is responsible for entities, and requests to them."""
        provider, registry, read_policy = self.provider, self.registry, self.reader.read_policy
        people = PeopleReader(provider, registry, read_policy, self.write_path.stewards)
        requests = RequestService(self.reader, self.searcher, self.write_path, people, read_time_ms)
        ownership = OwnershipService(provider, registry, read_policy)
        reviews = ReviewService(self.write_path, requests, self.independent_proposals, read_time_ms)
        hierarchy = HierarchyReader(provider, registry, read_policy)
        return StewardshipServices(people, ownership, requests, hierarchy, reviews)

    @property
    def quality(self) -> QualityRecorder:
        """The results of checks of datasets."""
        return QualityRecorder(self.reader, self.write_path, read_time_ms)

    @property
    def quality_statuses(self) -> QualityStatusReader:
        """The quality of many datasets at once."""
        return QualityStatusReader(self.provider, self.reader.read_policy)

    @property
    def quality_importer(self) -> QualityImporter:
        """Expectations and results of other tools."""
        return QualityImporter(self.quality)

    @property
    def artifacts(self) -> ArtifactService:
        """The artifacts of namespaces."""
        return ArtifactService(
            self.provider, self.reader.read_policy, self.reader.cursors, self.write_path, self.deployer, read_time_ms
        )

    @property
    def secrets(self) -> NamespaceSecretService:
        """The secrets of namespaces."""
        return NamespaceSecretService(self.provider, self.write_path, self.namespaces.get_secret_stores, read_time_ms)

    @property
    def notebooks(self) -> NotebookRecords:
        """The records of the notebooks of this server, which follow their files."""
        return self.get_notebooks_of_namespace(self.identity.notebook_namespace)

    def get_notebooks_of_namespace(self, namespace: str) -> NotebookRecords:
        """Return the records of the notebooks of a namespace: in a shared service, each user has one."""
        return NotebookRecords(self.provider, namespace, self.write_path)

    @property
    def moved_notebooks(self) -> MovedNotebookFinder:
        """The former paths of notebooks that other programs moved."""
        return MovedNotebookFinder(self.provider, self.identity)

    @property
    def cell_states(self) -> CellStateReader:
        """Which cells of a notebook are stale."""
        return CellStateReader(self.runs)

    @property
    def display_names(self) -> DisplayNameService:
        """The names by which people know entities."""
        return DisplayNameService(self.provider, self.registry, self.reader.read_policy)

    @property
    def audit(self) -> AuditReader:
        """Who read or changed what is marked as sensitive, and what was denied."""
        return AuditReader(self.write_path.access_control, self.reader.cursors)

    @property
    def topics(self) -> TopicReader:
        """What system applications can poll."""
        return TopicReader(self.feed, self.formatter)

    @property
    def service_tokens(self) -> ServiceTokenService:
        """The tokens of programs."""
        return ServiceTokenService(self.provider, read_time_ms)

    @property
    def person_exporter(self) -> PersonExporter:
        """Exports what is recorded of a person."""
        return PersonExporter(self.provider, self.audit)

    @property
    def retention(self) -> RetentionSweeper:
        """Deletes the versions that need not be kept."""
        return RetentionSweeper(
            self.provider, self.registry, self.write_path.retained, self.reader.cursors, read_time_ms
        )

    @property
    def policies(self) -> PolicyReader:
        """The access policies, for admins."""
        return PolicyReader(self.provider, self.reader.read_policy.access_control)

    @property
    def independent_proposals(self) -> IndependentProposalService:
        """Batches whose proposals are applied independently."""
        return IndependentProposalService(self.write_path, self.reader.read_policy)

    @property
    def run_exporter(self) -> RunExporter:
        """Reads runs for events of OpenLineage."""
        return RunExporter(self.provider, self.registry, self.reader.read_policy, self.runs)

    def read_work_progress(self) -> list[WorkProgress]:
        """Return the progress of work that follows changes. Raises StorageError."""
        work = (self.feed, self.sealer, self.audit.recorder, self.inbox)
        return self.provider.tx_runner.run(lambda tx: [part.read_progress(tx) for part in work], read_only=True)

    def derive_catalog_id_in_events(self) -> str:
        """Return the id of this catalog in event ids; it does not reveal the store's key. Raises StorageError."""
        return hmac.digest(read_or_create_store_key(self.provider), b"events", "sha256").hex()[:16]

    def close(self) -> None:
        """Stop background work, sign the written changes, and close the store."""
        self.streams.publish_events_and_close_files()
        self.inbox.stop_thread()
        self.namespaces.stop_thread()
        self.eraser.stop_thread()
        self.feed.stop_thread()
        self.sealer.seal_remaining_changes_and_stop_thread()
        self.audit.stop_thread()
        self.write_path.access_control.detach_store(self.provider)
        self.provider.close()


def open_or_create_catalog(
    store: StorageChoice,
    identity: IdentityRules,
    system_filter: SystemFilter = INCLUDE_ALL,
    *,
    snapshot_system_metadata: bool = False,
    retention: Retention = KEEP_ALL,
    events: Path | None = None,
    registry_extension: Path | None = None,
    always_log: bool = False,
    letters_days: int = 0,
    authorizer: Authorizer | None = None,
    audit: AuditRules = NO_AUDIT,
    stewards: tuple[str, ...] = (),
    archive_folder: Path | None = None,
    app_files: AppFileFolder | None = None,
    secret_stores: Callable[[], SecretStores] | None = None,
    is_worker: bool = False,
    must_exist: bool = False,
) -> Catalog:
    """Open the catalog in this store, creating it if there is none; `system_filter` filters machine-made metadata.

    `retention`: the rules for deleting versions. `events`: the folder of stream events. `always_log`: also log
    proposals that changed nothing. Dead letters are kept for `letters_days`, 0 without limit. `authorizer` decides
    instead of the scopes of tokens. `stewards` are asked about entities without owners. `is_worker`: nothing is
    started. `secret_stores`: those of namespaces. Raises StorageError, InvalidField, NoCatalog if it `must_exist`.
    """
    provider = providers.open_complete_provider(store)
    try:
        create_or_migrate_store(provider, registry := load_entity_registry(registry_extension), must_exist=must_exist)
        writing = partial(
            WritePath,
            system_filter=system_filter,
            snapshot_system_metadata=snapshot_system_metadata,
            retained=retention,
            always_log=always_log,
            stewards=stewards,
        )
        read_policy = ReadPolicy(_open_access_control(provider, authorizer, audit), identity, provider)
        catalog = _compose_catalog(registry, read_policy, writing, EventFiles(events) if events else None, letters_days)
        catalog.namespaces.get_secret_stores = secret_stores
        return _start_background_work(catalog, archive_folder, app_files, is_worker=is_worker)
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
        self.write_path.access_control.detach_store(self.provider)
        self.provider.close()


def open_existing_catalog_for_writing(
    store: StorageChoice,
    identity: IdentityRules,
    registry_extension: Path | None = None,
    authorizer: Authorizer | None = None,
) -> WritableCatalog | None:
    """Open the catalog in this store for writing; return None if there is none. Raises StorageError."""
    provider = providers.open_complete_provider(store)
    try:
        if not provider.table_admin.exists(tables.SETTINGS.id):
            provider.close()
            return None
        registry = load_entity_registry(registry_extension)
        create_or_migrate_store(provider, registry)
        access_control = create_access_control(authorizer)
        access_control.attach_store(provider)
        # Servers find the change in the log and sign it.
        write_path = WritePath(provider, registry, identity, access_control, read_time_ms, lambda: None)
    except BaseException:
        provider.close()
        raise
    return WritableCatalog(provider, write_path)


def _open_access_control(provider: StorageProvider, authorizer: Authorizer | None, audit: AuditRules) -> AccessControl:
    """Return the access control with the policies of a store, which records access in the store's audit."""
    access_control = create_access_control(authorizer)
    access_control.attach_store(provider)
    key = read_or_create_store_key(provider)
    access_control.audit = AuditRecorder(provider, key, read_time_ms, audit, lambda: access_control.restricts)
    return access_control


def create_or_migrate_store(provider: StorageProvider, registry: Registry, *, must_exist: bool = False) -> None:
    """Create or migrate the store's tables and data.

    Raises StoreTooNew, UnsupportedStore, IncompleteRestore before anything is changed, and NoCatalog if the store has no
    tables and they `must_exist`.
    """
    migrations = list_store_migrations(registry)
    if provider.table_admin.exists(tables.SETTINGS.id):
        require_store_not_newer(provider, migrations)
        require_complete_restore(provider)
        record_missing_schema_version(provider, migrations)
        rename_tables_and_fields(provider, migrations)
    elif must_exist:
        raise NoCatalog(provider.describe_store()["place"])
    provider.table_admin.create_or_update(*tables.ALL)
    record_missing_schema_version(provider, migrations)
    apply_remaining_migrations(provider, migrations)


def _compose_catalog(
    registry: Registry, policy: ReadPolicy, writing: Callable[..., WritePath], files: EventFiles | None, days: int
) -> Catalog:
    provider, identity, key = policy.provider, policy.identity, read_or_create_store_key(policy.provider)
    cursors, feed = CursorCodec(key), ChangeFeed(provider, policy, registry)
    sealer = BackgroundSealer(provider, key, read_time_ms)
    wake = partial(_wake_feed_and_sealer, feed, sealer)
    write_path = writing(provider, registry, identity, policy.authorizer, read_time_ms, wake)
    _create_builtin_namespaces(provider, write_path)
    collector = OpenLineageCollector(provider, write_path, identity, _load_event_schema(), read_time_ms)
    inbox = ProposalInbox(provider, write_path, read_time_ms, days)
    namespaces = NamespaceDeleter(provider, write_path, files)
    reader = EntityReader(provider, registry, policy, cursors)
    searcher = CatalogSearcher(provider, registry, policy, cursors)
    lineage = LineageReader(provider, registry, policy, time.monotonic)
    return Catalog(
        provider=provider,
        registry=registry,
        identity=identity,
        write_path=write_path,
        reader=reader,
        searcher=searcher,
        keys=KeyStatsReader(searcher),
        lineage=lineage,
        runs=RunReader(provider, policy, cursors),
        feed=feed,
        formatter=ChangeFormatter(identity, registry),
        collector=collector,
        marquez=MarquezReader(provider, policy, lineage, searcher),
        sealer=sealer,
        inbox=inbox,
        loads=LoadService(provider, write_path, cursors, read_time_ms),
        dead_letters=DeadLetterService(provider, policy, write_path, cursors, collector, read_time_ms),
        metadata=MetadataReader(provider, registry, policy, write_path.system_filter, cursors),
        lister=EntitySearchLister(searcher, identity),
        deployer=EntityRegistrar(reader, write_path),
        namespaces=namespaces,
        mutator=MetadataMutator(write_path),
        transfer=NamespaceTransfer(reader, write_path, registry),
        streams=EventStreams(provider, policy, write_path, files, read_time_ms),
        datahub=_compose_datahub(reader, searcher, write_path, inbox),
        access=AccessExplainer(provider, policy, write_path.review_policy),
        eraser=_create_eraser(write_path, key),
    )


def _start_background_work(
    catalog: Catalog, archive_folder: Path | None, app_files: AppFileFolder | None, *, is_worker: bool
) -> Catalog:
    """Apply what waits in the inbox, reject proposals that expire, and continue erasures, in the background, except in a
    worker process of an application.
    """
    if app_files is not None:
        # Several stores may have the same folder in their settings.
        root = app_files.root / catalog.derive_catalog_id_in_events()
        catalog.namespaces.app_files = replace(app_files, root=root)
    if is_worker:
        return catalog
    catalog.eraser.archive_folder = archive_folder
    catalog.eraser.start_or_resume()
    catalog.namespaces.start_or_resume_deletions()
    catalog.inbox.reject_expired_reviews = catalog.stewardship.reviews.reject_expired
    catalog.inbox.start_applying_in_background()
    return catalog


def _create_eraser(write_path: WritePath, key: bytes) -> PersonEraser:
    audit = AuditReader(write_path.access_control, CursorCodec(key))
    audit_names = ErasurePlace("audit names", outside=lambda names: audit.rename_person(names.person, names.pseudonym))
    return PersonEraser(write_path.provider, write_path, key, read_time_ms, (audit_names,))


def _load_event_schema() -> Schema:
    return Schema(load_schema_documents("openlineage")["event"])


def _wake_feed_and_sealer(feed: ChangeFeed, sealer: BackgroundSealer) -> None:
    feed.read_log_now()
    sealer.schedule_sealing()


def _compose_datahub(
    reader: EntityReader, searcher: CatalogSearcher, write_path: WritePath, inbox: ProposalInbox
) -> DataHubServices:
    provider, registry, read_policy = reader.provider, reader.registry, reader.read_policy
    aspects = AspectReader(provider, registry, read_policy)
    return DataHubServices(
        reader=aspects,
        finder=DataHubEntityFinder(reader, searcher),
        tracer=WriteTracer(inbox, aspects),
        relationships=RelationshipReader(provider, registry, read_policy, reader.cursors),
        timeseries=TimeseriesReader(provider, registry, read_policy),
        ingestions=IngestionRuns(provider, registry, read_policy, write_path),
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
        write_path.apply_proposals_atomically(missing, INTERNAL)
