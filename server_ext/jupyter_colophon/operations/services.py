"""The services that operations use: the catalog, the schemaspaces and their instances, opened at first use."""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import (
    AccessDenied,
    InvalidConfiguration,
    InvalidField,
    InvalidName,
    NotFound,
    Problem,
    StoreUnavailable,
)
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.server_load import ServerLoad
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.settings import Settings

# The catalog's modules are loaded by the first request, so that the server starts faster.
if TYPE_CHECKING:
    from jupyter_colophon.apps.system_apps import SystemApps
    from jupyter_colophon.apps.workers.worker_counts import WorkerCounts
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.core.artifacts.artifact import Artifact
    from jupyter_colophon.pipelines.launcher import PipelineLauncher
    from jupyter_colophon.service.access_control import AccessControl
    from jupyter_colophon.service.changes.lineage_listeners import ListenerState
    from jupyter_colophon.service.instances.instances import InstanceService
    from jupyter_colophon.service.instances.secrets.stores import SecretStores
    from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
    from jupyter_colophon.service.schemaspaces.stored_schemas import StoredSchemaFiles

_logger = logging.getLogger("jupyter_colophon.operations")


@dataclass(slots=True)
class ProcessServices:
    """The services of one process, by its settings."""

    settings: Settings
    store: StorageChoice
    identity: IdentityRules
    version: str
    #: Why the settings cannot be used; empty if they are valid.
    configuration_error: str = ""
    #: Whether `/elyra/…` is served.
    elyra_api: bool = False
    #: Whether this is a worker process of a system application, whose server works in the background.
    is_worker: bool = False
    #: Whether opening the catalog raises NoCatalog if the store contains none, instead of creating it.
    requires_catalog: bool = False
    closed: bool = False
    _catalog: "Catalog | None" = None
    _registry_problems: tuple[Problem, ...] | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _instances: "InstanceService | None" = None
    _composing: threading.Lock = field(default_factory=threading.Lock)
    _system_apps: "SystemApps | None" = None
    _secret_stores: "SecretStores | None" = None

    def get_or_open_catalog(self) -> "Catalog":
        """Return the catalog; the first call opens it. Raises StorageError."""
        with self._opening:
            if self.configuration_error:
                raise InvalidConfiguration(self.configuration_error)
            if self._catalog is None:
                self._catalog = self._open_catalog_of_settings()
                self._catalog.namespaces.remove_external = self._remove_instances_of_namespace
                self._system_apps = self._create_system_apps(self._catalog)
                self._start_background_work(self._catalog)
            return self._catalog

    def get_system_apps(self) -> "SystemApps":
        """Return the system applications. Raises StorageError."""
        self.get_or_open_catalog()
        assert self._system_apps is not None  # noqa: S101  created with the catalog
        return self._system_apps

    def _create_system_apps(self, catalog: "Catalog") -> "SystemApps":
        """Return the system applications, which this process does not serve."""
        from jupyter_colophon.apps.system_apps import SystemApps

        return SystemApps(
            catalog.reader,
            catalog.metadata,
            catalog.write_path,
            catalog.topics,
            self.settings.disabled_system_apps,
            self.settings.shipped_system_apps,
            serves=False,
            file_folder=catalog.namespaces.app_files,
            data_folders=tuple(self.settings.app_data_folders),
            secrets=catalog.secrets,
        )

    def get_catalog_if_open(self) -> "Catalog | None":
        """Return the catalog, None if it has not been opened yet."""
        return self._catalog

    def _open_catalog_of_settings(self) -> "Catalog":
        from jupyter_colophon.composition import open_or_create_catalog

        try:
            return open_or_create_catalog(
                self.store,
                self.identity,
                self.settings.build_system_filter(),
                snapshot_system_metadata=self.settings.run_snapshots_include_system_metadata,
                retention=self.settings.build_retention(),
                always_log=self.settings.always_emit_change_log,
                letters_days=self.settings.dead_letter_retention_days,
                events=self.settings.get_event_folder(),
                registry_extension=self.settings.get_registry_extension(),
                authorizer=self.settings.load_authorizer(),
                audit=self.settings.build_audit_rules(),
                stewards=tuple(self.settings.stewards),
                archive_folder=self.settings.get_archive_folder(),
                app_files=self.settings.build_app_file_folder(),
                secret_stores=self._get_or_build_secret_stores,
                is_worker=self.is_worker,
                must_exist=self.requires_catalog,
            )
        except InvalidField as error:
            # The field is one of the settings, not of the request: they stay until a restart.
            self.configuration_error = error.detail
            _logger.error(
                "this server has no catalog, because its store cannot be opened: %s (c.Colophon.storage_provider, storage_options)",
                error.detail,
            )
            raise InvalidConfiguration(self.configuration_error) from error

    def _get_or_build_secret_stores(self) -> "SecretStores":
        """Return the stores of secrets of the settings. Raises InvalidConfiguration."""
        if self._secret_stores is None:
            from jupyter_colophon.schemaspaces.instances import build_secret_stores

            self._secret_stores = build_secret_stores(self.settings)
        return self._secret_stores

    def _start_background_work(self, catalog: "Catalog") -> None:
        """Start background work on the catalog; none by default."""

    def find_registry_problems(self) -> tuple[Problem, ...]:
        """Return the problems of the entity-registry.yml. It is read once: changes take effect after a restart."""
        if self._registry_problems is None:
            from jupyter_colophon.service.registry_files import load_registry_extension

            file = self.settings.get_registry_extension()
            self._registry_problems = () if file is None else tuple(load_registry_extension(file).problems)
        return self._registry_problems

    def get_or_load_schemaspaces(self) -> "SchemaspaceRegistry":
        """Return the schemaspaces; the first call loads them."""
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        # Before anything is loaded.
        SchemaManager.allow(self.settings.schemaspace_packages)
        schemaspaces: SchemaspaceRegistry = SchemaManager.instance().spaces
        return schemaspaces

    def get_stored_schemas(self) -> "StoredSchemaFiles":
        """Return the stored schemas. Raises AccessDenied if the settings do not allow changing them."""
        from jupyter_colophon.schemaspaces.shipped.stored_schemas import get_stored_schemas

        if not self.settings.allow_schema_writes:
            raise AccessDenied("store", "schemas: the setting c.Colophon.allow_schema_writes is off")
        return get_stored_schemas()

    def get_or_create_instances(self) -> "InstanceService":
        """Return the instances of schemaspaces, also while the catalog is unavailable.

        Raises InvalidConfiguration, StoreUnavailable.
        """
        with self._composing:
            if self.configuration_error:
                raise InvalidConfiguration(self.configuration_error)
            if self.closed:
                raise StoreUnavailable("the server is stopping: try again when it has restarted")
            if self._instances is None:
                from jupyter_colophon.schemaspaces.instances import set_instances_of_server

                self._load_access_policies()
                self._instances = set_instances_of_server(self.settings, self.get_or_open_catalog)
            return self._instances

    def _load_access_policies(self) -> None:
        """Load the stored access policies; by default none, since a command acts for the owner of the instance files."""

    def _remove_instances_of_namespace(self, namespace: str, principal: Principal) -> None:
        self.get_or_create_instances().remove_instances_of_namespace(namespace, principal)

    def find_notebook_namespace(self, principal: Principal) -> str:
        """Return the namespace of the notebooks of a principal."""
        return self.identity.notebook_namespace

    def find_present_notebook_path(self, principal: Principal, path: str) -> str:
        """Return the present path of the notebook of a kernel, given its path when the kernel started."""
        return path

    def render_request_metrics(self) -> str:
        """Return the metrics of requests in the text format of Prometheus; only servers have some."""
        return ""

    def list_lineage_listeners(self) -> "list[ListenerState]":
        """Return the states of the lineage listeners; none before the catalog is open."""
        return []

    def count_clients(self) -> Mapping[str, int | None]:
        """Return how many `kernelTokens` are valid, and how many `subscribers` follow the change log."""
        return {"kernelTokens": 0, "subscribers": None}

    def measure_load(self) -> ServerLoad | None:
        """Return the load of the server; None in a process without one."""
        return None

    def list_sink_problems(self) -> Mapping[str, str]:
        """Return why sinks of this process do not deliver, by their names."""
        return {}

    def count_app_workers(self) -> "WorkerCounts":
        """Return how many worker processes of system applications this server runs; none in other processes."""
        from jupyter_colophon.apps.workers.worker_counts import WorkerCounts

        return WorkerCounts() if self._system_apps is None else self._system_apps.count_workers()

    def count_hanging_app_calls(self) -> int:
        """Return how many background calls of system applications hang in this process."""
        return 0 if self._system_apps is None else self._system_apps.count_hanging_calls()

    @property
    def is_scheduling(self) -> bool:
        """Whether this process starts pipelines at their times."""
        return False

    def get_pipeline_launcher(self) -> "PipelineLauncher":
        """Return the previews and runs of pipelines that users started. Raises AccessDenied if this process starts none."""
        raise AccessDenied("start", "pipelines in this process: only servers do")

    def read_pipeline_document(self, name: str, principal: Principal) -> Mapping[str, Any]:
        """Return the document of a stored pipeline. Raises InstanceNotFound."""
        from jupyter_colophon.pipelines.documents import to_pipeline_document

        instances = self.get_or_create_instances()
        return to_pipeline_document(instances.get_valid_or_invalid_instance("pipelines", name, principal))

    def list_artifacts(self, namespace: str, principal: Principal) -> "list[Artifact]":
        """Return the artifacts of a namespace; none if it does not exist. Raises StorageError."""
        try:
            return list(self.get_or_open_catalog().artifacts.iterate_artifacts(namespace, principal))
        except (NotFound, InvalidName):
            return []

    def read_artifact_content(self, artifact: "Artifact", principal: Principal) -> bytes:
        """Return the content of an artifact. Raises NotFound, StorageError."""
        return self.get_or_open_catalog().artifacts.read_with_content(artifact.key, principal)[1]

    def require_may_run_pipelines(self, namespace: str, principal: Principal) -> None:
        """Require that the caller may change pipelines of a namespace, and emit in it. Raises NotFound, AccessDenied."""
        from jupyter_colophon.service.access_control import create_access_control

        may = create_access_control(self.get_or_create_instances().authorizer).may
        if not may(principal, "read", namespace):
            raise NotFound("namespace", namespace)
        if not (may(principal, "admin", namespace) and may(principal, "emit", namespace)):
            raise AccessDenied("run", f"pipelines of the namespace {namespace}")

    def close(self) -> None:
        """Close everything."""
        self.closed = True
        with self._composing:
            if self._instances is not None:
                self._instances.stop_watching_and_close_stores()
                self._instances = None
        with self._opening:
            if self._catalog is not None:
                self._catalog.close()
                self._catalog = None

    def require_admin(self, principal: Principal, action: str, subject: str) -> None:
        """Raise AccessDenied unless the caller is an admin, InvalidConfiguration if the policy cannot be loaded."""
        access_control = self.get_access_control()
        if not access_control.may(principal, "admin", ""):
            access_control.record_denial(principal, "admin", "", f"{action} {subject}")
            raise AccessDenied(action, subject)

    def get_access_control(self) -> "AccessControl":
        """Return what decides on every access. Raises InvalidConfiguration if the policy class cannot be loaded."""
        from jupyter_colophon.service.access_control import create_access_control

        return create_access_control(self.settings.load_authorizer())
