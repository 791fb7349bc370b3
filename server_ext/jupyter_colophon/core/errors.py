"""Define every error of the product, one class for each cause. `operations/problems.py` maps each to a status.

An error has data, from which its message is built. Values that a user wrote appear in a message only if the same user
sent them (names, query words); aspect values never do (spec WRITE-12).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem at one location of a document.

    `pointer` is a JSON Pointer into the request's body, empty for the whole body.
    """

    pointer: str
    message: str


class MetadataError(Exception):
    """The base class of our errors; their messages may be shown to the caller."""

    def __init__(self, detail: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = problems


class InvalidName(MetadataError):
    """A URN, a name or a path violates its grammar."""

    def __init__(self, kind: str, text: str, reason: str) -> None:
        super().__init__(f"{quote_and_truncate_text(text)} is not a valid {kind}: {reason}")
        self.kind, self.text, self.reason = kind, text, reason


class InvalidInstanceName(InvalidName, ValueError):
    """An instance cannot have this name (spec INST-6); the message is the one that Elyra's clients know."""

    def __init__(self, text: str) -> None:
        super().__init__("instance name", text, "it violates the grammar")
        self.detail = (
            "Name of metadata must be lowercase alphanumeric, beginning with alpha and can include "
            "embedded hyphens ('-') and underscores ('_')."
        )
        self.args = (self.detail,)


class InvalidQuery(MetadataError):
    """A search, a time, a cursor or another parameter is invalid."""

    def __init__(self, reason: str, parameter: str = "", pointer: str = "") -> None:
        problems = (Problem(pointer, reason),) if pointer else ()
        super().__init__(f"{parameter}: {reason}" if parameter else reason, problems)
        self.reason, self.parameter = reason, parameter


class MalformedBody(MetadataError):
    """A body is not JSON, or JSON beyond our limits (spec SEC-6)."""


class InvalidInstance(MetadataError):
    """A document does not satisfy its schema.

    `problems` has every invalid location, in a proposal's value or in another `part` of it.
    """

    def __init__(self, subject: str, problems: tuple[Problem, ...], part: str = "value") -> None:
        super().__init__(f"{subject} is not valid", problems)
        self.subject, self.part = subject, part


class SchemaRejected(InvalidInstance):
    """A schema cannot be used in a schemaspace: its dialect, size, references or expressions (spec SEC-7)."""


class RunConflict(MetadataError):
    """A report contradicts what is recorded of a run: the run has ended, or began at another time."""

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(f"run {quote_and_truncate_text(run_id)} {reason}")
        self.run_id, self.reason = run_id, reason


class PatchFailed(MetadataError):
    """A patch cannot be applied to the present value."""

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(reason, (Problem(pointer, reason),))
        self.reason, self.pointer = reason, pointer


class TooLarge(MetadataError):
    """A limit of size is exceeded."""


class AccessDenied(MetadataError):
    """The principal may read the subject, but may not do this to it."""

    def __init__(self, action: str, subject: str) -> None:
        super().__init__(f"you may not {action} {subject}")
        self.action, self.subject = action, subject


class ManagedElsewhere(AccessDenied):
    """The subject can only be changed through an API of its own, which checks more than the aspect's schema."""

    def __init__(self, subject: str, api: str) -> None:
        super().__init__("change", subject)
        self.detail = f"{subject} can only be changed through {api}"
        self.args = (self.detail,)
        self.api = api


class ConfirmationRequired(AccessDenied):
    """Deleting a namespace with everything in it requires its name as confirmation (spec CDAP-7)."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "delete", f"namespace {quote_and_truncate_text(name)} with everything in it: add confirm={name} to confirm"
        )


class Reserved(AccessDenied):
    """The name of a namespace is reserved for the platform (spec ID-16)."""

    def __init__(self, name: str) -> None:
        super().__init__("create", f"namespace {quote_and_truncate_text(name)}: the name is reserved")
        self.name = name


class NotFound(MetadataError):
    """The thing does not exist, or the principal may not know that it does."""

    def __init__(self, kind: str, name: str, hint: str = "", renamed_to: str = "") -> None:
        """Create the error; `renamed_to` is the present URN of the entity that had this name before."""
        hint = f"it was renamed to {quote_and_truncate_text(renamed_to)}" if renamed_to else hint
        super().__init__(f"{kind} {quote_and_truncate_text(name)} not found" + (f": {hint}" if hint else ""))
        self.kind, self.name, self.renamed_to = kind, name, renamed_to


def create_missing_namespace_error(name: str) -> NotFound:
    """Return the error of a write into a namespace that does not exist, with the ways out."""
    command = f"jupyter colophon namespace create {quote_and_truncate_text(name)}"
    return NotFound("namespace", name, f"create it with {command}, or use the namespace default")


class UnknownEntityType(NotFound):
    """The entity type does not exist."""


class AlreadyExists(MetadataError):
    """A thing with this name exists, and the proposal was to create it."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind} {quote_and_truncate_text(name)} already exists")
        self.kind, self.name = kind, name


class RenameConflict(MetadataError):
    """An entity cannot be renamed: the new name is in use, or others depend on the old one."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{quote_and_truncate_text(name)} cannot be renamed now: {reason}")
        self.name, self.reason = name, reason


class SchemaspaceNotFound(NotFound, ValueError):
    """No schemaspace has this name or id."""

    def __init__(self, name: str, valid_names: tuple[str, ...]) -> None:
        super().__init__("schemaspace", name)
        self.detail = (
            f"The schemaspace name or id '{name}' is not in the list of valid schemaspaces: '{list(valid_names)}'!"
        )
        self.args = (self.detail,)


class SchemaNotFound(NotFound):
    """A schemaspace has no schema of this name."""

    def __init__(self, schemaspace: str, name: str) -> None:
        super().__init__("schema", name)
        self.detail = f"No such schema named '{name}' was found in the {schemaspace} schemaspace."
        self.args = (self.detail,)
        self.space = schemaspace


class InstanceNotFound(NotFound):
    """A schemaspace has no instance of this name."""

    def __init__(self, schemaspace: str, name: str) -> None:
        # Elyra stores written by users sometimes pass None.
        super().__init__("instance", str(name))
        self.detail = f"No such instance named '{name}' was found in the {schemaspace} schemaspace."
        self.args = (self.detail,)
        self.space = schemaspace


class InstanceExists(AlreadyExists):
    """A schemaspace has an instance of this name, at some level."""

    def __init__(self, schemaspace: str, name: str) -> None:
        super().__init__("instance", str(name))
        self.detail = f"An instance named '{name}' already exists in the {schemaspace} schemaspace."
        self.args = (self.detail,)
        self.space = schemaspace


class RemovalNotPermitted(AccessDenied):
    """An instance of a shared or factory folder cannot be removed."""

    def __init__(self, space: str, name: str) -> None:
        super().__init__("delete", name)
        self.detail = f"Removal of instance '{name}' from the {space} schemaspace is not permitted!"
        self.args = (self.detail,)
        self.space = space


class InstanceUnreadable(MetadataError):
    """The stored instance is not a JSON object; it can be replaced or removed (spec INST-2)."""

    def __init__(self, space: str, name: str, reason: str) -> None:
        super().__init__(f"JSON failed to load for instance '{name}' in the {space} schemaspace with error: {reason}.")
        self.space, self.name, self.reason = space, name, reason


class InstanceInvalid(InvalidInstance):
    """An instance does not satisfy its schema; the message is the first error in the wording of Elyra."""

    def __init__(self, name: str, schema: str, first: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(f"instance {quote_and_truncate_text(name)}", problems)
        self.detail = f"Validation failed for instance '{name}' using the {schema} schema with error: {first}."
        self.args = (self.detail,)
        self.name, self.schema, self.first = name, schema, first


class InvalidSecret(MetadataError):
    """The value written in place of a secret cannot be stored as one (spec SEC-14)."""


class SecretUnavailable(MetadataError):
    """A secret store cannot store a secret or does not have it now; the message contains neither key nor value."""


class RenameNotSupported(MetadataError):
    """An instance cannot be renamed, since its name is the name of its file (spec INST-6)."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"The attempt to rename instance '{old}' to '{new}' is not supported.")
        self.old, self.new = old, new


class InstanceIsDirectory(MetadataError):
    """A folder has the name of an instance's file; it is not removed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"a folder has the name of the file of instance {quote_and_truncate_text(name)}: remove the folder yourself"
        )
        self.name = name


class HookFailed(MetadataError):
    """The schema's own class refused or failed; `undone` states whether the save was rolled back (spec INST-7)."""

    def __init__(self, hook: str, name: str, reason: str, *, undone: bool = False) -> None:
        after = "; the change was rolled back" if undone else ""
        super().__init__(f"{hook} of instance {quote_and_truncate_text(name)} failed: {reason}{after}")
        self.hook, self.name, self.undone = hook, name, undone


class HookDenied(HookFailed):
    """The schema's own class does not allow the change: it raised PermissionError with a message of its own."""


class LoadEnded(MetadataError):
    """The load was committed or aborted and accepts no more batches."""

    def __init__(self, name: str, state: str) -> None:
        super().__init__(
            f"the load {quote_and_truncate_text(name)} was {state} and accepts no more batches: open a load with another name"
        )


class IdempotencyKeyReused(MetadataError):
    """An idempotency key was used for another request within a day (spec WRITE-9)."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the idempotency key {quote_and_truncate_text(key)} was used for another request")
        self.key = key


class NotEmpty(MetadataError):
    """A namespace contains entities, or something else."""

    def __init__(self, name: str, content: str = "entities") -> None:
        super().__init__(f"namespace {quote_and_truncate_text(name)} still contains {content}: delete them first")
        self.name = name


class HeldForReview(MetadataError):
    """A policy requires review of the change: it was stored as a proposal, and nothing else was changed."""

    def __init__(self, number: int, subject: str) -> None:
        super().__init__(
            f"your change of {quote_and_truncate_text(subject)} waits for review, as proposal {number}: a steward "
            "applies or rejects it"
        )
        self.number, self.subject = number, subject


class ReviewConflict(MetadataError):
    """A proposal cannot be brought up to date: since it was made, the same place was changed, or the entity deleted."""


class GrantConflict(MetadataError):
    """Access cannot be granted in answer to a request: a rule would have no effect, or another one than intended."""


class ConditionFailed(MetadataError):
    """The aspect has another version than the proposal expects."""

    def __init__(self, subject: str, expected: str, actual: int) -> None:
        super().__init__(f"{subject} is at version {actual}, expected {expected}")
        self.subject, self.expected, self.actual = subject, expected, actual


class InvalidField(MetadataError):
    """A structured table does not have this field, key or type (spec STORE-9)."""


class StorageError(MetadataError):
    """The store failed."""


class InvalidConfiguration(StorageError):
    """A setting is invalid, so no store is opened: opening another one than was chosen would be worse
    (docs/settings.md).
    """


class StoreUnavailable(StorageError):
    """The store cannot be reached or is too busy; a retry may succeed.

    `reason` is what the store or its driver reported: it may name hosts and users, so only administrators see it.
    """

    def __init__(self, detail: str, reason: str = "") -> None:
        super().__init__(detail)
        self.reason = reason


class Overloaded(StoreUnavailable):
    """The server refuses requests of this kind, since its load is too high; a retry may succeed."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"the server is overloaded: try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class TransactionConflict(StoreUnavailable):
    """Concurrent transactions conflicted at every attempt; a retry may succeed."""


class CommitUnknown(StoreUnavailable):
    """The connection to the store was lost during a commit: retry with the same idempotency key (spec STORE-10)."""


class TransactionTimeout(StorageError):
    """A transaction exceeded its time limit and was rolled back (spec STORE-14)."""


class TableSchemaIncompatible(StorageError):
    """A table has a shape that this version cannot use: a newer version or another program made it (spec STORE-13)."""


class StoreTooNew(StorageError):
    """The store has the schema of a newer version of this package; it is left unchanged."""

    def __init__(self, version: int, supported: int) -> None:
        super().__init__(
            f"the store has schema version {version}, and this version of jupyter-colophon supports {supported}: "
            "use a newer one"
        )
        self.version, self.known = version, supported


class UnsupportedStore(StorageError):
    """The store has a schema from which there is no migration; it is left unchanged."""

    def __init__(self) -> None:
        super().__init__(
            "the store was written by a version of jupyter-colophon that this version cannot upgrade: "
            "export the catalog with the version that wrote it, and import it into a new store"
        )


class IncompleteRestore(StorageError):
    """A restore into the store was interrupted; the catalog is incomplete."""

    def __init__(self) -> None:
        super().__init__("a restore into this store did not finish: move the store away and restore again")


class NoCatalog(MetadataError):
    """The store can be reached but contains no catalog. Only servers and `restore` create one."""

    def __init__(self, location: str) -> None:
        super().__init__(f"no catalog found in {location}")
        self.place = location


class StoreDamaged(StorageError):
    """The store's data are damaged; `jupyter colophon doctor` explains what to do."""


class LogCompacted(MetadataError):
    """The change log no longer has the requested changes (spec MODEL-15)."""

    def __init__(self, after: int, floor: int) -> None:
        super().__init__(
            f"the changes up to {floor} were removed from the change log: read all entities again, then continue with after={floor}"
        )
        self.after, self.floor = after, floor


class LogReset(LogCompacted):
    """The requested position is after the end of the change log: the position is another store's, or the store was
    restored.
    """

    def __init__(self, after: int, head: int) -> None:
        MetadataError.__init__(
            self, f"the change log ends at {head}: read all entities again, then continue with after={head}"
        )
        self.after, self.floor = after, head


class HistoryExpired(MetadataError):
    """The requested time is before the start of the complete history (the setting `retention`)."""

    def __init__(self, begins: str) -> None:
        super().__init__(f"the history before {begins} is incomplete: use that time or a later one")
        self.begins = begins


class DeliveryFailed(MetadataError):
    """A sink did not accept a change. The message contains no secret and no text of the other side."""


class DeliveryRejected(DeliveryFailed):
    """A sink will never accept this change: it becomes a dead letter at once."""


class SinkUnavailable(DeliveryFailed):
    """A sink accepts no changes now; delivery waits for it without a time limit."""


class TooManyConnections(MetadataError):
    """A user has more connections to the change feed than allowed."""

    def __init__(self, maximum: int) -> None:
        super().__init__(
            f"a user may have at most {maximum} connections to the change feed (c.Colophon.max_connections_per_user)"
        )


class DataUnreadable(MetadataError):
    """The data of a dataset cannot be read on this machine; the message has the reason."""


class TooManyExecutions(MetadataError):
    """A server runs as many pipelines and checks for its users as allowed."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} pipelines and checks of data are active on this server, and more are not allowed "
            "(c.Colophon.max_pipeline_executions): wait for one to end, or stop it"
        )


class TooManyTokens(MetadataError):
    """A catalog has as many service tokens as allowed."""

    def __init__(self, maximum: int) -> None:
        super().__init__(f"a catalog may have at most {maximum} service tokens: revoke one that is no longer used")


class TooManyRequests(MetadataError):
    """A principal sends more than the settings allow."""

    def __init__(self, limit: str, retry_after_s: int) -> None:
        super().__init__(f"you have exceeded the limit of {limit}: try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class InvalidServiceToken(MetadataError):
    """A request has a service token that is unknown, expired or revoked: the cases cannot be distinguished."""

    def __init__(self) -> None:
        super().__init__("the service token is not valid: it is unknown, expired or revoked")


class BackupRejected(MetadataError):
    """A file is not a backup, or cannot be restored into this store."""


class NamespaceDeleting(StoreUnavailable):
    """A namespace of this name is being deleted; it can be created again in a moment."""

    def __init__(self, name: str) -> None:
        super().__init__(f"namespace {quote_and_truncate_text(name)} is being deleted: create it again in a moment")
        self.name = name


class StoreFull(StorageError):
    """There is no space left for a write."""


class BadRequest(MetadataError):
    """A system application refuses a request, since it is not valid."""


class MethodNotAllowed(MetadataError):
    """A path of a system application does not support the HTTP method."""

    def __init__(self, path: str, allowed: tuple[str, ...]) -> None:
        super().__init__(f"{quote_and_truncate_text(path)} supports only {', '.join(allowed)}")
        self.path, self.allowed = path, allowed


class SystemAppFailed(MetadataError):
    """The code of a system application failed; its log has the cause."""

    def __init__(self, app: str, reason: str) -> None:
        super().__init__(f"the system application {quote_and_truncate_text(app)} failed: {reason}")
        self.app, self.reason = app, reason


class PluginFailed(MetadataError):
    """A plugin of a namespace failed in a call; its code or its properties have to be changed."""

    def __init__(self, plugin: str, reason: str) -> None:
        super().__init__(f"the plugin {quote_and_truncate_text(plugin)} failed: {reason}")
        self.plugin, self.reason = plugin, reason


class SystemAppUnavailable(MetadataError):
    """A system application is not running, or is too busy; a retry may succeed."""

    def __init__(self, app: str, reason: str) -> None:
        super().__init__(f"the system application {quote_and_truncate_text(app)} is not available: {reason}")
        self.app, self.reason = app, reason


class SystemAppStopped(SystemAppUnavailable):
    """A system application does not run until an administrator acts; a retry does not help."""


class SystemAppEnabled(MetadataError):
    """A system application is installed and enabled, so that its tables are in use."""

    def __init__(self, app: str) -> None:
        super().__init__(
            f"the system application {quote_and_truncate_text(app)} is installed and enabled: disable or uninstall it first"
        )
        self.app = app


class SystemAppTimeout(MetadataError):
    """A system application did not answer within the time limit of the route; it may continue."""

    def __init__(self, app: str, seconds: float) -> None:
        super().__init__(f"the system application {quote_and_truncate_text(app)} did not answer within {seconds:g} s")
        self.app, self.seconds = app, seconds


def quote_and_truncate_text(text: str) -> str:
    """Return a user's text quoted, truncated and with control characters escaped, for a message or a log line."""
    cut = text if len(text) <= 200 else text[:200] + "…"
    return repr(cut)
