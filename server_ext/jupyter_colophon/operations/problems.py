"""The status, problem type and title of each error: one table for all APIs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.core import errors

if TYPE_CHECKING:
    from jupyter_colophon.core.changes.inbox import Rejection

PREFIX = "urn:jupyter-colophon:problem:"


@dataclass(frozen=True, slots=True)
class ProblemType:
    """How an error is reported: its status, the last part of its problem type, and a title."""

    status: int
    type: str
    title: str


TABLE: dict[type[errors.MetadataError], ProblemType] = {
    errors.HeldForReview: ProblemType(202, "held-for-review", "Waits for review"),
    errors.MalformedBody: ProblemType(400, "malformed-body", "Malformed body"),
    errors.InstanceInvalid: ProblemType(400, "invalid-instance", "Invalid instance"),
    errors.InstanceUnreadable: ProblemType(400, "unreadable-instance", "Unreadable instance"),
    errors.InvalidSecret: ProblemType(400, "invalid-secret", "Invalid secret"),
    errors.RenameNotSupported: ProblemType(400, "rename-not-supported", "Rename not supported"),
    errors.HookDenied: ProblemType(403, "hook-denied", "Denied by the metadata class of the schema"),
    errors.HookFailed: ProblemType(400, "hook-failed", "The metadata class of the schema failed"),
    errors.SchemaRejected: ProblemType(400, "schema-rejected", "Schema rejected"),
    errors.InvalidInstance: ProblemType(400, "invalid-value", "Invalid value"),
    errors.InvalidInstanceName: ProblemType(400, "invalid-name", "Invalid name"),
    errors.InvalidName: ProblemType(400, "invalid-name", "Invalid name"),
    errors.InvalidQuery: ProblemType(400, "invalid-query", "Invalid query"),
    errors.PatchFailed: ProblemType(400, "patch-failed", "Patch failed"),
    errors.InvalidField: ProblemType(400, "invalid-field", "Invalid field"),
    errors.BackupRejected: ProblemType(400, "backup-rejected", "Backup rejected"),
    errors.InvalidServiceToken: ProblemType(401, "invalid-token", "Invalid token"),
    errors.RemovalNotPermitted: ProblemType(403, "access-denied", "Access denied"),
    errors.ManagedElsewhere: ProblemType(403, "managed-elsewhere", "Managed by another API"),
    errors.ConfirmationRequired: ProblemType(403, "confirmation-required", "Confirmation required"),
    errors.Reserved: ProblemType(403, "reserved-name", "Reserved name"),
    errors.AccessDenied: ProblemType(403, "access-denied", "Access denied"),
    errors.SchemaspaceNotFound: ProblemType(404, "not-found", "Not found"),
    errors.SchemaNotFound: ProblemType(404, "not-found", "Not found"),
    errors.InstanceNotFound: ProblemType(404, "not-found", "Not found"),
    errors.UnknownEntityType: ProblemType(404, "unknown-entity-type", "Unknown entity type"),
    errors.NotFound: ProblemType(404, "not-found", "Not found"),
    errors.InstanceIsDirectory: ProblemType(409, "instance-is-directory", "Instance is a directory"),
    errors.InstanceExists: ProblemType(409, "already-exists", "Already exists"),
    errors.RunConflict: ProblemType(409, "run-conflict", "Run conflict"),
    errors.RenameConflict: ProblemType(409, "rename-conflict", "It cannot be renamed now"),
    errors.ReviewConflict: ProblemType(409, "review-conflict", "The proposal cannot be brought up to date"),
    errors.GrantConflict: ProblemType(409, "grant-conflict", "Access cannot be granted"),
    errors.AlreadyExists: ProblemType(409, "already-exists", "Already exists"),
    errors.IdempotencyKeyReused: ProblemType(409, "idempotency-key-reused", "Idempotency key reused"),
    errors.LoadEnded: ProblemType(409, "load-ended", "Load has ended"),
    errors.NotEmpty: ProblemType(409, "not-empty", "Not empty"),
    errors.SystemAppEnabled: ProblemType(409, "system-app-enabled", "System application enabled"),
    errors.LogReset: ProblemType(410, "log-reset", "Change log was reset"),
    errors.LogCompacted: ProblemType(410, "log-compacted", "Changes were compacted"),
    errors.HistoryExpired: ProblemType(410, "history-expired", "History has expired"),
    errors.ConditionFailed: ProblemType(412, "condition-failed", "Condition failed"),
    errors.TooLarge: ProblemType(413, "too-large", "Too large"),
    errors.TooManyConnections: ProblemType(429, "too-many-connections", "Too many connections"),
    errors.TooManyRequests: ProblemType(429, "too-many-requests", "Too many requests"),
    errors.TooManyTokens: ProblemType(409, "too-many-tokens", "Too many service tokens"),
    errors.DataUnreadable: ProblemType(400, "data-unreadable", "Data unreadable"),
    errors.TooManyExecutions: ProblemType(429, "too-many-executions", "Too many executions"),
    errors.BadRequest: ProblemType(400, "bad-request", "Bad request"),
    errors.MethodNotAllowed: ProblemType(405, "method-not-allowed", "Method not allowed"),
    errors.SystemAppFailed: ProblemType(500, "system-app-failed", "System application failed"),
    errors.PluginFailed: ProblemType(502, "plugin-failed", "Plugin failed"),
    errors.SystemAppStopped: ProblemType(409, "system-app-stopped", "System application does not run"),
    errors.SystemAppUnavailable: ProblemType(503, "system-app-unavailable", "System application unavailable"),
    errors.SystemAppTimeout: ProblemType(504, "system-app-timeout", "System application timed out"),
    errors.DeliveryFailed: ProblemType(502, "delivery-failed", "Delivery failed"),
    errors.SecretUnavailable: ProblemType(503, "secret-unavailable", "Secret unavailable"),
    errors.StoreFull: ProblemType(507, "store-full", "No space left in the store"),
    errors.TransactionConflict: ProblemType(503, "transaction-conflict", "Transaction conflict"),
    errors.CommitUnknown: ProblemType(503, "commit-unknown", "Outcome of the commit is unknown"),
    errors.TransactionTimeout: ProblemType(503, "transaction-timeout", "Transaction timed out"),
    errors.TableSchemaIncompatible: ProblemType(503, "table-schema-incompatible", "Incompatible table schema"),
    errors.StoreTooNew: ProblemType(503, "store-too-new", "Store has a newer schema version"),
    errors.UnsupportedStore: ProblemType(503, "unsupported-store", "Store cannot be upgraded"),
    errors.NoCatalog: ProblemType(503, "no-catalog", "No catalog in the store"),
    errors.IncompleteRestore: ProblemType(503, "incomplete-restore", "Incomplete restore"),
    errors.NamespaceDeleting: ProblemType(503, "namespace-deleting", "Namespace is being deleted"),
    errors.StoreDamaged: ProblemType(503, "store-damaged", "Store is damaged"),
    errors.InvalidConfiguration: ProblemType(503, "invalid-configuration", "Invalid configuration"),
    errors.Overloaded: ProblemType(503, "overloaded", "Server is overloaded"),
    errors.StoreUnavailable: ProblemType(503, "store-unavailable", "Store unavailable"),
    errors.StorageError: ProblemType(503, "store-error", "Store error"),
}

_BY_NAME = {cause.__name__: row for cause, row in TABLE.items()}
_FAULT = ProblemType(500, "internal-server-error", "Internal Server Error")


def find_problem_type(cause: type[errors.MetadataError]) -> ProblemType:
    """Return the problem type of an error's class, or of its nearest base class."""
    return next(TABLE[cls] for cls in cause.__mro__ if cls in TABLE)


def render_problem_document(error: errors.MetadataError) -> dict[str, object]:
    """Return an error as a problem document (RFC 9457, `schemas/api/problem.json`)."""
    row = find_problem_type(type(error))
    body = build_problem_document(row.status, row.type, row.title, error.detail, error.problems)
    if isinstance(error, errors.HeldForReview):
        return body | {"proposal": str(error.number)}
    renamed_to = error.renamed_to if isinstance(error, errors.NotFound) else ""
    return body | ({"renamedTo": renamed_to} if renamed_to else {})


def render_rejection_as_problem(value: "Rejection") -> dict[str, object]:
    """Return a stored refusal as a problem document; an internal error has no details."""
    row = _BY_NAME.get(value.cause, _FAULT)
    return build_problem_document(row.status, row.type, row.title, value.detail, value.problems)


def build_problem_document(
    status: int, kind: str, title: str, detail: str, problems: tuple[errors.Problem, ...] = ()
) -> dict[str, object]:
    """Return a problem document."""
    return {
        "type": PREFIX + kind,
        "title": title,
        "status": status,
        "detail": detail,
        "errors": [{"pointer": problem.pointer, "message": problem.message} for problem in problems],
    }
