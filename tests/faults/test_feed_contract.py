"""The change log as it is followed: no gap, nothing twice, no step back, whoever comes and goes (spec FAULT-5)."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from faults.size import sized
from jupyter_colophon.composition import Catalog, now_ms
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import LogCompacted
from jupyter_colophon.service.admin.log_truncation import compact
from jupyter_colophon.service.changes.feed import Feed, Slice
from jupyter_colophon.storage.changes import log, signed_chain
from jupyter_colophon.storage.secret import store_key
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, forget, opened, say
from support.urns import table

HISTORIES = sized(40, 500)
FILTERS: list[dict[str, str]] = [{}, {"urn": table("f1")}, {"type": "dataset"}, {"namespace": "sales"}, {"urn": "none"}]
_YEAR_MS = 366 * 86_400_000


@pytest.fixture(autouse=True)
def small_seals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories are short, and compaction takes whole seals."""
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 3)


class Follower:
    """Somebody who reads on from where they were, from one server or the other, in slices of any size."""

    def __init__(self, catalogs: list[Catalog], where: dict[str, str], chance: random.Random) -> None:
        self.catalogs, self.where, self.chance = catalogs, where, chance
        self.after = 0
        self.heard: list[Change] = []
        #: What they were told is no longer kept: after one number, up to another.
        self.gaps: list[tuple[int, int]] = []

    def read(self, limit: int | None = None) -> bool:
        """Read a slice by the cursor; whether it led on. Each time is another connection."""
        server = self.chance.choice(self.catalogs)
        try:
            found = server.feed.read(self.after, limit or self.chance.randint(1, 7), self.where, ADA)
        except LogCompacted as error:
            self.gaps.append((self.after, error.floor))
            self.after = error.floor
            return True
        self.heard += found.changes
        went_on, self.after = found.cursor != self.after, found.cursor
        return went_on

    def read_to_the_end(self) -> None:
        """Read until there is no more."""
        while self.read(500):
            pass

    def wants(self, change: Change) -> bool:
        """Whether this change was to be heard."""
        lost = any(after < change.seq <= floor for after, floor in self.gaps)
        return not lost and all(getattr(change, name) == value for name, value in self.where.items())


class Story:
    """All that ever happened: read before any of it is compacted away."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.changes: list[Change] = []

    def goes_on(self) -> None:
        """Take in what happened since."""
        # By the log itself: the checker is not to trust what it checks.
        known = self.changes[-1].seq if self.changes else 0
        rows = self.catalog.provider.tx_runner.run(lambda tx: log.changes(tx, known, 10_000, {}), read_only=True)
        self.changes += rows

    def compacted(self) -> None:
        """Remove what can be removed."""
        self.goes_on()
        provider = self.catalog.provider
        compact(provider, store_key(provider), lambda: now_ms() + _YEAR_MS, 1, lambda what, steps: None)


def history(folder: Path, seed: int) -> list[str]:
    """What goes wrong in one random history, with two catalogs on one store, as two servers have it."""
    chance = random.Random(seed)
    here, there = opened(folder / "catalog.db"), opened(folder / "catalog.db")
    followers = [Follower([here, there], where, chance) for where in FILTERS]
    listened: list[Change] = []
    alive: set[str] = set()
    story = Story(here)
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
        if chance.random() < 0.1:
            wait_for(listened, here.feed.head())
            story.compacted()
    head = here.feed.head()
    wait_for(listened, head)
    stop()
    for follower in followers:
        follower.read_to_the_end()
    story.goes_on()
    found = wrong(here, followers, listened, begun, story.changes)
    here.close()
    there.close()
    return found


def wait_for(listened: list[Change], head: int) -> None:
    done = threading.Event()
    for _ in range(6_000):
        if listened and listened[-1].seq >= head:
            return
        done.wait(0.05)


def wrong(
    catalog: Catalog, followers: list[Follower], listened: list[Change], begun: int, whole: list[Change]
) -> list[str]:
    found = []
    if [one.seq for one in whole] != list(range(1, len(whole) + 1)):
        found.append("numbers with gaps")
    for follower in followers:
        if follower.heard != [one for one in whole if follower.wants(one)]:
            found.append(f"a follower of {follower.where} heard another story")
        if any(floor <= after for after, floor in follower.gaps):
            found.append("a step back")
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


def _skips_one(read: Any) -> Any:
    """Whoever comes back misses a change now and then."""
    return lambda feed, after, *rest: read(feed, min(after + (after % 5 == 3), feed.head()), *rest)


def _tells_twice(read: Any) -> Any:
    """Whoever comes back hears the last one again now and then."""

    def repeating(feed: Feed, after: int, limit: int, *rest: Any) -> Slice:
        return read(feed, max(after - (limit < 8), 0), limit, *rest)  # type: ignore[no-any-return]

    return repeating


def _forgets_deletions(read: Any) -> Any:
    """Nobody hears of deletions who asks for one entity."""

    def forgetful(feed: Feed, after: int, limit: int, where: Any, *rest: Any) -> Slice:
        found: Slice = read(feed, after, limit, where, *rest)
        return found._replace(changes=[one for one in found.changes if not where or one.operation != "delete"])

    return forgetful


def _runs_ahead(read: Any) -> Any:
    """A cursor leads further than was looked."""

    def hasty(feed: Feed, after: int, limit: int, *rest: Any) -> Slice:
        found: Slice = read(feed, after, limit, *rest)
        return found._replace(cursor=max(found.cursor, feed.head())) if limit == 3 else found

    return hasty


@pytest.mark.parametrize("bug", [_skips_one, _tells_twice, _forgets_deletions, _runs_ahead])
def test_the_checker_sees_a_log_that_is_told_wrongly(tmp_path: Path, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Feed, "read", bug(Feed.read))
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if history(folder, seed):
            return
    raise AssertionError("nothing was seen")
