"""What programs read and emit while they run, on a real server."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.programs.outbox import find_outbox_folder
from jupyter_colophon.core.errors import InvalidName

pytestmark = pytest.mark.usefixtures("known")
URN = "urn:li:dataset:(urn:li:dataPlatform:spark,{}.{},PROD)"
#: How long sending may take on a busy machine, in seconds.
WAIT_S = 300


@pytest.fixture
def context(database: str) -> Iterator[Any]:
    with metadata.run("shop.spark.load", namespace=database) as started:
        yield started


def recorded(catalog: Any, entity: Any, scope: str = "USER") -> tuple[dict[str, str], list[str]]:
    """Properties and tags of an entity when the inbox is empty."""
    pause = threading.Event()
    while catalog.read_health()["inbox"]["pending"]:
        pause.wait(0.01)
    found = catalog.read_entity_metadata(str(entity))[scope]
    return found["properties"], found["tags"]


def write(catalog: Any, urn: str, properties: Any = (), tags: Any = (), aspect: str = "businessMetadata") -> None:
    value = {"properties": dict(properties), "tags": list(tags)}
    catalog.submit_proposals({"proposals": [{"urn": urn, "aspect": aspect, "operation": "upsert", "value": value}]})


def test_import_loads_no_other_module() -> None:
    script = """
import importlib, sys, typing
import jupyter_colophon
before = set(sys.modules)
from jupyter_colophon import metadata
print(len(set(sys.modules) - before), metadata.uses.__name__, "http.client" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    count, *rest = done.stdout.split()
    assert (int(count), rest) == (1, ["uses", "False"])
    assert set(metadata.__all__) == set(dir(metadata))


@pytest.mark.parametrize(
    ("entity", "urn"),
    [
        (metadata.MetadataEntity.of_dataset("sales.orders"), URN.format("sales", "orders")),
        (metadata.MetadataEntity.of_dataset("orders"), URN.format("default", "orders")),
        (metadata.MetadataEntity.dataset("orders", "sales"), URN.format("sales", "orders")),
        (
            metadata.MetadataEntity.of_dataset("/d/x.csv"),
            "urn:li:dataset:(urn:li:dataPlatform:file,/d/x.csv,PROD)",
        ),
        (
            metadata.MetadataEntity.of_dataset("sales.orders").append("field", "empName"),
            f"urn:li:schemaField:({URN.format('sales', 'orders')},empName)",
        ),
        (metadata.MetadataEntity.of([("namespace", "n"), ("dataset", "d")]), URN.format("n", "d")),
        (
            metadata.MetadataEntity.of([("namespace", "n"), ("jar", "a.jar")]),
            "urn:li:custom:(jar,namespace=n,jar=a.jar)",
        ),
        (
            metadata.MetadataEntity.of([("namespace", "n"), ("jar", "a"), ("part", "b")], type="jar"),
            "urn:li:custom:(jar,namespace=n,jar=a,part=b)",
        ),
        (
            metadata.MetadataEntity.of_dataset("sales.orders").append("partition", "2026"),
            "urn:li:custom:(partition,namespace=sales,dataset=orders,partition=2026)",
        ),
    ],
)
def test_entities_are_named_as_people_call_them(entity: Any, urn: str) -> None:
    assert (entity.urn, str(entity)) == (urn, urn)
    assert metadata.MetadataEntity.parse(urn) == entity


def test_invalid_name_is_refused() -> None:
    for wrong in ("", "urn:li:", "a b.c d"):
        with pytest.raises(InvalidName):
            metadata.MetadataEntity.of_dataset(wrong)


def test_reads_have_both_scopes_and_are_cached_for_the_run(context: Any, catalog: Any, database: str) -> None:
    urn = URN.format(database, "t")
    write(catalog, urn, {"owner": "ops"}, ["raw"])
    both = context.metadata.get("t")
    assert (dict(both["USER"].properties), both["USER"].tags) == ({"owner": "ops"}, ("raw",))
    assert both["SYSTEM"].properties["format"] == "parquet"
    write(catalog, urn, {"owner": "another"})
    assert context.metadata.get(f"{database}.t", "USER").properties["owner"] == "ops"
    with metadata.run("shop.spark.load", namespace=database) as later:
        assert later.metadata.get("t", "USER").properties["owner"] == "another"
    assert context.metadata.get("nothing", "USER").is_empty


def test_facts_are_reported_during_and_at_the_end(catalog: Any, database: str) -> None:
    with metadata.run("shop.spark.load", namespace=database) as going:
        going.record_facts({"rows": 12, "step": "load"})
        assert going.metadata.flush(WAIT_S) == 0
        reported = catalog.read_run(going.urn)
        assert (reported["status"], reported["facts"]) == ("running", {"rows": 12, "step": "load"})
        going.facts["step"] = "done"
    assert going.metadata.flush(WAIT_S) == 0
    reported = catalog.read_run(going.urn)
    assert (reported["status"], reported["facts"]) == ("succeeded", {"rows": 12, "step": "done"})


def test_emitted_changes_are_applied_in_order(context: Any, catalog: Any, database: str) -> None:
    table = metadata.MetadataEntity.of_dataset(f"{database}.t")
    about = context.metadata
    about.add_properties(table, {"a": "1", "b": "2", "c": "3"})
    about.add_tags(table, "x", "y", "z")
    about.add_properties("t", {"a": "4"})
    about.remove_properties(table, "b", "never")
    about.remove_tags(table, "x")
    about.add_properties(table, {"machine": "yes"}, scope="SYSTEM")
    jar = metadata.MetadataEntity.of([("namespace", database), ("jar", "a.jar")])
    about.add_tags(jar, "new")
    about.remove_tags(table.append("field", "nobody"))
    assert (about.flush(), about.dropped) == (0, 0)
    assert recorded(catalog, table) == ({"a": "4", "c": "3"}, ["y", "z"])
    assert recorded(catalog, table, "SYSTEM")[0]["machine"] == "yes"
    assert recorded(catalog, jar) == ({}, ["new"])
    assert find_entity(catalog, str(table.append("field", "nobody"))) is None
    found = read_stored_aspect(catalog, str(table), "businessMetadata")
    versions = find_entity(catalog, str(table), "businessMetadata")["aspects"]["businessMetadata"]
    assert (found.version, versions["actor"] != "") == (5, True)
    about.remove_properties(table)
    about.remove_tags(table)
    about.add_tags(jar, "more")
    about.remove_metadata(jar)
    assert about.flush() == 0
    assert recorded(catalog, table) == ({}, [])
    assert recorded(catalog, jar) == ({}, [])


PROPAGATED: list[tuple[dict[str, Any], tuple[set[str], set[str]]]] = [
    ({}, ({"owner", "hr-level"}, {"hr", "raw"})),
    ({"properties": "hr-*"}, ({"hr-level"}, set())),
    ({"tags": "r*"}, (set(), {"raw"})),
    ({"properties": "*", "tags": "r*"}, ({"owner", "hr-level"}, {"raw"})),
    ({"properties": [], "tags": ["r*", "nothing"]}, (set(), {"raw"})),
    ({"properties": ["own*"], "tags": []}, ({"owner"}, set())),
    ({"scope": "SYSTEM"}, ({"format"}, set())),
]


@pytest.mark.parametrize(("choice", "expected"), PROPAGATED)
def test_all_or_selected_metadata_is_propagated(
    context: Any, catalog: Any, database: str, choice: Any, expected: Any
) -> None:
    write(catalog, URN.format(database, "t"), {"owner": "ops", "hr-level": "3"}, ["hr", "raw"])
    context.metadata.propagate("t", "sink", **choice)
    assert context.metadata.flush(WAIT_S) == 0
    properties, tags = recorded(catalog, URN.format(database, "sink"), choice.get("scope", "USER"))
    keys = {key for key in properties if not key.startswith(("created", "creation", "last-"))}
    assert (keys, set(tags)) == expected


@pytest.mark.parametrize(("fields", "sinks"), [("same", {"a", "b"}), ({"a": "z", "c": "y"}, {"z"})])
def test_field_metadata_is_propagated_to_same_or_other_fields(
    context: Any, catalog: Any, database: str, fields: Any, sinks: set[str]
) -> None:
    source, sink = (metadata.MetadataEntity.of_dataset(f"{database}.{name}") for name in ("t", "sink"))
    rows = [{"fieldPath": name, "nativeDataType": "string", "nullable": True} for name in "abc"]
    schema = {"urn": str(source), "aspect": "schemaMetadata", "operation": "upsert", "value": {"fields": rows}}
    catalog.submit_proposals({"proposals": [schema]})
    for name in "ab":
        write(catalog, str(source.append("field", name)), {}, [f"tag-{name}"])
    context.metadata.propagate(source, sink, fields=fields)
    assert (context.metadata.flush(WAIT_S), context.metadata.dropped) == (0, 0)
    found = {name: recorded(catalog, sink.append("field", name)) for name in sinks}
    assert all(tags and tags[0].startswith("tag-") for _, tags in found.values())


@pytest.mark.parametrize("has_snapshot", [False, True])
@pytest.mark.parametrize("name", ["t", "of which only a field is known"])
def test_fields_that_no_schema_names_are_propagated_too(
    catalog: Any, database: str, name: str, has_snapshot: bool
) -> None:
    source = metadata.MetadataEntity.of_dataset(name, database)
    sink = metadata.MetadataEntity.of_dataset("sink", database)
    odd = "emp (Name, \u00e4)"
    for named in ("empName", odd):
        write(catalog, source.append("field", named).urn, {}, [f"tag-{named[:3]}"])
    write(catalog, metadata.MetadataEntity.of_dataset(f"{name}2", database).append("field", "other").urn, {}, ["not"])
    assert catalog.list_fields(source.urn)["fields"] == [odd, "empName"]
    snapshot = metadata.prefetch([source], fields=True) if has_snapshot else None
    with metadata.run("shop.spark.load", namespace=database, snapshot=snapshot) as context:
        context.metadata.propagate(source, sink, fields="same")
    assert (context.metadata.flush(WAIT_S), context.metadata.dropped) == (0, 0)
    assert [recorded(catalog, sink.append("field", named))[1] for named in ("empName", odd)] == [["tag-emp"]] * 2
    assert catalog.list_fields(sink.urn)["fields"] == [odd, "empName"]


def test_snapshot_without_fields_raises_for_fields(catalog: Any, database: str, tmp_path: Path) -> None:
    source = metadata.MetadataEntity.of_dataset("t", database)
    write(catalog, source.append("field", "empName").urn, {}, ["confidential"])
    metadata.prefetch([source]).save(tmp_path / "without.json")
    metadata.prefetch([source], fields=True).save(tmp_path / "with.json")
    with metadata.run("shop.spark.load", namespace=database, snapshot=tmp_path / "with.json") as context:
        assert context.metadata.get(source.append("field", "empName"), "USER").tags == ("confidential",)
    with (
        pytest.raises(metadata.MetadataUnavailable, match="fields=True"),
        metadata.run("shop.spark.load", namespace=database, snapshot=tmp_path / "without.json") as context,
    ):
        context.metadata.propagate(source, "sink", fields="same")


def test_declared_and_opened_datasets_are_lineage(catalog: Any, database: str) -> None:
    @metadata.uses("t", access="in")
    @metadata.uses("{sink}", access="out", component="writer")
    @metadata.uses("rates")
    class Load:
        pass

    with metadata.run("shop.spark.load", namespace=database, arguments={"sink": "report"}, code=Load) as context:
        context.metadata.flush()
        at_start = modes(catalog, context)
        context.open_dataset("t", access="in")
        context.open_dataset("t", access="out")
        context.open_dataset("new")
        context.open_dataset(f"{database}.rates", access="in")
    assert context.metadata.flush(WAIT_S) == 0
    assert at_start == {("t", "read", ""), ("report", "write", "writer"), ("rates", "unknown", "")}
    later = {("t", "both", ""), ("new", "unknown", ""), ("rates", "read", "")}
    assert modes(catalog, context) == at_start | later
    assert catalog.read_run(context.urn)["status"] == "succeeded"
    with pytest.raises(ValueError, match="one of in, out"):
        metadata.uses("t", access="sideways")  # type: ignore[arg-type]


def modes(catalog: Any, context: Any) -> set[tuple[str, str, str]]:
    accesses = catalog.read_run(context.urn)["accesses"]
    return {(one["data"].split(",")[1].partition(".")[2], one["mode"], one["component"]) for one in accesses}


def test_run_records_its_ending_and_arguments(catalog: Any, database: str) -> None:
    with (
        pytest.raises(RuntimeError),
        metadata.run("shop.spark.load", namespace=database, run_id="r 1".replace(" ", "-")) as failed,
    ):
        raise RuntimeError
    failed.end("succeeded")
    with metadata.run("shop.spark.load", namespace=database, arguments={"sink": "x.y"}) as fine:
        pass
    assert fine.metadata.flush(WAIT_S) == 0
    assert [catalog.read_run(one.urn)["status"] for one in (failed, fine)] == ["failed", "succeeded"]
    assert catalog.read_run(fine.urn)["arguments"] == {"sink": "x.y"}
    assert fine.entity_from("sink").urn == URN.format("x", "y")
    with pytest.raises(LookupError, match="'source'"):
        fine.entity_from("source")
    for wrong in ("load", "shop.load", "shop.dances.load"):
        with pytest.raises(InvalidName):
            metadata.run(wrong)


def test_refused_entry_is_dropped_counted_and_logged_without_value(
    context: Any, catalog: Any, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    about = context.metadata
    with caplog.at_level(logging.DEBUG):
        before = about.dropped
        about.add_properties("t", {"no good": "CANARY-1"})
        about.add_tags("t", "CANARY 2")
        about.add_properties("nowhere_at_all.t", {"owner": "CANARY-3"})
        about.add_properties("t", {"fine": "CANARY-4"})
        assert about.flush() == 0
    assert recorded(catalog, URN.format(database, "t"))[0] == {"fine": "CANARY-4"}
    assert about.dropped - before == 2
    assert caplog.text.count("WARNING") == 2
    user = catalog.read_me()["user"]["username"]
    line = next(one.message for one in caplog.records if "'no good'" in one.message)
    for word in (URN.format(database, "t"), f"by {user} ", context.urn):
        assert word in line
    assert "CANARY" not in caplog.text
    for wrong in ({"a": 1}, {2: "b"}):
        with pytest.raises(TypeError):
            about.add_properties("t", wrong)
    # Errors that only the store can detect are found when the entry is applied.
    letters = catalog.list_dead_letters()["deadLetters"]
    assert "CANARY" not in json.dumps(letters)
    assert any(one["run"] == context.urn and "nowhere_at_all" in json.dumps(one) for one in letters)


def test_run_with_snapshot_sends_no_read_request(
    catalog: Any, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(catalog, URN.format(database, "t"), {"owner": "ops"}, ["raw"])
    metadata.prefetch([f"{database}.t"], fields=True).save(tmp_path / "snapshot.json")
    assert (tmp_path / "snapshot.json").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("COLOPHON_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("COLOPHON_SNAPSHOT", str(tmp_path / "snapshot.json"))
    with metadata.run("shop.spark.load", namespace=database) as context:
        assert context.metadata.get("t", "USER").tags == ("raw",)
        context.metadata.propagate("t", "sink")
        with pytest.raises(metadata.MetadataUnavailable, match="prefetch"):
            context.metadata.get("other")
    monkeypatch.delenv("COLOPHON_SNAPSHOT")
    with pytest.raises(metadata.MetadataUnavailable):
        metadata.run("shop.spark.load", namespace=database, prefetch=[f"{database}.t"])
    monkeypatch.delenv("COLOPHON_URL")
    with pytest.raises(metadata.MetadataUnavailable):
        metadata.prefetch(["a.b"])


@pytest.mark.parametrize(
    "reported",
    [
        ["a", "b"],
        {"a": "int", "b": "string"},
        [("a", "int"), ("b", "string")],
        '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": ["null", "string"]}]}',
    ],
)
def test_a_schema_is_taken_in_many_forms(reported: Any) -> None:
    assert metadata.RecordSchema.parse(reported).names == ("a", "b")


def test_invalid_schema_is_refused() -> None:
    for wrong in (3, [3], '"', {"fields": [{}]}):
        with pytest.raises(ValueError, match=r"schema|Unterminated|field"):
            metadata.RecordSchema.parse(wrong)


def test_outside_a_kernel_a_query_sees_the_run_before_it(server: Any, database: str, tmp_path: Path) -> None:
    script = f"""
from jupyter_colophon import metadata
with metadata.run("shop.spark.load", namespace="{database}", run_id="first") as context:
    context.metadata.add_tags("{database}.t", "raw")
print([run["status"] for run in metadata.runs(context.program).document["runs"]])
print([row[2] for row in metadata.show("{database}.t").rows if "raw" in row])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["['succeeded']", "['raw']"], done.stderr


def test_unwritable_outbox_warns_and_does_not_stop_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COLOPHON_OUTBOX", str(tmp_path / "file" / "outbox"))
    with metadata.run("shop.spark.load") as context:
        context.metadata.add_tags("t", "CANARY")
    assert context.metadata.dropped == 3
    assert "could not be stored" in caplog.text
    assert "CANARY" not in caplog.text
    assert find_outbox_folder() == tmp_path / "file" / "outbox"


def test_metadata_of_fields_is_read_and_unknown_ones_return_404(server: Any, database: str) -> None:
    urn = f"urn:li:schemaField:({URN.format(database, 't')},nobody)"
    found = server.call("GET", f"colophon/api/entities/{quote(urn, safe='')}/metadata")
    assert found["USER"] == {"properties": {}, "tags": [], "version": -1}


def test_deleted_fields_are_not_listed(catalog: Any, database: str) -> None:
    table = metadata.MetadataEntity.of_dataset("t", database)
    for name in ("a", "b"):
        write(catalog, table.append("field", name).urn, {}, ["x"])
    catalog.submit_proposals({"proposals": [{"urn": table.append("field", "a").urn, "operation": "delete"}]})
    assert catalog.list_fields(table.urn)["fields"] == ["b"]
    assert catalog.list_fields(f"urn:li:namespace:{database}")["fields"] == []
    catalog.submit_proposals({"proposals": [{"urn": table.urn, "operation": "delete"}]})
    assert catalog.list_fields(table.urn)["fields"] == []
    with pytest.raises(RequestFailed) as refusal:
        catalog.list_fields("nothing")
    assert refusal.value.status == 400
