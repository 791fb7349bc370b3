"""The memory that this process uses, and the memory that the machine or its control group has. Linux only."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUP: Final = Path("/proc/self/cgroup")


def read_resident_bytes() -> int | None:
    """Return the resident memory of this process; None where the system does not report it."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def find_available_bytes() -> int | None:
    """Return the memory of the machine, or the limit of the control group of this process if that is less."""
    limits = _list_group_limits()
    with suppress(OSError, ValueError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(limits, default=None)


def return_free_memory() -> None:
    """Return freed memory to the system, where the C library can (glibc). Resident memory would not shrink otherwise."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _list_group_limits() -> list[int]:
    """Return the limits of this process's control group and of the groups that contain it (versions 1 and 2)."""
    try:
        lines = _OWN_GROUP.read_text().splitlines()
    except OSError:
        return []
    files = []
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers == "":
            groups = [_CONTROL_GROUPS / place.lstrip("/")]
            files += [group / "memory.max" for group in (*groups, *groups[0].parents)]
        elif "memory" in controllers.split(","):
            # In a container the path may be that of the host, while the container's own group is the root.
            root = _CONTROL_GROUPS / "memory"
            files += [root / place.lstrip("/") / "memory.limit_in_bytes", root / "memory.limit_in_bytes"]
    return [limit for file in files if (limit := _read_number(file)) is not None]


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None
