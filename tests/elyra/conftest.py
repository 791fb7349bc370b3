"""Provide a separate Jupyter environment for each test, with the schemaspace `Things`."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from jupyter_colophon.elyra import SchemaManager
from jupyter_colophon.schemaspaces.instances import release
from support import hooked, strangers
from support.strangers import Provider, schema

CLASSES = ("Hooked", "Migrating", "Duck", "NoInstance", "NoArguments", "nowhere")


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
    """Register providers' schemas for `Things` in addition to the installed ones."""
    return partial(strangers.register, monkeypatch)


@pytest.fixture
def things(register: Callable[..., None]) -> None:
    """Register the schema `thing`, and one for each class of `support.hooked`, named like the class in lower case."""
    of_class = [schema(name.lower(), metadata_class_name=f"support.hooked.{name}") for name in CLASSES]
    with_defaults = schema("rich", {"colour": {"default": "red"}, "deep": {"properties": {"a": {"default": 1}}}})
    register(Provider(schema(), with_defaults, *of_class))


@pytest.fixture
def folder(jp_data_dir: Path) -> Path:
    """Return the folder of the instances of `Things`."""
    return jp_data_dir / "metadata" / "things"
