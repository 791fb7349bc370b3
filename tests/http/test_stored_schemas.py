"""Schemas that administrators store through REST, if the settings allow it."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.snippets import SPACE, SPACE_ID, build_snippet

STORE_NAMES = ["sqlite"]


@pytest.fixture(params=[True])
def writable(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], writable: bool) -> dict[str, Any]:
    jp_server_config["Colophon"] |= {"allow_schema_writes": writable}
    return jp_server_config


def note(**members: Any) -> dict[str, Any]:
    inner = {"type": "object", "properties": {"text": {"type": "string"}, **members}, "required": ["text"]}
    return {
        "schemaspace": SPACE,
        "schemaspace_id": SPACE_ID,
        "name": "note",
        "properties": {"schema_name": {"const": "note"}, "display_name": {"type": "string"}, "metadata": inner},
    }


AT = ("schemaspaces", SPACE, "schemas")
NOTES = ("schemaspaces", SPACE, "instances")


async def test_schema_is_stored_used_replaced_and_deleted(api: Any) -> None:
    assert (await api("PUT", *AT, "note", body=note())).status == 201
    found = (await api("GET", "schemaspaces")).body["schemaspaces"]
    assert "note" in [schema["name"] for one in found if one["name"] == SPACE for schema in one["schemas"]]
    body = {"display_name": "First", "schema_name": "note", "metadata": {"text": "hello", "stars": "many"}}
    assert (await api("POST", *NOTES, body=body)).status == 201
    assert (await api("PUT", *AT, "note", body=note(stars={"type": "integer"}))).status == 200
    first = (await api("GET", *NOTES, "first")).body
    assert (first["reason"], first["problems"][0]["pointer"]) == ("ValidationError", "/metadata/stars")
    left = await api("DELETE", *AT, "note", answers="schemaspaces")
    assert left.status == 200
    assert (await api("GET", *NOTES, "first")).body["reason"] == "SchemaNotFoundError"
    assert (await api("DELETE", *AT, "note")).status == 404
    assert (await api("GET", *AT, "note")).status == 404


@pytest.mark.parametrize(
    ("name", "document", "status", "pointers"),
    [
        ("note", note(text={"pattern": "(?=x)"}), 400, ["/properties/metadata/properties/text/pattern"]),
        ("note", note(text={"$ref": "http://example.org/x"}), 400, ["/properties/metadata/properties/text/$ref"]),
        ("note", note() | {"metadata_class_name": "subprocess.Popen"}, 400, ["/metadata_class_name"]),
        ("note", note(text={"$ref": f"#/allOf/{'9' * 5_000}"}) | {"allOf": [{}]}, 400, [""]),
        ("other", note(), 400, ["/name"]),
        ("note", note() | {"schemaspace": "runtimes"}, 400, ["/schemaspace"]),
        ("note", {"name": "note"}, 400, [""]),
        ("code-snippet", note() | {"name": "code-snippet"}, 409, []),
    ],
)
async def test_invalid_schema_is_refused(
    api: Any, name: str, document: dict[str, Any], status: int, pointers: list[str]
) -> None:
    before = (await api("GET", "schemaspaces")).body
    refused = await api("PUT", *AT, name, body=document)
    assert (refused.status, [one["pointer"] for one in refused.body.get("errors", [])]) == (status, pointers)
    assert (await api("PUT", "schemaspaces", "nope", "schemas", name, body=document)).status in (400, 404)
    assert (await api("GET", "schemaspaces")).body == before
    assert (await api("DELETE", *AT, "code-snippet")).status == 404


async def test_stored_schema_cannot_name_an_unregistered_class(
    api: Any, jp_data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same for a schema file written by hand or stored by an earlier version."""
    module, witness = tmp_path / "planted.py", tmp_path / "imported"
    module.write_text(f"open({str(witness)!r}, 'w').close()\ndef call(**members): ...")
    monkeypatch.syspath_prepend(tmp_path)
    folder = jp_data_dir / "colophon" / "schemas" / SPACE
    folder.mkdir(parents=True)
    (folder / "note.json").write_text(json.dumps(note() | {"metadata_class_name": "planted.call"}))
    # All of them are loaded again when one is stored.
    assert (await api("PUT", *AT, "other", body=note() | {"name": "other"})).status == 201
    body = {"display_name": "First", "schema_name": "note", "metadata": {"text": "hello"}}
    refused = await api("POST", *NOTES, body=body)
    assert refused.status == 400
    assert "planted.call" in refused.body["detail"]
    assert not witness.exists()
    for name in ("note", "other"):
        assert (await api("DELETE", *AT, name)).status == 200


@pytest.mark.parametrize("writable", [False], indirect=True)
async def test_storing_schemas_requires_the_setting(api: Any) -> None:
    for document in (note(), {"name": "note"}):
        assert (await api("PUT", *AT, "note", body=document)).status == 403
    assert (await api("DELETE", *AT, "note")).status == 403
    assert (await api("POST", *NOTES, body=build_snippet("Still") | {"schema_name": "note"})).status == 404
