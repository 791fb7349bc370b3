"""The functions of `from jupyter_colophon import metadata`, on a real server."""

import inspect
import json
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.rendering.renderers import render_document_page

VERBS = [
    "diff",
    "export",
    "health",
    "history",
    "keys",
    "lineage",
    "propagate",
    "proposals",
    "runs",
    "search",
    "set",
    "show",
    "tag",
    "unset",
    "untag",
    "use",
]
PROGRAM = "urn:li:dataJob:(urn:li:dataFlow:(colophon,shop,default),spark.load)"


def _page(found: Any) -> Any:
    return render_document_page(found.kind, found.document)


@pytest.fixture(autouse=True)
def known(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The environment of a program that a server started."""
    monkeypatch.setenv("COLOPHON_URL", server.url)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    current.use_server(None)
    yield
    current.use_server(None)


def urn(database: str, table: str = "t") -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{database}.{table},PROD)"


def schema(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"schemaName": "t", "platform": "urn:li:dataPlatform:spark", "version": 0, "hash": "", "fields": fields}


def ran(catalog: Any, data: str, mode: str = "write", run_id: str = "one") -> str:
    run = catalog.start_run({"program": PROGRAM, "runId": run_id, "start": "2026-11-20T12:00:00Z"})["urn"]
    catalog.record_accesses(run, {"accesses": [{"data": data, "mode": mode, "time": "2026-11-20T12:00:01Z"}]})
    return str(run)


def test_every_function_has_a_docstring_and_no_self_parameter() -> None:
    for name in VERBS:
        verb = getattr(metadata, name)
        assert inspect.getdoc(verb), name
        assert "self" not in inspect.signature(verb).parameters, name


def test_tags_and_properties_are_added_and_removed(catalog: Any, database: str) -> None:
    name = f"{database}.t"
    first = metadata.tag(name, "raw", "faa")
    assert (first.document["tags"], first.document["changed"], first.document["isNew"]) == (["raw", "faa"], True, False)
    metadata.set(name, {"refresh-time": "monday"}, owner="ops")
    metadata.untag(name, "faa", "absent")
    last = metadata.unset(name, "refresh-time")
    assert list(last) == [
        {"kind": "tag", "key": "raw", "value": ""},
        {"kind": "property", "key": "owner", "value": "ops"},
    ]
    assert catalog.read_entity_metadata(urn(database))["USER"]["tags"] == ["raw"]
    assert not metadata.tag(name, "raw").document["changed"]


def test_fields_have_tags_of_their_own(catalog: Any, database: str) -> None:
    metadata.tag(f"{database}.t", "confidential", field="ssn")
    assert catalog.read_entity_metadata(f"urn:li:schemaField:({urn(database)},ssn)")["USER"]["tags"] == ["confidential"]
    found = metadata.show(f"{database}.t", field="ssn")
    assert list(found) == [{"scope": "USER", "kind": "tag", "key": "confidential", "value": ""}]
    assert metadata.untag(f"{database}.t", "confidential", field="ssn").document["tags"] == []
    with pytest.raises(InvalidName):
        metadata.tag(f"urn:li:schemaField:({urn(database)},ssn)", "x", field="ssn")


def test_field_missing_in_the_schema_is_tagged_and_marked(catalog: Any, database: str) -> None:
    fields = [{"fieldPath": name, "nativeDataType": "string", "nullable": True} for name in ("email", "at.city")]
    catalog.write_aspect(urn(database), "schemaMetadata", schema(fields))
    reported = {
        name: metadata.tag(f"{database}.t", "pii", field=name).document for name in ("email", "at", "at.city", "emial")
    }
    assert [name for name, document in reported.items() if document["isStrange"]] == ["emial"]
    assert reported["emial"]["tags"] == ["pii"]
    assert not metadata.tag(f"{database}.t", "pii").document["isStrange"]


def test_show_includes_field_metadata_and_latest_profile(catalog: Any, database: str) -> None:
    metadata.tag(f"{database}.t", "pii", field="email")
    metadata.set(f"{database}.t", owner="ops", field="city")
    profile = {"timestampMillis": 1763640000000, "rowCount": 7, "columnCount": 2}
    catalog.submit_proposals(
        {"proposals": [{"urn": urn(database), "aspect": "datasetProfile", "operation": "upsert", "value": profile}]}
    )
    whole = metadata.show(f"{database}.t").document
    assert [(one["name"], one["USER"]["tags"], one["USER"]["properties"]) for one in whole["fields"]] == [
        ("city", [], {"owner": "ops"}),
        ("email", ["pii"], {}),
    ]
    text = repr(_page(metadata.show(f"{database}.t")))
    assert re.search(r"email +USER +pii", text), text
    assert not re.search(r"email +SYSTEM", text), text
    assert ": 7 rows, 2 columns" in text


def test_invalid_name_raises_an_error() -> None:
    for ask in (metadata.show, metadata.tag, metadata.lineage, metadata.history):
        for named in (None, 7):
            with pytest.raises(TypeError, match="a name must be a string"):
                ask(named)


def test_namespace_in_use_applies_to_names_without_a_dot(catalog: Any, database: str) -> None:
    with pytest.raises(InvalidName):
        metadata.show("t")
    metadata.use(database)
    assert metadata.use().document == {"namespace": database}
    assert metadata.tag("t", "x").document["urn"] == urn(database)
    metadata.use("")
    with pytest.raises(InvalidName):
        metadata.show("t")
    with pytest.raises(
        ValueError,
        match="namespace 'nobody_has_this' not found: create it with jupyter colophon namespace create 'nobody_has_this'",
    ):
        metadata.use("nobody_has_this")
    with pytest.raises(InvalidName):
        metadata.use("no namespace")


def test_unknown_entity_raises_not_found(database: str) -> None:
    requested = (metadata.show, metadata.history, metadata.diff, metadata.lineage, metadata.untag)
    for ask in requested:
        with pytest.raises(metadata.EntityNotFound, match="not found"):
            ask(f"{database}.none")
    with pytest.raises(metadata.EntityNotFound):
        metadata.propagate(f"{database}.none", f"{database}.t")
    with pytest.raises(metadata.RequestFailed, match="spelled correctly"):
        metadata.tag(f"x{database}.t", "x")
    assert isinstance(metadata.EntityNotFound("x"), metadata.ClientError)


def test_hits_and_keys_are_rows(catalog: Any, database: str) -> None:
    metadata.set(f"{database}.t", {f"key-{database}": "value", "owner": "ops", "description": "All of it"})
    (hit,) = metadata.search(f"key-{database}:val*", namespace=database, owner="ops")
    assert (hit["name"], hit["owner"], hit["description"], hit["urn"]) == (
        f"{database}.t",
        "ops",
        "All of it",
        urn(database),
    )
    assert len(metadata.search(f"key-{database}:val*", tag="nobody")) == 0
    assert list(metadata.keys(f"key-{database}")) == [
        {"key": f"key-{database}", "kind": "property", "scope": "USER", "entities": 1}
    ]
    assert list(metadata.keys(values=f"key-{database}")) == [{"value": "value", "entities": 1}]


def test_rows_become_a_frame_of_pandas(database: str) -> None:
    metadata.tag(f"{database}.t", f"tag-{database}")
    frame = metadata.search(f"tags:tag-{database}").to_pandas()
    assert list(frame["name"]) == [f"{database}.t"]
    assert list(metadata.search(f"tags:no-{database}").to_pandas().columns) == list(frame.columns)


def test_history_lists_versions_and_diff_compares_two(catalog: Any, database: str) -> None:
    name = f"{database}.t"
    metadata.tag(name, "a")
    metadata.set(name, owner="ops")
    metadata.set(name, owner="dev")
    rows = list(metadata.history(name))
    assert [(row["version"], row["changes"]) for row in rows] == [
        (3, ["~ /properties/owner ops → dev"]),
        (2, ["+ /properties/owner ops"]),
        (1, ['+ / {"properties":{},"tags":["a"]}']),
    ]
    assert [step["op"] for step in metadata.diff(name)] == ["replace"]
    assert [(step["op"], step["path"]) for step in metadata.diff(name, 1, "2")] == [("add", "/properties/owner")]
    assert metadata.diff(name, 0, 1).document["from"]["version"] == 0
    assert metadata.diff(name, rows[1]["time"], "now").document["to"]["version"] == 3
    assert len(metadata.history(name, limit=1)) == 1
    with pytest.raises(metadata.EntityNotFound, match="no version of businessMetadata 9"):
        metadata.diff(name, 1, 9)
    with pytest.raises(metadata.EntityNotFound, match="at now-9d"):
        metadata.diff(name, "now-9d")


def test_history_and_diff_show_removed_and_old_values(database: str) -> None:
    name = f"{database}.t"
    metadata.tag(name, "raw", "gold", "new")
    metadata.untag(name, "gold", "raw")
    metadata.set(name, owner="ops")
    metadata.unset(name, "owner")
    assert [row["changes"] for row in metadata.history(name, limit=3)] == [
        ["- /properties/owner ops"],
        ["+ /properties/owner ops"],
        ["- /tags/0 raw", "- /tags/0 gold"],
    ]
    # The version before the page is not on it.
    (newest,) = metadata.history(name, limit=1)
    assert newest["changes"] == ["- /properties/owner ops"]
    assert [(step["op"], step["old"]) for step in metadata.diff(name)] == [("remove", "ops")]


def test_missing_aspect_is_distinguished_from_missing_entity(database: str) -> None:
    for ask in (metadata.history, metadata.diff):
        with pytest.raises(metadata.EntityNotFound, match=f"{database}.t has no aspect nosuch; its"):
            ask(f"{database}.t", aspect="nosuch")
        with pytest.raises(metadata.EntityNotFound, match=r"aspect businessMetadata; .* technicalMetadata"):
            ask(f"{database}.t")


def test_a_deleted_aspect_has_a_history_too(catalog: Any, database: str) -> None:
    metadata.tag(f"{database}.t", "a")
    catalog.submit_proposals(
        {"proposals": [{"urn": urn(database), "aspect": "businessMetadata", "operation": "delete"}]}
    )
    assert [row["deleted"] for row in metadata.history(f"{database}.t")] == [True, False]
    assert [step["op"] for step in metadata.diff(f"{database}.t")] == ["remove", "remove"]


def test_runs_and_lineage_of_data_program_and_run(catalog: Any, database: str) -> None:
    run = ran(catalog, urn(database), run_id=database)
    (reported,) = metadata.runs(f"{database}.t")
    assert (reported["writes"], reported["reads"], reported["urn"]) == ([f"{database}.t"], [], run)
    assert run in [row["urn"] for row in metadata.runs(PROGRAM, start="2026-11-20", end="2026-11-21", limit=500)]
    assert [row["mode"] for row in metadata.runs(run) if row["role"] == "data"] == ["write"]
    (edge,) = metadata.lineage(f"{database}.t", start="2026-11-20T00:00:00Z")
    assert (edge["target"], edge["access"], edge["runCount"]) == (f"{database}.t", "write", 1)
    assert list(metadata.lineage(f"{database}.t", end="2026-11-01")) == []
    came = metadata.diff(f"{database}.t", "2026-11-10", "2026-11-21", lineage=True)
    assert [row["change"] for row in came] == ["added"]


def test_edges_between_columns_are_listed_below_the_tree(catalog: Any, database: str) -> None:
    run = ran(catalog, urn(database), run_id=database)
    assert "No column lineage." in repr(_page(metadata.lineage(f"{database}.t", columns=True)))
    column = {"source": urn(database, "copy"), "sourceField": "a", "target": urn(database), "targetField": "b"}
    accesses = [{"data": urn(database, "copy"), "mode": "read", "time": "2026-11-20T12:00:01Z"}]
    catalog.record_accesses(run, {"accesses": accesses, "columns": [{**column, "transformation": "identity"}]})
    shown = _page(metadata.lineage(f"{database}.t", columns=True))._repr_mimebundle_()
    for form in ("text/plain", "text/html"):
        assert f"{database}.copy#a" in shown[form]
        assert f"{database}.t#b" in shown[form]


def test_metadata_is_propagated_to_a_table_and_its_fields(catalog: Any, database: str) -> None:
    source, sink = f"{database}.t", f"{database}.copy"
    metadata.tag(source, "hr", "raw")
    metadata.set(source, owner="ops")
    metadata.tag(source, "confidential", field="a")
    done = metadata.propagate(source, sink, tags="h*", fields="same")
    assert [row["name"] for row in done] == [sink, f"{sink}#a"] or [row["name"] for row in done] == [sink]
    assert catalog.read_entity_metadata(urn(database, "copy"))["USER"] == {
        "properties": {},
        "tags": ["hr"],
        "version": 1,
    }
    assert done.document["isNew"]
    assert not metadata.propagate(source, sink, fields={"a": "b"}).document["isNew"]
    assert metadata.show(sink, field="b").document["aspects"]["businessMetadata"]["value"]["tags"] == ["confidential"]
    assert len(metadata.propagate(source, sink, [], [])) == 0


def test_repr_of_a_result_is_a_table(database: str) -> None:
    for number in range(11):
        metadata.tag(f"{database}.t{number:02}", "raw", "faa")
    title, head, *rows, more = repr(metadata.search("*", type="dataset", namespace=database)).split("\n")
    assert (title, head.split()[:4], more) == (
        "<Result of search: 12 rows>",
        ["name", "type", "namespace", "tags"],
        "2 more",
    )
    assert all(row.startswith(f"{database}.t") for row in rows)
    assert any("faa, raw" in row for row in rows)
    assert repr(metadata.search("nothing_is_called_so")) == "<Result of search: 0 rows>"


def test_unknown_name_suggests_a_similar_one(database: str) -> None:
    metadata.tag(f"{database}.orders", "a")
    sentence = f"dataset '{database}.ordrs' not found; did you mean '{database}.orders'?"
    for read in (metadata.show, metadata.history, metadata.lineage, metadata.untag, metadata.unset):
        with pytest.raises(metadata.EntityNotFound) as raised:
            read(f"{database}.ordrs")
        assert str(raised.value) == sentence


@pytest.mark.parametrize(("typed", "meant"), [("fligts", "flights"), ("ordrs", "orders"), ("zebra", None)])
def test_new_entry_suggests_a_similar_name(catalog: Any, database: str, typed: str, meant: str | None) -> None:
    for name in ("flights", "orders", "o"):
        metadata.tag(f"{database}.{name}", "a")
    find_similar_dataset = meant and urn(database, meant)
    assert metadata.tag(f"{database}.{typed}", "a").document["similarName"] == find_similar_dataset
    assert metadata.tag(f"{database}.{typed}", "b").document["similarName"] is None
    done = metadata.propagate(f"{database}.flights", f"{database}.orders2").document
    assert (done["isNew"], done["similarName"]) == (True, urn(database, "orders"))


def test_a_namespace_is_exported_whole_or_not_at_all(database: str, tmp_path: Any) -> None:
    file = tmp_path / "out.jsonl"
    metadata.tag(f"{database}.t", "a")
    done = metadata.export(database, file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert done.document["lines"] == len(lines) - 1
    assert {"businessMetadata", "technicalMetadata"} <= {line.get("aspect") for line in lines}
    with pytest.raises(metadata.EntityNotFound):
        metadata.export("nobody_has_this", tmp_path / "other")
    with pytest.raises(OSError, match="none"):
        metadata.export(database, tmp_path / "none" / "other")
    assert [one.name for one in tmp_path.iterdir()] == ["out.jsonl"]


def test_missing_server_raises_not_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLOPHON_URL")
    with pytest.raises(metadata.NotConnected):
        metadata.search("x")
    with pytest.raises(metadata.ServerUnavailable):
        metadata.connect("http://127.0.0.1:9/", "token")
    with pytest.raises(metadata.NotConnected):
        metadata.search("x")


def test_script_connects_and_searches(server: Any, database: str) -> None:
    script = """
import sys
from jupyter_colophon import metadata
try:
    metadata.connect(sys.argv[1])
except ValueError as error:
    print(error)
print(metadata.connect(*sys.argv[1:3]).document["via"])
print(metadata.tag(sys.argv[3] + ".t", "scripted").document["tags"], "IPython" in sys.modules, "pyspark" in sys.modules)
"""
    left = {name: value for name, value in os.environ.items() if not name.startswith("COLOPHON_")}
    command = [sys.executable, "-c", script, server.url, server.token, database]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=left)
    assert done.stdout.splitlines() == [
        "a token is required: pass one, or set COLOPHON_TOKEN",
        "None",
        "['scripted'] False False",
    ]
