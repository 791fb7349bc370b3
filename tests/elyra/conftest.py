"""A Jupyter of its own for every test, with the schemaspace `Things`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.elyra import SchemaManager
from jupyter_colophon.elyra.instances import release
from jupyter_colophon.service.schemaspaces.registrations import SCHEMAS_PROVIDERS, SCHEMASPACES, installed
from support import hooked
from support.strangers import Entry, Provider, Space, schema

CLASSES = ("Told", "Migrating", "Duck", "NoInstance", "NoArguments", "nowhere")


@pytest.fixture(autouse=True)
def jupyter(jp_environ: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ELYRA_METADATA_PATH", raising=False)
    hooked.forget()
    release()
    SchemaManager.clear_instance()
    yield
    release()
    SchemaManager.clear_instance()


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Register providers' schemas for `Things`, beside what is installed; as Elyra's tests do."""

    def registered(*providers: Any, space: Any = Space) -> None:
        spaces = [*installed(SCHEMASPACES), Entry("things", space)]
        entries = [*installed(SCHEMAS_PROVIDERS), *(Entry(f"p{at}", one) for at, one in enumerate(providers))]
        monkeypatch.setattr(SchemaManager, "_get_schemaspaces", lambda: spaces)
        monkeypatch.setattr(SchemaManager, "_get_schemas_providers", lambda: entries)
        SchemaManager.clear_instance()

    return registered


@pytest.fixture
def things(register: Callable[..., None]) -> None:
    """`thing`, and a schema for each of the classes of `support.hooked`, by its name in small letters."""
    of_class = [schema(name.lower(), metadata_class_name=f"support.hooked.{name}") for name in CLASSES]
    with_defaults = schema("rich", {"colour": {"default": "red"}, "deep": {"properties": {"a": {"default": 1}}}})
    register(Provider(schema(), with_defaults, *of_class))


@pytest.fixture
def folder(jp_data_dir: Path) -> Path:
    """Where the instances of `Things` are written."""
    return jp_data_dir / "metadata" / "things"
