"""Operations and conditions of proposals."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AccessDenied, AlreadyExists, ConditionFailed, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Operation, Proposal, ProposalResult, WriteCondition
from support.catalog import ADA, build_metadata_value, delete_entity_or_aspect, write_metadata
from support.urns import ORDERS

URN = Urn.parse(ORDERS)
LATEST = {"a": "new"}


def create_proposal(operation: Operation, aspect: str | None = "technicalMetadata", **more: Any) -> Proposal:
    return Proposal(URN, aspect, operation, None if aspect is None else build_metadata_value(LATEST), **more)


def apply(catalog: Catalog, *proposals: Proposal) -> list[ProposalResult]:
    return catalog.write_path.apply_proposals_atomically(proposals, ADA)


def value(catalog: Catalog) -> Any:
    return catalog.reader.read_current_aspect(URN, "technicalMetadata", ADA).value["properties"]


class TestCreating:
    def test_entity_is_created_with_several_aspects_in_one_batch(self, catalog: Catalog) -> None:
        status = Proposal(URN, "status", "create-entity", {"removed": True})
        done = apply(catalog, create_proposal("create-entity"), create_proposal("create-entity", None), status)
        assert [one.skipped for one in done] == [False, False, False]
        assert catalog.reader.read_current_aspect(URN, "status", ADA).value == {"removed": True}

    def test_create_entity_refuses_existing_entity(self, catalog: Catalog) -> None:
        apply(catalog, create_proposal("create", None))
        for aspect in (None, "technicalMetadata"):
            with pytest.raises(AlreadyExists):
                apply(
                    catalog, Proposal(URN, "datasetProperties", "upsert", {}), create_proposal("create-entity", aspect)
                )
        with pytest.raises(NotFound):
            catalog.reader.read_current_aspect(URN, "datasetProperties", ADA)

    def test_deleted_entity_can_be_created_again(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        delete_entity_or_aspect(catalog)
        (done,) = apply(catalog, create_proposal("create-entity"))
        assert done.has_changed

    def test_proposal_without_aspect_creates_entity_and_key(self, catalog: Catalog) -> None:
        (done,) = apply(catalog, create_proposal("create", None))
        assert (done.version, done.aspect, done.has_changed) == (1, None, True)
        assert set(catalog.reader.read_entity(URN, None, ADA).aspects) == {"datasetKey", "status"}

    def test_creating_an_entity_requires_emit(self, catalog: Catalog) -> None:
        with pytest.raises(AccessDenied):
            catalog.write_path.apply_proposals_atomically(
                [create_proposal("create", None)], Principal("bob", scopes=frozenset({"read", "annotate"}))
            )

    def test_implied_aspects_can_be_created_once_in_the_same_batch(self, catalog: Catalog) -> None:
        status = Proposal(URN, "status", "create", {"removed": False})
        assert [one.has_changed for one in apply(catalog, create_proposal("create"), status)] == [True, True]
        delete_entity_or_aspect(catalog)
        with pytest.raises(AlreadyExists):
            apply(catalog, create_proposal("create"), status, status)


class TestIfAbsent:
    @pytest.mark.parametrize("operation", ["create", "create-entity", "upsert", "patch"])
    def test_create_if_absent_is_skipped_for_existing_aspect(self, catalog: Catalog, operation: Operation) -> None:
        before = write_metadata(catalog, properties={"a": "old"})
        done, other = apply(
            catalog,
            create_proposal(operation, if_absent=True),
            Proposal(URN, "datasetProperties", "upsert", {"name": "Orders"}),
        )
        assert (done.skipped, done.seq, done.version) == (True, None, before.version)
        assert not other.skipped
        assert value(catalog) == {"a": "old"}

    def test_create_if_absent_is_applied_to_absent_aspect(self, catalog: Catalog) -> None:
        (done,) = apply(catalog, create_proposal("create", if_absent=True))
        assert not done.skipped
        assert value(catalog) == LATEST


class TestUpdating:
    def test_update_requires_existing_aspect(self, catalog: Catalog) -> None:
        with pytest.raises(ConditionFailed):
            apply(catalog, create_proposal("update"))
        apply(catalog, create_proposal("create", None))
        with pytest.raises(ConditionFailed):
            apply(catalog, create_proposal("update"))
        write_metadata(catalog)
        assert apply(catalog, create_proposal("update"))[0].has_changed
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
    def test_version_conditions_compare_text_and_refuse_on_create(
        self, catalog: Catalog, operation: Operation, version: str | int, holds: bool
    ) -> None:
        write_metadata(catalog, properties={"a": "old"})
        proposal = create_proposal(operation, condition=WriteCondition(version=version))
        if holds:
            assert apply(catalog, proposal)[0].has_changed
        else:
            with pytest.raises(ConditionFailed):
                apply(catalog, proposal)

    def test_absent_version_condition_allows_create(self, catalog: Catalog) -> None:
        absent = WriteCondition(version=str(ABSENT))
        assert apply(catalog, create_proposal("create", condition=absent))[0].has_changed
        with pytest.raises(AlreadyExists):
            apply(catalog, create_proposal("create", condition=absent))

    def test_absent_aspect_satisfies_unmodified_condition(self, catalog: Catalog) -> None:
        with pytest.raises(ConditionFailed):
            apply(catalog, create_proposal("upsert", condition=WriteCondition(modified_since=-1)))
        assert apply(catalog, create_proposal("upsert", condition=WriteCondition(unmodified_since=-1)))[0].has_changed

    def test_both_time_conditions_must_hold(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"a": "old"})
        time = catalog.reader.read_current_aspect(URN, "technicalMetadata", ADA).time
        for modified, unmodified in ((time, time), (time - 1, time - 1)):
            with pytest.raises(ConditionFailed):
                apply(
                    catalog,
                    create_proposal(
                        "upsert", condition=WriteCondition(modified_since=modified, unmodified_since=unmodified)
                    ),
                )
        both = WriteCondition(modified_since=time - 1, unmodified_since=time)
        assert apply(catalog, create_proposal("upsert", condition=both))[0].has_changed
