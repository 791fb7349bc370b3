"""Reading the change log: no gap, no duplicate, no step back, with truncation and several servers (spec FAULT-5)."""

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from faults.size import sized
from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import LogCompacted
from jupyter_colophon.service.admin.log_truncation import delete_changes_older_than_days
from jupyter_colophon.service.changes.feed import ChangeFeed, ChangeSlice
from jupyter_colophon.storage.changes import log, signed_chain
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, delete_entity_or_aspect, open_catalog_file, write_metadata
from support.urns import build_table_urn

HISTORIES = sized(40, 500)
FILTERS: list[dict[str, str]] = [
    {},
    {"urn": build_table_urn("f1")},
    {"type": "dataset"},
    {"namespace": "sales"},
    {"urn": "none"},
]
_YEAR_MS = 366 * 86_400_000


@pytest.fixture(autouse=True)
def small_seals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make seals small: histories are short, and truncation removes all_changes seals."""
    monkeypatch.setattr(signed_chain, "SEAL_ROWS", 3)


class Follower:
    """A follower that reads slices of any size from either server."""

    def __init__(self, catalogs: list[Catalog], where: dict[str, str], chance: random.Random) -> None:
        self.catalogs, self.where, self.chance = catalogs, where, chance
        self.after = 0
        self.received: list[Change] = []
        #: The gaps that truncation left: after one number, up to another.
        self.gaps: list[tuple[int, int]] = []

    def read(self, limit: int | None = None) -> bool:
        """Read a slice after the cursor; return whether the cursor advanced. Each call is another connection."""
        server = self.chance.choice(self.catalogs)
        try:
            found = server.feed.read_slice_of_visible_changes(
                self.after, limit or self.chance.randint(1, 7), self.where, ADA
            )
        except LogCompacted as error:
            self.gaps.append((self.after, error.floor))
            self.after = error.floor
            return True
        self.received += found.changes
        advanced, self.after = found.cursor != self.after, found.cursor
        return advanced

    def read_to_the_end(self) -> None:
        """Read until there is no more."""
        while self.read(500):
            pass

    def expects(self, change: Change) -> bool:
        """Return whether the follower must receive this change."""
        lost = any(after < change.seq <= floor for after, floor in self.gaps)
        return not lost and all(getattr(change, name) == value for name, value in self.where.items())


class History:
    """The complete history, read before any of it is truncated."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.changes: list[Change] = []

    def update(self) -> None:
        """Read the changes since the last call."""
        # Read from the log itself: the checker must not trust what it checks.
        known = self.changes[-1].seq if self.changes else 0
        rows = self.catalog.provider.tx_runner.run(
            lambda tx: log.list_changes_after(tx, known, 10_000, {}), read_only=True
        )
        self.changes += rows

    def truncate(self) -> None:
        """Truncate the log as far as possible."""
        self.update()
        provider = self.catalog.provider
        delete_changes_older_than_days(
            provider, read_or_create_store_key(provider), lambda: read_time_ms() + _YEAR_MS, 1, lambda what, steps: None
        )


def run_history(folder: Path, seed: int) -> list[str]:
    """Return the errors of one random history, with two catalogs on one store, as with two servers."""
    chance = random.Random(seed)
    here, there = open_catalog_file(folder / "catalog.db"), open_catalog_file(folder / "catalog.db")
    followers = [Follower([here, there], where, chance) for where in FILTERS]
    listened: list[Change] = []
    alive: set[str] = set()
    recorded = History(here)
    stop = there.feed.register_listener(listened.extend)
    start = there.feed.read_newest_change_number()
    for step in range(chance.randint(5, 25)):
        writer, name = chance.choice([here, there]), build_table_urn(f"f{chance.randrange(3)}")
        if name in alive and chance.random() < 0.3:
            delete_entity_or_aspect(writer, name)
            alive.remove(name)
        else:
            write_metadata(writer, name, {"step": str(step)})
            alive.add(name)
        chance.choice(followers).read()
        if chance.random() < 0.1:
            wait_for(listened, here.feed.read_newest_change_number())
            recorded.truncate()
    head = here.feed.read_newest_change_number()
    wait_for(listened, head)
    stop()
    for follower in followers:
        follower.read_to_the_end()
    recorded.update()
    found = find_problems(here, followers, listened, start, recorded.changes)
    here.close()
    there.close()
    return found


def wait_for(listened: list[Change], head: int) -> None:
    done = threading.Event()
    for _ in range(6_000):
        if listened and listened[-1].seq >= head:
            return
        done.wait(0.05)


def find_problems(
    catalog: Catalog, followers: list[Follower], listened: list[Change], start: int, all_changes: list[Change]
) -> list[str]:
    found = []
    if [one.seq for one in all_changes] != list(range(1, len(all_changes) + 1)):
        found.append("numbers with gaps")
    for follower in followers:
        if follower.received != [one for one in all_changes if follower.expects(one)]:
            found.append(f"a follower of {follower.where} received other changes")
        if any(floor <= after for after, floor in follower.gaps):
            found.append("a cursor moved back")
    if listened != [one for one in all_changes if one.seq > start]:
        found.append("a listener received other changes")
    found += find_missing(catalog, all_changes)
    return found


def find_missing(catalog: Catalog, all_changes: list[Change]) -> list[str]:
    """Return the versions of aspects that are not in the log."""
    logged = {(one.urn, one.aspect, one.version) for one in all_changes if one.operation != "delete"}
    return [
        f"not in the log: {row['urn']} {row['version']}"
        for row in catalog.provider.tx_runner.run(
            lambda tx: list(tx.get_table("aspect_versions").scan(Range())), read_only=True
        )
        if row["value"] is not None and (row["urn"], row["aspect"], row["version"]) not in logged
    ]


def test_followers_receive_every_change_once_in_order(tmp_path: Path) -> None:
    found: list[Any] = []
    for seed in range(HISTORIES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found += run_history(folder, seed)
    assert found == []


def _skips_one(read: Any) -> Any:
    """Skip a change for returning followers now and then."""
    return lambda feed, after, *rest: read(feed, min(after + (after % 5 == 3), feed.read_newest_change_number()), *rest)


def _repeats_one(read: Any) -> Any:
    """Repeat the last change for returning followers now and then."""

    def repeating(feed: ChangeFeed, after: int, limit: int, *rest: Any) -> ChangeSlice:
        return read(feed, max(after - (limit < 8), 0), limit, *rest)  # type: ignore[no-any-return]

    return repeating


def _forgets_deletions(read: Any) -> Any:
    """Omit deletions for filters by entity."""

    def forgetful(feed: ChangeFeed, after: int, limit: int, where: Any, *rest: Any) -> ChangeSlice:
        found: ChangeSlice = read(feed, after, limit, where, *rest)
        return found._replace(changes=[one for one in found.changes if not where or one.operation != "delete"])

    return forgetful


def _runs_ahead(read: Any) -> Any:
    """Advance the cursor further than was read."""

    def hasty(feed: ChangeFeed, after: int, limit: int, *rest: Any) -> ChangeSlice:
        found: ChangeSlice = read(feed, after, limit, *rest)
        return found._replace(cursor=max(found.cursor, feed.read_newest_change_number())) if limit == 3 else found

    return hasty


@pytest.mark.parametrize("bug", [_skips_one, _repeats_one, _forgets_deletions, _runs_ahead])
def test_checker_detects_faulty_change_feed(tmp_path: Path, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChangeFeed, "read_slice_of_visible_changes", bug(ChangeFeed.read_slice_of_visible_changes))
    for seed in range(10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if run_history(folder, seed):
            return
    raise AssertionError("no bug was detected")
