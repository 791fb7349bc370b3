"""What is known of a file and its surroundings without opening it."""

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

#: File systems of other machines, on which SQLite's locks and its log beside the file cannot be trusted.
_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "lustre",
    "glusterfs",
    "ceph",
    "beegfs",
    "gpfs",
    "panfs",
}
_NETWORK_FUSE = (
    "fuse.sshfs",
    "fuse.glusterfs",
    "fuse.ceph",
    "fuse.s3fs",
    "fuse.gcsfuse",
    "fuse.rclone",
    "fuse.juicefs",
)
_MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a catalog's file is. `mode` and `folder_mode` are permission bits; None where there is nothing."""

    kind: str
    bytes: int
    mode: int | None
    folder_mode: int | None
    file_system: str
    free: int | None
    is_writable: bool = True

    @property
    def is_remote(self) -> bool:
        """Whether the file system is that of another machine."""
        return self.file_system in _NETWORK or self.file_system.startswith(_NETWORK_FUSE)


def look(path: Path) -> Place:
    """Look at a path. Never raises OSError: what cannot be seen is marked as such."""
    folder = next((one for one in path.absolute().parents if one.exists()), Path("/"))
    try:
        found = path.stat()
    except FileNotFoundError:
        return Place("absent", 0, None, _mode(path.parent), _file_system(folder), _free(folder))
    except OSError as error:
        return Place(f"unreadable ({error.strerror})", 0, None, _mode(path.parent), _file_system(folder), _free(folder))
    kind = "file" if stat.S_ISREG(found.st_mode) else "folder" if stat.S_ISDIR(found.st_mode) else "special file"
    mode = stat.S_IMODE(found.st_mode)
    return Place(kind, found.st_size, mode, _mode(path.parent), _file_system(folder), _free(folder), _writable(path))


def _writable(path: Path) -> bool:
    """Whether this user can write the file, and make SQLite's own ones beside it."""
    return os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _file_system(folder: Path) -> str:
    """The kind of the file system that a folder is on; "" where the system does not tell."""
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    real, best, kind = os.path.realpath(folder), "", ""
    for mount in mounts:
        before, _, after = mount.partition(" - ")
        point = before.split(" ")[4].replace("\\040", " ")
        if os.path.commonpath((real, point)) == point and len(point) >= len(best):
            best, kind = point, after.split(" ")[0]
    return kind
