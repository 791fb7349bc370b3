"""Reading the files of instances, and reporting files that cannot be read."""

import contextlib
import json
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.storage.files.document_cache import DocumentCache
from jupyter_colophon.storage.files.instances import InstanceFiles
from support.files import (
    SPACE,
    build_instance_document,
    drop_root_permissions,
    get_shared_folder,
    get_user_folder,
    open_instance_files,
    write_file,
)


def test_document_excludes_members_derived_from_the_file(tmp_path: Path) -> None:
    content = build_instance_document(1) | {
        "name": "other",
        "resource": "/elsewhere",
        "reason": "ValueError",
        "extra": [1],
    }
    path = write_file(get_user_folder(tmp_path), "a", json.dumps(content))
    instance = open_instance_files(tmp_path).find_instance("a")
    assert instance is not None
    assert instance.document == build_instance_document(1) | {"extra": [1]}
    assert (instance.name, instance.resource, instance.is_removable, instance.problem) == ("a", str(path), True, "")
    assert instance.time == path.stat().st_mtime_ns // 1_000_000
    assert instance.owner == path.owner()


def test_missing_instance_is_none_and_creates_nothing(tmp_path: Path) -> None:
    files = open_instance_files(tmp_path)
    assert files.find_instance("a") is None
    assert list(files.read_existing_instances(["a", "b"])) == []
    assert files.list_instance_names() == []
    assert not files.exists_any_folder()
    assert list(tmp_path.iterdir()) == []


def test_first_folder_wins(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "both", json.dumps(build_instance_document(1)))
    write_file(get_shared_folder(tmp_path), "both", json.dumps(build_instance_document(2)))
    write_file(get_shared_folder(tmp_path), "below", json.dumps(build_instance_document(3)))
    files = open_instance_files(tmp_path)
    assert files.list_instance_names() == ["below", "both"]
    below, both = files.read_existing_instances(files.list_instance_names())
    assert (below.document, below.is_removable) == (build_instance_document(3), False)
    assert (both.document, both.is_removable) == (build_instance_document(1), True)


def test_broken_file_hides_lower_levels_only(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "good", json.dumps(build_instance_document(1)))
    write_file(get_shared_folder(tmp_path), "good", "{")
    write_file(get_user_folder(tmp_path), "bad", "{")
    write_file(get_shared_folder(tmp_path), "bad", json.dumps(build_instance_document(2)))
    bad, good = open_instance_files(tmp_path).read_existing_instances(["bad", "good"])
    assert (good.document, good.problem) == (build_instance_document(1), "")
    assert (bad.document, bad.is_removable) == (None, True)
    assert bad.problem


REASONS = {
    b"": "empty",
    b" \n": "empty",
    b"{": "not valid JSON",
    b'{"a": 1} x': "not valid JSON",
    b"[]": "not a JSON object",
    b"null": "not a JSON object",
    b"\xef\xbb\xbf{}": "byte order mark",
    b'{"a": NaN}': "NaN",
    b'{"a": 1e999}': "too large",
    b'{"a": "\\ud800"}': "surrogate",
    b'{"a": "\\u0000"}': "U+0000",
    b"\xff\xfe{}": "UTF-8",
    b"[" * 100 + b"]" * 100: "64 levels",
}


@pytest.mark.parametrize("text", REASONS, ids=list(REASONS.values()))
def test_unreadable_file_has_a_problem(tmp_path: Path, text: bytes) -> None:
    path = write_file(get_user_folder(tmp_path), "a", text)
    instance = open_instance_files(tmp_path).find_instance("a")
    assert instance is not None
    assert (instance.document, instance.is_removable, instance.resource) == (None, True, str(path))
    assert REASONS[text] in instance.problem


def test_last_of_repeated_members_counts_with_a_warning(tmp_path: Path) -> None:
    write_file(get_user_folder(tmp_path), "a", b'{"a": {"b": 1, "b": 2, "c": 3}}')
    for instance in (
        open_instance_files(tmp_path).find_instance("a"),
        open_instance_files(tmp_path).find_instance("a"),
    ):
        assert instance is not None
        assert (instance.document, instance.problem) == ({"a": {"b": 2, "c": 3}}, "")
        assert "same member twice" in instance.warning


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    # The name of a socket has at most 107 characters, fewer than the paths of tests.
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(path.parent):
        listener.bind(path.name)


def _link(path: Path) -> None:
    """Create a link that leads out of the folder through another link within it."""
    outside = path.parent.parent / "outside"
    outside.mkdir()
    (outside / "a.json").write_text("{}")
    path.with_name("..data").symlink_to(outside)
    path.symlink_to("..data/a.json")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**31)


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": _pipe,
    "socket": _socket,
    "folder": Path.mkdir,
    "symbolic link": _link,
    "a symbolic link, and links are followed only within": _loop,
    "it is a symbolic link": _dangling,
    "2147483648 bytes": _huge,
}


@pytest.mark.parametrize("reason", KINDS)
def test_special_files_are_not_read_but_reported(tmp_path: Path, reason: str) -> None:
    folder = get_user_folder(tmp_path)
    folder.mkdir(parents=True)
    KINDS[reason](folder / "a.json")
    files = open_instance_files(tmp_path)
    assert files.list_instance_names() == ["a"]
    instance = files.find_instance("a")
    assert instance is not None
    assert instance.document is None
    assert reason in instance.problem


def mounted(folder: Path, version: str, text: str) -> None:
    """Mount a ConfigMap as Kubernetes does, and change it: the files are behind a link that is replaced."""
    (folder / version).mkdir(parents=True)
    (folder / version / "a.json").write_text(text)
    (folder / "new").symlink_to(version)
    (folder / "new").rename(folder / "..data")
    if not (folder / "a.json").is_symlink():
        (folder / "a.json").symlink_to("..data/a.json")


def test_mounted_config_map_is_read_and_updated(tmp_path: Path) -> None:
    folder, files = get_shared_folder(tmp_path), open_instance_files(tmp_path)
    for version, text in (("..first", '{"a": 1}'), ("..second", '{"a": 2}')):
        mounted(folder, version, text)
        instance = files.find_instance("a")
        assert instance is not None
        assert (instance.document, instance.is_removable, instance.resource) == (
            json.loads(text),
            False,
            str(folder / "a.json"),
        )
    assert files.list_instance_names() == ["a"]


def test_file_without_read_permission_is_reported() -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        folder.chmod(0o755)
        write_file(folder, "closed", "{}").chmod(0)
        write_file(folder, "open", "{}").chmod(0o644)
        files = InstanceFiles(SPACE, [folder], cache=DocumentCache())
        with drop_root_permissions():
            closed, other = files.read_existing_instances(files.list_instance_names())
    assert (closed.document, other.document) == (None, {})
    assert "Permission denied" in closed.problem


def test_mark_depends_on_content_not_formatting(tmp_path: Path) -> None:
    folder = get_user_folder(tmp_path)
    write_file(folder, "a", '{"b": [1, "é"], "a": {}}')
    write_file(folder, "b", '{\n  "a": {},\n  "b": [\n 1, "\\u00e9"]}\n')
    write_file(folder, "c", '{"b": [1, "e"], "a": {}}')
    write_file(folder, "d", "{")
    write_file(folder, "e", "{")
    a, b, c, d, e = open_instance_files(tmp_path).read_existing_instances("abcde")
    assert a.content_hash == b.content_hash
    assert d.content_hash == e.content_hash
    assert len({a.content_hash, c.content_hash, d.content_hash}) == 3


def test_every_change_is_detected_even_of_equal_size(tmp_path: Path) -> None:
    path = write_file(get_user_folder(tmp_path), "a", json.dumps(build_instance_document(0)))
    files = open_instance_files(tmp_path)
    for number in range(1, 10):
        path.write_text(json.dumps(build_instance_document(number)))
        instance = files.find_instance("a")
        assert instance is not None
        assert instance.document == build_instance_document(number)


def test_change_with_forged_time_is_detected(tmp_path: Path) -> None:
    path = write_file(get_user_folder(tmp_path), "a", json.dumps(build_instance_document(1)))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    files = open_instance_files(tmp_path)
    assert files.find_instance("a") is not None
    path.write_text(json.dumps(build_instance_document(2)))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    instance = files.find_instance("a")
    assert instance is not None
    assert instance.document == build_instance_document(2)


def test_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    cache = DocumentCache()
    write_file(get_user_folder(tmp_path), "a", "{}")
    files = InstanceFiles(SPACE, [get_user_folder(tmp_path)], cache=cache)
    while len(cache) == 0:
        first = files.find_instance("a")
    assert files.find_instance("a") is files.find_instance("a")
    assert files.find_instance("a") == first


NAMES = ["a", "ab,", "Ab", "a b", "日本語", "a.b", "a\n", "x" * 250, "con", "é"]


def test_every_valid_file_name_is_listed_read_and_removed(tmp_path: Path) -> None:
    for name in NAMES:
        write_file(get_user_folder(tmp_path), name, "{}")
    files = open_instance_files(tmp_path)
    assert files.list_instance_names() == sorted(NAMES)
    for name in NAMES:
        with files.lock_instance(name) as slot:
            assert slot.remove_file_and_return_instance().name == name
    assert files.list_instance_names() == []


def test_other_files_are_not_instances(tmp_path: Path) -> None:
    folder = get_user_folder(tmp_path)
    folder.mkdir(parents=True)
    for file in (
        ".hidden.json",
        ".json",
        "a.JSON",
        "a.json~",
        "a.json1732133931.12",
        "README.md",
        ".a.0123456789ab.tmp",
    ):
        (folder / file).write_text("{}")
    (folder / "sub").mkdir()
    (folder / os.fsdecode(b"\xff.json")).write_text("{}")
    assert open_instance_files(tmp_path).list_instance_names() == []


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "/a", ".hidden", "a/b", "a\x00", "\udc80", "x" * 251])
def test_impossible_file_name_is_absent(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert open_instance_files(tmp_path).find_instance(name) is None
