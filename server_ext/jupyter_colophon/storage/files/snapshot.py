"""What the files of a schemaspace look like from outside, so that two looks can be compared."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_colophon.storage.files import symlinks
from jupyter_colophon.storage.files.document_cache import Stamp
from jupyter_colophon.storage.files.filenames import SUFFIX
from jupyter_colophon.storage.files.listing import names_in
from jupyter_colophon.storage.files.reading import is_settled, stamp_of

#: A file's time that is further than this in the future (ns) is another machine's.
_FUTURE_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Look:
    """One file from outside. `level` is the number of its folder. One that is not settled may have changed since
    without another stamp."""

    level: int
    stamp: Stamp
    settled: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """The changes to the instances of a schemaspace between two scans; some may be false alarms."""

    space: str
    created: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.created | self.changed | self.deleted


def look(folders: Sequence[Path], names: Iterable[str] | None = None) -> dict[str, Look]:
    """Each of the names, or all there are, as the first folder shows it that has it. What cannot be seen is not there."""
    wanted = _all_names(folders) if names is None else set(names)
    paths = [f"{folder}{os.sep}" for folder in folders]
    found = ((name, _look(paths, name)) for name in wanted)
    return {name: one for name, one in found if one is not None}


def compare(space: str, before: Mapping[str, Look], after: Mapping[str, Look]) -> Seen:
    """What happened in between, among the names of both looks."""
    both = before.keys() & after.keys()
    return Seen(
        space,
        frozenset(after.keys() - before.keys()),
        frozenset(name for name in both if _differ(before[name], after[name])),
        frozenset(before.keys() - after.keys()),
    )


def _differ(before: Look, after: Look) -> bool:
    return not before.settled or (before.level, before.stamp) != (after.level, after.stamp)


def _all_names(folders: Sequence[Path]) -> set[str]:
    found: set[str] = set()
    for folder in folders:
        try:
            found |= names_in(folder)
        except OSError:  # Readers report a folder that cannot be listed.
            continue
    return found


def _look(paths: list[str], name: str) -> Look | None:
    for level, path in enumerate(paths):
        try:
            stamp = stamp_of(symlinks.status(f"{path}{name}{SUFFIX}"))
        except OSError:
            continue
        now = time.time_ns()
        return Look(level, stamp, is_settled(stamp, now) or max(stamp[0], stamp[3]) > now + _FUTURE_NS)
    return None
