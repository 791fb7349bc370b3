"""An instance of a schemaspace: what a store keeps, and what came of a change to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.errors import Problem

#: What is in a document besides what a class of the schema's own adds.
DOCUMENT_KEYS = ("display_name", "metadata", "schema_name")


@dataclass(frozen=True, slots=True)
class Held:
    """An instance as a store has it, whatever it is worth.

    `document` is the JSON object without `name`, `resource` and `reason`; None where it cannot be read, and then
    `problem` says why in a sentence without any of its content. `resource` is the file's path, or the URN where there
    is no file. `mark` is equal exactly where the content is. `own` is False for one of a shared or factory folder,
    which can be shadowed and not removed. `time` is the last change in milliseconds, `owner` the account it belongs to.
    `warning` is a sentence about a document that can be read and is not as it should be.
    """

    name: str
    document: Mapping[str, Any] | None
    resource: str
    mark: str
    own: bool = True
    problem: str = ""
    time: int = 0
    owner: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a save or a removal left behind: the record's version (-1 after a removal), and what was there before.

    `version` is None where the catalog was away: a file's save stands without its record (spec MODEL-20).
    """

    version: int | None
    held: Held | None
    previous: Held | None


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance as somebody is shown it: with secrets masked, and with what is wrong with it.

    `reason` is empty where it is valid, else the name of the cause as Elyra's clients know it (`ValidationError`,
    `ValueError`, `SchemaNotFoundError`). `extra` are members that the schema's own class adds to a document.
    """

    space: str
    name: str
    display_name: str
    schema_name: str
    metadata: Mapping[str, Any]
    resource: str
    own: bool
    version: int | None
    time: int
    extra: Mapping[str, Any]
    reason: str = ""
    problems: tuple[Problem, ...] = ()
