"""The instances of a process: those of its server, else those that Jupyter's configuration selects (schemaspaces/instances.py)."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.errors import InstanceInvalid, InvalidConfiguration
from jupyter_colophon.core.identity.names import IdentityRules, make_instance_urn
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.elyra.manager import MetadataManager
from jupyter_colophon.elyra.metadata import Metadata
from jupyter_colophon.schemaspaces import instances
from jupyter_colophon.settings import Settings
from support.catalog import ADA
from support.named_secret_store import NamedSecretStore
from support.snippets import SPACE, build_snippet
from traitlets.config import Config

RUNTIME = {
    "api_endpoint": "https://kfp.example/pipeline",
    "cos_endpoint": "https://s3.example",
    "cos_bucket": "bucket",
    "cos_username": "u",
    "cos_password": "PASSWORD-8",
    "cos_auth_type": "USER_CREDENTIALS",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("ELYRA_METADATA_PATH", "")
    yield tmp_path
    instances.close_instances_outside_server()


@pytest.fixture
def catalog(home: Path) -> Iterator[Catalog]:
    """Create a catalog at its default location, as a server does."""
    found = open_or_create_catalog(choose_sqlite_store(Path(Settings().database)), IdentityRules())
    yield found
    found.close()


def configure(home: Path, **settings: Any) -> None:
    folder = home / "jupyter_config_dir"
    folder.mkdir(exist_ok=True)
    lines = [f"c.Colophon.{name} = {value!r}" for name, value in settings.items()]
    (folder / "jupyter_server_config.py").write_text("\n".join(lines))


def save(name: str = "one") -> Any:
    return MetadataManager(schemaspace=SPACE).create(name, Metadata(**build_snippet()))


def test_without_catalog_saves_write_files_and_create_no_catalog(home: Path) -> None:
    assert save().resource == str(home / "jupyter_data_dir" / "metadata" / SPACE / "one.json")
    assert not Path(Settings().database).exists()
    assert [one.version for one in instances.get_or_create_instances_of_process().list_visible_instances(SPACE)] == [
        None
    ]


def test_save_is_recorded_in_existing_catalog(catalog: Catalog) -> None:
    save()
    found = catalog.reader.read_current_aspect(make_instance_urn(SPACE, "one"), "instance", ADA)
    assert found.value["metadata"]["language"] == "Python"


def test_reading_opens_no_catalog(home: Path, catalog: Catalog) -> None:
    code = (
        "import sys; from jupyter_colophon.elyra import MetadataManager; MetadataManager('code-snippets').get_all();"
        "print(sorted(m for m in sys.modules if m.endswith(('sqlite3', 'jupyter_server', '.composition'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == "[]"


def test_config_files_select_store_and_secret_store(home: Path, catalog: Catalog) -> None:
    configure(home, metadata_store="catalog")
    document = {"display_name": "K", "schema_name": "kfp", "metadata": RUNTIME}
    MetadataManager(schemaspace="runtimes").create("kfp", Metadata(**document))
    assert not (home / "jupyter_data_dir" / "metadata").exists()
    assert MetadataManager(schemaspace="runtimes").get("kfp").metadata["cos_password"] == "PASSWORD-8"
    kept = catalog.reader.read_current_aspect(make_instance_urn("runtimes", "kfp"), "instance", ADA).value
    assert "PASSWORD-8" not in json.dumps(kept)


def test_changed_environment_changes_data_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save()
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(home / "other"))
    assert MetadataManager(schemaspace=SPACE).get_all() == []


def test_server_instances_serve_the_process_until_closed(catalog: Catalog) -> None:
    served = instances.set_instances_of_server(Settings(), lambda: catalog)
    try:
        assert instances.get_or_create_instances_of_process() is served
        save()
        assert served.get_valid_instance(SPACE, "one", ADA).version == 1
    finally:
        served.stop_watching_and_close_stores()
    assert instances.get_or_create_instances_of_process() is not served


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        ("jupyter_colophon.elyra.storage.CatalogMetadataStore", "catalog"),
        ("elyra.metadata.storage.FileMetadataStore", "file"),
        ("jupyter_colophon.elyra.FileMetadataStore", "file"),
        ("support.dictionary.Dictionary", "support.dictionary.Dictionary"),
        ("support.dictionary.FileMetadataStore", "support.dictionary.FileMetadataStore"),
    ],
)
def test_elyra_store_setting_applies_without_our_setting(named: str, chosen: str) -> None:
    config = Config({"MetadataManager": {"metadata_store_class": named}})
    assert instances.get_or_create_instances_of_process(Settings(config=config)).stores.chosen == chosen


def test_third_party_store_is_loaded_by_dotted_name() -> None:
    found = instances.get_or_create_instances_of_process(Settings(metadata_store="support.dictionary.Dictionary"))
    made = found.create_instance(SPACE, "one", build_snippet(), ADA)
    assert (made.resource, made.version) == ("dict:one", None)
    assert [one.name for one in found.list_visible_instances(SPACE)] == ["one"]
    found.remove_instance(SPACE, "one", WriteCondition(), ADA)
    assert found.list_visible_instances(SPACE) == []


@pytest.mark.parametrize("named", ["nothing", "support.dictionary.Nothing", "no.such.module"])
def test_unknown_store_is_an_error(named: str) -> None:
    with pytest.raises(InvalidConfiguration):
        instances.get_or_create_instances_of_process(Settings(metadata_store=named))


def test_digest_key_is_readable_by_the_account_only(home: Path, catalog: Catalog) -> None:
    served = instances.set_instances_of_server(Settings(), lambda: catalog)
    try:
        document = {"display_name": "K", "schema_name": "kfp", "metadata": RUNTIME}
        served.create_instance("runtimes", "kfp", document, ADA)
    finally:
        served.stop_watching_and_close_stores()
    key = home / "jupyter_data_dir" / "colophon" / "instances.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32
    assert sorted(os.listdir(key.parent)) == ["colophon.db", "colophon.db-shm", "colophon.db-wal", "instances.key"]


def install(folder: Path, group: str, name: str, target: str) -> None:
    """Create the metadata of an installed package that registers an entry point."""
    about = folder / f"{name}_for_tests-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-for-tests\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")


def test_packages_register_instance_and_secret_stores(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(home / "packages")
    install(home / "packages", "jupyter_colophon.metadata_stores", "dictionary", "support.dictionary:Dictionary")
    install(home / "packages", "jupyter_colophon.secret_stores", "vault", "support.named_secret_store:NamedSecretStore")
    monkeypatch.setattr(NamedSecretStore, "there", {"qa": "PASSWORD-8"})
    found = instances.get_or_create_instances_of_process(Settings(metadata_store="dictionary", secret_store="vault"))
    metadata = RUNTIME | {"cos_password": "qa"}
    made = found.create_instance(
        "runtimes", "kfp", {"display_name": "K", "schema_name": "kfp", "metadata": metadata}, ADA
    )
    assert made.metadata["cos_password"] == {"$secret": True}
    kept = found.get_store("runtimes").find_instance("kfp")
    assert kept is not None
    assert kept.document is not None
    assert kept.document["metadata"]["cos_password"] == {"$secret": "vault:qa"}
    assert found.create_object_api("runtimes").load_instance("kfp").metadata["cos_password"] == "PASSWORD-8"
    with pytest.raises(InstanceInvalid, match="name of a secret"):
        found.replace_instance("runtimes", "kfp", {**_document(made), "metadata": RUNTIME}, WriteCondition(), ADA)


def _document(made: Any) -> dict[str, Any]:
    return {"display_name": made.display_name, "schema_name": made.schema_name, "metadata": made.metadata}
