"""One write path: authorise, validate, condition, commit, publish (spec WRITE-2)."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import (
    AccessDenied,
    AlreadyExists,
    ConditionFailed,
    InvalidInstance,
    MetadataError,
    NotEmpty,
    NotFound,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import Lineage, LineageRequest
from jupyter_colophon.core.model.proposal import Proposal, WriteCondition
from jupyter_colophon.core.search.search import KeysRequest
from jupyter_colophon.storage.spi import Range
from support.catalog import (
    ADA,
    build_metadata_value,
    delete_entity_or_aspect,
    list_hit_names,
    record_run,
    search_catalog,
    write_metadata,
)
from support.urns import CELL, ORDERS, REPORT, SALES, build_table_urn

_ALL = Range()
READER = Principal("rita", scopes=frozenset({"read"}))
STRANGER = Principal("sam", scopes=frozenset())
ORDERS_URN = Urn.parse(ORDERS)
INVALID = Proposal(ORDERS_URN, "businessMetadata", "upsert", {"properties": {"no good": 1}}, WriteCondition(version=99))


def state(catalog: Catalog) -> Any:
    """Return all rows of a catalog."""

    def work(tx: Any) -> Any:
        tables = ("entities", "entity_names", "aspects", "aspect_versions", "metadata_values", "key_counts")
        more = ("value_history", "value_counts", "runs", "run_times", "accesses", "column_edges")

        rows = {name: list(tx.get_table(name).scan(_ALL)) for name in (*tables, *more)}
        return (
            rows,
            tx.log.read_changes(0, 10_000, {}),
            tx.search.read_matches([row["urn"] for row in rows["entities"]]),
        )

    return catalog.provider.tx_runner.run(work, read_only=True)


def drawn(catalog: Catalog, urn: str) -> Lineage:
    return catalog.lineage.read_lineage(LineageRequest(Urn.parse(urn)), ADA)


class TestOrder:
    def test_unreadable_entity_is_not_found_before_validation(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        with pytest.raises(NotFound):
            catalog.write_path.apply_proposals_atomically([INVALID], STRANGER)

    def test_missing_write_access_is_refused_before_validation(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        with pytest.raises(AccessDenied):
            catalog.write_path.apply_proposals_atomically([INVALID], READER)

    def test_schema_is_validated_before_the_condition(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        with pytest.raises(InvalidInstance):
            catalog.write_path.apply_proposals_atomically([INVALID], ADA)

    def test_whole_batch_is_authorised_before_validation(self, catalog: Catalog) -> None:
        kernel = Principal("ada", "kernel-1", frozenset({"read", "annotate"}))
        emitted = Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value())
        with pytest.raises(AccessDenied):
            catalog.write_path.apply_proposals_atomically([INVALID, emitted], kernel)


class TestBatches:
    BAD = (
        (
            Proposal(ORDERS_URN, "businessMetadata", "upsert", build_metadata_value({"owner": "x" * 10_241})),
            InvalidInstance,
        ),
        (Proposal(ORDERS_URN, "technicalMetadata", "create", build_metadata_value()), AlreadyExists),
        (
            Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value(), WriteCondition(version=7)),
            ConditionFailed,
        ),
        (
            Proposal(Urn.parse(build_table_urn("t", "nowhere")), "businessMetadata", "upsert", build_metadata_value()),
            NotFound,
        ),
        (Proposal(ORDERS_URN, "technicalMetadata", "patch", [{"op": "remove", "path": "/none"}]), MetadataError),
        (Proposal(Urn.parse(build_table_urn("missing")), None, "delete"), NotFound),
        (Proposal(Urn.parse(SALES), None, "delete"), NotEmpty),
    )

    @pytest.mark.parametrize(("bad", "error"), BAD)
    def test_invalid_last_proposal_rolls_back_the_batch(
        self, catalog: Catalog, bad: Proposal, error: type[MetadataError]
    ) -> None:
        write_metadata(catalog, properties={"format": "parquet"})
        record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT))
        before = state(catalog)
        good = [
            Proposal(ORDERS_URN, "businessMetadata", "upsert", build_metadata_value({"owner": "ops"}, ["faa"])),
            Proposal(
                Urn.parse(build_table_urn("fresh")), "technicalMetadata", "upsert", build_metadata_value({"a": "b"})
            ),
            Proposal(Urn.parse(build_table_urn("t", "other")), "technicalMetadata", "upsert", build_metadata_value()),
            Proposal(Urn.parse(REPORT), None, "delete"),
        ]
        with pytest.raises(error):
            catalog.write_path.apply_proposals_atomically([*good, bad], ADA)
        assert state(catalog) == before
        assert list_hit_names(search_catalog(catalog, "ops faa fresh")) == []

    def test_later_proposals_see_earlier_writes(self, catalog: Catalog) -> None:
        first = Proposal(ORDERS_URN, "technicalMetadata", "create", build_metadata_value({"a": "1"}))
        second = Proposal(
            ORDERS_URN, "technicalMetadata", "patch", {"properties": {"b": "2"}}, WriteCondition(version=1)
        )
        done = catalog.write_path.apply_proposals_atomically([first, second], ADA)
        assert [one.version for one in done] == [1, 2]
        found = catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA)
        assert found.value["properties"] == {"a": "1", "b": "2"}

    def test_write_without_effect_is_not_logged(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"format": "parquet"})
        before = state(catalog)
        again = write_metadata(catalog, properties={"format": "parquet"})
        assert (again.version, again.has_changed) == (1, False)
        assert state(catalog) == before


class TestConditions:
    def test_concurrent_writers_have_one_winner_per_version(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        # Losers retry, so attempts grow quadratically.
        writers = 50
        winners: list[int] = []
        lost: list[int] = []

        def write(worker: int) -> None:
            while True:
                version = catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA).version
                try:
                    done = write_metadata(catalog, properties={"by": f"{worker}-{version}"}, version=version)
                except ConditionFailed:
                    lost.append(worker)
                    continue
                winners.append(done.version)
                return

        _at_once(writers, write)
        assert sorted(winners) == list(range(2, writers + 2))
        history, _ = catalog.reader.list_aspect_versions(ORDERS_URN, "technicalMetadata", 500, "", ADA)
        assert [one.version for one in history] == list(range(writers + 1, 0, -1))
        changes = [one for one in catalog.feed.read_visible_changes(0, 1_000, {"urn": ORDERS}, ADA) if one.value]
        assert [one.version for one in changes if one.aspect == "technicalMetadata"] == list(range(1, writers + 2))

    def test_one_of_concurrent_creates_succeeds(self, catalog: Catalog) -> None:
        write_metadata(catalog, REPORT)
        outcomes: list[str] = []

        def create(worker: int) -> None:
            try:
                write_metadata(catalog, ORDERS, {"by": str(worker)}, version=-1)
                outcomes.append("won")
            except ConditionFailed:
                outcomes.append("lost")

        _at_once(24, create)
        assert sorted(outcomes) == ["lost"] * 23 + ["won"]

    def test_deleted_aspect_is_absent_and_versions_continue(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"a": "1"})
        gone = delete_entity_or_aspect(catalog, ORDERS, "technicalMetadata")
        assert (gone.version, gone.has_changed) == (-1, True)
        assert write_metadata(catalog, properties={"a": "1"}, version=-1).version == 3

    def test_times_are_conditions(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"a": "1"})
        written = catalog.reader.read_current_aspect(ORDERS_URN, "technicalMetadata", ADA).time
        stale = WriteCondition(unmodified_since=written - 1)
        fresh = WriteCondition(unmodified_since=written)
        proposal = Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value({"a": "2"}), stale)
        with pytest.raises(ConditionFailed):
            catalog.write_path.apply_proposals_atomically([proposal], ADA)
        proposal = Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value({"a": "2"}), fresh)
        assert catalog.write_path.apply_proposals_atomically([proposal], ADA)[0].version == 2


class TestDeletion:
    def test_deleted_entity_is_not_found_but_stays_in_lineage(self, catalog: Catalog) -> None:
        write_metadata(catalog, ORDERS, {"format": "parquet"}, ["raw"])
        record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT))
        delete_entity_or_aspect(catalog, ORDERS)
        assert search_catalog(catalog, "orders parquet raw format:* tags:raw dataset:orders").total == 0
        assert [one.key for one in catalog.keys.list_keys_with_counts(KeysRequest("f"), ADA)[0]] == []
        with pytest.raises(NotFound):
            catalog.reader.read_entity(ORDERS_URN, None, ADA)
        nodes = {node.urn: node for node in drawn(catalog, REPORT).nodes}
        assert nodes[ORDERS].deleted
        assert not nodes[REPORT].deleted
        assert {node.urn for node in drawn(catalog, ORDERS).nodes} == {ORDERS, CELL, REPORT}

    def test_deletion_logs_each_aspect_then_the_entity(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"format": "parquet"})
        head = catalog.feed.read_newest_change_number()
        delete_entity_or_aspect(catalog, ORDERS)
        changes = catalog.feed.read_visible_changes(head, 100, {}, ADA)
        assert {one.operation for one in changes} == {"delete"}
        assert [one.aspect for one in changes][-1] is None
        by_aspect = {one.aspect: one for one in changes}
        assert by_aspect["technicalMetadata"].previous == build_metadata_value({"format": "parquet"})
        assert by_aspect["technicalMetadata"].value is None

    def test_recreated_entity_starts_new_history_with_increasing_versions(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"life": "first"})
        write_metadata(catalog, aspect="businessMetadata", properties={"owner": "ops"})
        delete_entity_or_aspect(catalog, ORDERS)
        assert write_metadata(catalog, properties={"life": "second"}).version == 3
        history, _ = catalog.reader.list_aspect_versions(ORDERS_URN, "technicalMetadata", 50, "", ADA)
        assert [(one.version, one.value["properties"]) for one in history] == [(3, {"life": "second"})]
        assert history[0].diff == ({"op": "add", "path": "", "value": build_metadata_value({"life": "second"})},)
        assert search_catalog(catalog, "ops").total == 0

    def test_recreated_entity_shows_no_old_aspect(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        write_metadata(catalog, aspect="businessMetadata", properties={"owner": "ops"})
        delete_entity_or_aspect(catalog, ORDERS)
        write_metadata(catalog)
        with pytest.raises(NotFound):
            catalog.reader.list_aspect_versions(ORDERS_URN, "businessMetadata", 50, "", ADA)
        assert write_metadata(catalog, aspect="businessMetadata", properties={"owner": "new"}).version == 3
        history, _ = catalog.reader.list_aspect_versions(ORDERS_URN, "businessMetadata", 50, "", ADA)
        assert [one.version for one in history] == [3]

    def test_delete_and_create_in_one_batch_recreates_entity(self, catalog: Catalog) -> None:
        write_metadata(catalog, properties={"life": "first"})
        batch = [
            Proposal(ORDERS_URN, None, "delete"),
            Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value({"life": "second"})),
        ]
        catalog.write_path.apply_proposals_atomically(batch, ADA)
        history, _ = catalog.reader.list_aspect_versions(ORDERS_URN, "technicalMetadata", 50, "", ADA)
        assert [one.value["properties"]["life"] for one in history] == ["second"]
        assert list_hit_names(search_catalog(catalog, "second")) == ["orders"]
        assert search_catalog(catalog, "first").total == 0

    def test_proposal_without_aspect_refuses_a_value(self, catalog: Catalog) -> None:
        write_metadata(catalog)
        for operation in ("upsert", "create", "patch"):
            proposal = Proposal(ORDERS_URN, None, operation, build_metadata_value())  # type: ignore[arg-type]
            with pytest.raises(InvalidInstance):
                catalog.write_path.apply_proposals_atomically([proposal], ADA)
        assert catalog.reader.read_entity(ORDERS_URN, None, ADA)


class TestNamespaces:
    def test_user_metadata_requires_existing_namespace(self, catalog: Catalog) -> None:
        for urn in (ORDERS, SALES):
            with pytest.raises(NotFound):
                write_metadata(catalog, urn, {"owner": "ops"}, aspect="businessMetadata")
        assert write_metadata(catalog, ORDERS, aspect="technicalMetadata").has_changed
        for urn in (ORDERS, SALES):
            assert write_metadata(catalog, urn, {"owner": "ops"}, aspect="businessMetadata").has_changed

    def test_recorded_access_creates_its_namespace_with_a_change(self, catalog: Catalog) -> None:
        write_metadata(catalog, ORDERS)
        found = catalog.reader.read_entity(Urn.parse(SALES), None, ADA)
        assert found.aspects["technicalMetadata"].value == build_metadata_value({"origin": "captured"})
        assert found.aspects["namespaceKey"].value == {"name": "sales"}

    @pytest.mark.parametrize("name", ["default", "system"])
    def test_builtin_namespaces_exist_and_cannot_be_deleted(self, catalog: Catalog, name: str) -> None:
        urn = f"urn:li:namespace:{name}"
        assert catalog.reader.read_entity(Urn.parse(urn), None, ADA).summary.name == name
        with pytest.raises(AccessDenied):
            delete_entity_or_aspect(catalog, urn)

    def test_only_empty_namespaces_are_deleted(self, catalog: Catalog) -> None:
        write_metadata(catalog, ORDERS)
        with pytest.raises(NotEmpty):
            delete_entity_or_aspect(catalog, SALES)
        delete_entity_or_aspect(catalog, ORDERS)
        assert delete_entity_or_aspect(catalog, SALES).has_changed
        with pytest.raises(NotFound):
            write_metadata(catalog, REPORT, aspect="businessMetadata")

    def test_namespace_filled_in_the_same_batch_is_not_deleted(self, catalog: Catalog) -> None:
        write_metadata(catalog, ORDERS)
        delete_entity_or_aspect(catalog, ORDERS)
        batch = [
            Proposal(ORDERS_URN, "technicalMetadata", "upsert", build_metadata_value()),
            Proposal(Urn.parse(SALES), None, "delete"),
        ]
        with pytest.raises(NotEmpty):
            catalog.write_path.apply_proposals_atomically(batch, ADA)


def _at_once(count: int, work: Callable[[int], None]) -> None:
    errors: list[BaseException] = []

    def guarded(worker: int) -> None:
        try:
            work(worker)
        except BaseException as error:  # noqa: BLE001  # a thread's error is the test's
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(worker,)) for worker in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
