"""Stores of instances, used like Elyra's."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.elyra import (
    CatalogMetadataStore,
    FileMetadataCache,
    FileMetadataStore,
    MetadataExistsError,
    MetadataNotFoundError,
)

pytestmark = pytest.mark.usefixtures("things")
DOCUMENT: dict[str, Any] = {"display_name": "A", "schema_name": "thing", "metadata": {"size": 1}}


@pytest.fixture
def store() -> FileMetadataStore:
    return FileMetadataStore("things")


def test_metadata_folders_have_elyra_order(
    jp_data_dir: Path, jp_env_jupyter_path: Path, jp_system_jupyter_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELYRA_METADATA_PATH", f"/first{os.pathsep}/second")
    found = FileMetadataStore("Things").metadata_paths
    places = [Path("/first"), Path("/second"), jp_data_dir, jp_system_jupyter_path, jp_env_jupyter_path]
    assert found == [str(place / "metadata" / "things") for place in places]
    assert FileMetadataStore("Things").preferred_metadata_dir == "/first/metadata/things"
    assert FileMetadataStore.metadata_path() == [str(place) for place in places]


def test_instance_file_has_elyra_format(store: FileMetadataStore, folder: Path) -> None:
    assert not store.schemaspace_exists()
    kept = store.store_instance("a", dict(DOCUMENT))
    path = folder / "a.json"
    assert kept == DOCUMENT | {"name": "a", "resource": str(path)}
    assert path.read_text().strip() == json.dumps(DOCUMENT, indent=2)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    assert store.schemaspace_exists()
    assert store.fetch_instances() == store.fetch_instances(name="a") == [kept]


def test_fetched_documents_are_copies(store: FileMetadataStore) -> None:
    store.store_instance("a", dict(DOCUMENT))
    store.fetch_instances(name="a")[0]["metadata"].clear()
    assert store.fetch_instances(name="a")[0]["metadata"] == {"size": 1}


def test_create_refuses_existing_name_and_update_replaces(store: FileMetadataStore) -> None:
    store.store_instance("a", dict(DOCUMENT))
    with pytest.raises(MetadataExistsError, match="An instance named 'a' already exists in the things schemaspace"):
        store.store_instance("a", dict(DOCUMENT))
    assert store.store_instance("a", DOCUMENT | {"display_name": "B"}, for_update=True)["display_name"] == "B"
    store.delete_instance({"name": "a"})
    with pytest.raises(MetadataNotFoundError, match="No such instance named 'a' was found in the things schemaspace"):
        store.fetch_instances(name="a")


def test_factory_instance_can_be_shadowed_but_not_removed(store: FileMetadataStore, jp_env_jupyter_path: Path) -> None:
    factory = jp_env_jupyter_path / "metadata" / "things"
    factory.mkdir(parents=True)
    (factory / "a.json").write_text(json.dumps(DOCUMENT))
    (factory / "b.json").write_text("torn")
    with pytest.raises(MetadataExistsError):
        store.store_instance("a", dict(DOCUMENT))
    with pytest.raises(PermissionError, match="Removal of instance 'a' from the things schemaspace is not permitted!"):
        store.delete_instance({"name": "a"})
    for name in ("a", "b"):
        assert store.store_instance(name, DOCUMENT | {"display_name": "Mine"}, for_update=True)["name"] == name
    assert [one["display_name"] for one in store.fetch_instances(include_invalid=True)] == ["Mine", "Mine"]
    store.delete_instance({"name": "a"})
    assert store.fetch_instances(name="a")[0]["resource"] == str(factory / "a.json")


def test_unreadable_instance_is_omitted_and_raises_value_error_by_name(store: FileMetadataStore, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "torn.json").write_text("{")
    assert store.fetch_instances() == []
    (unreadable,) = store.fetch_instances(include_invalid=True)
    assert unreadable == {"name": "torn", "resource": str(folder / "torn.json"), "reason": "ValueError"}
    with pytest.raises(
        ValueError, match="JSON failed to load for instance 'torn' in the things schemaspace with error"
    ):
        store.fetch_instances(name="torn")


def test_catalog_store_requires_a_catalog() -> None:
    with pytest.raises(Exception, match="no catalog exists yet"):
        CatalogMetadataStore("things").store_instance("a", dict(DOCUMENT))


def test_cache_stores_copies_and_evicts_the_oldest() -> None:
    FileMetadataCache.clear_instance()
    cache = FileMetadataCache.instance(max_size=2)
    entry: dict[str, Any] = {"metadata": {"size": 1}}
    for path in ("a", "b", "c"):
        cache.add_item(path, entry)
    entry["metadata"].clear()
    assert (len(cache), cache.trims, "a" in cache, "c" in cache) == (2, 1, False, True)
    assert cache.get_item("a") is None
    found = cache.get_item("b")
    assert found == {"metadata": {"size": 1}}
    found.clear()
    cache.add_item("d", entry)
    assert cache.get_item("c") is None
    assert (cache.hits, cache.misses, cache.trims) == (1, 2, 2)
    assert cache.remove_item("b") == {"metadata": {"size": 1}}
    assert cache.remove_item("b") is None
    FileMetadataCache.clear_instance()


def test_cache_drops_changed_and_deleted_files(tmp_path: Path) -> None:
    FileMetadataCache.clear_instance()
    cache = FileMetadataCache.instance()
    path = tmp_path / "a.json"
    path.write_text("{}")
    cache.add_item(str(path), {})
    assert cache.get_item(str(path)) == {}
    replacement = tmp_path / "new"
    replacement.write_text('{"a": 1}')
    replacement.replace(path)
    assert cache.get_item(str(path)) is None
    cache.add_item(str(path), {})
    path.unlink()
    assert len(cache) == 0
    FileMetadataCache.clear_instance()


def test_disabled_cache_stores_nothing() -> None:
    FileMetadataCache.clear_instance()
    cache = FileMetadataCache.instance(enabled=False)
    cache.add_item("a", {})
    assert (cache.get_item("a"), cache.remove_item("a"), len(cache)) == (None, None, 0)
    assert not hasattr(cache, "observer")
    FileMetadataCache.clear_instance()
