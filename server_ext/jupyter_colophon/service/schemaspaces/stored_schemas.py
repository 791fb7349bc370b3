"""Schemas that administrators stored (trait `allow_schema_writes`): one file each, in a folder of this account.

Every process of the account loads them like those of packages. A package's schema of the same name takes precedence.
"""

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import AlreadyExists, MetadataError, NotFound, Problem, SchemaRejected
from jupyter_colophon.service.schemaspaces.parse_registrations import require_valid_schema
from jupyter_colophon.service.schemaspaces.registrations import STORED
from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
from jupyter_colophon.storage.files import filenames, saving
from jupyter_colophon.storage.files.failures import translate_os_errors
from jupyter_colophon.storage.fsync import create_private_folders, remove_empty_folder

_logger = logging.getLogger("jupyter_colophon.schemaspaces")
_lock = Lock()


class StoredSchemaFiles:
    """The schemas stored in a folder. `folder` returns its current path."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    def read_stored_schemas(self) -> list[Any]:
        """Return all stored schemas; an unreadable one has only its name, and is reported as a problem when loaded."""
        return [_read_schema_file_or_name(path) for path in sorted(self._folder().glob(f"*/*{filenames.SUFFIX}"))]

    def store_and_load_schema(
        self, spaces: SchemaspaceRegistry, space: str, name: str, document: Mapping[str, Any], actor: str
    ) -> bool:
        """Store a schema and load it; return whether it is new.

        Raises SchemaspaceNotFound, SchemaRejected, AlreadyExists for a package's schema, StorageError.
        """
        schemaspace = spaces.get_space(space)
        require_valid_schema(document)
        _require_matching_names(schemaspace, name, document)
        with _lock:
            _require_registered_class(spaces, document)
            path = self._build_schema_path(schemaspace, name)
            before = path.read_bytes() if path.is_file() else None
            if before is None and schemaspace.find_schema(name) is not None:
                raise AlreadyExists("a package's schema", name)
            _write_schema_file(path, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
            reason = _load_stored_schema_or_get_error(spaces, schemaspace.key, name)
            if reason:
                self._restore_file(path, before)
                spaces.reload_schemas(schemaspace.key)
                raise SchemaRejected("the schema", (Problem("", reason),))
        _logger.info("%s stored schema %s of %s", actor, name, schemaspace.key)
        return before is None

    def delete_and_unload_schema(self, spaces: SchemaspaceRegistry, space: str, name: str, actor: str) -> None:
        """Delete a stored schema; its instances stay, and are shown as instances without a schema.

        Raises SchemaspaceNotFound, NotFound if it was not stored, StorageError.
        """
        schemaspace = spaces.get_space(space)
        with _lock:
            path = self._build_schema_path(schemaspace, name)
            if not path.is_file():
                raise NotFound("stored schema", name)
            self._restore_file(path, None)
            spaces.reload_schemas(schemaspace.key)
        _logger.info("%s removed schema %s of %s", actor, name, schemaspace.key)

    def _build_schema_path(self, space: LoadedSchemaspace, name: str) -> Path:
        if filenames.find_filename_problem(name):
            raise NotFound("stored schema", name)
        return self._folder() / space.key / f"{name}{filenames.SUFFIX}"

    def _restore_file(self, path: Path, before: bytes | None) -> None:
        if before is not None:
            _write_schema_file(path, before)
            return
        with translate_os_errors("the schema cannot be removed"):
            saving.remove_file_durably(path.parent, path.stem)
        with suppress(OSError):
            remove_empty_folder(path.parent)


def _require_matching_names(space: LoadedSchemaspace, name: str, document: Mapping[str, Any]) -> None:
    """Raise SchemaRejected unless the document has this name and schemaspace."""
    expected = {"name": name, "schemaspace": space.key, "schemaspace_id": space.id.lower()}
    problems = [
        Problem(f"/{member}", f"must be {value}")
        for member, value in expected.items()
        if str(document.get(member, "")).lower() != value.lower()
    ]
    if filenames.find_filename_problem(name):
        problems.append(Problem("/name", filenames.find_filename_problem(name)))
    if problems:
        raise SchemaRejected("the schema", tuple(problems))


def _require_registered_class(spaces: SchemaspaceRegistry, document: Mapping[str, Any]) -> None:
    """Raise SchemaRejected for a class that no installed package registered."""
    class_name = document.get("metadata_class_name")
    if class_name is not None and not spaces.is_registered_instance_class(class_name):
        problem = Problem("/metadata_class_name", "no schema of an installed package names this class")
        raise SchemaRejected("the schema", (problem,))


def _load_stored_schema_or_get_error(spaces: SchemaspaceRegistry, space: str, name: str) -> str:
    """Load a stored schema; return the error, or ""."""
    spaces.reload_schemas(space)
    problem_name = f"{STORED.name}/{name}"
    return next(
        (
            problem.reason
            for problem in spaces.list_loading_problems()
            if problem.name == problem_name and problem.value == STORED.value
        ),
        "",
    )


def _write_schema_file(path: Path, text: bytes) -> None:
    with translate_os_errors("the schema cannot be stored"):
        create_private_folders(path.parent)
        saving.save_file_durably(path.parent, path.stem, text, create=False)


def _read_schema_file_or_name(path: Path) -> Any:
    try:
        return parse_json(path.read_bytes())
    except (OSError, MetadataError):
        return {"name": path.stem}
