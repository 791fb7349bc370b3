"""System applications: the interface for their authors (docs/how-to/write-an-application.md)."""

from jupyter_colophon.apps.admin import NamespaceDetails, SystemAdmin
from jupyter_colophon.apps.configurer import SystemAppConfigurer
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.events.event import (
    CatalogEvent,
    EntityCreated,
    EntityDeleted,
    MetadataChanged,
    NamespaceCreated,
    NamespaceDeleted,
    ProgramStatusChanged,
    QualityChanged,
)
from jupyter_colophon.apps.events.event_listener import EventListener
from jupyter_colophon.apps.files.app_files import AppFiles
from jupyter_colophon.apps.files.partitions import PartitionedFiles
from jupyter_colophon.apps.files.stored_file import StoredFile
from jupyter_colophon.apps.plugins.application_plugin import ApplicationPlugin
from jupyter_colophon.apps.plugins.plugin_details import PluginDetails
from jupyter_colophon.apps.plugins.plugin_instance import PluginInstance
from jupyter_colophon.apps.run_details import RunDetails
from jupyter_colophon.apps.schedules.schedule import find_next_due_ms
from jupyter_colophon.apps.secrets import NamespaceSecrets
from jupyter_colophon.apps.service import ServiceRequest, ServiceResponse
from jupyter_colophon.apps.system_app import SystemApp
from jupyter_colophon.apps.tables import AppTables, IndexedTable, Table
from jupyter_colophon.apps.topics import FetchedMessages, Topic
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import (
    AccessDenied,
    AlreadyExists,
    BadRequest,
    HeldForReview,
    InvalidField,
    InvalidInstance,
    InvalidName,
    InvalidSecret,
    LogCompacted,
    NotFound,
    PluginFailed,
    Problem,
    RunConflict,
    SecretUnavailable,
    StorageError,
    SystemAppFailed,
    SystemAppTimeout,
    SystemAppUnavailable,
    TooLarge,
    TransactionTimeout,
)
from jupyter_colophon.core.identity.names import (
    Urn,
    make_dataset_urn,
    make_field_urn,
    make_home_dataset_urn,
    make_home_model_urn,
    make_model_urn,
    make_program_urn,
    make_run_urn,
)
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunUpsert
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.service.namespace_secrets import SecretDetails
from jupyter_colophon.storage.spi import FieldValue, Range, TableSpec
from jupyter_colophon.system.limited_process import ProcessLimits

__all__ = [
    "Access",
    "AccessDenied",
    "AlreadyExists",
    "AppFiles",
    "AppTables",
    "ApplicationPlugin",
    "BadRequest",
    "CatalogEvent",
    "ColumnEdge",
    "EntityCreated",
    "EntityDeleted",
    "EventListener",
    "FetchedMessages",
    "FieldValue",
    "HeldForReview",
    "IndexedTable",
    "InvalidField",
    "InvalidInstance",
    "InvalidName",
    "InvalidSecret",
    "LogCompacted",
    "MetadataChanged",
    "NamespaceCreated",
    "NamespaceDeleted",
    "NamespaceDetails",
    "NamespaceSecrets",
    "NotFound",
    "PartitionedFiles",
    "PluginDetails",
    "PluginFailed",
    "PluginInstance",
    "Principal",
    "Problem",
    "ProcessLimits",
    "ProgramStatusChanged",
    "Proposal",
    "QualityChanged",
    "Range",
    "RunConflict",
    "RunDetails",
    "RunUpsert",
    "SecretDetails",
    "SecretUnavailable",
    "ServiceContext",
    "ServiceRequest",
    "ServiceResponse",
    "StorageError",
    "StoredFile",
    "SystemAdmin",
    "SystemApp",
    "SystemAppConfigurer",
    "SystemAppFailed",
    "SystemAppTimeout",
    "SystemAppUnavailable",
    "Table",
    "TableSpec",
    "TooLarge",
    "Topic",
    "TransactionTimeout",
    "Urn",
    "find_next_due_ms",
    "make_dataset_urn",
    "make_field_urn",
    "make_home_dataset_urn",
    "make_home_model_urn",
    "make_model_urn",
    "make_program_urn",
    "make_run_urn",
]
