"""A namespace that is deleted and created again, with concurrent writes at every step (spec WRITE-15)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.errors import AccessDenied, MetadataError, NotFound
from jupyter_colophon.core.identity.names import Urn, make_home_dataset_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import KeysRequest, SearchRequest
from jupyter_colophon.service import write_path
from support.catalog import ADA, open_catalog_file, search_catalog

CLEARER = Principal("colophon")
INTERLEAVINGS = json.loads((Path(__file__).parents[1] / "conformance" / "namespaces.json").read_text())["interleavings"]
NOTHING: dict[str, set[str]] = {"b": set(), "c": set()}


def tag(catalog: Catalog, name: str, tag: str) -> None:
    value = {"properties": {}, "tags": [tag]}
    catalog.write_path.apply_proposals_atomically(
        [Proposal(make_home_dataset_urn("shop", name), "technicalMetadata", "upsert", value)], ADA
    )


def make(catalog: Catalog) -> None:
    catalog.deployer.create_or_update_namespace("shop", {}, ADA)


def seen(catalog: Catalog, name: str) -> set[str]:
    """Return the tags of a dataset, read in every possible way."""
    urn = make_home_dataset_urn("shop", name)
    ways: list[Callable[[], set[str]]] = [
        lambda: set(catalog.reader.read_current_aspect(urn, "technicalMetadata", ADA).value["tags"]),
        lambda: set(catalog.reader.read_entity(urn, None, ADA).aspects["technicalMetadata"].value["tags"]),
        lambda: set(catalog.metadata.read_scoped_metadata(urn, "shop", ADA).system.tags),
    ]
    found = []
    for way in ways:
        try:
            found.append(way())
        except NotFound:
            found.append(set())
    hits = catalog.searcher.search_page_of_hits(SearchRequest(f"name:{name}", (("namespace", "shop"),)), ADA).hits
    found.append({one for hit in hits for one in hit.tags})
    assert all(one == found[0] for one in found), found
    return found[0]


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalog]:
    monkeypatch.setattr(write_path, "_CLEAR_BATCH", 1)
    one = open_catalog_file(tmp_path / "colophon.db")
    yield one
    one.close()


def refused(act: Callable[[], None]) -> type[MetadataError] | None:
    try:
        act()
    except MetadataError as error:
        return type(error)
    return None


@pytest.mark.parametrize(
    "interleaving", INTERLEAVINGS, ids=lambda interleaving: " ".join(interleaving["events"]).replace("clear", "-")
)
def test_recreated_namespace_shows_no_old_and_loses_no_new_row(catalog: Catalog, interleaving: dict[str, Any]) -> None:
    acts: dict[str, Callable[[], None]] = {"write": lambda: tag(catalog, "a", "new"), "make": lambda: make(catalog)}
    for name in interleaving["seen"]:
        tag(catalog, name, "old")
    catalog.write_path.start_namespace_deletion("shop", ADA)
    is_new = False
    for event in interleaving["events"]:
        what, _, outcome = event.partition(": ")
        if what == "clear":
            catalog.write_path.delete_next_content_of_namespace("shop", CLEARER)
        else:
            cause = refused(acts[what])
            assert (cause.__name__ if cause else "done") == outcome
            is_new = is_new or event == "write: done"
        assert {name: seen(catalog, name) for name in interleaving["seen"]} == {
            "a": {"new"} if is_new else set()
        } | NOTHING
    catalog.namespaces.delete_remaining_content_now("shop")
    make(catalog)
    tag(catalog, "b", "newer")
    catalog.namespaces.delete_remaining_content_now("shop")
    assert {name: seen(catalog, name) for name in interleaving["seen"]} == {
        name: set(tags) | ({"newer"} if name == "b" else set()) for name, tags in interleaving["seen"].items()
    }


def _is_clear(catalog: Catalog) -> bool:
    return catalog.provider.tx_runner.run(
        lambda tx: tx.get_table("deleting_namespaces").read(("shop",)) is None, read_only=True
    )


def test_deleting_namespace_refuses_writes(catalog: Catalog) -> None:
    tag(catalog, "a", "old")
    urn = make_home_dataset_urn("shop", "a")
    catalog.write_path.start_namespace_deletion("shop", ADA)
    for proposal in (
        Proposal(urn, "businessMetadata", "upsert", {"properties": {}, "tags": []}),
        Proposal(urn, "technicalMetadata", "delete"),
        Proposal(urn, None, "delete"),
    ):
        with pytest.raises(NotFound):
            catalog.write_path.apply_proposals_atomically([proposal], ADA)
    with pytest.raises(NotFound):
        catalog.reader.list_aspect_versions(urn, "technicalMetadata", 10, "", ADA)
    assert catalog.reader.list_visible_entities(EntityListing(namespace="shop"), ADA) == ([], None)
    assert catalog.keys.list_keys_with_counts(KeysRequest(namespace="shop"), ADA) == ([], False)


def test_deletion_continues_in_next_process(catalog: Catalog, tmp_path: Path) -> None:
    for number in range(20):
        tag(catalog, f"t{number}", "old")
    catalog.write_path.start_namespace_deletion("shop", ADA)
    catalog.close()
    again = open_catalog_file(tmp_path / "colophon.db")
    again.namespaces.delete_remaining_content_now("shop")
    make(again)
    assert search_catalog(again, "old").total == 0
    assert again.reader.list_visible_entities(EntityListing(namespace="shop", type="dataset"), ADA) == ([], None)
    again.close()


def test_background_deletion_ends_and_logs_each_entity(catalog: Catalog) -> None:
    for name in ("a", "b"):
        tag(catalog, name, "old")
    catalog.namespaces.delete_namespace_and_content_in_background("shop", ADA)
    catalog.namespaces.stop_thread()
    catalog.namespaces.delete_remaining_content_now("shop")
    urns = {str(make_home_dataset_urn("shop", name)) for name in ("a", "b")} | {"urn:li:namespace:shop"}
    changes = catalog.provider.tx_runner.run(lambda tx: tx.log.read_changes(0, 1000, {}), read_only=True)
    deleted = {row["urn"] for row in changes if row["operation"] == "delete" and row["aspect"] is None}
    assert deleted == urns
    assert _is_clear(catalog)


def test_deletion_requires_permission_and_a_deletable_namespace(catalog: Catalog) -> None:
    tag(catalog, "a", "old")
    kernel = Principal("ada", "kernel", frozenset({"read", "annotate", "emit"}))
    with pytest.raises(AccessDenied):
        catalog.namespaces.delete_namespace_and_content_in_background("shop", kernel)
    with pytest.raises(AccessDenied):
        catalog.namespaces.delete_namespace_and_content_in_background("default", ADA)
    with pytest.raises(NotFound):
        catalog.namespaces.delete_namespace_and_content_in_background("nothing", ADA)
    assert catalog.reader.read_entity(Urn.parse("urn:li:namespace:shop"), None, ADA).summary.name == "shop"
