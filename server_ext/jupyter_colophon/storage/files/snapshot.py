"""Snapshots of the files of a schemaspace, to detect changes."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_colophon.storage.files import symlinks
from jupyter_colophon.storage.files.document_cache import Stamp
from jupyter_colophon.storage.files.filenames import SUFFIX
from jupyter_colophon.storage.files.listing import list_instance_names_in
from jupyter_colophon.storage.files.reading import get_file_stamp, is_stamp_final

#: A file time further in the future than this (ns) comes from another machine's clock.
_FUTURE_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of one file. `level` is the number of its folder. An unsettled file may have changed since without
    another stamp.
    """

    level: int
    stamp: Stamp
    is_stable: bool


@dataclass(frozen=True, slots=True)
class InstanceChanges:
    """The changes to the instances of a schemaspace between two scans; some may be false alarms."""

    space: str
    created: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The names of all changed instances."""
        return self.created | self.changed | self.deleted


def read_file_states(folders: Sequence[Path], names: Iterable[str] | None = None) -> dict[str, FileState]:
    """Inspect these names, or all instances, in the first folder that has them. Inaccessible files are omitted."""
    selected = _list_all_names(folders) if names is None else set(names)
    paths = [f"{folder}{os.sep}" for folder in folders]
    states = ((name, _inspect_file(paths, name)) for name in selected)
    return {name: state for name, state in states if state is not None}


def compare_snapshots(space: str, before: Mapping[str, FileState], after: Mapping[str, FileState]) -> InstanceChanges:
    """Return the changes between two snapshots."""
    both = before.keys() & after.keys()
    return InstanceChanges(
        space,
        frozenset(after.keys() - before.keys()),
        frozenset(name for name in both if _has_changed(before[name], after[name])),
        frozenset(before.keys() - after.keys()),
    )


def _has_changed(before: FileState, after: FileState) -> bool:
    return not before.is_stable or (before.level, before.stamp) != (after.level, after.stamp)


def _list_all_names(folders: Sequence[Path]) -> set[str]:
    names: set[str] = set()
    for folder in folders:
        try:
            names |= list_instance_names_in(folder)
        except OSError:  # Readers report a folder that cannot be listed.
            continue
    return names


def _inspect_file(paths: list[str], name: str) -> FileState | None:
    for level, path in enumerate(paths):
        try:
            stamp = get_file_stamp(symlinks.read_file_or_target_status(f"{path}{name}{SUFFIX}"))
        except OSError:
            continue
        now = time.time_ns()
        return FileState(level, stamp, is_stamp_final(stamp, now) or max(stamp[0], stamp[3]) > now + _FUTURE_NS)
    return None
