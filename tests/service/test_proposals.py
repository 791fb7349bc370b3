"""What a proposal may ask for, and on which conditions."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, AlreadyExists, ConditionFailed, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Condition, Operation, Proposal, Written
from support.catalog import ADA, forget, metadata, say
from support.urns import ORDERS

URN = Urn.parse(ORDERS)
LATEST = {"a": "new"}


def wish(operation: Operation, aspect: str | None = "technicalMetadata", **more: Any) -> Proposal:
    return Proposal(URN, aspect, operation, None if aspect is None else metadata(LATEST), **more)


def apply(catalog: Catalog, *proposals: Proposal) -> list[Written]:
    return catalog.write_path.propose(proposals, ADA)


def value(catalog: Catalog) -> Any:
    return catalog.reader.aspect(URN, "technicalMetadata", ADA).value["properties"]


class TestCreating:
    def test_an_entity_is_created_with_several_aspects_in_one_batch(self, catalog: Catalog) -> None:
        status = Proposal(URN, "status", "create-entity", {"removed": True})
        done = apply(catalog, wish("create-entity"), wish("create-entity", None), status)
        assert [one.skipped for one in done] == [False, False, False]
        assert catalog.reader.aspect(URN, "status", ADA).value == {"removed": True}

    def test_an_entity_that_was_there_before_the_batch_is_not_created(self, catalog: Catalog) -> None:
        apply(catalog, wish("create", None))
        for aspect in (None, "technicalMetadata"):
            with pytest.raises(AlreadyExists):
                apply(catalog, Proposal(URN, "datasetProperties", "upsert", {}), wish("create-entity", aspect))
        with pytest.raises(NotFound):
            catalog.reader.aspect(URN, "datasetProperties", ADA)

    def test_an_entity_that_was_deleted_can_be_created_again(self, catalog: Catalog) -> None:
        say(catalog)
        forget(catalog)
        (done,) = apply(catalog, wish("create-entity"))
        assert done.changed

    def test_a_proposal_without_an_aspect_makes_the_entity_and_its_key(self, catalog: Catalog) -> None:
        (done,) = apply(catalog, wish("create", None))
        assert (done.version, done.aspect, done.changed) == (1, None, True)
        assert set(catalog.reader.entity(URN, None, ADA).aspects) == {"datasetKey", "status"}

    def test_who_may_not_write_what_machines_say_creates_no_entity(self, catalog: Catalog) -> None:
        with pytest.raises(AccessDenied):
            catalog.write_path.propose([wish("create", None)], Principal("bob", scopes=frozenset({"read", "annotate"})))

    def test_the_aspects_that_come_with_an_entity_can_be_created_in_the_same_batch_once(self, catalog: Catalog) -> None:
        status = Proposal(URN, "status", "create", {"removed": False})
        assert [one.changed for one in apply(catalog, wish("create"), status)] == [True, True]
        forget(catalog)
        with pytest.raises(AlreadyExists):
            apply(catalog, wish("create"), status, status)


class TestLeavingOut:
    @pytest.mark.parametrize("operation", ["create", "create-entity", "upsert", "patch"])
    def test_what_asks_for_something_new_is_left_out_where_something_is(
        self, catalog: Catalog, operation: Operation
    ) -> None:
        before = say(catalog, properties={"a": "old"})
        done, other = apply(
            catalog, wish(operation, if_absent=True), Proposal(URN, "datasetProperties", "upsert", {"name": "Orders"})
        )
        assert (done.skipped, done.seq, done.version) == (True, None, before.version)
        assert not other.skipped
        assert value(catalog) == {"a": "old"}

    def test_it_is_done_where_nothing_is(self, catalog: Catalog) -> None:
        (done,) = apply(catalog, wish("create", if_absent=True))
        assert not done.skipped
        assert value(catalog) == LATEST


class TestUpdating:
    def test_an_update_wants_the_aspect_to_be_there(self, catalog: Catalog) -> None:
        with pytest.raises(ConditionFailed):
            apply(catalog, wish("update"))
        apply(catalog, wish("create", None))
        with pytest.raises(ConditionFailed):
            apply(catalog, wish("update"))
        say(catalog)
        assert apply(catalog, wish("update"))[0].changed
        assert value(catalog) == LATEST


class TestConditions:
    @pytest.mark.parametrize(
        ("operation", "version", "holds"),
        [
            ("upsert", "1", True),
            ("upsert", 1, True),
            ("upsert", "01", False),
            ("upsert", "1.0", False),
            ("upsert", "-1", False),
            ("update", "1", True),
            ("delete", "1", True),
            ("delete", "2", False),
            ("create", "1", False),
            ("create-entity", "1", False),
        ],
    )
    def test_versions_are_compared_as_text_and_what_is_created_has_none(
        self, catalog: Catalog, operation: Operation, version: str | int, holds: bool
    ) -> None:
        say(catalog, properties={"a": "old"})
        proposal = wish(operation, condition=Condition(version=version))
        if holds:
            assert apply(catalog, proposal)[0].changed
        else:
            with pytest.raises(ConditionFailed):
                apply(catalog, proposal)

    def test_what_is_created_is_at_the_version_of_what_is_absent(self, catalog: Catalog) -> None:
        absent = Condition(version=str(ABSENT))
        assert apply(catalog, wish("create", condition=absent))[0].changed
        with pytest.raises(AlreadyExists):
            apply(catalog, wish("create", condition=absent))

    def test_what_is_absent_was_never_modified(self, catalog: Catalog) -> None:
        with pytest.raises(ConditionFailed):
            apply(catalog, wish("upsert", condition=Condition(modified_since=-1)))
        assert apply(catalog, wish("upsert", condition=Condition(unmodified_since=-1)))[0].changed

    def test_each_of_two_times_must_hold(self, catalog: Catalog) -> None:
        say(catalog, properties={"a": "old"})
        time = catalog.reader.aspect(URN, "technicalMetadata", ADA).time
        for modified, unmodified in ((time, time), (time - 1, time - 1)):
            with pytest.raises(ConditionFailed):
                apply(
                    catalog, wish("upsert", condition=Condition(modified_since=modified, unmodified_since=unmodified))
                )
        both = Condition(modified_since=time - 1, unmodified_since=time)
        assert apply(catalog, wish("upsert", condition=both))[0].changed
