"""Provide a separate Jupyter environment for each test, with the schemaspace `Things`."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from jupyter_colophon.elyra import SchemaManager
from jupyter_colophon.schemaspaces.instances import close_instances_outside_server
from support import hook_classes, third_party_packages
from support.third_party_packages import GivenSchemasProvider, build_thing_schema

#: The class of each schema in `support.hook_classes`; that of the last one does not exist.
CLASSES_BY_SCHEMA = {
    "hooked": "HookRecordingMetadata",
    "migrating": "MigratingMetadata",
    "duck": "MetadataWithoutBaseClass",
    "noinstance": "ClassWithoutMethods",
    "noarguments": "ClassWithoutArguments",
    "nowhere": "nowhere",
}


@pytest.fixture(autouse=True)
def jupyter(jp_environ: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ELYRA_METADATA_PATH", raising=False)
    hook_classes.clear_recorded_hooks()
    close_instances_outside_server()
    SchemaManager.clear_instance()
    yield
    close_instances_outside_server()
    SchemaManager.clear_instance()


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Register providers' schemas for `Things` in addition to the installed ones."""
    return partial(third_party_packages.register_schemaspace, monkeypatch)


@pytest.fixture
def things(register: Callable[..., None]) -> None:
    """Register the schema `thing`, and one for each class of `support.hook_classes`."""
    of_class = [
        build_thing_schema(schema, metadata_class_name=f"support.hook_classes.{name}")
        for schema, name in CLASSES_BY_SCHEMA.items()
    ]
    with_defaults = build_thing_schema(
        "rich", {"colour": {"default": "red"}, "deep": {"properties": {"a": {"default": 1}}}}
    )
    register(GivenSchemasProvider(build_thing_schema(), with_defaults, *of_class))


@pytest.fixture
def folder(jp_data_dir: Path) -> Path:
    """Return the folder of the instances of `Things`."""
    return jp_data_dir / "metadata" / "things"
