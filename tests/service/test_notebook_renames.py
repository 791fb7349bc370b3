"""Renaming a notebook keeps the history of the notebook and its cells (decision 37)."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, NotFound, RenameConflict
from jupyter_colophon.core.identity.names import Urn, make_cell_program_urn, make_custom_urn, make_notebook_program_urn
from jupyter_colophon.core.lineage.graph import LineageRequest, RunListing
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.commit import rename_notebook
from support.catalog import ADA, list_hit_names, record_run, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import CELL, NOTEBOOK, ORDERS, REPORT

NEW = "2026/report.ipynb"
NEW_NOTEBOOK, NEW_CELL = (
    str(make_notebook_program_urn("default", NEW)),
    str(make_cell_program_urn("default", NEW, "a1")),
)
STEP = [("namespace", "default"), ("application", "notebook"), ("cells", "shop.ipynb#a1"), ("step", "one")]
CHILD = str(make_custom_urn("step", STEP))


def rename(catalog: Catalog, old: str = NOTEBOOK, new: str = NEW_NOTEBOOK) -> None:
    catalog.write_path.rename_notebook(Urn.parse(old), Urn.parse(new), ADA)


def list_runs(catalog: Catalog, program: str) -> list[str]:
    listing = RunListing(program=program, limit=50)
    return [run.run_id for run in catalog.runs.list_visible_runs(listing, ADA)[0]]


def read_graph(catalog: Catalog, urn: str, **more: Any) -> Any:
    return catalog.lineage.read_lineage(LineageRequest(Urn.parse(urn), levels=1, **more), ADA)


@pytest.fixture
def shop(catalog: Catalog) -> Catalog:
    """Return a catalog with a notebook, one cell of it that reads, writes and is described, and another notebook."""
    record_run(catalog, NOTEBOOK, "session", end=9_000)
    edge = ColumnEdge(Urn.parse(ORDERS), "id", Urn.parse(REPORT), "id", "identity")
    first = catalog.write_path.start_run(RunStart(Urn.parse(CELL), "r1", 1_000, 5_000, "succeeded"), ADA)
    accesses = [Access(Urn.parse(ORDERS), "read", statement=0), Access(Urn.parse(REPORT), "write", statement=0)]
    catalog.write_path.record_run_accesses(first.urn, accesses, [edge], ADA)
    record_run(catalog, CELL, "r2", ("read", ORDERS), start=6_000, end=7_000)
    write_metadata(catalog, CELL, {"owner": "ops"}, ["raw"], aspect="businessMetadata")
    write_metadata(catalog, CELL, {"owner": "ops"}, ["daily"], aspect="businessMetadata")
    write_metadata(catalog, CHILD, tags=["slow"], aspect="businessMetadata")
    jobs = {"inputDatasets": [], "outputDatasets": [], "inputDatajobs": [CELL]}
    other = Urn.parse(str(make_cell_program_urn("default", "other.ipynb", "a1")))
    catalog.write_path.apply_proposals_atomically([Proposal(other, "dataJobInputOutput", "upsert", jobs)], ADA)
    return catalog


def test_new_name_has_runs_lineage_and_metadata_of_the_old_one(shop: Catalog) -> None:
    rename(shop)
    assert list_runs(shop, NEW_NOTEBOOK) == ["session"]
    assert list_runs(shop, NEW_CELL) == ["r2", "r1"]
    assert list_runs(shop, CELL) == []
    newest, _ = shop.runs.list_cell_runs(Urn.parse(NEW_NOTEBOOK), ADA)
    assert newest.program == NEW_NOTEBOOK or newest.program == NEW_CELL
    assert shop.runs.list_cell_runs(Urn.parse(NOTEBOOK), ADA) == []
    graph = read_graph(shop, REPORT, columns=True)
    assert {node.urn for node in graph.nodes} == {REPORT, NEW_CELL, ORDERS}
    assert [(edge.source, edge.program) for edge in graph.columns] == [(ORDERS, NEW_CELL)]
    found, _ = shop.reader.list_aspect_versions(Urn.parse(NEW_CELL), "businessMetadata", 5, "", ADA)
    assert [(version.version, version.value["tags"]) for version in found] == [(2, ["daily"]), (1, ["raw"])]
    child = Urn.parse(CHILD.replace("shop.ipynb#a1", f"{NEW}#a1"))
    assert shop.reader.read_current_aspect(child, "businessMetadata", ADA).value["tags"] == ["slow"]
    reference = Urn.parse(str(make_cell_program_urn("default", "other.ipynb", "a1")))
    assert shop.reader.read_current_aspect(reference, "dataJobInputOutput", ADA).value["inputDatajobs"] == [NEW_CELL]
    assert list_hit_names(search_catalog(shop, "tags:daily")) == [f"{NEW}#a1"]
    assert list_integrity_issues(create_maintenance(shop)) == []


def test_old_name_refers_to_the_new_one_and_can_be_used_again(shop: Catalog) -> None:
    rename(shop)
    for old, new in ((NOTEBOOK, NEW_NOTEBOOK), (CELL, NEW_CELL)):
        with pytest.raises(NotFound) as refused:
            shop.reader.read_entity(Urn.parse(old), None, ADA)
        assert refused.value.renamed_to == new
    record_run(shop, CELL, "r3", ("read", ORDERS))
    assert (list_runs(shop, CELL), list_runs(shop, NEW_CELL)) == (["r3"], ["r2", "r1"])
    with pytest.raises(RenameConflict, match="the name is in use"):
        rename(shop)
    assert list_integrity_issues(create_maintenance(shop)) == []


def test_rename_back_keeps_the_history(shop: Catalog) -> None:
    rename(shop)
    rename(shop, NEW_NOTEBOOK, NOTEBOOK)
    assert list_runs(shop, CELL) == ["r2", "r1"]
    assert {node.urn for node in read_graph(shop, REPORT).nodes} == {REPORT, CELL, ORDERS}
    assert list_integrity_issues(create_maintenance(shop)) == []


def test_merge_adds_runs_to_a_notebook_that_had_the_new_path(shop: Catalog) -> None:
    record_run(shop, NEW_CELL, "r1", ("write", REPORT), start=500, end=600)
    record_run(shop, str(make_cell_program_urn("default", NEW, "gone")), "g1", ("write", REPORT), end=2_000)
    write_metadata(shop, NEW_CELL, {"note": "kept"}, ["old"], aspect="businessMetadata")
    info = {"name": "Earlier", "type": {"string": "COMMAND"}}
    shop.write_path.apply_proposals_atomically([Proposal(Urn.parse(NEW_CELL), "dataJobInfo", "upsert", info)], ADA)
    shop.notebooks.rename_notebook("shop.ipynb", NEW, ADA)
    runs = list_runs(shop, NEW_CELL)
    assert (len(runs), runs[0], runs[2]) == (3, "r2", "r1")
    entity = shop.reader.read_entity(Urn.parse(NEW_CELL), None, ADA)
    assert entity.aspects["businessMetadata"].value["tags"] == ["daily"]
    assert entity.aspects["dataJobInfo"].value["name"] == "Earlier"
    assert list_hit_names(search_catalog(shop, "tags:old")) == []
    writers = {node.urn for node in read_graph(shop, REPORT).nodes} - {REPORT, ORDERS}
    assert writers == {NEW_CELL, str(make_cell_program_urn("default", NEW, "gone"))}
    assert list_integrity_issues(create_maintenance(shop)) == []


def test_notebook_with_many_runs_is_renamed_cell_by_cell(shop: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rename_notebook, "RUNS_MOST", 2)
    with pytest.raises(RenameConflict, match="more than 2 runs"):
        rename(shop)
    shop.notebooks.rename_notebook("shop.ipynb", NEW, ADA)
    assert (list_runs(shop, NEW_NOTEBOOK), list_runs(shop, NEW_CELL)) == (["session"], ["r2", "r1"])
    assert {node.urn for node in read_graph(shop, REPORT).nodes} == {REPORT, NEW_CELL, ORDERS}
    assert list_integrity_issues(create_maintenance(shop)) == []


def test_notebooks_are_listed_by_path_and_by_folder(catalog: Catalog) -> None:
    for path in ("a/x.ipynb", "a/b/y#1.ipynb", "a/x.ipynb2", "ab/z.ipynb", "a.ipynb"):
        record_run(catalog, str(make_cell_program_urn("default", path, "c")), "r")
    record_run(catalog, str(make_notebook_program_urn("default", "a/only session.ipynb")), "r")
    assert catalog.notebooks.list_notebook_paths("a") == [
        "a/b/y#1.ipynb",
        "a/only session.ipynb",
        "a/x.ipynb",
        "a/x.ipynb2",
    ]
    assert catalog.notebooks.list_notebook_paths("a/x.ipynb") == ["a/x.ipynb"]
    assert catalog.notebooks.list_notebook_paths("other") == []


def test_invalid_names_kernels_and_absent_notebooks_are_refused(shop: Catalog) -> None:
    wrong = (CELL, ORDERS, NOTEBOOK, str(make_notebook_program_urn("sales", NEW)))
    for name in wrong:
        with pytest.raises(InvalidInstance):
            rename(shop, NOTEBOOK, name)
    with pytest.raises(InvalidInstance):
        rename(shop, CELL, NEW_CELL)
    kernel = Principal("ada", "kernel-1", KERNEL_ACTIONS)
    with pytest.raises(AccessDenied, match="only a person may rename a notebook"):
        shop.write_path.rename_notebook(Urn.parse(NOTEBOOK), Urn.parse(NEW_NOTEBOOK), kernel)
    with pytest.raises(NotFound):
        rename(shop, str(make_notebook_program_urn("default", "absent.ipynb")))
    assert list_runs(shop, CELL) == ["r2", "r1"]
