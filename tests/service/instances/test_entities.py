"""Instances as entities of the catalog: searched, tagged and listed, but changed only through their own API."""

import json

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.errors import AccessDenied, ManagedElsewhere, NotFound
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.core.model.proposal import Proposal, WriteCondition
from jupyter_colophon.core.search.search import KeysRequest
from support.catalog import ADA, build_metadata_value, search_catalog
from support.catalog_maintenance import create_maintenance
from support.instance_stores import KERNEL, SPACE, InstanceStoreFixture, build_thing

ONE = make_instance_urn(SPACE, "one")


@pytest.fixture
def beside(catalog: Catalog) -> Catalog:
    """Return the catalog on each shipped store."""
    return catalog


@pytest.fixture
def one(kept: InstanceStoreFixture) -> InstanceStoreFixture:
    kept.instances.create_instance(
        SPACE, "one", build_thing("The first", size=4, tags=["alpha"], description="about whales"), ADA
    )
    return kept


def found(kept: InstanceStoreFixture, text: str, **filters: str) -> list[str]:
    return [hit.summary.urn for hit in search_catalog(kept.catalog, text, **filters).hits]


def test_move_keeps_metadata_and_history(files: InstanceStoreFixture) -> None:
    files.instances.create_instance(SPACE, "one", build_thing("First", password="SECRET"), ADA)
    files.instances.replace_instance(SPACE, "one", build_thing("Second", password="SECRET"), WriteCondition(), ADA)
    files.catalog.write_path.apply_proposals_atomically(
        [Proposal(ONE, "businessMetadata", "upsert", build_metadata_value(tags=["mine"]))], ADA
    )
    for from_, to in (("file", "catalog"), ("catalog", "file")):
        before = [value["display_name"] for _, value, _ in files.read_instance_history("one")]
        assert [one.kind for one in files.instances.move_to_other_store(SPACE, from_, to, ADA)] == ["created"]
        assert found(files, "mine") == [str(ONE)]
        (version, value, actor), *rest = files.read_instance_history("one")
        assert (version, value["display_name"], actor) == (len(before) + 1, "Second", "ada")
        assert [value["display_name"] for _, value, _ in rest] == before
        held, recorded = files.instances.stores.get_or_create_store(SPACE, to).read_and_record_current("one")
        assert (held is not None, recorded) == (True, version)
        assert files.instances.stores.get_or_create_store(SPACE, from_).find_instance("one") is None
    assert json.loads(files.get_instance_path("one").read_text())["metadata"]["password"] == "SECRET"


class TestSearch:
    @pytest.mark.parametrize(
        "text", ["first", "one", "alpha", "whales", "description:whales", "tags:alpha", "instance:one"]
    )
    def test_search_finds_instances_by_name_tag_and_text(self, one: InstanceStoreFixture, text: str) -> None:
        assert found(one, text) == [str(ONE)]
        assert found(one, text, type="instance") == [str(ONE)]
        assert found(one, text, type="dataset") == []

    def test_search_follows_changes(self, one: InstanceStoreFixture) -> None:
        one.instances.replace_instance(SPACE, "one", build_thing("Second"), WriteCondition(), ADA)
        assert (found(one, "first"), found(one, "second")) == ([], [str(ONE)])
        one.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
        assert found(one, "*", type="instance") == []

    def test_hits_have_description_and_counted_tags(self, one: InstanceStoreFixture) -> None:
        answer = search_catalog(one.catalog, "*", type="instance")
        assert (answer.hits[0].description, answer.hits[0].tags) == ("about whales", ("alpha",))
        assert answer.facets["tag"] == (("alpha", 1),)
        assert answer.facets["type"] == (("instance", 1),)

    def test_search_accepts_any_metadata(self, kept: InstanceStoreFixture) -> None:
        strange = {"a": None, "b": [[1, ["deep"]], {"c": "inner"}], "tags": [1, "", "t", "t"], "": "nameless"}
        kept.instances.create_instance(
            SPACE, "one", {**build_thing("Strange", "open"), "metadata": strange | {"size": "x" * 20_000}}, ADA
        )
        assert found(kept, "deep inner t") == [str(ONE)]


class TestProposals:
    def test_proposals_cannot_change_managed_aspect_or_entity(self, one: InstanceStoreFixture) -> None:
        path = one.catalog.write_path
        for proposal in (
            Proposal(ONE, "instance", "upsert", build_thing("Mine")),
            Proposal(ONE, "instance", "patch", {"display_name": "Mine"}),
            Proposal(ONE, "instance", "delete"),
            Proposal(ONE, None, "delete"),
            Proposal(make_instance_urn(SPACE, "new"), "instance", "create", build_thing("Mine")),
        ):
            with pytest.raises(ManagedElsewhere, match="instances"):
                path.apply_proposals_atomically([proposal], ADA)
            with pytest.raises(ManagedElsewhere):
                one.catalog.inbox.check_and_store_batch([proposal], ADA)
        assert one.instances.get_valid_instance(SPACE, "one", ADA).display_name == "The first"

    def test_proposals_can_tag_and_describe_an_instance(self, one: InstanceStoreFixture) -> None:
        proposal = Proposal(ONE, "businessMetadata", "upsert", build_metadata_value({"owner": "ada"}, ["gold"]))
        one.catalog.write_path.apply_proposals_atomically([proposal], KERNEL)
        assert found(one, "tags:gold") == [str(ONE)]
        one.instances.replace_instance(SPACE, "one", build_thing("Second"), WriteCondition(), ADA)
        assert found(one, "owner:ada") == [str(ONE)]
        one.instances.remove_instance(SPACE, "one", WriteCondition(), ADA)
        assert found(one, "owner:ada") == []

    def test_proposals_cannot_create_an_instance(self, kept: InstanceStoreFixture) -> None:
        for aspect in ("businessMetadata", "technicalMetadata"):
            with pytest.raises(NotFound):
                kept.catalog.write_path.apply_proposals_atomically(
                    [Proposal(ONE, aspect, "upsert", build_metadata_value())], ADA
                )

    def test_kernel_proposals_cannot_name_the_managing_api(self, one: InstanceStoreFixture) -> None:
        with pytest.raises(AccessDenied):
            one.catalog.write_path.apply_proposals_atomically(
                [Proposal(ONE, "instance", "upsert", {})], KERNEL, api="instances"
            )

    def test_proposals_without_read_access_return_not_found(self, one: InstanceStoreFixture) -> None:
        nobody = Principal("eve", None, frozenset())
        with pytest.raises(NotFound):
            one.catalog.write_path.apply_proposals_atomically([Proposal(ONE, "instance", "upsert", {})], nobody)
        with pytest.raises(NotFound):
            one.instances.get_valid_instance(SPACE, "one", nobody)
        assert search_catalog(one.catalog, "*").total >= 1
        assert one.catalog.keys.list_keys_with_counts(KeysRequest(), nobody) == ([], False)


def test_instances_are_listed_among_entities_without_namespace(one: InstanceStoreFixture) -> None:
    listed, _ = one.catalog.reader.list_visible_entities(EntityListing(type="instance"), ADA)
    assert [(each.urn, each.namespace, each.name) for each in listed] == [(str(ONE), "", "one")]
    everything, _ = one.catalog.reader.list_visible_entities(EntityListing(), ADA)
    assert str(ONE) in [each.urn for each in everything]
    of_default, _ = one.catalog.reader.list_visible_entities(EntityListing(namespace="default"), ADA)
    assert str(ONE) not in [each.urn for each in of_default]


def test_integrity_check_finds_no_issue(one: InstanceStoreFixture) -> None:
    one.instances.replace_instance(SPACE, "one", build_thing("Second", password="secret"), WriteCondition(), ADA)
    checker = create_maintenance(one.catalog).create_integrity_checker()
    assert [*checker.find_issues()] == []
    assert checker.rebuild_derived_rows() == 0
