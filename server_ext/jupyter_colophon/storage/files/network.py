"""Detect network file systems, which do not notify of changes by other machines."""

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_KINDS = re.compile(
    r"(nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|gpfs|lustre|beegfs|orangefs|ocfs2|vboxsf|virtiofs|drvfs|fuse|fuseblk|fuse\..*)"
)


def is_on_network(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether the folder, or where it will be made, is on one of those; False where the machine does not say.

    `mounts` is a table as in proc(5), /proc/self/mountinfo. What FUSE serves is taken for one of them.
    """
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return False
    place = os.path.realpath(folder)
    found, kind = "", ""
    for line in lines:
        point, is_of = _mount(line)
        # Of two mounts at one place, the later one is on top.
        if len(point) >= len(found) and (place == point or place.startswith(point.rstrip("/") + "/")):
            found, kind = point, is_of
    return _KINDS.fullmatch(kind) is not None


def _mount(line: str) -> tuple[str, str]:
    """The place and the kind of a mount; what holds none is nowhere."""
    before, _, after = line.partition(" - ")
    fields, kinds = before.split(" "), after.split(" ")
    if len(fields) < 5 or not kinds[0]:
        return "\x00", ""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[4]), kinds[0]
