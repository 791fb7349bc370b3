"""MetadataManager in a program that has a server's URL but no access to its catalog."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError
from jupyter_colophon.elyra import CatalogMetadataStore, FileMetadataStore, Metadata, MetadataManager
from jupyter_colophon.elyra.error import MetadataExistsError, MetadataNotFoundError, SchemaNotFoundError
from live import LiveServer, run_live_server

KFP = {
    "api_endpoint": "https://kfp.example/pipeline",
    "cos_endpoint": "https://cos.example",
    "cos_bucket": "bucket",
    "cos_username": "ada",
    "cos_password": "Hunter2-CANARY",
    "cos_auth_type": "USER_CREDENTIALS",
    "engine": "Argo",
    "auth_type": "NO_AUTHENTICATION",
    "runtime_type": "KUBEFLOW_PIPELINES",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    made = LiveServer(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home"))
    made.start("--Colophon.metadata_store=catalog")
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def elsewhere(running: LiveServer, jp_config_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the server's URL and settings as in a kernel."""
    (jp_config_dir / "jupyter_server_config.json").write_text(json.dumps({"Colophon": {"metadata_store": "catalog"}}))
    monkeypatch.setenv("COLOPHON_URL", running.url)
    monkeypatch.setenv("COLOPHON_TOKEN", running.token)


def snippet(**metadata: Any) -> Metadata:
    return Metadata(
        display_name="Hello", schema_name="code-snippet", metadata={"language": "R", "code": ["a"], **metadata}
    )


def test_server_instances_are_created_read_updated_and_removed(jp_data_dir: Path) -> None:
    manager = MetadataManager(schemaspace="code-snippets")
    assert (manager.schemaspace_exists(), manager.get_all()) == (False, [])
    made = manager.create(None, snippet())
    assert (made.name, made.metadata["language"], made.resource) == (
        "hello",
        "R",
        "urn:li:instance:(code-snippets,hello)",
    )
    made.metadata["language"] = "S"
    assert manager.update("hello", made).metadata["language"] == "S"
    assert [(one.name, one.metadata["language"]) for one in manager.get_all(of_schema="code-snippet")] == [
        ("hello", "S")
    ]
    assert manager.schemaspace_exists()
    manager.remove("hello")
    assert manager.get_all(include_invalid=True) == []
    assert list(jp_data_dir.rglob("*.db")) == []


def test_server_errors_are_raised_as_elyra_types() -> None:
    manager = MetadataManager(schemaspace="code-snippets")
    manager.create("there", snippet())
    with pytest.raises(MetadataExistsError, match="'there' already exists"):
        manager.create("there", snippet())
    with pytest.raises(MetadataNotFoundError, match="'none' was found"):
        manager.get("none")
    with pytest.raises(ValidationError, match="with error: "):
        manager.create("odd", snippet(code="a"))
    with pytest.raises(SchemaNotFoundError, match="'nope' was found"):
        manager.create("odd", Metadata(display_name="X", schema_name="nope", metadata={}))
    with pytest.raises(ValueError, match="Name of metadata must be"):
        manager.create("No,name", snippet())
    manager.remove("there")


def test_secret_is_not_returned_and_its_mask_keeps_it() -> None:
    manager = MetadataManager(schemaspace="runtimes")
    made = manager.create("work", Metadata(display_name="Work", schema_name="kfp", metadata=KFP))
    assert made.metadata["cos_password"] == {"$secret": True}
    made.metadata["cos_bucket"] = "other"
    assert manager.update("work", made).metadata["cos_bucket"] == "other"
    manager.remove("work")


def test_invalid_server_instances_have_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "home" / "data" / "metadata" / "code-snippets"
    folder.mkdir(parents=True)
    (folder / "torn.json").write_text("{")
    (folder / "odd.json").write_text(json.dumps(snippet(code=1).prepare_write()))
    (folder / "fine.json").write_text(json.dumps(snippet().prepare_write()))
    (tmp_path / "root").mkdir()
    with run_live_server(tmp_path / "root", tmp_path / "home") as other:
        monkeypatch.setenv("COLOPHON_URL", other.url)
        monkeypatch.setenv("COLOPHON_TOKEN", other.token)
        manager = MetadataManager(schemaspace="code-snippets")
        assert [one.name for one in manager.get_all()] == ["fine"]
        reasons = {one.name: one.reason for one in manager.get_all(include_invalid=True)}
        assert reasons == {"fine": None, "odd": "ValidationError", "torn": "ValueError"}
        with pytest.raises(ValidationError):
            manager.get("odd")
        with pytest.raises(ValueError, match="JSON"):
            manager.get("torn")


def test_given_store_is_used_instead_of_the_server(jp_data_dir: Path) -> None:
    space = "code-snippets"
    manager = MetadataManager(schemaspace=space, store=FileMetadataStore(schemaspace=space))
    manager.create("here", snippet())
    assert (jp_data_dir / "metadata" / space / "here.json").exists()
    assert MetadataManager(schemaspace=space).get_all() == []
    assert isinstance(MetadataManager(schemaspace=space).metadata_store, CatalogMetadataStore)
