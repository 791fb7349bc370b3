"""Inspect a file, its folder and its file system without opening the file."""

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

#: Network file systems, on which SQLite's locks and its write-ahead log are not reliable.
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
class PathInfo:
    """A file and its folder. `mode` and `folder_mode` are permission bits, or None if it does not exist.

    `kind` is `file`, `folder`, `special file`, `absent` or a reason why it cannot be read.
    """

    kind: str
    bytes: int
    mode: int | None
    folder_mode: int | None
    file_system: str
    free: int | None
    is_writable: bool = True

    @property
    def is_remote(self) -> bool:
        """Whether this is a network file system."""
        return self.file_system in _NETWORK or self.file_system.startswith(_NETWORK_FUSE)


def read_path_info(path: Path) -> PathInfo:
    """Inspect a path. Does not raise OSError: a file that cannot be read has such a `kind`."""
    existing = next((parent for parent in path.absolute().parents if parent.exists()), Path("/"))
    surroundings = (_read_mode(path.parent), _find_file_system(existing), _read_free_space(existing))
    try:
        status = path.stat()
    except FileNotFoundError:
        return PathInfo("absent", 0, None, *surroundings)
    except OSError as error:
        return PathInfo(f"unreadable ({error.strerror})", 0, None, *surroundings)
    kind = "file" if stat.S_ISREG(status.st_mode) else "folder" if stat.S_ISDIR(status.st_mode) else "special file"
    return PathInfo(kind, status.st_size, stat.S_IMODE(status.st_mode), *surroundings, _is_writable(path))


def _is_writable(path: Path) -> bool:
    """Return whether this user can write the file, and create SQLite's other files beside it."""
    return os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def _read_mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _read_free_space(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _find_file_system(folder: Path) -> str:
    """Return the type of the file system of a folder; "" if it cannot be determined."""
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
