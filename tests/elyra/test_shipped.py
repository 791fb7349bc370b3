"""The shipped schemaspaces, and the public names of the package."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jupyter_colophon.elyra
import pytest
from jupyter_colophon.core.package_data import find_schemas_dir
from jupyter_colophon.elyra import Metadata, MetadataManager, SchemaManager

SHIPPED = {
    "code-snippets": ("aa60988f-8f7c-4d09-a243-c54ef9c2f7fb", {"code-snippet"}),
    "component-catalogs": (
        "8dc89ca3-4b90-41fd-adb9-9510ad346620",
        {"url-catalog", "local-file-catalog", "local-directory-catalog"},
    ),
    "component-registries": ("ae79159a-489d-4656-83a6-1adfbc567c70", {"component-registry"}),
    "metadata-tests": ("8182fc28-899a-4521-8342-1a0e218c3a4d", {"metadata-test", "metadata-test2"}),
    "pipelines": ("c1b6a3f2-7d54-4f0e-8a0b-6c3f5b0e9d41", {"pipeline", "schedule"}),
    "runtime-images": ("119c9740-d73f-48c6-a97a-599d3acaf41d", {"runtime-image"}),
    "saved-searches": ("5d0c3a4e-6b1f-4c27-9a58-2f7be1d90c63", {"saved-search"}),
    "runtimes": ("130b8e00-de7c-4b32-b553-b4a52824a3b5", {"airflow", "kfp"}),
}
#: The required and the optional members of each schema's instances (spec INST-13).
FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "code-snippet": ({"language", "code"}, {"description", "tags"}),
    "saved-search": (
        {"query"},
        {
            "description",
            "tags",
            "namespace",
            "type",
            "tag",
            "term",
            "domain",
            "includeRemoved",
            "scope",
            "platform",
            "owner",
            "owned",
            "certified",
            "assigned",
            "quality",
            "state",
        },
    ),
    "pipeline": (
        {"namespace", "stages"},
        {"description", "tags", "connections", "arguments", "propagation", "quality", "retries"},
    ),
    "schedule": (
        {"namespace", "pipeline"},
        {"description", "enabled", "every", "cron", "on_change", "arguments", "retries", "retry_after", "overlap"},
    ),
    "runtime-image": ({"image_name"}, {"description", "tags", "pull_policy", "pull_secret"}),
    "kfp": (
        {"api_endpoint", "cos_auth_type", "cos_endpoint", "cos_bucket"},
        {"runtime_type", "description", "public_api_endpoint", "user_namespace", "engine", "auth_type", "api_username"}
        | {"api_password", "public_cos_endpoint", "cos_secret", "cos_username", "cos_password", "tags"},
    ),
    "airflow": (
        {"api_endpoint", "cos_endpoint", "cos_auth_type", "cos_bucket", "github_api_endpoint", "github_branch"}
        | {"github_repo_token", "github_repo"},
        {"runtime_type", "description", "user_namespace", "git_type", "public_cos_endpoint", "cos_secret"}
        | {"cos_username", "cos_password", "tags"},
    ),
    "url-catalog": ({"runtime_type", "paths"}, {"description", "categories", "auth_id", "auth_password"}),
    "local-file-catalog": ({"runtime_type", "paths"}, {"description", "categories", "base_path"}),
    "local-directory-catalog": ({"runtime_type", "paths"}, {"description", "categories", "include_subdirs"}),
    "component-registry": ({"runtime", "location_type", "paths"}, {"description", "categories"}),
}
UPGRADED = ("kfp", "airflow", "url-catalog", "local-file-catalog", "local-directory-catalog")
CLASSES = {
    "saved-search": "jupyter_colophon.schemaspaces.shipped.saved_searches.SavedSearch",
    "schedule": "jupyter_colophon.schemaspaces.shipped.schedules.Schedule",
    **dict.fromkeys(UPGRADED, "jupyter_colophon.elyra.upgrades.UpgradedInstance"),
}
SECRETS = {
    "kfp": {("api_password",), ("cos_password",)},
    "airflow": {("github_repo_token",), ("cos_password",)},
    "url-catalog": {("auth_password",)},
}


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> SchemaManager:
    monkeypatch.setenv("METADATA_TESTING", "1")
    found: SchemaManager = SchemaManager.instance()
    assert found.spaces.list_loading_problems() == []
    return found


def test_shipped_schemaspaces_have_elyra_ids_and_schemas(manager: SchemaManager) -> None:
    found = {one.name: (one.id, {*one.schemas, *one.deprecated_schemas}) for one in manager.spaces.list_spaces()}
    assert found == SHIPPED
    assert [one.name for one in manager.spaces.list_spaces() if one.deprecated] == ["component-registries"]


@pytest.mark.parametrize("name", FIELDS)
def test_shipped_schema_has_elyra_fields(manager: SchemaManager, name: str) -> None:
    space = next(space for space, (_, schemas) in SHIPPED.items() if name in schemas)
    metadata = manager.get_schema(space, name)["properties"]["metadata"]
    required, others = FIELDS[name]
    assert set(metadata["required"]) == required
    assert set(metadata["properties"]) == required | others
    assert set(manager.spaces.list_secret_locations(space, name)) == SECRETS.get(name, set())
    assert manager.spaces.get_instance_class_name(space, name) == CLASSES.get(name)


@pytest.mark.parametrize(
    "path", sorted((find_schemas_dir() / "schemaspaces").rglob("*.json")), ids=lambda path: path.stem
)
def test_schema_example_is_a_valid_instance(manager: SchemaManager, path: Path) -> None:
    (example,) = json.loads(path.read_text())["examples"]
    assert manager.spaces.find_validation_failure(path.parent.name, path.stem, example) is None


@pytest.mark.parametrize("bad", ["", " a", "a "])
def test_tag_with_surrounding_spaces_is_invalid(manager: SchemaManager, bad: str) -> None:
    document: dict[str, Any] = {"display_name": "X", "schema_name": "code-snippet"}
    for tag, valid in ((bad, False), ("two words", True)):
        metadata = {"language": "Python", "code": [], "tags": [tag]}
        fault = manager.spaces.find_validation_failure(
            "code-snippets", "code-snippet", document | {"metadata": metadata}
        )
        assert (fault is None) == valid


COS = {"cos_endpoint": "https://cos.example.org", "cos_bucket": "bucket"}
LOGIN = {"cos_username": "minio", "cos_password": "minio123"}
KFP = {"api_endpoint": "https://kfp.example.org/pipeline", **COS}
AIRFLOW = {
    "api_endpoint": "https://airflow.example.org",
    "github_api_endpoint": "https://api.github.com",
    "github_branch": "main",
    "github_repo_token": "token",
    "github_repo": "a/b",
    **COS,
}


@pytest.mark.parametrize(
    ("space", "schema", "metadata", "added"),
    [
        ("runtimes", "kfp", KFP | LOGIN, {"auth_type": "NO_AUTHENTICATION", "cos_auth_type": "USER_CREDENTIALS"}),
        (
            "runtimes",
            "kfp",
            KFP | LOGIN | {"api_username": "u", "api_password": "p", "cos_secret": "s"},
            {"auth_type": "DEX_LEGACY", "cos_auth_type": "KUBERNETES_SECRET"},
        ),
        (
            "runtimes",
            "airflow",
            AIRFLOW | LOGIN,
            {"runtime_type": "APACHE_AIRFLOW", "git_type": "GITHUB", "cos_auth_type": "USER_CREDENTIALS"},
        ),
        (
            "component-catalogs",
            "url-catalog",
            {"runtime": "kfp", "paths": ["https://example.org/a"]},
            {"runtime_type": "KUBEFLOW_PIPELINES"},
        ),
    ],
)
def test_instances_of_older_versions_load_and_migrate(
    space: str, schema: str, metadata: dict[str, Any], added: dict[str, str], jp_data_dir: Path
) -> None:
    path = jp_data_dir / "metadata" / space / "old.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"display_name": "Old", "schema_name": schema, "metadata": metadata}))
    found = MetadataManager(space).get("old").metadata
    assert found | added == found
    assert "runtime" not in found
    assert SchemaManager.instance().get_schemaspace(space).migrate() == ["old"]
    kept = json.loads(path.read_text())["metadata"]
    assert kept | added == kept
    assert SchemaManager.instance().spaces.migrate_instances(space).migrated == ()


def registry(name: str, runtime: str, location: str) -> None:
    metadata = {"runtime": runtime, "location_type": location, "paths": ["https://example.org/a"], "categories": ["x"]}
    instance = Metadata(display_name=name.title(), schema_name="component-registry", metadata=metadata)
    MetadataManager("component-registries").create(name, instance)


def test_component_registries_migrate_to_catalogs_once() -> None:
    registry("one", "kfp", "URL")
    registry("two", "airflow", "Filename")
    registry("three", "kfp", "Directory")
    spaces = SchemaManager.instance().spaces
    catalogs = MetadataManager("component-catalogs")
    foretold = spaces.migrate_instances("component-registries", dry_run=True)
    assert (sorted(foretold.migrated), catalogs.get_all()) == (["one", "three", "two"], [])
    assert sorted(spaces.migrate_instances("component-registries").migrated) == ["one", "three", "two"]
    found = {one.name: (one.display_name, one.schema_name, one.metadata["runtime_type"]) for one in catalogs.get_all()}
    assert found == {
        "one": ("One", "url-catalog", "KUBEFLOW_PIPELINES"),
        "two": ("Two", "local-file-catalog", "APACHE_AIRFLOW"),
        "three": ("Three", "local-directory-catalog", "KUBEFLOW_PIPELINES"),
    }
    assert catalogs.get("one").metadata["categories"] == ["x"]
    assert spaces.migrate_instances("component-registries").migrated == ()
    assert len(MetadataManager("component-registries").get_all()) == 3


def test_failed_registry_does_not_stop_migration_of_others(
    jp_data_dir: Path, jp_env_jupyter_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry("good", "kfp", "URL")
    registry("bad", "kfp", "URL")
    path = jp_data_dir / "metadata" / "component-registries" / "bad.json"
    path.write_text(path.read_text().replace("https://example.org/a", "no URL"))
    monkeypatch.setattr(sys, "prefix", str(jp_env_jupyter_path.parents[1]))
    factory = Path(sys.prefix, "share", "jupyter", "metadata", "component-registries")
    factory.mkdir(parents=True)
    (factory / "factory.json").write_text(path.read_text())
    assert SchemaManager.instance().spaces.migrate_instances("component-registries").migrated == ("good",)


def test_public_names_are_importable_from_the_package_lazily() -> None:
    names = [
        "CatalogMetadataStore FileMetadataCache FileMetadataStore METADATA_TEST_SCHEMASPACE",
        "METADATA_TEST_SCHEMASPACE_ID Metadata MetadataExistsError MetadataManager MetadataNotFoundError",
        "MetadataStore SchemaManager SchemaNotFoundError SchemasProvider Schemaspace",
    ]
    for name in " ".join(names).split():
        assert name in dir(jupyter_colophon.elyra)
        assert getattr(jupyter_colophon.elyra, name)
    with pytest.raises(AttributeError):
        _ = jupyter_colophon.elyra.nothing
    code = (
        "import sys; from jupyter_colophon.elyra import SchemaManager; SchemaManager.instance().get_schemaspace_names();"
        "print([one for one in ('jsonschema', 'jupyter_server', 'tornado', 'asyncio', 'sqlite3') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
