"""Every public name of Elyra's metadata service, with its parameters."""

import inspect
from importlib import import_module
from typing import Any

import pytest
from jupyter_colophon.elyra import FileMetadataCache, MetadataManager, Schemaspace
from traitlets import TraitError

#: Module, name, and the parameters that code written for Elyra passes, by position or by name.
CALLED = [
    ("error", "MetadataNotFoundError", "schemaspace name"),
    ("error", "MetadataExistsError", "schemaspace name"),
    ("error", "SchemaNotFoundError", "schemaspace name"),
    ("manager", "MetadataManager", "schemaspace **"),
    ("manager", "MetadataManager.schemaspace_exists", ""),
    ("manager", "MetadataManager.get_all", "include_invalid of_schema"),
    ("manager", "MetadataManager.get", "name"),
    ("manager", "MetadataManager.create", "name metadata"),
    ("manager", "MetadataManager.update", "name metadata for_migration"),
    ("manager", "MetadataManager.remove", "name"),
    ("manager", "MetadataManager.validate", "name metadata"),
    ("manager", "MetadataManager.get_normalized_name", "name"),
    ("metadata", "Metadata", "**"),
    ("metadata", "Metadata.on_load", "**"),
    ("metadata", "Metadata.pre_save", "**"),
    ("metadata", "Metadata.post_save", "**"),
    ("metadata", "Metadata.pre_delete", "**"),
    ("metadata", "Metadata.post_delete", "**"),
    ("metadata", "Metadata.from_dict", "schemaspace metadata_dict"),
    ("metadata", "Metadata.to_dict", "trim"),
    ("metadata", "Metadata.to_json", "trim"),
    ("metadata", "Metadata.prepare_write", ""),
    ("schema", "SchemaManager.instance", "**"),
    ("schema", "SchemaManager.get_schemaspace_names", "include_deprecated"),
    ("schema", "SchemaManager.get_schemaspace_name", "schemaspace_name_or_id"),
    ("schema", "SchemaManager.get_schemaspace", "schemaspace_name_or_id"),
    ("schema", "SchemaManager.get_schemaspace_schemas", "schemaspace_name_or_id"),
    ("schema", "SchemaManager.get_schema", "schemaspace_name_or_id schema_name"),
    ("schema", "SchemaManager.get_schemasproviders", "schemaspace_id"),
    ("schema", "SchemaManager.validate_instance", "schemaspace_name_or_id schema_name instance"),
    ("schema", "SchemaManager.clear_all", ""),
    ("schema", "SchemaManager._get_schemaspaces", ""),
    ("schema", "SchemaManager._get_schemas_providers", ""),
    ("schema", "Schemaspace", "schemaspace_id name display_name description **"),
    ("schema", "Schemaspace.filter_schema", "schema"),
    ("schema", "Schemaspace.add_schema", "schema"),
    ("schema", "Schemaspace.migrate", "**"),
    ("schema", "SchemasProvider.get_schemas", ""),
    ("schema", "SchemasProvider.migrate", "**"),
    ("schema", "SchemasProvider.get_validator", "schema"),
    ("storage", "MetadataStore", "schemaspace parent **"),
    ("storage", "MetadataStore.schemaspace_exists", ""),
    ("storage", "MetadataStore.fetch_instances", "name include_invalid"),
    ("storage", "MetadataStore.store_instance", "name metadata for_update"),
    ("storage", "MetadataStore.delete_instance", "metadata"),
    ("storage", "FileMetadataStore", "schemaspace **"),
    ("storage", "FileMetadataStore.metadata_path", "*"),
    ("storage", "FileMetadataCache.add_item", "path entry"),
    ("storage", "FileMetadataCache.get_item", "path"),
    ("storage", "FileMetadataCache.remove_item", "path"),
]
NAMED = [
    ("schema", "METADATA_TEST_SCHEMASPACE"),
    ("schema", "METADATA_TEST_SCHEMASPACE_ID"),
    *(("schema", f"Schemaspace.{one}") for one in ("id", "name", "display_name", "description", "schemas")),
    *(("schema", f"Schemaspace.{one}") for one in ("is_deprecated", "deprecated_schema_names")),
    *(("storage", f"FileMetadataCache.{one}") for one in ("max_size", "enabled")),
    ("manager", "MetadataManager.metadata_store_class"),
    ("metadata_app", "MetadataApp"),
]


def named(module: str, name: str) -> Any:
    found: Any = import_module(f"jupyter_colophon.elyra.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("module", "name", "takes"), CALLED, ids=[one[1] for one in CALLED])
def test_callable_accepts_elyra_parameters(module: str, name: str, takes: str) -> None:
    parameters = inspect.signature(named(module, name)).parameters
    stars = {one.kind for one in parameters.values()}
    for one in takes.split():
        kind = {"*": inspect.Parameter.VAR_POSITIONAL, "**": inspect.Parameter.VAR_KEYWORD}.get(one)
        assert (kind in stars) if kind else one in parameters, one


@pytest.mark.parametrize(("module", "name"), NAMED, ids=[one[1] for one in NAMED])
def test_attribute_exists(module: str, name: str) -> None:
    assert named(module, name) is not None


def test_errors_take_schemaspace_and_name() -> None:
    for name, document in (
        ("MetadataNotFoundError", "No such instance named 'x' was found in the things schemaspace."),
        ("MetadataExistsError", "An instance named 'x' already exists in the things schemaspace."),
        ("SchemaNotFoundError", "No such schema named 'x' was found in the things schemaspace."),
    ):
        error = named("error", name)(schemaspace="things", name="x")
        assert (isinstance(error, Exception), str(error)) == (True, document)


def test_manager_passes_extra_arguments_to_its_store() -> None:
    manager = MetadataManager("code-snippets", parent=None)
    assert manager.metadata_store.schemaspace == manager.schemaspace == "code-snippets"
    assert manager.schema_mgr is named("schema", "SchemaManager").instance()


def test_cache_size_is_limited_and_migrate_is_final() -> None:
    assert FileMetadataCache.max_size.default_value == 128
    for size in (0, 1025):
        with pytest.raises(TraitError):
            FileMetadataCache(max_size=size)
    assert Schemaspace.migrate.__final__  # type: ignore[attr-defined]  # as typing marks it
