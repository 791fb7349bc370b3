"""What is read of instances' files, and how those that cannot be read are told."""

import contextlib
import json
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from jupyter_colophon.storage.files.document_cache import KeptDocuments
from jupyter_colophon.storage.files.instances import InstanceFiles
from support.files import SPACE, as_nobody, document, files_of, put, shared_folder, user_folder


def test_a_document_is_what_the_file_says_without_what_the_file_says_of_itself(tmp_path: Path) -> None:
    told = document(1) | {"name": "other", "resource": "/elsewhere", "reason": "ValueError", "extra": [1]}
    path = put(user_folder(tmp_path), "a", json.dumps(told))
    held = files_of(tmp_path).read("a")
    assert held is not None
    assert held.document == document(1) | {"extra": [1]}
    assert (held.name, held.resource, held.own, held.problem) == ("a", str(path), True, "")
    assert held.time == path.stat().st_mtime_ns // 1_000_000
    assert held.owner == path.owner()


def test_what_was_never_there_is_none_and_asking_makes_nothing(tmp_path: Path) -> None:
    files = files_of(tmp_path)
    assert files.read("a") is None
    assert list(files.read_many(["a", "b"])) == []
    assert files.names() == []
    assert not files.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_first_folder_that_has_a_name_counts(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "both", json.dumps(document(1)))
    put(shared_folder(tmp_path), "both", json.dumps(document(2)))
    put(shared_folder(tmp_path), "below", json.dumps(document(3)))
    files = files_of(tmp_path)
    assert files.names() == ["below", "both"]
    below, both = files.read_many(files.names())
    assert (below.document, below.own) == (document(3), False)
    assert (both.document, both.own) == (document(1), True)


def test_a_broken_file_below_harms_nothing_and_a_broken_one_above_is_shown(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "good", json.dumps(document(1)))
    put(shared_folder(tmp_path), "good", "{")
    put(user_folder(tmp_path), "bad", "{")
    put(shared_folder(tmp_path), "bad", json.dumps(document(2)))
    bad, good = files_of(tmp_path).read_many(["bad", "good"])
    assert (good.document, good.problem) == (document(1), "")
    assert (bad.document, bad.own) == (None, True)
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
def test_what_is_no_document_is_held_with_a_sentence_that_says_why(tmp_path: Path, text: bytes) -> None:
    path = put(user_folder(tmp_path), "a", text)
    held = files_of(tmp_path).read("a")
    assert held is not None
    assert (held.document, held.own, held.resource) == (None, True, str(path))
    assert REASONS[text] in held.problem


def test_last_of_repeated_members_counts_with_a_warning(tmp_path: Path) -> None:
    put(user_folder(tmp_path), "a", b'{"a": {"b": 1, "b": 2, "c": 3}}')
    for held in (files_of(tmp_path).read("a"), files_of(tmp_path).read("a")):
        assert held is not None
        assert (held.document, held.problem) == ({"a": {"b": 2, "c": 3}}, "")
        assert "same member twice" in held.warning


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    # The name of a socket has at most 107 characters, fewer than paths of tests.
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)


def _link(path: Path) -> None:
    """Out of the folder, by way of a link within it."""
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
def test_what_is_no_file_to_be_read_is_not_read_and_told(tmp_path: Path, reason: str) -> None:
    folder = user_folder(tmp_path)
    folder.mkdir(parents=True)
    KINDS[reason](folder / "a.json")
    files = files_of(tmp_path)
    assert files.names() == ["a"]
    held = files.read("a")
    assert held is not None
    assert held.document is None
    assert reason in held.problem


def mounted(folder: Path, version: str, text: str) -> None:
    """As Kubernetes mounts a ConfigMap, and changes it: files behind a link that is replaced."""
    (folder / version).mkdir(parents=True)
    (folder / version / "a.json").write_text(text)
    (folder / "new").symlink_to(version)
    (folder / "new").rename(folder / "..data")
    if not (folder / "a.json").is_symlink():
        (folder / "a.json").symlink_to("..data/a.json")


def test_what_a_mounted_config_map_shows_is_read_and_follows_its_changes(tmp_path: Path) -> None:
    folder, files = shared_folder(tmp_path), files_of(tmp_path)
    for version, text in (("..first", '{"a": 1}'), ("..second", '{"a": 2}')):
        mounted(folder, version, text)
        held = files.read("a")
        assert held is not None
        assert (held.document, held.own, held.resource) == (json.loads(text), False, str(folder / "a.json"))
    assert files.names() == ["a"]


def test_a_file_that_this_account_may_not_read_is_told() -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        folder.chmod(0o755)
        put(folder, "closed", "{}").chmod(0)
        put(folder, "open", "{}").chmod(0o644)
        files = InstanceFiles(SPACE, [folder], kept=KeptDocuments())
        with as_nobody():
            closed, other = files.read_many(files.names())
    assert (closed.document, other.document) == (None, {})
    assert "Permission denied" in closed.problem


def test_a_mark_is_the_same_where_the_document_is_however_it_is_written(tmp_path: Path) -> None:
    folder = user_folder(tmp_path)
    put(folder, "a", '{"b": [1, "é"], "a": {}}')
    put(folder, "b", '{\n  "a": {},\n  "b": [\n 1, "\\u00e9"]}\n')
    put(folder, "c", '{"b": [1, "e"], "a": {}}')
    put(folder, "d", "{")
    put(folder, "e", "{")
    a, b, c, d, e = files_of(tmp_path).read_many("abcde")
    assert a.mark == b.mark
    assert d.mark == e.mark
    assert len({a.mark, c.mark, d.mark}) == 3


def test_each_change_is_seen_even_one_that_leaves_the_same_size_at_once(tmp_path: Path) -> None:
    path = put(user_folder(tmp_path), "a", json.dumps(document(0)))
    files = files_of(tmp_path)
    for number in range(1, 10):
        path.write_text(json.dumps(document(number)))
        held = files.read("a")
        assert held is not None
        assert held.document == document(number)


def test_a_file_with_a_forged_time_is_seen_to_have_changed(tmp_path: Path) -> None:
    path = put(user_folder(tmp_path), "a", json.dumps(document(1)))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    files = files_of(tmp_path)
    assert files.read("a") is not None
    path.write_text(json.dumps(document(2)))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    held = files.read("a")
    assert held is not None
    assert held.document == document(2)


def test_what_is_unchanged_for_a_while_is_not_read_again(tmp_path: Path) -> None:
    kept = KeptDocuments()
    put(user_folder(tmp_path), "a", "{}")
    files = InstanceFiles(SPACE, [user_folder(tmp_path)], kept=kept)
    while len(kept) == 0:
        first = files.read("a")
    assert files.read("a") is files.read("a")
    assert files.read("a") == first


NAMES = ["a", "ab,", "Ab", "a b", "日本語", "a.b", "a\n", "x" * 250, "con", "é"]


def test_every_name_that_a_file_can_have_is_listed_and_can_be_read_and_removed(tmp_path: Path) -> None:
    for name in NAMES:
        put(user_folder(tmp_path), name, "{}")
    files = files_of(tmp_path)
    assert files.names() == sorted(NAMES)
    for name in NAMES:
        with files.slot(name) as slot:
            assert slot.remove().name == name
    assert files.names() == []


def test_other_files_are_no_instances(tmp_path: Path) -> None:
    folder = user_folder(tmp_path)
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
    assert files_of(tmp_path).names() == []


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "/a", ".hidden", "a/b", "a\x00", "\udc80", "x" * 251])
def test_what_no_file_can_be_called_is_absent(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert files_of(tmp_path).read(name) is None
