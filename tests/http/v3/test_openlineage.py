"""Lineage from OpenLineage events in v3."""

from typing import Any

from support.openlineage import RUN, build_event, build_event_dataset

EVER = {"start": "0", "end": "now+1d"}


def table(name: str, **facets: Any) -> dict[str, Any]:
    """Files that a symlink calls a table of the namespace `sales`."""
    linked = {"identifiers": [{"namespace": "hive://metastore", "name": f"sales.{name}", "type": "TABLE"}]}
    return build_event_dataset(f"/warehouse/{name}", "file", symlinks=linked, **facets)


async def test_an_event_is_relations_runs_and_fields(v3: Any, openlineage: Any) -> None:
    made_of = [{"namespace": "file", "name": "/warehouse/raw", "field": "a"}]
    clean = table("clean", columnLineage={"fields": {"b": {"inputFields": made_of}}})
    reported = build_event(inputs=[table("raw")], outputs=[clean], run_facets={"processing_engine": {"name": "spark"}})
    assert (await openlineage("POST", "api", "v1", "lineage", body=reported)).status == 201
    for name in ("raw", "clean"):
        found = (await v3("GET", f"namespaces/sales/datasets/{name}/lineage", **EVER)).body
        relations = {(relation["data"], relation["access"], *relation["runs"]) for relation in found["relations"]}
        assert relations == {("dataset.sales.raw", "read", RUN), ("dataset.sales.clean", "write", RUN)}, name
    fields = (await v3("GET", "namespaces/sales/datasets/clean/lineage/fields/b", direction="incoming", **EVER)).body
    assert [(neighbour["dataset"]["dataset"], neighbour["fields"]) for neighbour in fields["incoming"]] == [
        ("raw", ["a"])
    ]
