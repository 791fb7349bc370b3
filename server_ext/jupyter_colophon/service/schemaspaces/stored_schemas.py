"""Schemas that administrators stored here (trait `allow_schema_writes`): one file each, below a folder of this account.

They are loaded as those of packages are, by every process of the account. A package's schema of the same name stands
before them.
"""

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import AlreadyExists, MetadataError, NotFound, Problem, SchemaRejected
from jupyter_colophon.service.schemaspaces.parse_registrations import require_schema
from jupyter_colophon.service.schemaspaces.registrations import STORED
from jupyter_colophon.service.schemaspaces.space import Space
from jupyter_colophon.service.schemaspaces.spaces import Spaces
from jupyter_colophon.storage.files import filenames, saving
from jupyter_colophon.storage.files.failures import told_as_ours
from jupyter_colophon.storage.fsync import make_folder, remove_folder

_logger = logging.getLogger("jupyter_colophon.schemaspaces")
_lock = Lock()


class WrittenSchemas:
    """What is stored in a folder. `folder` says where that is at the time."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    def documents(self) -> list[Any]:
        """All of them; what cannot be read is a document without more than its name, which is told as a problem."""
        return [_read(path) for path in sorted(self._folder().glob(f"*/*{filenames.SUFFIX}"))]

    def put(self, spaces: Spaces, space: str, name: str, document: Mapping[str, Any], actor: str) -> bool:
        """Store a schema and load it; returns whether it is new.

        Raises SchemaspaceNotFound, SchemaRejected, AlreadyExists for a package's schema, StorageError.
        """
        found = spaces.space(space)
        require_schema(document)
        _require_place(found, name, document)
        with _lock:
            _require_registered_class(spaces, document)
            path = self._own(found, name)
            before = path.read_bytes() if path.is_file() else None
            if before is None and found.schema(name) is not None:
                raise AlreadyExists("a package's schema", name)
            _write(path, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
            reason = _loaded(spaces, found.key, name)
            if reason:
                self._undo(path, before)
                spaces.refresh(found.key)
                raise SchemaRejected("the schema", (Problem("", reason),))
        _logger.info("%s stored schema %s of %s", actor, name, found.key)
        return before is None

    def remove(self, spaces: Spaces, space: str, name: str, actor: str) -> None:
        """Take a stored schema away; instances of it stay, and are shown as what has no schema.

        Raises SchemaspaceNotFound, NotFound where none of this name was stored, StorageError.
        """
        found = spaces.space(space)
        with _lock:
            path = self._own(found, name)
            if not path.is_file():
                raise NotFound("stored schema", name)
            self._undo(path, None)
            spaces.refresh(found.key)
        _logger.info("%s removed schema %s of %s", actor, name, found.key)

    def _own(self, space: Space, name: str) -> Path:
        if filenames.fault(name):
            raise NotFound("stored schema", name)
        return self._folder() / space.key / f"{name}{filenames.SUFFIX}"

    def _undo(self, path: Path, before: bytes | None) -> None:
        if before is not None:
            _write(path, before)
            return
        with told_as_ours("the schema cannot be removed"):
            saving.remove(path.parent, path.stem)
        with suppress(OSError):
            remove_folder(path.parent)


def _require_place(space: Space, name: str, document: Mapping[str, Any]) -> None:
    """Raise SchemaRejected unless the document says that it is this schema, of this schemaspace."""
    wanted = {"name": name, "schemaspace": space.key, "schemaspace_id": space.id.lower()}
    found = [
        Problem(f"/{member}", f"is {value} here")
        for member, value in wanted.items()
        if str(document.get(member, "")).lower() != value.lower()
    ]
    if filenames.fault(name):
        found.append(Problem("/name", filenames.fault(name)))
    if found:
        raise SchemaRejected("the schema", tuple(found))


def _require_registered_class(spaces: Spaces, document: Mapping[str, Any]) -> None:
    """Raise SchemaRejected for a class of instances that no installed package registered."""
    named = document.get("metadata_class_name")
    if named is not None and not spaces.is_registered(named):
        problem = Problem("/metadata_class_name", "no schema of an installed package names this class")
        raise SchemaRejected("the schema", (problem,))


def _loaded(spaces: Spaces, space: str, name: str) -> str:
    """Load it; returns why that cannot be, if so."""
    spaces.refresh(space)
    told = f"{STORED.name}/{name}"
    return next((one.reason for one in spaces.problems() if one.name == told and one.value == STORED.value), "")


def _write(path: Path, text: bytes) -> None:
    with told_as_ours("the schema cannot be stored"):
        make_folder(path.parent)
        saving.save(path.parent, path.stem, text, create=False)


def _read(path: Path) -> Any:
    try:
        return parse(path.read_bytes())
    except (OSError, MetadataError):
        return {"name": path.stem}
