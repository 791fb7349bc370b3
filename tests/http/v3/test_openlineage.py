"""What events of OpenLineage told is lineage of v3 like everybody else's."""

from typing import Any

from support.openlineage import RUN, data, event

EVER = {"start": "0", "end": "now+1d"}


def table(name: str, **facets: Any) -> dict[str, Any]:
    """Files that a symlink calls a table of the namespace `sales`."""
    linked = {"identifiers": [{"namespace": "hive://metastore", "name": f"sales.{name}", "type": "TABLE"}]}
    return data(f"/warehouse/{name}", "file", symlinks=linked, **facets)


async def test_an_event_is_relations_runs_and_fields(v3: Any, openlineage: Any) -> None:
    made_of = [{"namespace": "file", "name": "/warehouse/raw", "field": "a"}]
    clean = table("clean", columnLineage={"fields": {"b": {"inputFields": made_of}}})
    told = event(inputs=[table("raw")], outputs=[clean], run_facets={"processing_engine": {"name": "spark"}})
    assert (await openlineage("POST", "api", "v1", "lineage", body=told)).status == 201
    for name in ("raw", "clean"):
        found = (await v3("GET", f"namespaces/sales/datasets/{name}/lineage", **EVER)).body
        relations = {(one["data"], one["access"], *one["runs"]) for one in found["relations"]}
        assert relations == {("dataset.sales.raw", "read", RUN), ("dataset.sales.clean", "write", RUN)}, name
    fields = (await v3("GET", "namespaces/sales/datasets/clean/lineage/fields/b", direction="incoming", **EVER)).body
    assert [(one["dataset"]["dataset"], one["fields"]) for one in fields["incoming"]] == [("raw", ["a"])]
