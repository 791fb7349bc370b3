"""From cause to status: one table for the native door."""

from dataclasses import dataclass

from jupyter_colophon.core import errors
from jupyter_colophon.core.inbox import Refusal
from jupyter_colophon.core.load import LoadEnded

PREFIX = "urn:jupyter-colophon:problem:"


@dataclass(frozen=True, slots=True)
class Row:
    """How a cause is told: its status, the last part of its problem type, and a title."""

    status: int
    type: str
    title: str


TABLE: dict[type[errors.MetadataError], Row] = {
    errors.Unparsable: Row(400, "unparsable", "Unparsable body"),
    errors.InstanceInvalid: Row(400, "invalid-instance", "Invalid instance"),
    errors.InstanceUnreadable: Row(400, "unreadable-instance", "Unreadable instance"),
    errors.IllegalSecret: Row(400, "illegal-secret", "No secret"),
    errors.RenameRefused: Row(400, "rename-refused", "An instance keeps its name"),
    errors.HookDenied: Row(403, "hook-denied", "The schema's own class does not allow it"),
    errors.HookFailed: Row(400, "hook-failed", "The schema's own class refused it"),
    errors.SchemaRefused: Row(400, "schema-refused", "The schema cannot be used"),
    errors.InvalidInstance: Row(400, "invalid-instance", "Invalid instance"),
    errors.IllegalInstanceName: Row(400, "illegal-name", "Illegal name"),
    errors.IllegalName: Row(400, "illegal-name", "Illegal name"),
    errors.IllegalQuery: Row(400, "illegal-query", "Illegal query"),
    errors.PatchFailed: Row(400, "patch-failed", "The patch cannot be applied"),
    errors.InvalidField: Row(400, "invalid-field", "Invalid field"),
    errors.BackupRefused: Row(400, "backup-refused", "The backup cannot be restored"),
    errors.RemovalRefused: Row(403, "access-denied", "Access denied"),
    errors.OtherDoor: Row(403, "other-door", "Another door"),
    errors.Unconfirmed: Row(403, "unconfirmed", "Not confirmed"),
    errors.Reserved: Row(403, "reserved", "A reserved name"),
    errors.AccessDenied: Row(403, "access-denied", "Access denied"),
    errors.SchemaspaceUnknown: Row(404, "absent", "Not found"),
    errors.SchemaAbsent: Row(404, "absent", "Not found"),
    errors.InstanceAbsent: Row(404, "absent", "Not found"),
    errors.EntityTypeUnknown: Row(404, "unknown-type", "No such type of entity"),
    errors.Absent: Row(404, "absent", "Not found"),
    errors.InstanceIsFolder: Row(409, "instance-is-folder", "A folder is in the way"),
    errors.InstanceExists: Row(409, "already-there", "Already there"),
    errors.RunStands: Row(409, "run-stands", "The run stands otherwise"),
    errors.RenameConflict: Row(409, "rename-conflict", "It cannot be renamed now"),
    errors.AlreadyThere: Row(409, "already-there", "Already there"),
    errors.KeyReused: Row(409, "key-reused", "Idempotency key reused"),
    LoadEnded: Row(409, "load-ended", "The load has ended"),
    errors.NotEmpty: Row(409, "not-empty", "Not empty"),
    errors.LogShorter: Row(410, "log-shorter", "There are no such changes"),
    errors.LogCompacted: Row(410, "log-compacted", "These changes are no longer kept"),
    errors.HistoryForgotten: Row(410, "history-forgotten", "The past is no longer kept"),
    errors.ConditionFailed: Row(412, "condition-failed", "Condition failed"),
    errors.TooLarge: Row(413, "too-large", "Too large"),
    errors.TooManyConnections: Row(429, "too-many-connections", "Too many connections"),
    errors.Undelivered: Row(502, "undelivered", "Not delivered"),
    errors.SecretUnavailable: Row(503, "secret-unavailable", "A secret is not available"),
    errors.StoreFull: Row(507, "store-full", "No space left"),
    errors.TransactionConflict: Row(503, "transaction-conflict", "The store is too busy"),
    errors.CommitUnknown: Row(503, "commit-unknown", "It is not known whether this was done"),
    errors.TransactionTooLong: Row(503, "transaction-too-long", "It took too long"),
    errors.TableSchemaIncompatible: Row(503, "table-schema-incompatible", "The store is of another version"),
    errors.StoreTooNew: Row(503, "store-too-new", "The store is a newer version's"),
    errors.UnsupportedStore: Row(503, "unsupported-store", "The store cannot be upgraded"),
    errors.NoCatalog: Row(503, "no-catalog", "There is no catalog"),
    errors.HalfRestored: Row(503, "half-restored", "The store is half restored"),
    errors.NamespaceEnding: Row(503, "namespace-ending", "The namespace is being deleted"),
    errors.StoreDamaged: Row(503, "store-damaged", "The store is damaged"),
    errors.Misconfigured: Row(503, "misconfigured", "A setting cannot be used"),
    errors.StoreUnavailable: Row(503, "store-unavailable", "The store is unavailable"),
    errors.StorageError: Row(503, "store-failed", "The store failed"),
}

_BY_NAME = {cause.__name__: row for cause, row in TABLE.items()}
_FAULT = Row(500, "internal-server-error", "Internal Server Error")


def row_of(cause: type[errors.MetadataError]) -> Row:
    """The row of an error's class, or of the nearest class above it."""
    return next(TABLE[cls] for cls in cause.__mro__ if cls in TABLE)


def problem(error: errors.MetadataError) -> dict[str, object]:
    """An error as a problem document (RFC 9457, `schemas/api/problem.json`)."""
    row = row_of(type(error))
    told = document(row.status, row.type, row.title, error.detail, error.problems)
    renamed_to = error.renamed_to if isinstance(error, errors.Absent) else ""
    return told | ({"renamedTo": renamed_to} if renamed_to else {})


def refusal(told: Refusal) -> dict[str, object]:
    """A refusal that was kept as a problem document; what failed for a reason of ours says no more than that."""
    row = _BY_NAME.get(told.cause, _FAULT)
    return document(row.status, row.type, row.title, told.detail, told.problems)


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
