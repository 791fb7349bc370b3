"""The guarantees of every store of instances (service/instances/stores/protocol.py): ours, and third-party ones with Elyra's methods."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.documents.json_values import equals_json
from jupyter_colophon.core.errors import ConditionFailed, InstanceExists, InstanceNotFound, MalformedBody
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.service.instances.stores.elyra_store_adapter import ElyraStoreAdapter
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from support.catalog import ADA
from support.dictionary import Dictionary
from support.instance_stores import SPACE, build_thing, open_instance_store

NEW = WriteCondition(version=ABSENT)
#: The kinds of store that have versions.
VERSIONED = ["file", "catalog"]
STRANGE = build_thing(
    "日本語 \U0001f600 \u2028", text='line\nline\ttab \\ "quoted"', deep={"a": [1, 1.5, None, True, {"b": []}]}
)


@pytest.fixture(params=[*VERSIONED, "foreign"])
def store(request: pytest.FixtureRequest, beside: Catalog, data_folder: Path) -> Iterator[InstanceStore]:
    if request.param == "foreign":
        yield ElyraStoreAdapter(SPACE, Dictionary(SPACE))
        return
    with open_instance_store(beside, data_folder, request.param) as found:
        yield found.store


def _threads(count: int, work: Any) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)


class TestEveryStore:
    def test_new_store_is_empty(self, store: InstanceStore) -> None:
        assert not store.has_stored_instances()
        assert store.list_instance_names() == []
        assert store.find_instance("none") is None
        assert store.read_and_record_current("none") == (None, None)
        assert list(store.read_existing_instances(["none"])) == []

    def test_read_returns_saved_document(self, store: InstanceStore) -> None:
        kept = store.save_instance("strange", STRANGE, NEW, ADA)
        found = store.find_instance("strange")
        assert found is not None
        assert kept.stored is not None
        assert kept.previous is None
        assert equals_json(found.document, STRANGE)
        assert equals_json(kept.stored.document, STRANGE)
        assert (found.name, found.is_removable, found.problem) == ("strange", True, "")
        assert found.resource
        assert store.has_stored_instances()

    def test_names_are_sorted_and_missing_ones_skipped(self, store: InstanceStore) -> None:
        for name in ("c", "a", "b-2"):
            store.save_instance(name, build_thing(name), NEW, ADA)
        assert store.list_instance_names() == ["a", "b-2", "c"]
        assert [one.name for one in store.read_existing_instances(["c", "none", "a"])] == ["c", "a"]

    def test_create_refuses_existing_name(self, store: InstanceStore) -> None:
        store.save_instance("one", build_thing(size=1), NEW, ADA)
        with pytest.raises(InstanceExists):
            store.save_instance("one", build_thing(size=2), NEW, ADA)
        assert store.find_instance("one").document["metadata"] == {"size": 1}  # type: ignore[union-attr, index]

    def test_save_replaces_the_whole_instance(self, store: InstanceStore) -> None:
        store.save_instance("one", build_thing(size=1, tags=["x"]), NEW, ADA)
        kept = store.save_instance("one", build_thing("Two", size=2), WriteCondition(), ADA)
        assert kept.previous is not None
        assert kept.previous.document == build_thing(size=1, tags=["x"])
        assert store.find_instance("one").document == build_thing("Two", size=2)  # type: ignore[union-attr]

    def test_conditional_save_requires_existing_instance(self, store: InstanceStore) -> None:
        with pytest.raises(InstanceNotFound):
            store.save_instance("one", build_thing(), WriteCondition(exists=True), ADA)
        assert store.list_instance_names() == []

    def test_marks_are_equal_for_equal_content_only(self, store: InstanceStore) -> None:
        first = store.save_instance("one", build_thing(size=1), NEW, ADA).stored
        other = store.save_instance("one", build_thing(size=2), WriteCondition(), ADA).stored
        again = store.save_instance("one", build_thing(size=1), WriteCondition(), ADA).stored
        assert first is not None
        assert other is not None
        assert again is not None
        assert first.content_hash == again.content_hash != other.content_hash

    def test_removed_instance_is_gone(self, store: InstanceStore) -> None:
        store.save_instance("one", build_thing(size=1), NEW, ADA)
        kept = store.remove_instance("one", WriteCondition(), ADA)
        assert kept.stored is None
        assert kept.previous is not None
        assert kept.previous.document == build_thing(size=1)
        assert store.find_instance("one") is None
        assert store.list_instance_names() == []
        with pytest.raises(InstanceNotFound):
            store.remove_instance("one", WriteCondition(), ADA)
        store.save_instance("one", build_thing(size=3), NEW, ADA)
        assert store.list_instance_names() == ["one"]

    def test_one_of_concurrent_creates_succeeds(self, store: InstanceStore) -> None:
        won: list[int] = []

        def create(number: int) -> None:
            try:
                store.save_instance("one", build_thing(size=number), NEW, ADA)
            except InstanceExists:
                return
            won.append(number)

        _threads(8, create)
        assert len(won) == 1
        assert store.find_instance("one").document["metadata"] == {"size": won[0]}  # type: ignore[union-attr, index]


@pytest.mark.parametrize("store", VERSIONED, indirect=True)
class TestStoresWithVersions:
    def test_each_new_content_increments_the_version(self, store: InstanceStore) -> None:
        versions = [
            store.save_instance("one", build_thing(size=size), WriteCondition(), ADA).version for size in (1, 2, 2, 3)
        ]
        assert versions == [1, 2, 2, 3]
        held, version = store.read_and_record_current("one")
        assert held is not None
        assert version == 3
        assert store.record_and_read_versions([held]) == {"one": 3}

    def test_stale_version_is_refused(self, store: InstanceStore) -> None:
        store.save_instance("one", build_thing(size=1), NEW, ADA)
        store.save_instance("one", build_thing(size=2), WriteCondition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.save_instance("one", build_thing(size=3), WriteCondition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.remove_instance("one", WriteCondition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.save_instance("none", build_thing(), WriteCondition(version=1), ADA)
        assert store.find_instance("one").document["metadata"] == {"size": 2}  # type: ignore[union-attr, index]
        assert store.remove_instance("one", WriteCondition(version=2), ADA).version == ABSENT

    def test_concurrent_changes_are_not_lost(self, store: InstanceStore) -> None:
        store.save_instance("one", build_thing(done=[]), NEW, ADA)

        def add(number: int) -> None:
            for turn in range(4):
                while True:
                    held, version = store.read_and_record_current("one")
                    assert held is not None
                    assert held.document is not None
                    done = [*held.document["metadata"]["done"], [number, turn]]
                    try:
                        store.save_instance("one", build_thing(done=done), WriteCondition(version=version), ADA)
                    except ConditionFailed:
                        continue
                    break

        _threads(6, add)
        held, version = store.read_and_record_current("one")
        assert held is not None
        assert held.document is not None
        assert sorted(held.document["metadata"]["done"]) == [[number, turn] for number in range(6) for turn in range(4)]
        assert version == 25

    def test_non_json_document_is_refused(self, store: InstanceStore) -> None:
        for value in (float("nan"), {1, 2}, "\ud800"):
            with pytest.raises(MalformedBody):
                store.save_instance("one", build_thing(size=value), NEW, ADA)
        assert store.list_instance_names() == []
