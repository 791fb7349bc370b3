"""Everything that can go wrong, one class a cause. `http/problems.py` gives each a status.

An error carries data; its sentence is made from them. Values that a user wrote are never part of a
sentence unless the user who asks wrote them (names, query words): aspect values are not (spec WRITE-12).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at one place of a document.

    `pointer` is a JSON Pointer into the request's body, empty for the whole of it.
    """

    pointer: str
    message: str


class MetadataError(Exception):
    """The root of our errors: something that the caller can be told."""

    def __init__(self, detail: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = problems


class InvalidName(MetadataError):
    """A URN, a name or a path breaks its grammar."""

    def __init__(self, kind: str, text: str, reason: str) -> None:
        super().__init__(f"{shown(text)} is no {kind}: {reason}")
        self.kind, self.text, self.reason = kind, text, reason


class InvalidInstanceName(InvalidName, ValueError):
    """An instance cannot have this name (spec INST-6); in the words that Elyra's clients know."""

    def __init__(self, text: str) -> None:
        super().__init__("instance name", text, "it is not of the grammar")
        self.detail = (
            "Name of metadata must be lowercase alphanumeric, beginning with alpha and can include "
            "embedded hyphens ('-') and underscores ('_')."
        )
        self.args = (self.detail,)


class InvalidQuery(MetadataError):
    """A search, a time, a cursor or another parameter cannot be understood."""

    def __init__(self, reason: str, parameter: str = "", pointer: str = "") -> None:
        problems = (Problem(pointer, reason),) if pointer else ()
        super().__init__(f"{parameter}: {reason}" if parameter else reason, problems)
        self.reason, self.parameter = reason, parameter


class MalformedBody(MetadataError):
    """A body is no JSON that we take (spec SEC-6)."""


class InvalidInstance(MetadataError):
    """A document does not satisfy its schema; `problems` names every place in a proposal's value, or in another `part` of it."""

    def __init__(self, subject: str, problems: tuple[Problem, ...], part: str = "value") -> None:
        super().__init__(f"{subject} is not valid", problems)
        self.subject, self.part = subject, part


class SchemaRejected(InvalidInstance):
    """A schema cannot be used in a schemaspace: its dialect, size, references or expressions (spec SEC-7)."""


class RunConflict(MetadataError):
    """A run is told to be otherwise than it stands: it has ended and should go on, or began at another time."""

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(f"run {shown(run_id)} {reason}")
        self.run_id, self.reason = run_id, reason


class PatchFailed(MetadataError):
    """A patch cannot be applied to the present value."""

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(reason, (Problem(pointer, reason),))
        self.reason, self.pointer = reason, pointer


class TooLarge(MetadataError):
    """Something is over a limit of size."""


class AccessDenied(MetadataError):
    """The principal may read this, but may not do what was asked."""

    def __init__(self, action: str, subject: str) -> None:
        super().__init__(f"you may not {action} {subject}")
        self.action, self.subject = action, subject


class ManagedElsewhere(AccessDenied):
    """This is changed through a door of its own, where it is checked against more than its aspect's schema."""

    def __init__(self, subject: str, door: str) -> None:
        super().__init__("change", subject)
        self.detail = f"{subject} is changed through {door} alone"
        self.args = (self.detail,)
        self.door = door


class ConfirmationRequired(AccessDenied):
    """A namespace with everything in it is deleted only for those who say its name twice (spec CDAP-7)."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "delete", f"namespace {shown(name)} with everything in it: confirm={name} says that you mean it"
        )


class Reserved(AccessDenied):
    """A namespace of this name is there for the platform alone (spec ID-16)."""

    def __init__(self, name: str) -> None:
        super().__init__("make", f"namespace {shown(name)}: this name is reserved")
        self.name = name


class NotFound(MetadataError):
    """There is no such thing, or the principal may not know of it."""

    def __init__(self, kind: str, name: str, hint: str = "", renamed_to: str = "") -> None:
        """`renamed_to` is the URN of the entity that had this name before."""
        hint = f"it was renamed to {shown(renamed_to)}" if renamed_to else hint
        super().__init__(f"there is no {kind} {shown(name)}" + (f": {hint}" if hint else ""))
        self.kind, self.name, self.renamed_to = kind, name, renamed_to


class UnknownEntityType(NotFound):
    """There is no such type of entity."""


class AlreadyExists(MetadataError):
    """Something with this name exists, and the proposal asked to create it."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind} {shown(name)} is already there")
        self.kind, self.name = kind, name


class RenameConflict(MetadataError):
    """An entity keeps its name: the new one is in use, or the old one is not the caller's alone."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{shown(name)} cannot be the subject of a rename now: {reason}")
        self.name, self.reason = name, reason


class SchemaspaceNotFound(NotFound, ValueError):
    """There is no schemaspace of this name or id."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__("schemaspace", name)
        self.detail = f"The schemaspace name or id '{name}' is not in the list of valid schemaspaces: '{list(known)}'!"
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
        # Stores of Elyra's users call it with None at times.
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
    """What is kept of an instance is no JSON object; it can be replaced or removed (spec INST-2)."""

    def __init__(self, space: str, name: str, reason: str) -> None:
        super().__init__(f"JSON failed to load for instance '{name}' in the {space} schemaspace with error: {reason}.")
        self.space, self.name, self.reason = space, name, reason


class InstanceInvalid(InvalidInstance):
    """An instance does not satisfy its schema; the detail is the first error in the words that Elyra's clients know."""

    def __init__(self, name: str, schema: str, first: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(f"instance {shown(name)}", problems)
        self.detail = f"Validation failed for instance '{name}' using the {schema} schema with error: {first}."
        self.args = (self.detail,)
        self.name, self.schema, self.first = name, schema, first


class InvalidSecret(MetadataError):
    """What was written in a secret's place cannot be kept as one (spec SEC-14)."""


class SecretUnavailable(MetadataError):
    """A secret's store cannot keep it, or does not have it now; the detail tells neither key nor value."""


class RenameNotSupported(MetadataError):
    """An instance's name is for good: it is the file's name (spec INST-6)."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"The attempt to rename instance '{old}' to '{new}' is not supported.")
        self.old, self.new = old, new


class InstanceIsDirectory(MetadataError):
    """A folder has the name of an instance's file; what is in it is not ours to remove."""

    def __init__(self, name: str) -> None:
        super().__init__(f"what is called as the file of instance {shown(name)} is a folder: remove it yourself")
        self.name = name


class HookFailed(MetadataError):
    """The schema's own class refused or failed; `undone` says whether a save had to be taken back (spec INST-7)."""

    def __init__(self, hook: str, name: str, told: str, *, undone: bool = False) -> None:
        after = ", and what it followed was undone" if undone else ""
        super().__init__(f"{hook} of instance {shown(name)} failed: {told}{after}")
        self.hook, self.name, self.undone = hook, name, undone


class HookDenied(HookFailed):
    """The schema's own class does not allow it: it raised PermissionError with words of its own."""


class IdempotencyKeyReused(MetadataError):
    """An idempotency key came before, within its day, with another request (spec WRITE-9)."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the idempotency key {shown(key)} was used for another request")
        self.key = key


class NotEmpty(MetadataError):
    """A namespace still holds entities."""

    def __init__(self, name: str) -> None:
        super().__init__(f"namespace {shown(name)} still holds entities: delete them first")
        self.name = name


class ConditionFailed(MetadataError):
    """The aspect is no longer what the proposal took it for."""

    def __init__(self, subject: str, expected: str, actual: int) -> None:
        super().__init__(f"{subject} is at version {actual}, expected {expected}")
        self.subject, self.expected, self.actual = subject, expected, actual


class InvalidField(MetadataError):
    """A structured table was asked for a field, key or type that its spec does not have (spec STORE-9)."""


class StorageError(MetadataError):
    """The store failed."""


class InvalidConfiguration(StorageError):
    """A setting cannot be used, so no store is: another one than was chosen would be worse (docs/settings.md)."""


class StoreUnavailable(StorageError):
    """The store cannot be reached or is too busy; asking again later may help."""


class TransactionConflict(StoreUnavailable):
    """Other transactions were in the way each time; asking again may help."""


class CommitUnknown(StoreUnavailable):
    """The store went away while committing: ask again with the same idempotency key (spec STORE-10)."""


class TransactionTimeout(StorageError):
    """A transaction took longer than its share and was given up (spec STORE-14)."""


class TableSchemaIncompatible(StorageError):
    """A table exists in a shape that this program cannot use: it was made by a newer one, or by another (spec STORE-13)."""


class StoreTooNew(StorageError):
    """The store has the schema of a newer version of this package; it is left unchanged."""

    def __init__(self, version: int, known: int) -> None:
        super().__init__(
            f"the store has schema version {version}, and this version of jupyter-colophon supports {known}: "
            "use a newer one"
        )
        self.version, self.known = version, known


class UnsupportedStore(StorageError):
    """The store has a schema from which there is no migration; it is left unchanged."""

    def __init__(self) -> None:
        super().__init__(
            "the store was written by a version of jupyter-colophon that this version cannot upgrade: "
            "export the catalog with the version that wrote it, and import it into a new store"
        )


class IncompleteRestore(StorageError):
    """A restore into the store was stopped half-way; what is there is no whole catalog."""

    def __init__(self) -> None:
        super().__init__("a restore began and did not end: move the store away and restore again")


class NoCatalog(MetadataError):
    """The store can be reached, and there is no catalog in it. Only servers and `restore` make one."""

    def __init__(self, place: str) -> None:
        super().__init__(f"there is no catalog in {place}")
        self.place = place


class StoreDamaged(StorageError):
    """The store's own data are damaged: `jupyter colophon doctor` says what to do."""


class LogCompacted(MetadataError):
    """The change log was asked for changes that it no longer holds (spec MODEL-15)."""

    def __init__(self, after: int, floor: int) -> None:
        super().__init__(f"changes up to {floor} are no longer kept: list again, then go on with after={floor}")
        self.after, self.floor = after, floor


class LogReset(LogCompacted):
    """The change log was asked for changes after one that it never had: it is another store's, or was restored."""

    def __init__(self, after: int, head: int) -> None:
        MetadataError.__init__(self, f"the change log ends at {head}: list again, then go on with after={head}")
        self.after, self.floor = after, head


class HistoryExpired(MetadataError):
    """The past is asked for at a time of which not everything is kept any more (the setting `retention`)."""

    def __init__(self, begins: str) -> None:
        super().__init__(f"what was said before {begins} is no longer kept whole")
        self.begins = begins


class DeliveryFailed(MetadataError):
    """A sink did not take a change. The words name no secret, and nothing that the other side said."""


class DeliveryRejected(DeliveryFailed):
    """A sink will never take this change: it is put aside at once."""


class SinkUnavailable(DeliveryFailed):
    """A sink takes nothing now, whatever it is given: it is waited for, as long as that takes."""


class TooManyConnections(MetadataError):
    """One user follows the change log over more connections than one may have."""

    def __init__(self, most: int) -> None:
        super().__init__(f"one user may follow over {most} connections (c.Colophon.max_connections_per_user)")


class BackupRejected(MetadataError):
    """A file is no backup that can be restored, or not into this store."""


class NamespaceDeleting(StoreUnavailable):
    """A namespace of this name was deleted and still holds something: it can be made anew in a moment."""

    def __init__(self, name: str) -> None:
        super().__init__(f"namespace {shown(name)} is being deleted: make it anew in a moment")
        self.name = name


class StoreFull(StorageError):
    """There is no space left for a write."""


def shown(text: str) -> str:
    """A user's text in quotes, cut and with control characters escaped, fit for a message or a log line."""
    cut = text if len(text) <= 200 else text[:200] + "…"
    return repr(cut)
