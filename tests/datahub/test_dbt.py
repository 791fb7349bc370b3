"""The artifacts of a dbt project through DataHub's own ingestion: one vocabulary in every API (docs/datahub.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.queries import Queries
from jupyter_colophon.client.operations import Operations
from live import LiveServer

Program = Callable[..., Any]
Command = Callable[..., str]

#: A project of one source, one model and one test, in the format that dbt 1.9 writes to `target/`.
_ARTIFACTS = Path(__file__).parent / "dbt"
_TABLE = "urn:li:dataset:(urn:li:dataPlatform:dbt,shop.marts.customers,PROD)"
_SOURCE = "urn:li:dataset:(urn:li:dataPlatform:dbt,shop.raw.contacts,PROD)"
_RECIPE = {
    "source": {
        "type": "dbt",
        "config": {
            "manifest_path": str(_ARTIFACTS / "manifest.json"),
            "catalog_path": str(_ARTIFACTS / "catalog.json"),
            "run_results_paths": [str(_ARTIFACTS / "run_results.json")],
            "target_platform": "postgres",
            "convert_urns_to_lowercase": True,
            "strip_user_ids_from_email": True,
            # Tags as dbt has them: with the default, `dbt:confidential`, nothing that is asked for `confidential` finds it.
            "tag_prefix": "",
            "meta_mapping": {
                "owner": {"match": ".*", "operation": "add_owner", "config": {"owner_type": "user"}},
                "steward": {
                    "match": ".*",
                    "operation": "add_owner",
                    "config": {"owner_type": "user", "owner_category": "DATA_STEWARD"},
                },
                "terms_list": {"match": ".*", "operation": "add_terms", "config": {"separator": ","}},
                "contains_pii": {"match": True, "operation": "add_tag", "config": {"tag": "has_pii"}},
                "domain": {"match": ".*", "operation": "add_domain", "config": {"domain": "{{ $match }}"}},
                "runbook": {
                    "match": ".*",
                    "operation": "add_doc_link",
                    "config": {"link": "{{ $match }}", "description": "Runbook"},
                },
            },
            "column_meta_mapping": {
                "sensitivity": {
                    "match": "personal",
                    "operation": "add_term",
                    "config": {"term": "Sensitivity.Personal"},
                }
            },
        },
    }
}


def test_a_dbt_project_is_found_shown_respected_and_written_back(
    program: Program, datahub: Command, server: LiveServer, tmp_path: Path
) -> None:
    catalog = server.create_client()
    people = {"properties": {"owner": "eve"}, "tags": ["reviewed"]}
    catalog.write_aspect(_TABLE, "businessMetadata", people)
    (tmp_path / "recipe.json").write_text(json.dumps(_RECIPE))
    datahub("ingest", "run", "-c", "recipe.json", "--no-progress", "--strict-warnings")
    _is_found(catalog)
    _is_shown(catalog)
    # The source reports the test of dbt as an assertion.
    (result,) = catalog.read_entity(_TABLE, aspects="quality")["aspects"]["quality"]["value"]["results"].values()
    assert (result["column"], result["status"], result["source"]) == ("id", "passed", {"kind": "import", "name": "dbt"})
    # What the mask stage, `tags_of` and crawls ask.
    assert catalog.read_entity_metadata(f"urn:li:schemaField:({_TABLE},email)")["SYSTEM"]["tags"] == ["confidential"]
    edges = catalog.read_lineage(_TABLE, direction="upstream", levels=1, columns=True)
    assert [(one["source"], one["target"]) for one in edges["edges"]] == [(_SOURCE, _TABLE)]
    columns = {(one["sourceField"], one["targetField"]) for one in edges["columns"]}
    assert columns == {("id", "id"), ("email", "email"), ("region", "region")}
    # The source reads tags and owners, adds its own and writes the whole lists: what people wrote is not copied.
    assert _stored(catalog) == (["gold", "has_pii", "nightly"], ["ada", "grace"], people)
    read, same, added = program(_WRITE_BACK % {"table": _TABLE})
    assert read == [
        ["gold", "has_pii", "nightly", "reviewed"],
        ["Sales.Customer", "Sales.Region"],
        ["ada", "eve", "grace"],
        "sales",
        "One row for each quokka customer",
    ]
    assert same == read
    assert added == ["checked", "gold", "has_pii", "nightly"]
    without = {"properties": {"owner": "eve"}, "tags": []}
    assert _stored(catalog) == (["checked", "gold", "has_pii", "nightly"], ["ada", "grace"], without)
    assert [hit["urn"] for hit in catalog.search("tags:checked")["hits"]] == [_TABLE]
    catalog.close()


def _is_found(catalog: Operations) -> None:
    for query in ("quokka", "tags:gold", "owner:grace", 'terms:"Sales.Region"', "domain:sales", "tags:reviewed"):
        hits = catalog.search(query, type="dataset")["hits"]
        assert _TABLE in [hit["urn"] for hit in hits], query
    for filters in ({"tag": "nightly"}, {"owner": "ada"}, {"term": "Sales.Customer"}, {"domain": "sales"}):
        found = catalog.search("quokka", **filters)
        assert [hit["urn"] for hit in found["hits"]] == [_TABLE], filters
    counted = {name: {one["value"] for one in found["facets"][name]} for name in ("tag", "owner", "term", "domain")}
    assert counted == {
        "tag": {"gold", "has_pii", "nightly", "reviewed", "confidential"},
        # The source also copies dbt's `meta` into properties: there an owner is a property, and ada one person.
        "owner": {"ada", "eve", "grace"},
        "term": {"Sales.Customer", "Sales.Region", "Sensitivity.Personal"},
        "domain": {"sales"},
    }
    (hit,) = found["hits"]
    assert (hit["description"], "removed" in hit) == ("One row for each quokka customer", False)
    (source,) = [hit for hit in catalog.search("tags:confidential", type="dataset")["hits"] if hit["urn"] == _SOURCE]
    assert source["description"] == "Contacts as the CRM exports them"


def _is_shown(catalog: Operations) -> None:
    document = find_entity(catalog, _TABLE) or {}
    kinds = ("tag", "term", "owner", "domain", "description", "link")
    shown = {(one["kind"], one["scope"], one["column"], one["name"]) for one in document["descriptors"]}
    assert {one for one in shown if one[0] in kinds} == {
        *(("tag", "SYSTEM", None, name) for name in ("gold", "has_pii", "nightly")),
        ("tag", "USER", None, "reviewed"),
        ("tag", "SYSTEM", "email", "confidential"),
        *(("term", "SYSTEM", None, name) for name in ("Sales.Customer", "Sales.Region")),
        ("term", "SYSTEM", "email", "Sensitivity.Personal"),
        *(("owner", "SYSTEM", None, name) for name in ("ada", "grace")),
        ("owner", "USER", None, "eve"),
        ("domain", "SYSTEM", None, "sales"),
        ("description", "SYSTEM", None, "One row for each quokka customer"),
        ("description", "SYSTEM", "id", "Key of the customer"),
        ("description", "SYSTEM", "email", "Address in lower case"),
        ("description", "SYSTEM", "region", "Where the customer lives"),
        ("link", "USER", None, "https://example.org/runbook"),
    }
    rows = set(Queries(catalog).show(_TABLE).rows)
    assert rows >= {
        ("SYSTEM", "tag", "gold", ""),
        ("USER", "tag", "reviewed", ""),
        ("SYSTEM", "term", "Sales.Customer", ""),
        ("SYSTEM", "property", "owner", "grace"),
        ("SYSTEM", "property", "domain", "sales"),
        ("SYSTEM", "property", "description", "One row for each quokka customer"),
        ("SYSTEM", "field", "email", "text"),
    }


def _stored(catalog: Operations) -> tuple[list[str], list[str], Any]:
    """Return the tags and owners of machines, and what people wrote, each as its aspect has it."""
    aspects = (find_entity(catalog, _TABLE) or {})["aspects"]
    tags = [one["tag"].removeprefix("urn:li:tag:") for one in aspects["globalTags"]["value"]["tags"]]
    owners = [one["owner"].removeprefix("urn:li:corpuser:") for one in aspects["ownership"]["value"]["owners"]]
    return sorted(tags), sorted(owners), aspects["businessMetadata"]["value"]


#: Read the table, write it back as it is, add a tag, and remove one of people's.
_WRITE_BACK = """
from datahub.sdk import DataHubClient
from datahub.specific.dataset import DatasetPatchBuilder
t, client = "%(table)s", DataHubClient(server=URL, token=TOKEN)
def last(texts): return sorted(str(one).rsplit(":", 1)[-1] for one in texts)
def read():
    table = client.entities.get(t)
    return [last(one.tag for one in table.tags), last(one.urn for one in table.terms), last(one.owner for one in table.owners),
        str(table.domain).rsplit(":", 1)[-1], table.description]
before = read()
client.entities.update(client.entities.get(t))
same = read()
table = client.entities.get(t)
table.add_tag("urn:li:tag:checked")
client.entities.update(table)
for one in DatasetPatchBuilder(t).remove_tag("urn:li:tag:reviewed").build():
    emitter.emit(one)
print(json.dumps([before, same, read()[0]]))
"""
