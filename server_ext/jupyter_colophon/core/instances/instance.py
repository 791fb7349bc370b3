"""An instance of a schemaspace: its stored form, and the result of saving it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.errors import Problem

#: The members of every document; the schema's own class may add others.
DOCUMENT_KEYS = ("display_name", "metadata", "schema_name")


@dataclass(frozen=True, slots=True)
class StoredInstance:
    """An instance as it is stored, valid or not.

    `document` is the JSON object without `name`, `resource` and `reason`; None if it cannot be read, and then `problem`
    is the reason in a sentence without any of its content. `resource` is the file's path, or the URN if there is no
    file. Two instances with the same `content_hash` have the same content. `is_removable` is False for an instance of a shared or
    factory folder, which can be overridden but not removed. `time` is the last change in milliseconds, `owner` the
    account it belongs to. `warning` is a sentence about a readable document with a defect.
    """

    name: str
    document: Mapping[str, Any] | None
    resource: str
    content_hash: str
    is_removable: bool = True
    problem: str = ""
    time: int = 0
    owner: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The result of a save or a removal: the record's version (-1 after a removal), and the instance before it.

    `version` is None if the catalog was unavailable: a file is saved without its record (spec MODEL-20). After a removal,
    `removed_version` is the last version before it; None if the catalog was unavailable.
    """

    version: int | None
    stored: StoredInstance | None
    previous: StoredInstance | None
    removed_version: int | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance as it is shown: with secrets masked, and with its problems.

    `reason` is empty if it is valid, else the name of the cause as in Elyra (`ValidationError`, `ValueError`,
    `SchemaNotFoundError`). `extra` has members that the schema's own class adds to a document.
    """

    space: str
    name: str
    display_name: str
    schema_name: str
    metadata: Mapping[str, Any]
    resource: str
    is_removable: bool
    version: int | None
    time: int
    extra: Mapping[str, Any]
    reason: str = ""
    problems: tuple[Problem, ...] = ()
