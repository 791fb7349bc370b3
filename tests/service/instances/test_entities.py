"""Instances as entities of the catalog: found, tagged, listed, and changed through their own door alone."""

import json

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity import Listing
from jupyter_colophon.core.errors import AccessDenied, ManagedElsewhere, NotFound
from jupyter_colophon.core.identity.names import instance
from jupyter_colophon.core.model.proposal import Condition, Proposal
from jupyter_colophon.core.search.search import KeysQuestion
from support.catalog import ADA, metadata, search
from support.keeping import keeper
from support.shelves import KERNEL, SPACE, Shelf, thing

ONE = instance(SPACE, "one")


@pytest.fixture
def beside(catalog: Catalog) -> Catalog:
    """On each shipped store."""
    return catalog


@pytest.fixture
def one(kept: Shelf) -> Shelf:
    kept.instances.create(SPACE, "one", thing("The first", size=4, tags=["alpha"], description="about whales"), ADA)
    return kept


def found(kept: Shelf, text: str, **filters: str) -> list[str]:
    return [hit.summary.urn for hit in search(kept.catalog, text, **filters).hits]


def test_what_was_said_of_one_and_its_history_go_along_when_it_moves(files: Shelf) -> None:
    files.instances.create(SPACE, "one", thing("First", password="SECRET"), ADA)
    files.instances.update(SPACE, "one", thing("Second", password="SECRET"), Condition(), ADA)
    files.catalog.write_path.propose([Proposal(ONE, "businessMetadata", "upsert", metadata(tags=["mine"]))], ADA)
    for from_, to in (("file", "catalog"), ("catalog", "file")):
        before = [value["display_name"] for _, value, _ in files.history("one")]
        assert [one.kind for one in files.instances.move(SPACE, from_, to, ADA)] == ["created"]
        assert found(files, "mine") == [str(ONE)]
        (version, value, actor), *rest = files.history("one")
        assert (version, value["display_name"], actor) == (len(before) + 1, "Second", "ada")
        assert [value["display_name"] for _, value, _ in rest] == before
        held, recorded = files.instances.stores.of(SPACE, to).current("one")
        assert (held is not None, recorded) == (True, version)
        assert files.instances.stores.of(SPACE, from_).read("one") is None
    assert json.loads(files.file("one").read_text())["metadata"]["password"] == "SECRET"


class TestSearch:
    @pytest.mark.parametrize(
        "text", ["first", "one", "alpha", "whales", "description:whales", "tags:alpha", "instance:one"]
    )
    def test_finds_them_by_names_tags_and_texts(self, one: Shelf, text: str) -> None:
        assert found(one, text) == [str(ONE)]
        assert found(one, text, type="instance") == [str(ONE)]
        assert found(one, text, type="dataset") == []

    def test_follows_their_changes(self, one: Shelf) -> None:
        one.instances.update(SPACE, "one", thing("Second"), Condition(), ADA)
        assert (found(one, "first"), found(one, "second")) == ([], [str(ONE)])
        one.instances.remove(SPACE, "one", Condition(), ADA)
        assert found(one, "*", type="instance") == []

    def test_shows_description_and_tags_and_counts_them(self, one: Shelf) -> None:
        answer = search(one.catalog, "*", type="instance")
        assert (answer.hits[0].description, answer.hits[0].tags) == ("about whales", ("alpha",))
        assert answer.facets["tag"] == (("alpha", 1),)
        assert answer.facets["type"] == (("instance", 1),)

    def test_takes_all_kinds_of_metadata(self, kept: Shelf) -> None:
        strange = {"a": None, "b": [[1, ["deep"]], {"c": "inner"}], "tags": [1, "", "t", "t"], "": "nameless"}
        kept.instances.create(
            SPACE, "one", {**thing("Strange", "open"), "metadata": strange | {"size": "x" * 20_000}}, ADA
        )
        assert found(kept, "deep inner t") == [str(ONE)]


class TestProposals:
    def test_of_others_change_neither_the_aspect_nor_the_entity(self, one: Shelf) -> None:
        path = one.catalog.write_path
        for proposal in (
            Proposal(ONE, "instance", "upsert", thing("Mine")),
            Proposal(ONE, "instance", "patch", {"display_name": "Mine"}),
            Proposal(ONE, "instance", "delete"),
            Proposal(ONE, None, "delete"),
            Proposal(instance(SPACE, "new"), "instance", "create", thing("Mine")),
        ):
            with pytest.raises(ManagedElsewhere, match="instances"):
                path.propose([proposal], ADA)
            with pytest.raises(ManagedElsewhere):
                one.catalog.inbox.accept([proposal], ADA)
        assert one.instances.get(SPACE, "one", ADA).display_name == "The first"

    def test_tag_and_describe_what_is_there(self, one: Shelf) -> None:
        proposal = Proposal(ONE, "businessMetadata", "upsert", metadata({"owner": "ada"}, ["gold"]))
        one.catalog.write_path.propose([proposal], KERNEL)
        assert found(one, "tags:gold") == [str(ONE)]
        one.instances.update(SPACE, "one", thing("Second"), Condition(), ADA)
        assert found(one, "owner:ada") == [str(ONE)]
        one.instances.remove(SPACE, "one", Condition(), ADA)
        assert found(one, "owner:ada") == []

    def test_make_no_instance(self, kept: Shelf) -> None:
        for aspect in ("businessMetadata", "technicalMetadata"):
            with pytest.raises(NotFound):
                kept.catalog.write_path.propose([Proposal(ONE, aspect, "upsert", metadata())], ADA)

    def test_of_kernels_do_not_go_through_the_door_either(self, one: Shelf) -> None:
        with pytest.raises(AccessDenied):
            one.catalog.write_path.propose([Proposal(ONE, "instance", "upsert", {})], KERNEL, api="instances")

    def test_tell_nothing_to_who_may_not_read(self, one: Shelf) -> None:
        nobody = Principal("eve", None, frozenset())
        with pytest.raises(NotFound):
            one.catalog.write_path.propose([Proposal(ONE, "instance", "upsert", {})], nobody)
        with pytest.raises(NotFound):
            one.instances.get(SPACE, "one", nobody)
        assert search(one.catalog, "*").total >= 1
        assert one.catalog.keys.keys(KeysQuestion(), nobody) == ([], False)


def test_they_are_listed_among_all_entities_without_a_namespace(one: Shelf) -> None:
    listed, _ = one.catalog.reader.entities(Listing(type="instance"), ADA)
    assert [(each.urn, each.namespace, each.name) for each in listed] == [(str(ONE), "", "one")]
    everything, _ = one.catalog.reader.entities(Listing(), ADA)
    assert str(ONE) in [each.urn for each in everything]
    of_default, _ = one.catalog.reader.entities(Listing(namespace="default"), ADA)
    assert str(ONE) not in [each.urn for each in of_default]


def test_they_are_sound_to_who_checks_the_catalog(one: Shelf) -> None:
    one.instances.update(SPACE, "one", thing("Second", password="secret"), Condition(), ADA)
    checker = keeper(one.catalog).checker()
    assert [*checker.findings()] == []
    assert checker.reindex() == 0
