"""The settings that the server extension and the command line share: `c.Colophon.<trait>` (docs/settings.md).

No framework beyond traitlets: the command line starts with this and loads no server.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jupyter_core.paths import jupyter_data_dir
from traitlets import Bool, CaselessStrEnum, Dict, Enum, Float, Int, List, TraitType, Tuple, Unicode, default
from traitlets.config import Config, Configurable
from traitlets.config.loader import DeferredConfig, LazyConfigValue

from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.model.retention import Retention, retention
from jupyter_colophon.core.model.system_filter import Rule, SystemFilter
from jupyter_colophon.core.store import StoreChoice, sqlite_file

if TYPE_CHECKING:
    from jupyter_colophon.core.access import Authorizer


class Settings(Configurable):
    """Which store, and what has short names in it. Whoever inherits this is called `Colophon`.

    A setting that cannot be used is left out and remembered. Traitlets would leave out all of them: another store than
    the one that was chosen would be served, and the error would show the value, which may hold a password.
    """

    #: A sentence for each setting that cannot be used, by name, without its value.
    wrong: Mapping[str, str] = MappingProxyType({})

    database = Unicode(
        config=True, help="The catalog's file. Default: colophon/colophon.db in the Jupyter data directory."
    )
    storage_provider = Unicode(
        "sqlite", config=True, help="The store: sqlite, postgresql, or another one that is installed."
    )
    storage_options = Dict(
        config=True,
        help="Options of the store. For sqlite there are none besides `database`, the catalog's file; for postgresql: dsn, schema, readers.",
    )
    default_platform = Unicode("spark", config=True, help="The platform whose datasets have short names.")
    default_fabric = Unicode("PROD", config=True, help="The fabric whose datasets have short names.")
    notebook_namespace = Unicode("default", config=True, help="The namespace of notebooks and their cells.")
    namespace_rules = List(
        Tuple(Unicode(), Unicode()),
        config=True,
        help="Pairs of a URN glob and a namespace: where datasets of other platforms belong. The first that fits.",
    )
    platform_instances = List(
        Tuple(Unicode(), Unicode()),
        config=True,
        help="Pairs of a glob over OpenLineage's namespaces and a prefix of dataset names. The first that fits.",
    )
    capture = Bool(True, config=True, help="Record what Spark reads and writes in the kernels that this server starts.")
    record_cell_source = Bool(
        False,
        config=True,
        help="Record the source of cells too, with credentials replaced; else its hash, the cell's name and its first comment.",
    )
    policy = Unicode(
        config=True,
        help="The dotted name of a class that decides who may do what in which namespace, beside a token's scopes; empty: none.",
    )
    change_log_retention_days = Int(
        0, min=0, config=True, help="For how many days `jupyter colophon compact` keeps changes; 0 keeps them for ever."
    )

    entity_registry = Unicode(
        config=True,
        help="An entity-registry.yml that adds entity types, aspects and rules to the catalog's (docs/registry.md).",
    )
    retention = List(
        Dict(),
        config=True,
        help="Which versions of aspects are kept, as in DataHub's retention.yaml: {entity, aspect, config: {retention: {version: {maxVersions}, time: {maxAgeInSeconds}}}}. Empty: all of them.",
    )

    elyra_api = CaselessStrEnum(
        ("auto", "on", "off"),
        "auto",
        config=True,
        help="Whether /elyra/... is served: auto, on, off. auto: unless Elyra's own server extension is enabled.",
    )

    metadata_store = Unicode(
        "file",
        config=True,
        help="Where instances of schemaspaces are kept: file, catalog, or another store that is installed.",
    )
    secret_store = Unicode(
        "file",
        config=True,
        help="Where secrets of instances are kept: file, keyring, env, or another store of secrets that is installed.",
    )
    secret_env_variables = List(
        Unicode(),
        ["COLOPHON_SECRET_*"],
        config=True,
        help="Globs of the environment variables that instances may refer to as secrets, by env:NAME.",
    )
    kernel_env_passthrough = List(
        Unicode(),
        config=True,
        help="Variables with the server's own credentials that kernels keep, such as JUPYTERHUB_API_TOKEN; empty: none.",
    )
    allow_schema_writes = Bool(
        False,
        config=True,
        help="Whether administrators may store schemas of schemaspaces by REST, beside those of packages.",
    )
    schemaspace_packages = List(
        Unicode(),
        config=True,
        help="The packages whose schemaspaces and schemas are loaded; empty: all that are installed.",
    )

    system_metadata_filters = List(
        Tuple(Enum(("include", "exclude")), Unicode(), Unicode(), Unicode()),
        config=True,
        help="Which machine-made metadata is attached: include or exclude, and globs of key, entity type and namespace. The first that fits.",
    )
    lineage_listeners = Dict(
        config=True,
        help="Properties of consumers of lineage, by the names of their entry points; False leaves one out.",
    )
    run_snapshots_include_system_metadata = Bool(
        False,
        config=True,
        help="Keep what machines say of data, too, when a run first touches it; what people say is always kept.",
    )
    store_stream_events = Bool(
        True, config=True, help="Store events that are written into streams; else they are taken and dropped."
    )
    stream_folder = Unicode(
        config=True, help="Where events of streams are stored. Default: colophon/streams in the Jupyter data directory."
    )
    allow_namespace_delete_without_confirm = Bool(
        False, config=True, help="Delete a namespace with everything in it without `confirm=` (for tests and trials)."
    )
    sinks = Dict(
        value_trait=Dict(),
        key_trait=Unicode(),
        config=True,
        help="Where changes are delivered to (docs/notifications.md): a name, and the options of each, of which `kind` is webhook, jupyter-events, or that of another package.",
    )
    kafka_proposals = Dict(
        config=True,
        help="Where `jupyter colophon relay` takes proposals from (docs/kafka.md): servers, principal, and more; empty: nowhere.",
    )
    max_scheduled_runs = Int(
        0,
        min=0,
        config=True,
        help="How many runs of pipelines this server has under way that schedules started (docs/pipelines.md); 0: none are started.",
    )
    max_connections_per_user = Int(
        64, min=1, config=True, help="How many connections one user may have that follow the change log."
    )
    read_timeout_seconds = Float(
        20.0,
        min=0.1,
        config=True,
        help="How many seconds one request may read the catalog; a question that takes longer is answered 503.",
    )
    max_body_bytes = Int(10 * 1024 * 1024, min=1, config=True, help="The largest body of a request, in bytes.")
    datahub_max_body_bytes = Int(
        16 * 1024 * 1024, min=1, config=True, help="The largest body of a request of DataHub's clients, in bytes."
    )
    always_emit_change_log = Bool(
        False, config=True, help="Tell in the change log, too, that a value was written which was there already."
    )
    audit_reads = Bool(
        False,
        config=True,
        help="Record in `audit_folder` which entities' metadata kernels and other programs read (docs/notifications.md).",
    )
    audit_folder = Unicode(
        config=True, help="Where reads by programs are recorded; `colophon/audit` in the Jupyter data directory."
    )
    dead_letter_retention_days = Int(
        90, min=0, config=True, help="For how many days dead letters are kept; 0 keeps them for ever."
    )
    datahub_strict = Bool(
        False,
        config=True,
        help="Refuse aspects with fields that the model does not know; else those fields are dropped, with a warning.",
    )

    @default("database")
    def _default_database(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "colophon.db")

    @default("audit_folder")
    def _default_audit_folder(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "audit")

    @default("stream_folder")
    def _default_stream_folder(self) -> str:
        return str(Path(jupyter_data_dir()) / "colophon" / "streams")

    def events(self) -> Path | None:
        """The folder of the events of streams; None where they are dropped."""
        return Path(self.stream_folder) if self.store_stream_events else None

    def audit(self) -> Path | None:
        """Return the folder where reads by programs are recorded; None where they are not."""
        return Path(self.audit_folder) if self.audit_reads else None

    def identity(self) -> Identity:
        """How things are named here."""
        return Identity(
            default_platform=self.default_platform,
            default_fabric=self.default_fabric,
            notebook_namespace=self.notebook_namespace,
            namespace_rules=tuple(self.namespace_rules),
            platform_instances=tuple(self.platform_instances),
        )

    def store(self) -> StoreChoice:
        """The store that was chosen. Raises InvalidConfiguration where any setting cannot be used."""
        if self.wrong:
            raise InvalidConfiguration("; ".join(self.wrong.values()))
        if self.storage_provider == "sqlite" and not self.storage_options:
            return sqlite_file(Path(self.database))
        return StoreChoice(self.storage_provider, self.storage_options)

    def overlay(self) -> Path | None:
        """The file that adds to the registry; None where there is none."""
        return Path(self.entity_registry).expanduser() if self.entity_registry else None

    def authorizer(self) -> "Authorizer":
        """Who decides what may be done in a namespace. Raises InvalidConfiguration."""
        from jupyter_colophon.service.policy import authorizer

        return authorizer(self.policy)

    def system_filter(self) -> SystemFilter:
        """Which machine-made metadata is attached."""
        return SystemFilter(tuple(Rule(*told) for told in self.system_metadata_filters))

    def retained(self) -> Retention:
        """Which versions of aspects are kept. Raises InvalidConfiguration."""
        return retention(self.retention)

    def is_anothers(self, name: str) -> bool:
        """Whether something else that is called `Colophon` has a setting of this name."""
        return False

    def _find_my_config(self, cfg: Config) -> Config:
        """As traitlets does, without what cannot be used."""
        found: Config = super()._find_my_config(cfg)
        known = self.traits(config=True)
        ours = cfg.get("Colophon", {})
        wrong = dict(self.wrong)
        for name, value in list(found.items()):
            if name in known:
                # A later source may mend what an earlier one said.
                wrong.pop(name, None)
                if not self._fits(name, known[name], value):
                    wrong[name] = f"the setting c.Colophon.{name} must be {_wanted(known[name])}"
                    del found[name]
            elif name in ours and not isinstance(value, Config):
                if not self.is_anothers(name):
                    wrong[name] = f"there is no setting c.Colophon.{name}"
                del found[name]
        self.wrong = wrong
        return found

    def _fits(self, name: str, trait: TraitType[Any, Any], value: Any) -> bool:
        try:
            if isinstance(value, LazyConfigValue):
                value = value.get_value(getattr(self, name))
            elif isinstance(value, DeferredConfig):
                value = value.get_value(trait)
            trait._validate(self, value)
        except Exception:  # noqa: BLE001  the value is anything, and what is said of it may show it
            return False
        return True


def _wanted(trait: TraitType[Any, Any]) -> str:
    least = getattr(trait, "min", None)
    return trait.info() if least is None else f"{trait.info()}, {least} or more"
