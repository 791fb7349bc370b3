"""Detection of folders on network file systems, where the operating system does not report changes by other machines."""

from pathlib import Path

import pytest
from jupyter_colophon.storage.files.network import is_on_network_file_system

MOUNTS = """\
22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 0:41 / /home/local rw - tmpfs tmpfs rw
32 22 0:42 / /mnt/with\\040blank rw,relatime shared:7 master:2 - cifs //server/share rw
33 22 0:43 / /over rw - nfs server:/over rw
34 22 0:44 / /over rw - ext4 /dev/vdb rw
35 22 0:45 / /layers rw - overlay overlay rw
36 22 0:46 / /cloud rw - fuse.s3fs s3fs rw
a broken line
"""
PLACES = {
    "/home": True,
    "/home/ada/.local/share": True,
    "/home/local/ada": False,
    "/homes/ada": False,
    "/mnt/with blank/x": True,
    "/over/x": False,
    "/layers/x": False,
    "/cloud/x": True,
    "/etc": False,
}


@pytest.mark.parametrize("place", PLACES)
def test_network_folder_is_decided_by_its_last_mount(tmp_path: Path, place: str) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert is_on_network_file_system(Path(place), mounts) is PLACES[place]


def test_link_to_network_folder_is_on_network(tmp_path: Path) -> None:
    mounts, link = tmp_path / "mountinfo", tmp_path / "link"
    mounts.write_text(MOUNTS)
    link.symlink_to("/cloud")
    assert is_on_network_file_system(link / "x", mounts)


def test_no_folder_is_on_network_without_mount_table(tmp_path: Path) -> None:
    assert not is_on_network_file_system(Path("/home"), tmp_path / "none")
    assert not is_on_network_file_system(Path("/proc"))
