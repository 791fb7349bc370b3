"""The settings that the server extension and the command line share: `c.Colophon.<trait>` (docs/settings.md).

Only traitlets is imported: the command line starts with this module and loads no server.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jupyter_core.paths import jupyter_data_dir
from traitlets import Bool, CaselessStrEnum, Dict, Enum, Float, Int, List, TraitType, Tuple, Unicode, default
from traitlets.config import Config, Configurable
from traitlets.config.loader import DeferredConfig, LazyConfigValue

from jupyter_colophon.core.audit import AuditRules
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.model.system_filter import KeyFilter, SystemFilter
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store

if TYPE_CHECKING:
    from jupyter_colophon.core.access import Authorizer
    from jupyter_colophon.core.model.retention import Retention
    from jupyter_colophon.storage.app_files.folder import AppFileFolder

S = TypeVar("S", bound="Settings")
#: The system applications of this package.
_SHIPPED_SYSTEM_APPS: Final = ("analytics", "dataprep", "reports")
#: Set in the servers that JupyterHub starts.
_HUB_VARIABLE: Final = "JUPYTERHUB_API_URL"
_creating_authorizer = Lock()


class Names(List[str]):
    """A list of texts, of which a command line may have a single one: `--Colophon.admins=ada`."""

    def __init__(self, default_value: Sequence[str] = (), **options: Any) -> None:
        """Declare it with the value without configuration."""
        super().__init__(Unicode(), [*default_value], **options)

    def from_string(self, s: str) -> list[str]:
        """Return the value of one option, a name or a list as in Python."""
        return [*(self.from_string_list([s]) or ())]


class Settings(Configurable):
    """The settings of a catalog, in the section `Colophon` of a configuration (see `create_settings`).

    An invalid setting is ignored and recorded in `wrong`. Traitlets would ignore all settings of the section: another
    store than the chosen one would be used, and its error would show the value, which may contain a password.
    """

    #: A sentence for each invalid setting, by name, without its value.
    wrong: Mapping[str, str] = MappingProxyType({})
    #: Whether these are the settings of the shared service, to which other servers forward requests.
    is_shared_service = False
    _authorizer: "Authorizer | None" = None

    database = Unicode(
        config=True,
        help="The database file (mode 0600); by default, `colophon/colophon.db` in the Jupyter data directory. Missing folders are created with mode 0700, which the folder `colophon` also gets when the server starts.",
    )
    storage_provider = Unicode(
        "sqlite",
        config=True,
        help="The store: `sqlite`, `postgresql`, or the name of a provider in the entry-point group `jupyter_colophon.storage_providers` (docs/storage-providers.md).",
    )
    storage_options = Dict(
        config=True,
        help="Options of the store: none for `sqlite`, whose file is `database`; for `postgresql` see docs/settings.md#postgresql.",
    )
    service_url = Unicode(
        config=True,
        help="The URL of a shared service (docs/how-to/run-a-shared-service.md): this server forwards requests to it and opens no catalog of its own. Empty: none. The default is the environment variable `COLOPHON_SERVICE_URL`, which JupyterHub sets.",
    )
    default_platform = Unicode(
        "spark", config=True, help="The platform whose datasets have short names such as `flights.flights`."
    )
    default_fabric = Unicode("PROD", config=True, help="The fabric whose datasets have short names.")
    notebook_namespace = Unicode("default", config=True, help="The namespace of notebooks and their cells.")
    namespace_rules = List(
        Tuple(Unicode(), Unicode()),
        config=True,
        help="Pairs of a URN glob and the namespace of the datasets of other platforms that match it. The first match wins; the default is `default`. The namespace is assigned at the first write; `jupyter colophon reindex --namespaces` applies changed rules after servers are restarted.",
    )
    platform_instances = List(
        Tuple(Unicode(), Unicode()),
        config=True,
        help='Pairs of a glob over the namespaces of OpenLineage (docs/openlineage.md) and a prefix, such as ("postgres://east*", "east"): dataset names begin with the prefix (`east.db.s.t`) instead of the server (`east:5432/db.s.t`). The first match wins.',
    )
    capture = Bool(
        True,
        config=True,
        help="Record what Spark and other libraries read and write in the kernels that this server starts (docs/spark-lineage.md#switching-it-off).",
    )
    uncaptured_libraries = Names(
        config=True,
        help="Libraries whose reads and writes are not recorded, by the name of their module: `pandas`, `polars`, `duckdb`, `spark` and others; `open`: files of data that programs open themselves.",
    )
    record_cell_source = Bool(
        False,
        config=True,
        help="Record the source of cells, with credentials replaced, in addition to its hash, the cell's name and its first comment (docs/spark-lineage.md#what-is-recorded-of-a-cell).",
    )
    confidential_warnings = Bool(
        True,
        config=True,
        help="Warn in the output of a cell that has written values of a column tagged `confidential` to a file or table in which the column has no such tag (docs/library-lineage.md#confidential-columns).",
    )
    write_profiles = Bool(
        False,
        config=True,
        help="Store a small profile of each frame of pandas, polars or pyarrow that a cell writes as a whole: rows, missing and distinct values, and the range of numbers and times in columns that are not confidential (docs/library-lineage.md#profiles-of-what-is-written).",
    )
    policy = Unicode(
        config=True,
        help="The dotted name of a class that authorizes actions by namespace, in addition to the scopes of tokens; empty: none (docs/settings.md#a-policy).",
    )
    policy_folder = Unicode(
        config=True,
        help="A folder of access policies, one a file in YAML, TOML or JSON, besides those in the catalog; empty: none (docs/how-to/share-with-a-team.md). Changes take effect within a second.",
    )
    admins = Names(
        config=True,
        help="The users, and groups as `group:NAME`, that may do everything, regardless of access policies. With this setting, policies are in force even if there are none: everything is denied to others. Empty: the account that runs the server.",
    )
    groups = Dict(
        value_trait=List(Unicode()),
        key_trait=Unicode(),
        config=True,
        help='The members of groups, such as {"analysts": ["ada", "grace"]}, besides the groups that the identity provider names. Access policies grant roles to groups.',
    )
    change_log_retention_days = Int(
        0,
        min=0,
        config=True,
        help="Number of days for which changes are kept; servers remove older ones once a day, and `jupyter colophon compact` at once. 0 keeps them forever (docs/how-to/keep-less.md).",
    )

    archive_folder = Unicode(
        config=True,
        help="A folder in which every change of a SQLite catalog is archived, for restores to a point in time (docs/how-to/back-up-and-restore.md#restore-to-a-point-in-time); empty: none. PostgreSQL has an archive of its own.",
    )
    entity_registry = Unicode(
        config=True,
        help="The path of an `entity-registry.yml` with additional entity types, aspects and validators (docs/registry.md).",
    )
    retention = List(
        Dict(),
        config=True,
        help="The retention of versions of aspects, as in DataHub's `retention.yaml`, also for a `namespace`; empty: all versions are kept (docs/settings.md#how-long-versions-are-kept).",
    )

    elyra_api = CaselessStrEnum(
        ("auto", "on", "off"),
        "auto",
        config=True,
        help="Whether `/elyra/...` is served (docs/api.md#the-elyra-api): `on`, `off`, or `auto`: unless Elyra's own server extension is enabled.",
    )

    metadata_store = Unicode(
        "file",
        config=True,
        help="The store of instances of schemaspaces: `file`, `catalog`, or one of the entry-point group `jupyter_colophon.metadata_stores` (docs/settings.md#instances-of-schemaspaces).",
    )
    secret_store = Unicode(
        "file",
        config=True,
        help="The store of secrets of instances: `file`, `keyring`, `env`, or one of the entry-point group `jupyter_colophon.secret_stores` (docs/settings.md#secrets-of-instances).",
    )
    secret_env_variables = Names(
        ["COLOPHON_SECRET_*"],
        config=True,
        help="Globs of the environment variables that instances may use as secrets, by `env:NAME` (docs/settings.md#secrets-of-instances).",
    )
    kernel_env_passthrough = Names(
        config=True,
        help="Environment variables with credentials of the server that are passed to kernels, such as `JUPYTERHUB_API_TOKEN`; empty: none (docs/settings.md#in-kernels).",
    )
    allow_schema_writes = Bool(
        False,
        config=True,
        help="Whether administrators may store schemas of schemaspaces by REST, in addition to those of packages. They are files below `colophon/schemas` in the Jupyter data directory, which every process of the account loads, even if this setting is switched off later. Their `metadata_class_name` must be a class that the schema of an installed package names.",
    )
    schemaspace_packages = Names(
        config=True,
        help="The packages whose schemaspaces and schemas are loaded; empty: all installed packages.",
    )

    shipped_system_apps = Names(
        config=True,
        help="The names of system applications of this package that users have; by default all, each of which is loaded when it is first used, and none in a shared service and in servers that JupyterHub starts, whose operator decides. There are `analytics` (docs/how-to/train-models.md), `dataprep` (docs/how-to/prepare-data.md) and `reports` (docs/how-to/report-on-runs.md).",
    )
    disabled_system_apps = Names(
        config=True,
        help="The names of system applications that are not loaded (docs/how-to/write-an-application.md); others can be disabled by `jupyter colophon apps disable`.",
    )

    app_data_folders = Names(
        config=True,
        help="The folders with data that system applications may read and write, such as `dataprep` (docs/how-to/prepare-data.md#permitted-folders) and `analytics`; by default the root directory of the server, which JupyterLab shows, and none in a shared service and in servers that JupyterHub starts.",
    )
    app_file_folder = Unicode(
        config=True,
        help="The folder of the files of system applications, the same for all servers of a store; by default `colophon/app-files` in the Jupyter data directory.",
    )
    max_app_file_bytes = Int(
        1024 * 1024 * 1024,
        min=1,
        config=True,
        help="Maximum size in bytes of a file of a system application (docs/how-to/write-an-application.md#files).",
    )

    system_app_memory_mib = Int(
        4096,
        min=0,
        config=True,
        help="The most address space of a worker process of a system application, in MiB; 0 for no limit. A process that needs more fails its call and is replaced. It does not apply to services with Spark, whose memory Spark's settings limit.",
    )
    system_metadata_filters = List(
        Tuple(Enum(("include", "exclude")), Unicode(), Unicode(), Unicode()),
        config=True,
        help='Filters of machine-made metadata: tuples of `include` or `exclude` and globs of key, kind of entity (an entity type, or `app`, `program`, `stream`, a custom type) and namespace, such as ("exclude", "last-*", "*", "*"). The first match wins; without a match, metadata is included. The key of a schema is `schema`, that of machine tags `tags`. Excluded metadata is neither stored nor shown, in any API; batches in the inbox are filtered when they are applied.',
    )
    lineage_listeners = Dict(
        config=True,
        help="Properties of lineage listeners by the names of their entry points; False disables one (docs/programs.md#lineage-listeners).",
    )
    run_snapshots_include_system_metadata = Bool(
        False,
        config=True,
        help="Also record the system metadata of data, program and application at the first access of a run; user metadata is always recorded.",
    )
    store_stream_events = Bool(
        True,
        config=True,
        help="Store the events that are written to streams (docs/v3.md#streams), instead of dropping them.",
    )
    stream_folder = Unicode(
        config=True,
        help="The folder of the events of streams; by default `colophon/streams` in the Jupyter data directory.",
    )
    allow_namespace_delete_without_confirm = Bool(
        False,
        config=True,
        help="Whether `DELETE /colophon/v3/namespaces/{ns}` deletes everything in the namespace without `?confirm={ns}` (for tests and trials).",
    )
    sinks = Dict(
        value_trait=Dict(),
        key_trait=Unicode(),
        config=True,
        help="The destinations of changes (docs/notifications.md#sinks): the options of each sink by its name. Its `kind` is `webhook`, `jupyter-events`, `kafka`, or one of another package.",
    )
    kafka_proposals = Dict(
        config=True,
        help="The Kafka topic from which `jupyter colophon relay` consumes proposals (docs/kafka.md#proposals): servers, principal, and more; empty: none.",
    )
    max_scheduled_runs = Int(
        0,
        min=0,
        config=True,
        help="Maximum number of concurrent scheduled pipeline runs of this server (docs/pipelines.md#schedules); 0 disables the scheduler.",
    )
    max_pipeline_executions = Int(
        2,
        min=0,
        config=True,
        help="Maximum number of concurrent previews and runs of pipelines, and checks of data, that users start on this server (docs/pipelines.md#in-jupyterlab); 0 disables them.",
    )
    max_connections_per_user = Int(
        64,
        min=1,
        config=True,
        help="Maximum number of open WebSockets, streams and long polls of changes per user or service token; further connections are rejected with 429.",
    )
    service_token_max_days = Int(
        365,
        min=1,
        config=True,
        help="Maximum number of days for which a service token is valid (docs/how-to/connect-a-program.md).",
    )
    max_requests_per_second = Float(
        0.0,
        min=0.0,
        config=True,
        help="Maximum number of requests per second of a user or service token, on average; further ones get 429. 0: no limit (docs/settings.md#limits).",
    )
    max_request_burst = Int(
        100,
        min=1,
        config=True,
        help="Number of requests that a user or service token may send at once, if `max_requests_per_second` is set.",
    )
    max_body_bytes_per_minute = Int(
        0,
        min=0,
        config=True,
        help="Maximum number of bytes of request bodies per minute of a user or service token, after decompression; a body may exceed it, and further requests with a body then get 429. 0: no limit.",
    )
    max_queue_delay_seconds = Float(
        0.0,
        min=0.0,
        config=True,
        help="The delay of requests from which exports, searches and lineage get 503; other reads from twice of it, writes from four times (docs/how-to/watch-a-server.md#overload). 0: no limit; the default of a shared service is 0.5.",
    )
    max_memory_mb = Int(
        0,
        min=0,
        config=True,
        help="The resident memory in MiB from which exports, searches and lineage get 503; other reads from 1.1 times of it, writes from 1.2 times. 0: 80 % of the memory of the machine or of its control group, divided by the number of processes of the service.",
    )
    read_timeout_seconds = Float(
        20.0,
        min=0.1,
        config=True,
        help="Maximum number of seconds for which a request may read the catalog; a request that takes longer gets 503.",
    )
    max_body_bytes = Int(
        10 * 1024 * 1024,
        min=1,
        config=True,
        help="Maximum size of a request body in bytes, before and after decompression.",
    )
    datahub_max_body_bytes = Int(
        16 * 1024 * 1024,
        min=1,
        config=True,
        help="Maximum size in bytes of a request body of DataHub's clients (docs/datahub.md), which send up to 15 MiB.",
    )
    always_emit_change_log = Bool(
        False,
        config=True,
        help="Write a change to the log also if the value is unchanged (DataHub's `alwaysEmitChangeLog`); no version is created.",
    )
    request_log = Unicode(
        config=True,
        help="A file with one line of JSON for each request: operation, status, duration, user and request id; empty: none (docs/how-to/watch-a-server.md).",
    )
    audit = CaselessStrEnum(
        ("auto", "on", "off"),
        "auto",
        config=True,
        help="Record who reads and changes what is marked `confidential`, and what access policies deny (docs/how-to/audit-access.md): `on`, `off`, or `auto`, in the shared service and while access policies are in force.",
    )
    audit_reads = Bool(
        False,
        config=True,
        help="Record in the audit all entities whose metadata kernels and other programs read, list and search, marked or not (docs/how-to/audit-access.md).",
    )
    audit_retention_days = Int(
        365, min=0, config=True, help="Number of days for which entries of the audit are kept; 0 keeps them forever."
    )
    mcp_access = CaselessStrEnum(
        ("off", "read", "write"),
        "read",
        config=True,
        help="Access of assistants through the MCP server (docs/mcp.md): `off`, `read`, or `write`, within the scopes of their token.",
    )
    stewards = Names(
        config=True,
        help="The users and teams that are asked about entities without owners, and by users who may read nothing: names of users, or URNs such as `urn:li:corpGroup:data` (docs/how-to/ask-an-owner.md).",
    )
    dead_letter_retention_days = Int(
        90, min=0, config=True, help="Number of days for which dead letters are kept; 0 keeps them forever."
    )
    datahub_strict = Bool(
        False,
        config=True,
        help="Reject aspects of DataHub's clients with unknown fields, instead of dropping these fields with a warning.",
    )

    @default("service_url")
    def _default_service_url(self) -> str:
        return os.environ.get("COLOPHON_SERVICE_URL", "")

    @default("database")
    def _default_database(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "colophon.db")

    @default("shipped_system_apps")
    def _default_shipped_system_apps(self) -> list[str]:
        return [] if self.is_managed else [*_SHIPPED_SYSTEM_APPS]

    @default("stream_folder")
    def _default_stream_folder(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "streams")

    @default("app_file_folder")
    def _default_app_file_folder(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "app-files")

    @property
    def is_managed(self) -> bool:
        """Whether an operator decides what users have: in a shared service, and in servers that JupyterHub starts."""
        return self.is_shared_service or _HUB_VARIABLE in os.environ

    def get_event_folder(self) -> Path | None:
        """Return the folder of stream events; None if they are dropped."""
        return Path(self.stream_folder) if self.store_stream_events else None

    def build_app_file_folder(self) -> "AppFileFolder":
        """Return the folder of the files of system applications."""
        from jupyter_colophon.storage.app_files.folder import AppFileFolder

        return AppFileFolder(Path(self.app_file_folder).expanduser(), self.max_app_file_bytes)

    def get_archive_folder(self) -> Path | None:
        """Return the folder in which changes are archived; None if there is none."""
        return Path(self.archive_folder).expanduser() if self.archive_folder else None

    def build_audit_rules(self) -> AuditRules:
        """Return what the audit records."""
        return AuditRules(self.audit, self.is_shared_service, self.audit_reads, self.audit_retention_days)

    def build_identity(self) -> IdentityRules:
        """Return the identity rules of the settings."""
        return IdentityRules(
            default_platform=self.default_platform,
            default_fabric=self.default_fabric,
            notebook_namespace=self.notebook_namespace,
            namespace_rules=tuple(self.namespace_rules),
            platform_instances=tuple(self.platform_instances),
        )

    def choose_store(self) -> StorageChoice:
        """Return the chosen store. Raises InvalidConfiguration if any setting is invalid."""
        if self.wrong:
            raise InvalidConfiguration("; ".join(self.wrong.values()))
        if self.storage_provider == "sqlite" and not self.storage_options:
            return choose_sqlite_store(Path(self.database))
        return StorageChoice(self.storage_provider, self.storage_options)

    def collect_catalog_settings(self) -> dict[str, Any]:
        """Return the settings with which another process opens the same catalog, as JSON."""
        names = Settings.class_own_traits(config=True).keys() - {"lineage_listeners", "sinks"}
        return {name: getattr(self, name) for name in sorted(names)}

    def get_registry_extension(self) -> Path | None:
        """Return the file that extends the registry; None if there is none."""
        return Path(self.entity_registry).expanduser() if self.entity_registry else None

    def load_authorizer(self) -> "Authorizer":
        """Return the authorizer, which is created once: it knows the access policies. Raises InvalidConfiguration."""
        with _creating_authorizer:
            if self._authorizer is None:
                from jupyter_colophon.service.policy import open_access_control

                folder = Path(self.policy_folder).expanduser() if self.policy_folder else None
                self._authorizer = open_access_control(self.policy, self.admins, self.groups, folder)
            return self._authorizer

    def build_system_filter(self) -> SystemFilter:
        """Return the filter of machine-made metadata."""
        return SystemFilter(tuple(KeyFilter(*rule) for rule in self.system_metadata_filters))

    def build_retention(self) -> "Retention":
        """Return the rules for versions of aspects. Raises InvalidConfiguration."""
        from jupyter_colophon.core.model.retention import parse_retention_rules

        return parse_retention_rules(self.retention)

    def is_setting_of_other_part(self, name: str) -> bool:
        """Return whether another part of the product has a setting of this name in the section."""
        return False

    def _find_my_config(self, cfg: Config) -> Config:
        """Find the settings as traitlets does, without invalid ones."""
        config: Config = super()._find_my_config(cfg)
        traits = self.traits(config=True)
        ours = cfg.get("Colophon", {})
        wrong = dict(self.wrong)
        for name, value in list(config.items()):
            if name in traits:
                # A later source may correct an earlier one.
                wrong.pop(name, None)
                if not self._is_valid_or_record_wrong(name, traits[name], value):
                    wrong[name] = f"the setting c.Colophon.{name} must be {_describe_allowed_values(traits[name])}"
                    del config[name]
            elif name in ours and not isinstance(value, Config):
                if not self.is_setting_of_other_part(name):
                    wrong[name] = f"unknown setting c.Colophon.{name}"
                del config[name]
        self.wrong = wrong
        return config

    def _is_valid_or_record_wrong(self, name: str, trait: TraitType[Any, Any], value: Any) -> bool:
        try:
            if isinstance(value, LazyConfigValue):
                value = value.get_value(getattr(self, name))
            elif isinstance(value, DeferredConfig):
                value = value.get_value(trait)
            trait._validate(self, value)
        except Exception:  # noqa: BLE001  the error message may contain the value
            return False
        return True


def create_settings(kind: type[S], config: Config) -> S:
    """Return settings of a class that is not named `Colophon`, from the section `Colophon` of a configuration."""
    sections = Config(config)
    # Traitlets looks for a section with the name of the class.
    sections[kind.__name__] = config.Colophon
    return kind(config=sections)


def _describe_allowed_values(trait: TraitType[Any, Any]) -> str:
    least = getattr(trait, "min", None)
    return trait.info() if least is None else f"{trait.info()}, {least} or more"
