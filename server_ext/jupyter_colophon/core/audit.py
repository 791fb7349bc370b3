"""Entries of the audit: who read or changed what is marked as sensitive, and what was denied (docs/how-to/audit-access.md)."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.members import Time

#: What was done: `access` is a run that read or wrote the data, everything else concerns metadata.
AuditAction = Literal[
    "read", "list", "search", "lineage", "runs", "relationships", "changes", "change", "access", "admin"
]
AuditOutcome = Literal["allowed", "denied"]
ACTIONS: Final[tuple[AuditAction, ...]] = get_args(AuditAction)
OUTCOMES: Final[tuple[AuditOutcome, ...]] = get_args(AuditOutcome)


@dataclass(frozen=True, slots=True)
class AuditRules:
    """What the audit records.

    With `auto` it records access to what is marked, and denials, where several people use the catalog: in a shared
    service, and while policies are in force. `programs` adds every read by a program. Entries are kept for `days`, 0
    without limit.
    """

    mode: Literal["auto", "on", "off"] = "off"
    is_shared: bool = False
    programs: bool = False
    days: int = 0


#: Nothing is recorded.
NO_AUDIT: Final = AuditRules()


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """What a principal did, before it is stored. `detail` is the aspect or the permission, never a value."""

    time: int
    principal: Principal
    action: AuditAction
    outcome: AuditOutcome
    urn: str
    sensitive: bool
    detail: str = ""
    run: str | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class TokenOfEntry:
    """The service token by which a request was authenticated. A later token of the same name has another id."""

    name: str
    id: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A stored entry, ordered by `seq`.

    `program` and `run` are those of the kernel, as far as they are recorded. Within a second, `count` equal accesses
    are one entry, with the time of the first.
    """

    seq: int
    time: Time
    user: str
    via: str | None
    token: TokenOfEntry | None
    program: str | None
    run: str | None
    action: AuditAction
    outcome: AuditOutcome
    urn: str
    detail: str
    sensitive: bool
    count: int


@dataclass(frozen=True, slots=True)
class AuditSelection:
    """Which entries are wanted. Times are ms since 1970; the start is included, the end is not."""

    user: str = ""
    urn: str = ""
    program: str = ""
    run: str = ""
    action: str = ""
    outcome: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class AuditVerification:
    """The result of comparing entries with their seals: the number of entries, and a sentence for each difference.

    `number` and `hash` are those of the last verified entry: who keeps them elsewhere notices if the newest entries are
    removed together with their seals. `cursor` continues the verification.
    """

    entries: int
    problems: tuple[str, ...]
    number: int
    hash: str
    cursor: str | None
