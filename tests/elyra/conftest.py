"""A Jupyter of its own for every test, with the schemaspace `Things`."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from jupyter_colophon.elyra import SchemaManager
from jupyter_colophon.schemaspaces.instances import release
from support import hooked, strangers
from support.strangers import Provider, schema

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
    """Register providers' schemas for `Things`, beside what is installed."""
    return partial(strangers.register, monkeypatch)


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
