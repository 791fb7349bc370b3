"""The status, problem type and title of each error: one table for all APIs."""

from dataclasses import dataclass

from jupyter_colophon.core import errors
from jupyter_colophon.core.changes.bulk_load import LoadEnded
from jupyter_colophon.core.changes.inbox import Refusal

PREFIX = "urn:jupyter-colophon:problem:"


@dataclass(frozen=True, slots=True)
class Row:
    """How an error is reported: its status, the last part of its problem type, and a title."""

    status: int
    type: str
    title: str


TABLE: dict[type[errors.MetadataError], Row] = {
    errors.MalformedBody: Row(400, "malformed-body", "Malformed body"),
    errors.InstanceInvalid: Row(400, "invalid-instance", "Invalid instance"),
    errors.InstanceUnreadable: Row(400, "unreadable-instance", "Unreadable instance"),
    errors.InvalidSecret: Row(400, "invalid-secret", "Invalid secret"),
    errors.RenameNotSupported: Row(400, "rename-not-supported", "Rename not supported"),
    errors.HookDenied: Row(403, "hook-denied", "Denied by the metadata class of the schema"),
    errors.HookFailed: Row(400, "hook-failed", "The metadata class of the schema failed"),
    errors.SchemaRejected: Row(400, "schema-rejected", "Schema rejected"),
    errors.InvalidInstance: Row(400, "invalid-instance", "Invalid instance"),
    errors.InvalidInstanceName: Row(400, "invalid-name", "Invalid name"),
    errors.InvalidName: Row(400, "invalid-name", "Invalid name"),
    errors.InvalidQuery: Row(400, "invalid-query", "Invalid query"),
    errors.PatchFailed: Row(400, "patch-failed", "Patch failed"),
    errors.InvalidField: Row(400, "invalid-field", "Invalid field"),
    errors.BackupRejected: Row(400, "backup-rejected", "Backup rejected"),
    errors.RemovalNotPermitted: Row(403, "access-denied", "Access denied"),
    errors.ManagedElsewhere: Row(403, "managed-elsewhere", "Managed by another API"),
    errors.ConfirmationRequired: Row(403, "confirmation-required", "Confirmation required"),
    errors.Reserved: Row(403, "reserved-name", "Reserved name"),
    errors.AccessDenied: Row(403, "access-denied", "Access denied"),
    errors.SchemaspaceNotFound: Row(404, "not-found", "Not found"),
    errors.SchemaNotFound: Row(404, "not-found", "Not found"),
    errors.InstanceNotFound: Row(404, "not-found", "Not found"),
    errors.UnknownEntityType: Row(404, "unknown-entity-type", "Unknown entity type"),
    errors.NotFound: Row(404, "not-found", "Not found"),
    errors.InstanceIsDirectory: Row(409, "instance-is-directory", "Instance is a directory"),
    errors.InstanceExists: Row(409, "already-exists", "Already exists"),
    errors.RunConflict: Row(409, "run-conflict", "Run conflict"),
    errors.RenameConflict: Row(409, "rename-conflict", "It cannot be renamed now"),
    errors.AlreadyExists: Row(409, "already-exists", "Already exists"),
    errors.IdempotencyKeyReused: Row(409, "idempotency-key-reused", "Idempotency key reused"),
    LoadEnded: Row(409, "load-ended", "Load has ended"),
    errors.NotEmpty: Row(409, "not-empty", "Not empty"),
    errors.LogReset: Row(410, "log-reset", "Change log was reset"),
    errors.LogCompacted: Row(410, "log-compacted", "Changes were compacted"),
    errors.HistoryExpired: Row(410, "history-expired", "History has expired"),
    errors.ConditionFailed: Row(412, "condition-failed", "Condition failed"),
    errors.TooLarge: Row(413, "too-large", "Too large"),
    errors.TooManyConnections: Row(429, "too-many-connections", "Too many connections"),
    errors.DeliveryFailed: Row(502, "delivery-failed", "Delivery failed"),
    errors.SecretUnavailable: Row(503, "secret-unavailable", "Secret unavailable"),
    errors.StoreFull: Row(507, "store-full", "No space left in the store"),
    errors.TransactionConflict: Row(503, "transaction-conflict", "Transaction conflict"),
    errors.CommitUnknown: Row(503, "commit-unknown", "Outcome of the commit is unknown"),
    errors.TransactionTimeout: Row(503, "transaction-timeout", "Transaction timed out"),
    errors.TableSchemaIncompatible: Row(503, "table-schema-incompatible", "Incompatible table schema"),
    errors.StoreTooNew: Row(503, "store-too-new", "Store has a newer schema version"),
    errors.UnsupportedStore: Row(503, "unsupported-store", "Store cannot be upgraded"),
    errors.NoCatalog: Row(503, "no-catalog", "No catalog in the store"),
    errors.IncompleteRestore: Row(503, "incomplete-restore", "Incomplete restore"),
    errors.NamespaceDeleting: Row(503, "namespace-deleting", "Namespace is being deleted"),
    errors.StoreDamaged: Row(503, "store-damaged", "Store is damaged"),
    errors.InvalidConfiguration: Row(503, "invalid-configuration", "Invalid configuration"),
    errors.StoreUnavailable: Row(503, "store-unavailable", "Store unavailable"),
    errors.StorageError: Row(503, "store-error", "Store error"),
}

_BY_NAME = {cause.__name__: row for cause, row in TABLE.items()}
_FAULT = Row(500, "internal-server-error", "Internal Server Error")


def row_of(cause: type[errors.MetadataError]) -> Row:
    """The row of an error's class, or of the nearest class above it."""
    return next(TABLE[cls] for cls in cause.__mro__ if cls in TABLE)


def problem(error: errors.MetadataError) -> dict[str, object]:
    """An error as a problem document (RFC 9457, `schemas/api/problem.json`)."""
    row = row_of(type(error))
    body = document(row.status, row.type, row.title, error.detail, error.problems)
    renamed_to = error.renamed_to if isinstance(error, errors.NotFound) else ""
    return body | ({"renamedTo": renamed_to} if renamed_to else {})


def refusal(value: Refusal) -> dict[str, object]:
    """A refusal that was kept as a problem document; what failed for a reason of ours says no more than that."""
    row = _BY_NAME.get(value.cause, _FAULT)
    return document(row.status, row.type, row.title, value.detail, value.problems)


def document(
    status: int, kind: str, title: str, detail: str, problems: tuple[errors.Problem, ...] = ()
) -> dict[str, object]:
    """A problem document from its parts."""
    return {
        "type": PREFIX + kind,
        "title": title,
        "status": status,
        "detail": detail,
        "errors": [{"pointer": one.pointer, "message": one.message} for one in problems],
    }
