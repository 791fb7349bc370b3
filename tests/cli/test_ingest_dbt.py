"""`jupyter colophon ingest dbt`, on artifacts that dbt 1.11 wrote for the project in tests/dbt/shop."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import CommandResult, Commands

_FOLDER = Path(__file__).parents[1] / "dbt"
Ingest = Callable[..., CommandResult]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """The target folder of the project; its tables are in `shop.duckdb` beside it."""
    project = tmp_path / "shop"
    shutil.copytree(_FOLDER / "recorded", project / "target")
    for name in ("profiles.yml", "dbt_project.yml"):
        shutil.copy(_FOLDER / "shop" / name, project)
    return project / "target"


@pytest.fixture
def ingest(colophon: Commands, target: Path) -> Ingest:
    """`ingest("--dry-run")`: the result of ingesting the project."""
    return lambda *options: colophon("ingest", "dbt", str(target), *options)


@pytest.fixture
def name(target: Path) -> Callable[[str], str]:
    """`name("main.customers")`: the URN of a table of the project."""
    return lambda table: f"urn:li:dataset:(urn:li:dataPlatform:duckdb,{target.parent}/shop.duckdb.{table},PROD)"


def _job(name: str) -> str:
    return f"urn:li:dataJob:(urn:li:dataFlow:(dbt,dbt,PROD),{name})"


def _edit(file: Path, change: Callable[[Any], object]) -> None:
    document = json.loads(file.read_text("utf-8"))
    change(document)
    file.write_text(json.dumps(document), "utf-8")


def _read_aspects(colophon: Commands, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the values of the aspects of each entity in an export of the namespace."""
    file = folder / "export.jsonl"
    assert colophon("export", "default", str(file)).status == 0
    entities: dict[str, dict[str, Any]] = {}
    for line in map(json.loads, file.read_text("utf-8").splitlines()):
        if "aspect" in line:
            entities.setdefault(line["urn"], {})[line["aspect"]] = line["value"]
    return entities


def _count_writes(answer: Any) -> tuple[int, int, int]:
    return answer["aspects"]["written"], answer["runs"]["written"], answer["tests"]["written"]


def test_a_project_is_described_with_lineage_runs_and_tests(
    ingest: Ingest, colophon: Commands, name: Callable[[str], str], tmp_path: Path
) -> None:
    done = ingest("--json")
    assert (done.status, done.err) == (0, "")
    answer = done.answer
    assert answer["entities"] == {"exposure": 1, "model": 4, "seed": 2, "snapshot": 1, "source": 1}
    assert (answer["runs"], answer["problems"]) == ({"written": 8, "unchanged": 0}, [])
    assert answer["tests"] == {"expectations": 8, "results": 8, "failed": 1, "written": 8}

    entities = _read_aspects(colophon, tmp_path)
    aspects = entities[name("main.customers")]
    assert aspects["datasetProperties"]["description"] == "A row for each customer, with what the customer bought"
    columns = {field["fieldPath"]: field for field in aspects["schemaMetadata"]["fields"]}
    assert list(columns) == ["customer_id", "email", "region", "orders", "revenue", "visits"]
    assert (columns["revenue"]["nativeDataType"], columns["revenue"]["description"]) == (
        "DECIMAL(38,2)",
        "Sum of all paid orders",
    )
    assert [tag["tag"] for tag in columns["email"]["globalTags"]["tags"]] == ["urn:li:tag:confidential"]
    assert [tag["tag"] for tag in aspects["globalTags"]["tags"]] == ["urn:li:tag:gold", "urn:li:tag:nightly"]
    assert [owner["owner"] for owner in aspects["ownership"]["owners"]] == [
        "urn:li:corpuser:ada@example.org",
        "urn:li:corpGroup:sales",
    ]
    assert "lower(email)" in entities[name("main_staging.stg_customers")]["viewProperties"]["viewLogic"]

    job = entities[_job("shop.main.shop.customers")]
    # The ephemeral model in between is no table: lineage leads through it.
    assert job["dataJobInputOutput"]["inputDatasets"] == [
        name("main.crm_visits"),
        name("main_staging.stg_customers"),
        name("main_staging.stg_orders"),
    ]
    assert job["dataTransformLogic"]["transforms"][0]["queryStatement"]["value"].startswith("with __dbt__cte__")
    exposure = entities[_job("exposure.shop.weekly_report")]
    assert exposure["dataJobInfo"]["externalUrl"] == "https://example.org/weekly"
    assert exposure["dataJobInputOutput"]["inputDatasets"] == [name("main.customers"), name("main.orders_history")]

    checked = {urn: one["quality"]["status"] for urn, one in entities.items() if "quality" in one}
    assert sorted(checked.values()) == ["passing", "passing", "passing", "warning"]
    # A test of the severity `warn` that failed.
    assert checked[name("main_staging.stg_orders")] == "warning"
    assert colophon("verify").status == 0

    # Runs have times, a status, and a message without values.
    (built,) = colophon("runs", _job("shop.main.shop.customers"), "--json").answer["runs"]
    assert built["status"] == "succeeded"
    assert built["start"] < built["end"]
    accesses = {(access["mode"], access["data"]) for access in built["accesses"]}
    assert ("write", name("main.customers")) in accesses
    assert ("read", name("main.crm_visits")) in accesses
    (failed,) = colophon("runs", _job("shop.main.shop.broken"), "--json").answer["runs"]
    assert failed["status"] == "failed"
    # The message of DuckDB names a value: Could not convert string 'ada@example.org' to INT32.
    assert failed["facts"]["error"] == "Runtime Error in model broken (models/marts/broken.sql): Conversion Error"
    assert [access["mode"] for access in failed["accesses"]] == ["read"]
    (invocation,) = colophon("runs", _job("dbt-run-shop"), "--json").answer["runs"]
    assert (invocation["urn"], invocation["status"]) == (built["parent"], "failed")


def test_a_second_call_writes_nothing_and_a_dry_run_neither(ingest: Ingest, colophon: Commands) -> None:
    planned = ingest("--dry-run", "--json").answer
    assert "shop.duckdb" not in colophon("search", "customers").out
    first = ingest("--json").answer
    assert _count_writes(planned) == _count_writes(first)
    assert ingest("--no-runs", "--json").answer["runs"] == {"written": 0, "unchanged": 0}
    before = colophon("changes", "--json").out
    assert _count_writes(ingest("--json").answer) == (0, 0, 0)
    assert colophon("changes", "--json").out == before


def test_what_people_and_other_clients_wrote_is_kept(
    ingest: Ingest, colophon: Commands, name: Callable[[str], str], target: Path, tmp_path: Path
) -> None:
    urn = name("main.customers")
    assert ingest().status == 0
    assert colophon("tag", urn, "reviewed").status == 0
    exported = tmp_path / "other.jsonl"
    assert colophon("export", "default", str(exported)).status == 0
    tags = {"tags": [{"tag": "urn:li:tag:of-another-client"}]}
    with exported.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({"urn": name("main.raw_orders"), "aspect": "globalTags", "value": tags}) + "\n")
    assert colophon("import", str(exported)).status == 0

    def change(manifest: Any) -> None:
        manifest["nodes"]["model.shop.customers"]["tags"] = ["silver"]
        manifest["nodes"]["model.shop.customers"]["config"]["tags"] = ["silver"]
        manifest["nodes"]["seed.shop.raw_orders"]["tags"] = ["raw"]

    _edit(target / "manifest.json", change)
    assert ingest().status == 0
    shown = colophon("show", urn, "--json").answer
    assert (shown["user_tags"], shown["system_tags"]) == (["reviewed"], ["silver"])
    other = colophon("show", name("main.raw_orders"), "--json").answer
    assert set(other["system_tags"]) == {"of-another-client", "raw"}


def test_a_model_that_was_removed_is_listed_and_removed_on_request(
    ingest: Ingest, colophon: Commands, name: Callable[[str], str], target: Path
) -> None:
    assert ingest().status == 0
    complete = (target / "manifest.json").read_bytes()
    _edit(target / "manifest.json", lambda manifest: manifest["nodes"].pop("model.shop.broken"))
    listed = ingest("--json").answer
    missing = {"node": "model.shop.broken", "job": _job("shop.main.shop.broken"), "dataset": name("main.broken")}
    assert (listed["missing"], listed["removed"]) == ([missing], False)
    assert "missing in the project: model.shop.broken" in ingest("--dry-run", "--remove-missing").out
    assert name("main.broken") in colophon("search", "broken").out
    assert "removed: model.shop.broken" in ingest("--remove-missing").out
    assert name("main.broken") not in colophon("search", "broken").out
    assert ingest("--json").answer["missing"] == []
    (target / "manifest.json").write_bytes(complete)
    assert ingest().status == 0
    assert name("main.broken") in colophon("search", "broken").out


def test_a_table_of_a_renamed_model_is_not_removed(
    ingest: Ingest, colophon: Commands, name: Callable[[str], str], target: Path
) -> None:
    assert ingest().status == 0

    def rename(manifest: Any) -> None:
        manifest["nodes"]["model.shop.renamed"] = manifest["nodes"].pop("model.shop.broken")

    _edit(target / "manifest.json", rename)
    removed = ingest("--remove-missing", "--json").answer
    assert removed["missing"] == [{"node": "model.shop.broken", "job": _job("shop.main.shop.broken"), "dataset": ""}]
    assert name("main.broken") in colophon("search", "broken").out


def test_another_schema_of_the_project_is_not_missing(ingest: Ingest, target: Path) -> None:
    assert ingest().status == 0

    def move(manifest: Any) -> None:
        for node in [*manifest["nodes"].values(), *manifest["sources"].values()]:
            node["schema"] = f"dev_{node['schema']}"

    _edit(target / "manifest.json", move)
    assert ingest("--json").answer["missing"] == []


def test_artifacts_that_dbt_did_not_write_are_left_out_with_a_note(
    ingest: Ingest, colophon: Commands, name: Callable[[str], str], target: Path, tmp_path: Path
) -> None:
    (target / "catalog.json").unlink()
    (target / "run_results.json").unlink()
    answer = ingest("--json").answer
    assert [note.partition(" ")[0] for note in answer["notes"]] == ["catalog.json", "run_results.json", "ephemeral"]
    assert (answer["runs"]["written"], answer["tests"]["results"]) == (0, 0)
    fields = _read_aspects(colophon, tmp_path)[name("main.customers")]["schemaMetadata"]["fields"]
    # Without a catalog, the columns that the project describes.
    assert [(field["fieldPath"], field["nativeDataType"]) for field in fields] == [
        ("customer_id", "unknown"),
        ("email", "unknown"),
        ("revenue", "unknown"),
    ]
    shutil.copy(_FOLDER / "recorded" / "catalog.json", target)
    assert ingest().status == 0
    fields = _read_aspects(colophon, tmp_path)[name("main.customers")]["schemaMetadata"]["fields"]
    assert len(fields) == 6
    (target / "catalog.json").unlink()
    assert _count_writes(ingest("--json").answer) == (0, 0, 0)


def test_results_of_a_command_that_builds_nothing_are_left_out(ingest: Ingest, target: Path) -> None:
    _edit(target / "run_results.json", lambda results: results["args"].update(which="generate"))
    answer = ingest("--json").answer
    assert (answer["runs"]["written"], answer["tests"]["results"]) == (0, 0)
    assert any("builds nothing" in note for note in answer["notes"])


@pytest.mark.parametrize("version", [10, 11])
def test_manifests_of_earlier_versions_are_read(version: int, ingest: Ingest, target: Path) -> None:
    def change(manifest: Any) -> None:
        manifest["metadata"]["dbt_schema_version"] = f"https://schemas.getdbt.com/dbt/manifest/v{version}.json"
        del manifest["metadata"]["project_name"]

    _edit(target / "manifest.json", change)
    answer = ingest("--json").answer
    assert (answer["project"], sum(answer["entities"].values())) == ("shop", 9)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("manifest.json", None, "manifest.json: No such file or directory"),
        ("manifest.json", "{", "manifest.json is not JSON"),
        ("manifest.json", "[" * 100_000, "manifest.json is not JSON"),
        ("manifest.json", "[]", "manifest.json is not dbt's manifest.json"),
        ("manifest.json", '{"metadata": {"dbt_schema_version": 12}}', "is not dbt's manifest.json"),
        ("catalog.json", "{}", "catalog.json is not dbt's catalog.json"),
        ("run_results.json", "\x00", "run_results.json is not JSON"),
        ("profiles.yml", "a: [", "profiles.yml is not YAML"),
        ("profiles.yml", "{}", "has no profile 'shop'; give the connection with --connection"),
        ("profiles.yml", "shop: {outputs: {dev: {type: postgres}}, target: dev}", "the manifest of duckdb"),
        ("profiles.yml", "shop: {outputs: {dev: {type: duckdb}}, target: dev}", "has its tables in memory"),
        ("profiles.yml", "shop: {outputs: {dev: {type: duckdb, path: '{{ env_var(\"NO\") }}'}}, target: dev}", "NO"),
        ("profiles.yml", "shop: {outputs: {dev: {type: duckdb, path: '{{ var(1) }}'}}, target: dev}", "only dbt eval"),
        ("profiles.yml", None, "do not name the server or the file of the tables"),
    ],
)
def test_an_unreadable_file_is_one_line(
    file: str, content: str | None, message: str, ingest: Ingest, target: Path
) -> None:
    path = target.parent / file if file.endswith(".yml") else target / file
    path.unlink()
    if content is not None:
        path.write_text(content, "utf-8")
    failed = ingest()
    assert (failed.status, failed.out) == (2, ""), failed.err
    assert message in failed.err


@pytest.mark.parametrize(
    ("file", "schema", "message"),
    [
        ("manifest.json", "manifest/v9", "has version 9 of dbt's format; expected 10 to 12"),
        ("manifest.json", "catalog/v1", "is not dbt's manifest.json"),
        ("run_results.json", "run-results/v3", "has version 3 of dbt's format; expected 4 to 6"),
    ],
)
def test_an_artifact_of_another_format_is_refused(
    file: str, schema: str, message: str, ingest: Ingest, target: Path
) -> None:
    address = f"https://schemas.getdbt.com/dbt/{schema}.json"
    _edit(target / file, lambda artifact: artifact["metadata"].update(dbt_schema_version=address))
    failed = ingest()
    assert (failed.status, message in failed.err) == (2, True), failed.err


def test_a_huge_file_is_refused(ingest: Ingest, target: Path) -> None:
    os.truncate(target / "catalog.json", 300 * 1024 * 1024)
    failed = ingest()
    assert (failed.status, "is larger than 256 MiB" in failed.err) == (2, True), failed.err


def test_a_given_connection_needs_no_profile(ingest: Ingest, colophon: Commands, target: Path) -> None:
    (target.parent / "profiles.yml").unlink()
    assert ingest("--connection=duckdb:///data/warehouse.duckdb").status == 0
    assert "/data/warehouse.duckdb.main.customers" in colophon("search", "tags:gold").out
    refused = ingest("--connection=://")
    assert (refused.status, "must begin with a scheme" in refused.err) == (1, True), refused.err
