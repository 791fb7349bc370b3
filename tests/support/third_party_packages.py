"""Registrations of third-party packages: schemaspaces, providers and schemas, valid and invalid."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from jupyter_colophon.elyra.schema import SchemaManager, SchemasProvider
from jupyter_colophon.service.schemaspaces.registrations import SCHEMAS_PROVIDERS, SCHEMASPACES, find_entry_points
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry

ID = "3f1c0a52-6d0e-4d0c-9b1f-6b1f4f0c7a11"
OTHER_ID = "3f1c0a52-6d0e-4d0c-9b1f-6b1f4f0c7a12"


@dataclass(frozen=True)
class EntryPointDistribution:
    """The distribution of an entry point."""

    name: str
    version: str = "1.0"


@dataclass(frozen=True)
class FakeEntryPoint:
    """An entry point as in `importlib.metadata`; loading returns or raises the given object."""

    name: str
    loads: Any
    dist: EntryPointDistribution = EntryPointDistribution("somebodys-package")

    @property
    def value(self) -> str:
        return f"somebodys_package:{self.name}"

    def load(self) -> Any:
        if isinstance(self.loads, BaseException):
            raise self.loads
        return self.loads


class PlainSchemaspace:
    """A schemaspace without a base class."""

    id, name, display_name, description, is_deprecated = ID, "Things", "Things", "All kinds of things", False

    def __init__(self, parent: Any = None) -> None:
        self.parent = parent


class OtherPlainSchemaspace(PlainSchemaspace):
    id, name = OTHER_ID, "others"


class GivenSchemasProvider(SchemasProvider):
    """Provide the given schemas; a function is called each time."""

    def __init__(self, *schemas: Any, asks: Callable[[], Iterable[Any]] | None = None) -> None:
        super().__init__()
        self._asks = asks or (lambda: schemas)

    def get_schemas(self) -> list[Any]:
        return list(self._asks())


def build_thing_schema(name: str = "thing", properties: Any = None, **more: Any) -> dict[str, Any]:
    """Build a schema of `Things`; members that are None are omitted."""
    document = {
        "name": name,
        "schemaspace": "Things",
        "schemaspace_id": ID,
        "properties": {
            "schema_name": {"const": name},
            "display_name": {"type": "string", "minLength": 1},
            "metadata": {"type": "object", "properties": {"size": {"type": "integer"}} | (properties or {})},
        },
        "required": ["schema_name", "display_name", "metadata"],
    } | more
    return {key: value for key, value in document.items() if value is not None}


def build_thing_document(**metadata: Any) -> dict[str, Any]:
    """Build an instance of `thing`."""
    return {"name": "a", "display_name": "A", "schema_name": "thing", "metadata": metadata}


def register_schemaspace(monkeypatch: pytest.MonkeyPatch, *providers: Any, space: Any = PlainSchemaspace) -> None:
    """Register the schemaspace and the providers' schemas in this process, in addition to the installed ones, as
    Elyra's tests do.
    """
    entry_points = [
        provider if isinstance(provider, FakeEntryPoint) else FakeEntryPoint(f"p{at}", provider)
        for at, provider in enumerate(providers)
    ]
    spaces, entries = (
        [*find_entry_points(SCHEMASPACES), FakeEntryPoint("things", space)],
        [*find_entry_points(SCHEMAS_PROVIDERS), *entry_points],
    )
    monkeypatch.setattr(SchemaManager, "_get_schemaspaces", lambda: spaces)
    monkeypatch.setattr(SchemaManager, "_get_schemas_providers", lambda: entries)
    SchemaManager.clear_instance()


def load_things_schemaspace(
    *providers: Any, also: Iterable[FakeEntryPoint] = (), **options: Any
) -> SchemaspaceRegistry:
    """Load `Things` with the schemas of these providers."""
    entries = [
        provider if isinstance(provider, FakeEntryPoint) else FakeEntryPoint(f"p{at}", provider)
        for at, provider in enumerate(providers)
    ]
    return SchemaspaceRegistry(
        schemaspaces=lambda: [FakeEntryPoint("things", PlainSchemaspace), *also], providers=lambda: entries, **options
    )
