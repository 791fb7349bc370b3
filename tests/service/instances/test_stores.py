"""What every store of instances promises (service/instances/store_protocol.py): ours, and anybody's with Elyra's methods."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.documents.json_values import same
from jupyter_colophon.core.errors import ConditionFailed, InstanceExists, InstanceNotFound, MalformedBody
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.service.instances.elyra_store_adapter import ForeignInstances
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from support.catalog import ADA
from support.dictionary import Dictionary
from support.shelves import SPACE, shelf, thing

NEW = Condition(version=ABSENT)
#: Those that keep versions.
VERSIONED = ["file", "catalog"]
STRANGE = thing(
    "日本語 \U0001f600 \u2028", text='line\nline\ttab \\ "quoted"', deep={"a": [1, 1.5, None, True, {"b": []}]}
)


@pytest.fixture(params=[*VERSIONED, "foreign"])
def store(request: pytest.FixtureRequest, beside: Catalog, data_folder: Path) -> Iterator[InstanceStore]:
    if request.param == "foreign":
        yield ForeignInstances(SPACE, Dictionary(SPACE))
        return
    with shelf(beside, data_folder, request.param) as found:
        yield found.store


def _threads(count: int, work: Any) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)


class TestEveryStore:
    def test_holds_nothing_at_first(self, store: InstanceStore) -> None:
        assert not store.exists()
        assert store.names() == []
        assert store.read("none") is None
        assert store.current("none") == (None, None)
        assert list(store.read_many(["none"])) == []

    def test_gives_back_what_was_saved(self, store: InstanceStore) -> None:
        kept = store.save("strange", STRANGE, NEW, ADA)
        found = store.read("strange")
        assert found is not None
        assert kept.held is not None
        assert kept.previous is None
        assert same(found.document, STRANGE)
        assert same(kept.held.document, STRANGE)
        assert (found.name, found.own, found.problem) == ("strange", True, "")
        assert found.resource
        assert store.exists()

    def test_lists_names_in_order_and_reads_those_that_are_there(self, store: InstanceStore) -> None:
        for name in ("c", "a", "b-2"):
            store.save(name, thing(name), NEW, ADA)
        assert store.names() == ["a", "b-2", "c"]
        assert [one.name for one in store.read_many(["c", "none", "a"])] == ["c", "a"]

    def test_creates_no_name_twice(self, store: InstanceStore) -> None:
        store.save("one", thing(size=1), NEW, ADA)
        with pytest.raises(InstanceExists):
            store.save("one", thing(size=2), NEW, ADA)
        assert store.read("one").document["metadata"] == {"size": 1}  # type: ignore[union-attr, index]

    def test_replaces_an_instance_whole(self, store: InstanceStore) -> None:
        store.save("one", thing(size=1, tags=["x"]), NEW, ADA)
        kept = store.save("one", thing("Two", size=2), Condition(), ADA)
        assert kept.previous is not None
        assert kept.previous.document == thing(size=1, tags=["x"])
        assert store.read("one").document == thing("Two", size=2)  # type: ignore[union-attr]

    def test_replaces_only_what_is_there_where_that_is_asked(self, store: InstanceStore) -> None:
        with pytest.raises(InstanceNotFound):
            store.save("one", thing(), Condition(exists=True), ADA)
        assert store.names() == []

    def test_marks_are_equal_exactly_where_contents_are(self, store: InstanceStore) -> None:
        first = store.save("one", thing(size=1), NEW, ADA).held
        other = store.save("one", thing(size=2), Condition(), ADA).held
        again = store.save("one", thing(size=1), Condition(), ADA).held
        assert first is not None
        assert other is not None
        assert again is not None
        assert first.mark == again.mark != other.mark

    def test_removes_and_knows_nothing_of_it_any_more(self, store: InstanceStore) -> None:
        store.save("one", thing(size=1), NEW, ADA)
        kept = store.remove("one", Condition(), ADA)
        assert kept.held is None
        assert kept.previous is not None
        assert kept.previous.document == thing(size=1)
        assert store.read("one") is None
        assert store.names() == []
        with pytest.raises(InstanceNotFound):
            store.remove("one", Condition(), ADA)
        store.save("one", thing(size=3), NEW, ADA)
        assert store.names() == ["one"]

    def test_one_of_many_creators_wins(self, store: InstanceStore) -> None:
        won: list[int] = []

        def create(number: int) -> None:
            try:
                store.save("one", thing(size=number), NEW, ADA)
            except InstanceExists:
                return
            won.append(number)

        _threads(8, create)
        assert len(won) == 1
        assert store.read("one").document["metadata"] == {"size": won[0]}  # type: ignore[union-attr, index]


@pytest.mark.parametrize("store", VERSIONED, indirect=True)
class TestStoresWithVersions:
    def test_count_the_contents_of_an_instance(self, store: InstanceStore) -> None:
        versions = [store.save("one", thing(size=size), Condition(), ADA).version for size in (1, 2, 2, 3)]
        assert versions == [1, 2, 2, 3]
        held, version = store.current("one")
        assert held is not None
        assert version == 3
        assert store.versions([held]) == {"one": 3}

    def test_refuse_what_was_made_for_another_version(self, store: InstanceStore) -> None:
        store.save("one", thing(size=1), NEW, ADA)
        store.save("one", thing(size=2), Condition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.save("one", thing(size=3), Condition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.remove("one", Condition(version=1), ADA)
        with pytest.raises(ConditionFailed):
            store.save("none", thing(), Condition(version=1), ADA)
        assert store.read("one").document["metadata"] == {"size": 2}  # type: ignore[union-attr, index]
        assert store.remove("one", Condition(version=2), ADA).version == ABSENT

    def test_lose_no_change_of_many_at_once(self, store: InstanceStore) -> None:
        store.save("one", thing(done=[]), NEW, ADA)

        def add(number: int) -> None:
            for turn in range(4):
                while True:
                    held, version = store.current("one")
                    assert held is not None
                    assert held.document is not None
                    done = [*held.document["metadata"]["done"], [number, turn]]
                    try:
                        store.save("one", thing(done=done), Condition(version=version), ADA)
                    except ConditionFailed:
                        continue
                    break

        _threads(6, add)
        held, version = store.current("one")
        assert held is not None
        assert held.document is not None
        assert sorted(held.document["metadata"]["done"]) == [[number, turn] for number in range(6) for turn in range(4)]
        assert version == 25

    def test_keep_nothing_that_is_no_json(self, store: InstanceStore) -> None:
        for value in (float("nan"), {1, 2}, "\ud800"):
            with pytest.raises(MalformedBody):
                store.save("one", thing(size=value), NEW, ADA)
        assert store.names() == []
