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
from jupyter_colophon.core.lineage.graph import Lineage, LineageQuestion
from jupyter_colophon.core.model.proposal import Condition, Proposal
from jupyter_colophon.core.search.search import KeysQuestion
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, forget, metadata, names, say, search, touch
from support.urns import CELL, ORDERS, REPORT, SALES, table

_ALL = Range()
READER = Principal("rita", scopes=frozenset({"read"}))
STRANGER = Principal("sam", scopes=frozenset())
ORDERS_URN = Urn.parse(ORDERS)
INVALID = Proposal(ORDERS_URN, "businessMetadata", "upsert", {"properties": {"no good": 1}}, Condition(version=99))


def state(catalog: Catalog) -> Any:
    """Everything a catalog holds, row by row."""

    def work(tx: Any) -> Any:
        tables = ("entities", "entity_names", "aspects", "aspect_versions", "metadata_values", "key_counts")
        more = ("value_history", "value_counts", "runs", "run_times", "accesses", "column_edges")

        rows = {name: list(tx.table(name).scan(_ALL)) for name in (*tables, *more)}
        return rows, tx.log.read(0, 10_000, {}), tx.search.documents([row["urn"] for row in rows["entities"]])

    return catalog.provider.tx_runner.run(work, read_only=True)


def drawn(catalog: Catalog, urn: str) -> Lineage:
    return catalog.lineage.lineage(LineageQuestion(Urn.parse(urn)), ADA)


class TestOrder:
    def test_who_may_not_read_is_told_that_nothing_is_there_whatever_is_wrong_with_the_proposal(
        self, catalog: Catalog
    ) -> None:
        say(catalog)
        with pytest.raises(NotFound):
            catalog.write_path.propose([INVALID], STRANGER)

    def test_who_may_not_write_is_refused_before_a_word_about_schema_or_version(self, catalog: Catalog) -> None:
        say(catalog)
        with pytest.raises(AccessDenied):
            catalog.write_path.propose([INVALID], READER)

    def test_the_schema_is_looked_at_before_the_condition(self, catalog: Catalog) -> None:
        say(catalog)
        with pytest.raises(InvalidInstance):
            catalog.write_path.propose([INVALID], ADA)

    def test_every_proposal_of_a_batch_is_authorised_before_the_first_is_validated(self, catalog: Catalog) -> None:
        kernel = Principal("ada", "kernel-1", frozenset({"read", "annotate"}))
        emitted = Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata())
        with pytest.raises(AccessDenied):
            catalog.write_path.propose([INVALID, emitted], kernel)


class TestBatches:
    BAD = (
        (Proposal(ORDERS_URN, "businessMetadata", "upsert", metadata({"owner": "x" * 10_241})), InvalidInstance),
        (Proposal(ORDERS_URN, "technicalMetadata", "create", metadata()), AlreadyExists),
        (Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata(), Condition(version=7)), ConditionFailed),
        (Proposal(Urn.parse(table("t", "nowhere")), "businessMetadata", "upsert", metadata()), NotFound),
        (Proposal(ORDERS_URN, "technicalMetadata", "patch", [{"op": "remove", "path": "/none"}]), MetadataError),
        (Proposal(Urn.parse(table("missing")), None, "delete"), NotFound),
        (Proposal(Urn.parse(SALES), None, "delete"), NotEmpty),
    )

    @pytest.mark.parametrize(("bad", "error"), BAD)
    def test_a_bad_one_at_the_end_leaves_no_trace_of_those_before_it(
        self, catalog: Catalog, bad: Proposal, error: type[MetadataError]
    ) -> None:
        say(catalog, properties={"format": "parquet"})
        touch(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT))
        before = state(catalog)
        good = [
            Proposal(ORDERS_URN, "businessMetadata", "upsert", metadata({"owner": "ops"}, ["faa"])),
            Proposal(Urn.parse(table("fresh")), "technicalMetadata", "upsert", metadata({"a": "b"})),
            Proposal(Urn.parse(table("t", "other")), "technicalMetadata", "upsert", metadata()),
            Proposal(Urn.parse(REPORT), None, "delete"),
        ]
        with pytest.raises(error):
            catalog.write_path.propose([*good, bad], ADA)
        assert state(catalog) == before
        assert names(search(catalog, "ops faa fresh")) == []

    def test_later_proposals_see_what_earlier_ones_wrote(self, catalog: Catalog) -> None:
        first = Proposal(ORDERS_URN, "technicalMetadata", "create", metadata({"a": "1"}))
        second = Proposal(ORDERS_URN, "technicalMetadata", "patch", {"properties": {"b": "2"}}, Condition(version=1))
        done = catalog.write_path.propose([first, second], ADA)
        assert [one.version for one in done] == [1, 2]
        found = catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA)
        assert found.value["properties"] == {"a": "1", "b": "2"}

    def test_a_write_that_changes_nothing_is_no_change(self, catalog: Catalog) -> None:
        say(catalog, properties={"format": "parquet"})
        before = state(catalog)
        again = say(catalog, properties={"format": "parquet"})
        assert (again.version, again.changed) == (1, False)
        assert state(catalog) == before


class TestConditions:
    def test_of_many_writers_at_once_each_version_has_one_winner(self, catalog: Catalog, store_name: str) -> None:
        say(catalog)
        # Whoever loses asks again: that grows with the square, and a server has further to go.
        writers = 200 if store_name == "sqlite" else 50
        winners: list[int] = []
        lost: list[int] = []

        def write(worker: int) -> None:
            while True:
                version = catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA).version
                try:
                    done = say(catalog, properties={"by": f"{worker}-{version}"}, version=version)
                except ConditionFailed:
                    lost.append(worker)
                    continue
                winners.append(done.version)
                return

        _at_once(writers, write)
        assert sorted(winners) == list(range(2, writers + 2))
        history, _ = catalog.reader.versions(ORDERS_URN, "technicalMetadata", 500, "", ADA)
        assert [one.version for one in history] == list(range(writers + 1, 0, -1))
        changes = [one for one in catalog.feed.changes(0, 1_000, {"urn": ORDERS}, ADA) if one.value]
        assert [one.version for one in changes if one.aspect == "technicalMetadata"] == list(range(1, writers + 2))

    def test_of_many_creators_at_once_one_wins(self, catalog: Catalog) -> None:
        say(catalog, REPORT)
        outcomes: list[str] = []

        def create(worker: int) -> None:
            try:
                say(catalog, ORDERS, {"by": str(worker)}, version=-1)
                outcomes.append("won")
            except ConditionFailed:
                outcomes.append("lost")

        _at_once(24, create)
        assert sorted(outcomes) == ["lost"] * 23 + ["won"]

    def test_a_deleted_aspect_counts_as_absent_and_its_versions_go_on(self, catalog: Catalog) -> None:
        say(catalog, properties={"a": "1"})
        gone = forget(catalog, ORDERS, "technicalMetadata")
        assert (gone.version, gone.changed) == (-1, True)
        assert say(catalog, properties={"a": "1"}, version=-1).version == 3

    def test_times_are_conditions_too(self, catalog: Catalog) -> None:
        say(catalog, properties={"a": "1"})
        written = catalog.reader.aspect(ORDERS_URN, "technicalMetadata", ADA).time
        stale = Condition(unmodified_since=written - 1)
        fresh = Condition(unmodified_since=written)
        proposal = Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata({"a": "2"}), stale)
        with pytest.raises(ConditionFailed):
            catalog.write_path.propose([proposal], ADA)
        proposal = Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata({"a": "2"}), fresh)
        assert catalog.write_path.propose([proposal], ADA)[0].version == 2


class TestDeletion:
    def test_a_deleted_entity_is_found_no_more_and_its_lineage_stays_and_says_so(self, catalog: Catalog) -> None:
        say(catalog, ORDERS, {"format": "parquet"}, ["raw"])
        touch(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT))
        forget(catalog, ORDERS)
        assert search(catalog, "orders parquet raw format:* tags:raw dataset:orders").total == 0
        assert [one.key for one in catalog.keys.keys(KeysQuestion("f"), ADA)[0]] == []
        with pytest.raises(NotFound):
            catalog.reader.entity(ORDERS_URN, None, ADA)
        nodes = {node.urn: node for node in drawn(catalog, REPORT).nodes}
        assert nodes[ORDERS].deleted
        assert not nodes[REPORT].deleted
        assert {node.urn for node in drawn(catalog, ORDERS).nodes} == {ORDERS, CELL, REPORT}

    def test_a_deletion_is_announced_aspect_by_aspect_and_then_as_a_whole(self, catalog: Catalog) -> None:
        say(catalog, properties={"format": "parquet"})
        head = catalog.feed.head()
        forget(catalog, ORDERS)
        changes = catalog.feed.changes(head, 100, {}, ADA)
        assert {one.operation for one in changes} == {"delete"}
        assert [one.aspect for one in changes][-1] is None
        told = {one.aspect: one for one in changes}
        assert told["technicalMetadata"].previous == metadata({"format": "parquet"})
        assert told["technicalMetadata"].value is None

    def test_a_recreated_entity_starts_a_new_history_with_growing_versions(self, catalog: Catalog) -> None:
        say(catalog, properties={"life": "first"})
        say(catalog, aspect="businessMetadata", properties={"owner": "ops"})
        forget(catalog, ORDERS)
        assert say(catalog, properties={"life": "second"}).version == 3
        history, _ = catalog.reader.versions(ORDERS_URN, "technicalMetadata", 50, "", ADA)
        assert [(one.version, one.value["properties"]) for one in history] == [(3, {"life": "second"})]
        assert history[0].diff == ({"op": "add", "path": "", "value": metadata({"life": "second"})},)
        assert search(catalog, "ops").total == 0

    def test_an_aspect_that_the_new_life_has_not_yet_shows_nothing_of_the_old_one(self, catalog: Catalog) -> None:
        say(catalog)
        say(catalog, aspect="businessMetadata", properties={"owner": "ops"})
        forget(catalog, ORDERS)
        say(catalog)
        with pytest.raises(NotFound):
            catalog.reader.versions(ORDERS_URN, "businessMetadata", 50, "", ADA)
        assert say(catalog, aspect="businessMetadata", properties={"owner": "new"}).version == 3
        history, _ = catalog.reader.versions(ORDERS_URN, "businessMetadata", 50, "", ADA)
        assert [one.version for one in history] == [3]

    def test_deleting_and_creating_in_one_batch_is_a_new_life(self, catalog: Catalog) -> None:
        say(catalog, properties={"life": "first"})
        batch = [
            Proposal(ORDERS_URN, None, "delete"),
            Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata({"life": "second"})),
        ]
        catalog.write_path.propose(batch, ADA)
        history, _ = catalog.reader.versions(ORDERS_URN, "technicalMetadata", 50, "", ADA)
        assert [one.value["properties"]["life"] for one in history] == ["second"]
        assert names(search(catalog, "second")) == ["orders"]
        assert search(catalog, "first").total == 0

    def test_a_proposal_without_an_aspect_brings_no_value(self, catalog: Catalog) -> None:
        say(catalog)
        for operation in ("upsert", "create", "patch"):
            proposal = Proposal(ORDERS_URN, None, operation, metadata())  # type: ignore[arg-type]
            with pytest.raises(InvalidInstance):
                catalog.write_path.propose([proposal], ADA)
        assert catalog.reader.entity(ORDERS_URN, None, ADA)


class TestNamespaces:
    def test_people_write_only_in_namespaces_that_exist(self, catalog: Catalog) -> None:
        for urn in (ORDERS, SALES):
            with pytest.raises(NotFound):
                say(catalog, urn, {"owner": "ops"}, aspect="businessMetadata")
        assert say(catalog, ORDERS, aspect="technicalMetadata").changed
        for urn in (ORDERS, SALES):
            assert say(catalog, urn, {"owner": "ops"}, aspect="businessMetadata").changed

    def test_what_a_recorder_meets_makes_its_namespace_known_and_says_so(self, catalog: Catalog) -> None:
        say(catalog, ORDERS)
        found = catalog.reader.entity(Urn.parse(SALES), None, ADA)
        assert found.aspects["technicalMetadata"].value == metadata({"origin": "captured"})
        assert found.aspects["namespaceKey"].value == {"name": "sales"}

    @pytest.mark.parametrize("name", ["default", "system"])
    def test_the_eternal_ones_exist_and_cannot_be_deleted(self, catalog: Catalog, name: str) -> None:
        urn = f"urn:li:namespace:{name}"
        assert catalog.reader.entity(Urn.parse(urn), None, ADA).summary.name == name
        with pytest.raises(AccessDenied):
            forget(catalog, urn)

    def test_one_that_holds_anything_is_not_deleted_and_an_empty_one_is(self, catalog: Catalog) -> None:
        say(catalog, ORDERS)
        with pytest.raises(NotEmpty):
            forget(catalog, SALES)
        forget(catalog, ORDERS)
        assert forget(catalog, SALES).changed
        with pytest.raises(NotFound):
            say(catalog, REPORT, aspect="businessMetadata")

    def test_what_a_batch_itself_put_there_keeps_its_namespace(self, catalog: Catalog) -> None:
        say(catalog, ORDERS)
        forget(catalog, ORDERS)
        batch = [
            Proposal(ORDERS_URN, "technicalMetadata", "upsert", metadata()),
            Proposal(Urn.parse(SALES), None, "delete"),
        ]
        with pytest.raises(NotEmpty):
            catalog.write_path.propose(batch, ADA)


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
