"""Schemaspaces and their schemas over HTTP, and the check of a schema."""

from typing import Any

import pytest
from support.snippets import SPACE, SPACE_ID

STORE_NAMES = ["sqlite"]


async def test_schemaspaces_are_listed_with_their_schemas(api: Any) -> None:
    found = (await api("GET", "schemaspaces", answers="schemaspaces")).body
    spaces = {one["name"]: one for one in found["schemaspaces"]}
    assert {SPACE, "runtimes", "runtime-images", "component-catalogs", "component-registries"} <= set(spaces)
    assert (spaces[SPACE]["id"], spaces[SPACE]["deprecated"]) == (SPACE_ID, False)
    assert spaces["component-registries"]["deprecated"]
    (schema,) = spaces[SPACE]["schemas"]
    assert (schema["name"], schema["title"], schema["deprecated"]) == ("code-snippet", "Code Snippet", False)
    assert schema["uihints"]["icon"] == "elyra:code-snippet"
    assert [one["name"] for one in spaces["runtimes"]["schemas"]] == ["airflow", "kfp"] or spaces["runtimes"]["schemas"]


async def test_schema_is_returned_unchanged(api: Any) -> None:
    for space in (SPACE, SPACE_ID):
        found = await api("GET", "schemaspaces", space, "schemas", "code-snippet")
        assert (found.status, found.body["name"]) == (200, "code-snippet")
    assert (await api("GET", "schemaspaces", "nope", "schemas", "x")).status == 404


async def test_refresh_reloads_providers(api: Any) -> None:
    before = (await api("GET", "schemaspaces", answers="schemaspaces")).body
    for params in ({}, {"space": SPACE}):
        again = await api("POST", "schemaspaces", "refresh", params=params, answers="schemaspaces")
        assert again.body == before
    assert (await api("POST", "schemaspaces", "refresh", params={"space": "nope"})).status == 404


async def test_migration_reports_its_results(api: Any) -> None:
    done = await api("POST", "schemaspaces", SPACE, "migrate", answers="migration")
    assert done.body == {"dryRun": False, "migrated": [], "failed": [], "withoutDryRun": []}
    dry = await api("POST", "schemaspaces", SPACE, "migrate", params={"dryRun": "true"}, answers="migration")
    assert dry.body["dryRun"] is True
    assert (await api("POST", "schemaspaces", "nope", "migrate")).status == 404


GOOD = {
    "schemaspace": "things",
    "schemaspace_id": SPACE_ID,
    "name": "thing",
    "properties": {
        "schema_name": {"const": "thing"},
        "display_name": {"type": "string"},
        "metadata": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}},
    },
}
CHECKS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("schemaspace", GOOD, []),
    ("schemaspace", GOOD | {"$schema": "http://json-schema.org/draft-07/schema#"}, []),
    ("schemaspace", GOOD | {"$schema": "https://json-schema.org/draft/2020-12/schema"}, ["/$schema"]),
    ("schemaspace", GOOD | {"$ref": "http://example.org/x"}, ["/$ref"]),
    ("schemaspace", GOOD | {"$ref": "file:///etc/passwd"}, ["/$ref"]),
    ("schemaspace", {"name": "thing"}, [""]),
    ("aspect", {}, []),
    ("aspect", {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}, []),
    ("aspect", {"$schema": "http://json-schema.org/draft-07/schema#"}, ["/$schema"]),
    ("aspect", {"properties": {"a": {"pattern": "(?=x)"}}}, ["/properties/a/pattern"]),
    ("aspect", {"properties": {"a": {"$dynamicRef": "#x"}}}, ["/properties/a/$dynamicRef"]),
    ("aspect", {"type": "nope"}, ["/type"]),
    ("aspect", {"prefixItems": [{"$ref": "http://example.org"}]}, ["/prefixItems/0/$ref"]),
    ("aspect", {"description": "x" * 300_000}, [""]),
]


@pytest.mark.parametrize(("kind", "document", "places"), CHECKS, ids=range(len(CHECKS)))
async def test_a_schema_is_checked_before_it_is_used(
    api: Any, kind: str, document: dict[str, Any], places: list[str]
) -> None:
    found = await api("POST", "schemas", body=document, params={"kind": kind})
    assert (found.status, found.body.get("kind")) == ((400, None) if places else (200, kind)), found.body
    assert sorted({one["pointer"] for one in found.body.get("errors", [])}) == places


async def test_schema_must_be_an_object(api: Any) -> None:
    for body in (b"[]", b"null", b"{", b'"x"'):
        assert (await api("POST", "schemas", body=body)).status == 400
