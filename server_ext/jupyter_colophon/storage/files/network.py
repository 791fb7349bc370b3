"""Detect network file systems, which do not notify of changes by other machines."""

import os
import re
from functools import lru_cache
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_KINDS = re.compile(
    r"(nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|gpfs|lustre|beegfs|orangefs|ocfs2|vboxsf|virtiofs|drvfs|fuse|fuseblk|fuse\..*)"
)


def is_on_network_file_system(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Return whether the folder, or the place where it will be created, is on a network file system; False without a
    mount table.

    `mounts` is a table as in proc(5), /proc/self/mountinfo. FUSE counts as a network file system.
    """
    try:
        points = _parse_mount_table(mounts.read_text(errors="surrogateescape"))
    except OSError:
        return False
    place = os.path.realpath(folder)
    best, kind = "", ""
    for point, is_of in points:
        # Of two mounts on one place, the later one is visible.
        if len(point) >= len(best) and (place == point or place.startswith(point.rstrip("/") + "/")):
            best, kind = point, is_of
    return _KINDS.fullmatch(kind) is not None


# Few tables differ, and each schemaspace asks for several folders.
@lru_cache(maxsize=1)
def _parse_mount_table(table: str) -> list[tuple[str, str]]:
    return [_parse_mount_line(line) for line in table.splitlines()]


def _parse_mount_line(line: str) -> tuple[str, str]:
    """Return the place and the type of a mount; ("", "") for an invalid line."""
    before, _, after = line.partition(" - ")
    fields, kinds = before.split(" "), after.split(" ")
    if len(fields) < 5 or not kinds[0]:
        return "\x00", ""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4]), kinds[0]
