"""Files of applications: complete or absent, of one namespace and generation, and found by the keys of partitions."""

import os
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.files.app_files import AppFiles
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import INTERNAL
from jupyter_colophon.core.errors import (
    AlreadyExists,
    InvalidField,
    InvalidName,
    NotEmpty,
    NotFound,
    StorageError,
    TooLarge,
)
from jupyter_colophon.core.identity.names import IdentityRules, make_namespace_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.maintenance import open_store_for_maintenance
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance
from support.stores import APP_FILE_BYTES
from support.system_apps import CONTEXTS, open_apps, prepare_context


class FileApps:
    """The files of an application, as its handlers get them."""

    def __init__(self, apps: SystemApps) -> None:
        self.apps = apps

    def open_files(self, namespace: str, app: str = "contexts") -> AppFiles:
        return prepare_context(self.apps, namespace, app=app).files


@pytest.fixture
def files(catalog: Catalog, install: Any) -> Iterator[FileApps]:
    for name in ("contexts", "other"):
        install(CONTEXTS, name, "Contexts")
    apps = open_apps(catalog)
    yield FileApps(apps)
    apps.close()


@pytest.fixture
def sales(files: FileApps) -> AppFiles:
    return files.open_files("sales")


def read(files: AppFiles, name: str) -> bytes:
    with files.open(name) as file:
        return file.read()


def list_names(files: AppFiles, prefix: str = "") -> list[str]:
    return [file.name for file in files.list(prefix)]


def list_contents(catalog: Catalog) -> list[Path]:
    """Return the files in the folder."""
    folder = catalog.namespaces.app_files
    assert folder is not None
    return sorted(path for path in folder.root.rglob("*") if path.is_file())


def test_file_is_stored_replaced_and_deleted(sales: AppFiles, catalog: Catalog) -> None:
    stored = sales.put("models/churn.bin", b"first", metadata={"algorithm": "gbt"})
    assert (stored.name, stored.size, stored.created_by, stored.metadata) == (
        "models/churn.bin",
        5,
        "ada",
        {"algorithm": "gbt"},
    )
    assert sales.get("models/churn.bin") == stored
    with sales.open("models/churn.bin") as former:
        sales.put("models/churn.bin", BytesIO(b"second"))
        # Who reads a file gets all of it as it was.
        assert former.read() == b"first"
    assert read(sales, "models/churn.bin") == b"second"
    assert sales.get_path("models/churn.bin").read_bytes() == b"second"
    assert sales.set_metadata("models/churn.bin", {"stage": "tested"}).metadata == {"stage": "tested"}
    assert len(list_contents(catalog)) == 1
    sales.delete("models/churn.bin")
    for use in (sales.get, sales.open, sales.delete, sales.get_path):
        with pytest.raises(NotFound):
            use("models/churn.bin")
    assert list_contents(catalog) == []


def test_files_are_listed_by_prefix_in_pages(sales: AppFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_colophon.apps.files.app_files._PAGE", 2)
    for name in ("a", "b/1", "b/2", "b/3", "b0", "c", "ü"):
        sales.put(name, b"")
    assert list_names(sales) == ["a", "b/1", "b/2", "b/3", "b0", "c", "ü"]
    assert list_names(sales, "b/") == ["b/1", "b/2", "b/3"]
    assert list_names(sales, "b/2") == ["b/2"]
    assert list_names(sales, "bb") == []


def test_files_belong_to_an_application_and_a_namespace(files: FileApps) -> None:
    places = [files.open_files(name) for name in ("sales", "ops", "")] + [files.open_files("sales", "other")]
    for at, place in enumerate(places):
        place.put("report", str(at).encode())
    assert [read(place, "report") for place in places] == [b"0", b"1", b"2", b"3"]
    assert read(places[0].in_namespace("ops"), "report") == b"1"
    with pytest.raises(NotFound, match="Namespace 'nowhere' not found"):
        places[0].in_namespace("nowhere").put("report", b"")


@pytest.mark.parametrize(
    "name", ["", "/a", "a/", "a//b", ".", "../a", "a/../b", "a/./b", "a\\b", "a\x00", "a\nb", "x" * 1001]
)
def test_names_outside_of_the_grammar_are_refused(sales: AppFiles, catalog: Catalog, name: str) -> None:
    with pytest.raises(InvalidName):
        sales.put(name, b"")
    assert list_contents(catalog) == []


def test_refused_or_failed_file_leaves_nothing(sales: AppFiles, catalog: Catalog) -> None:
    class Failing(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise ConnectionError("gone")
            return super().read(3)

    sales.put("a", b"x" * APP_FILE_BYTES)
    before = list_contents(catalog)
    with pytest.raises(TooLarge, match="max_app_file_bytes"):
        sales.put("a", BytesIO(b"x" * (APP_FILE_BYTES + 1)))
    with pytest.raises(ConnectionError):
        sales.put("a", Failing(b"abcdef"))
    with pytest.raises(InvalidField, match="texts by name"):
        sales.put("a", b"", metadata={"n": 1})  # type: ignore[dict-item]
    with pytest.raises(InvalidField, match="at most 16384 bytes"):
        sales.put("a", b"", metadata={"n": "x" * 20_000})
    assert list_contents(catalog) == before
    assert sales.get("a").size == APP_FILE_BYTES


def test_partitions_are_found_by_their_keys(sales: AppFiles) -> None:
    splits = sales.get_partitions("splits", ("experiment", "number"))
    for experiment, number in (("a/b", 1), ("a/b", 2), ("a/b", 10), ("c", 2)):
        keys = {"number": number, "experiment": experiment}
        splits.add(keys, b"rows", metadata={"share": f"0.{number}"})
    sales.put("splits/readme", b"not a partition")

    def find(**conditions: Any) -> list[tuple[Any, ...]]:
        return [tuple(found.keys.values()) for found in splits.list(conditions)]

    assert find() == [("a/b", 1), ("a/b", 10), ("a/b", 2), ("c", 2)]
    assert find(experiment="a/b", number=2) == [("a/b", 2)]
    assert find(experiment="a/b", number=(2, 10)) == [("a/b", 2)]
    assert find(number=(2, None)) == [("a/b", 10), ("a/b", 2), ("c", 2)]
    assert find(experiment=(None, "b")) == [("a/b", 1), ("a/b", 10), ("a/b", 2)]
    assert find(experiment="nothing") == []
    found = splits.get({"experiment": "c", "number": 2})
    assert (found.metadata, found.created_by) == ({"share": "0.2"}, "ada")
    with splits.open(found.keys) as file:
        assert file.read() == b"rows"
    assert splits.set_metadata(found.keys, {"share": "0.3"}).keys == {"experiment": "c", "number": 2}
    with pytest.raises(AlreadyExists):
        splits.add(found.keys, b"other")
    splits.delete(found.keys)
    assert find(number=2) == [("a/b", 2)]
    for keys in ({"experiment": "c"}, {"experiment": "c", "number": 1, "other": 2}, {"experiment": "c", "number": 1.5}):
        with pytest.raises(InvalidField):
            splits.add(keys, b"")  # type: ignore[arg-type]
    for conditions in ({"other": 1}, {"number": ("a", None)}):
        with pytest.raises(InvalidField):
            list(splits.list(conditions))  # type: ignore[arg-type]


def test_files_end_with_their_namespace(sales: AppFiles, files: FileApps, catalog: Catalog) -> None:
    sales.put("old", b"old")
    files.open_files("ops").put("kept", b"kept")
    with pytest.raises(NotEmpty, match="still contains rows of system applications"):
        catalog.write_path.apply_proposals_atomically([Proposal(make_namespace_urn("sales"), None, "delete")], ADA)
    catalog.write_path.start_namespace_deletion("sales", ADA)
    for use in (sales.get, sales.open, sales.delete, lambda name: sales.put(name, b""), lambda name: list_names(sales)):
        with pytest.raises(NotFound, match="Namespace 'sales' not found"):
            use("old")
    catalog.namespaces.delete_remaining_content_now("sales")
    assert [path.read_bytes() for path in list_contents(catalog)] == [b"kept"]
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert list_names(files.open_files("sales")) == []


class SlowContent(BytesIO):
    """Content whose namespace changes while it is written."""

    def __init__(self, content: bytes, before_end: Any) -> None:
        super().__init__(content)
        self.before_end = before_end

    def read(self, size: int | None = -1) -> bytes:
        chunk = super().read(size)
        if not chunk:
            self.before_end()
        return chunk


@pytest.mark.parametrize("steps", [1, 2, 3], ids=["deleting", "deleted", "created again"])
def test_late_writer_creates_no_file_in_a_later_generation(
    sales: AppFiles, files: FileApps, catalog: Catalog, steps: int
) -> None:
    sales.put("old", b"old")

    def change_namespace() -> None:
        catalog.write_path.start_namespace_deletion("sales", ADA)
        if steps > 1:
            catalog.namespaces.delete_remaining_content_now("sales")
        if steps > 2:
            catalog.deployer.create_or_update_namespace("sales", {}, ADA)
            files.open_files("sales").put("new", b"new")

    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        sales.put("late", SlowContent(b"late", change_namespace))
    catalog.namespaces.delete_remaining_content_now("sales")
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert list_names(files.open_files("sales")) == (["new"] if steps > 2 else [])
    assert [path.read_bytes() for path in list_contents(catalog)] == ([b"new"] if steps > 2 else [])


def test_deletion_leaves_the_files_of_a_later_generation(sales: AppFiles, files: FileApps, catalog: Catalog) -> None:
    """Another process finishes the deletion, and the namespace is created again, before this one removes its files."""
    folder = catalog.namespaces.app_files
    assert folder is not None
    sales.put("old", b"old")
    (old,) = list_contents(catalog)
    catalog.write_path.start_namespace_deletion("sales", ADA)
    while not catalog.write_path.delete_next_content_of_namespace("sales", INTERNAL):
        pass
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    files.open_files("sales").put("new", b"new")
    folder.remove_generations("sales", int(old.parent.name))
    assert read(files.open_files("sales"), "new") == b"new"
    assert not old.exists()


def test_incomplete_files_of_killed_processes_are_removed(sales: AppFiles, files: FileApps, catalog: Catalog) -> None:
    sales.put("a", b"a")
    (kept,) = list_contents(catalog)
    day_ago = time.time() - 90_000
    young, old = (kept.parent / name for name in (".young.tmp", ".old.tmp"))
    for path in (young, old):
        path.write_bytes(b"lost")
    for path in (kept, old):
        os.utime(path, (day_ago, day_ago))
    files.apps.remove_temporary_files()
    assert list_contents(catalog) == sorted([kept, young])


def test_stores_with_the_same_folder_have_different_files(
    sales: AppFiles, catalog: Catalog, tmp_path: Path, install: Any
) -> None:
    sales.put("a", b"first")
    assert sales.folder is not None
    shared = AppFileFolder(sales.folder.root.parent, APP_FILE_BYTES)
    other = open_or_create_catalog(choose_sqlite_store(tmp_path / "other.db"), IdentityRules(), app_files=shared)
    other.deployer.create_or_update_namespace("sales", {}, ADA)
    apps = open_apps(other)
    prepare_context(apps, "sales").files.put("a", b"second")
    other.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    other.namespaces.delete_remaining_content_now("sales")
    apps.close()
    other.close()
    assert read(sales, "a") == b"first"
    assert [path.read_bytes() for path in shared.root.rglob("*") if path.is_file()] == [b"first"]


def test_restored_store_finds_its_files_in_the_same_folder(sales: AppFiles, catalog: Catalog, tmp_path: Path) -> None:
    sales.put("a", b"content", metadata={"stage": "tested"})
    assert sales.folder is not None
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
    choice = choose_sqlite_store(tmp_path / "restored.db")
    healer = open_store_for_maintenance(choice, lambda what, steps: None, new=True)
    healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
    healer.close()
    folder = AppFileFolder(sales.folder.root.parent, APP_FILE_BYTES)
    restored = open_or_create_catalog(choice, IdentityRules(), app_files=folder)
    apps = open_apps(restored)
    files = prepare_context(apps, "sales").files
    assert (read(files, "a"), files.get("a").metadata) == (b"content", {"stage": "tested"})
    apps.close()
    restored.close()


def test_missing_content_is_reported(sales: AppFiles, catalog: Catalog) -> None:
    sales.put("a", b"a")
    list_contents(catalog)[0].unlink()
    with pytest.raises(StorageError, match=r"restore the folder c\.Colophon\.app_file_folder"):
        sales.open("a")


def test_files_cannot_be_used_in_a_transaction(sales: AppFiles, files: FileApps) -> None:
    context = prepare_context(files.apps, "sales")
    with pytest.raises(RuntimeError, match="cannot be used inside execute"):
        context.execute(lambda tables: context.files.put("a", b""))
    assert list_names(sales) == []
