"""The change log as it is followed: no gap, nothing twice, no step back, whoever comes and goes (reliability.md A2, 17)."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from faults.size import sized
from jupyter_colophon.core.change import Change
from jupyter_colophon.service.feed import Feed
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.wiring import Catalog
from support.catalog import ADA, forget, opened, say
from support.urns import table

HISTORIES = sized(40, 500)
FILTERS: list[dict[str, str]] = [{}, {"urn": table("f1")}, {"type": "dataset"}, {"namespace": "sales"}, {"urn": "none"}]


class Follower:
    """Somebody who reads on from where they were, in slices of any size, and listens now and then."""

    def __init__(self, catalog: Catalog, where: dict[str, str], chance: random.Random) -> None:
        self.catalog, self.where, self.chance = catalog, where, chance
        self.after = 0
        self.heard: list[Change] = []

    def read(self) -> None:
        """Read a slice by the log's own numbers."""
        found = self.catalog.feed.changes(self.after, self.chance.randint(1, 7), self.where, ADA)
        self.heard += found
        if found:
            self.after = found[-1].seq

    def read_to_the_end(self) -> None:
        """Read until there is no more."""
        while len(found := self.catalog.feed.changes(self.after, 500, self.where, ADA)):
            self.heard += found
            self.after = found[-1].seq


def history(folder: Path, seed: int) -> list[str]:
    """What goes wrong in one random history, with two catalogs on one store, as two servers have it."""
    chance = random.Random(seed)
    here, there = opened(folder / "catalog.db"), opened(folder / "catalog.db")
    followers = [Follower(chance.choice([here, there]), where, chance) for where in FILTERS]
    listened: list[Change] = []
    alive: set[str] = set()
    stop = there.feed.listen(listened.extend)
    begun = there.feed.head()
    for step in range(chance.randint(5, 25)):
        writer, name = chance.choice([here, there]), table(f"f{chance.randrange(3)}")
        if name in alive and chance.random() < 0.3:
            forget(writer, name)
            alive.remove(name)
        else:
            say(writer, name, {"step": str(step)})
            alive.add(name)
        chance.choice(followers).read()
    head = here.feed.head()
    wait_for(listened, head)
    stop()
    for follower in followers:
        follower.read_to_the_end()
    found = wrong(here, followers, listened, begun)
    here.close()
    there.close()
    return found


def wait_for(listened: list[Change], head: int) -> None:
    done = threading.Event()
    for _ in range(400):
        if listened and listened[-1].seq >= head:
            return
        done.wait(0.05)


def wrong(catalog: Catalog, followers: list[Follower], listened: list[Change], begun: int) -> list[str]:
    whole = catalog.feed.changes(0, 500, {}, ADA)
    found = []
    if [one.seq for one in whole] != list(range(1, len(whole) + 1)):
        found.append("numbers with gaps")
    if sum(one.operation == "delete" for one in whole) != len({one.seq for one in whole if one.operation == "delete"}):
        found.append("a deletion twice")
    for follower in followers:
        wanted = [one for one in whole if all(getattr(one, k) == v for k, v in follower.where.items())]
        if follower.heard != wanted:
            found.append(f"a follower of {follower.where} heard another story")
    if listened != [one for one in whole if one.seq > begun]:
        found.append("a listener heard another story")
    found += untold(catalog, whole)
    return found


def untold(catalog: Catalog, whole: list[Change]) -> list[str]:
    """Every version of every aspect was told."""
    told = {(one.urn, one.aspect, one.version) for one in whole if one.operation != "delete"}
    return [
        f"not told: {row['urn']} {row['version']}"
        for row in catalog.provider.tx_runner.run(
            lambda tx: list(tx.table("aspect_versions").scan(Range())), read_only=True
        )
        if row["value"] is not None and (row["urn"], row["aspect"], row["version"]) not in told
    ]


def test_whoever_follows_hears_everything_once_and_in_order(tmp_path: Path) -> None:
    found: list[Any] = []
    for seed in range(HISTORIES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found += history(folder, seed)
    assert found == []


def _skips_one(changes: Any) -> Any:
    """Whoever comes back misses a change now and then."""
    return lambda feed, after, *rest: changes(feed, min(after + (after % 5 == 3), feed.head()), *rest)


def _tells_twice(changes: Any) -> Any:
    """Whoever comes back hears the last one again now and then."""
    return lambda feed, after, limit, *rest: changes(feed, max(after - (limit < 8), 0), limit, *rest)


def _forgets_deletions(changes: Any) -> Any:
    """Nobody hears of deletions who asks for one entity."""

    def forgetful(feed: Feed, after: int, limit: int, where: Any, *rest: Any) -> Any:
        found = changes(feed, after, limit, where, *rest)
        return [one for one in found if not where or one.operation != "delete"]

    return forgetful


@pytest.mark.parametrize("bug", [_skips_one, _tells_twice, _forgets_deletions])
def test_the_checker_sees_a_log_that_is_told_wrongly(tmp_path: Path, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Feed, "changes", bug(Feed.changes))
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if history(folder, seed):
            return
    raise AssertionError("nothing was seen")
