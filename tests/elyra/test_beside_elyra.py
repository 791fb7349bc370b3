"""Elyra 4.1.1 on the same files, in the same server and on its own command line (tests/elyra/requirements.txt)."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest
from live import LiveServer, run_live_server
from support.instances import FYRE
from support.snippets import SPACE, build_snippet

#: Created by `make`; not part of the distribution.
ELYRA = Path(__file__).parents[2] / ".venv" / "elyra" / "bin"
OURS, THEIRS = f"colophon/api/schemaspaces/{SPACE}/instances", f"elyra/metadata/{SPACE}"
#: A timeout in seconds, which matters only when a test fails.
PATIENCE_S = 300.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Start a server with both extensions; `/elyra/…` is served by Elyra."""
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    enabled = "--ServerApp.jpserver_extensions={'elyra': True, 'jupyter_colophon': True}"
    with run_live_server(root, home, enabled, python=str(ELYRA / "python")) as running:
        yield running


def seen_by_elyra(server: LiveServer, name: str) -> str | None:
    """Return the display name that Elyra returns, or None if it finds no such instance."""
    try:
        return str(server.call("GET", f"{THEIRS}/{name}")["display_name"])
    except HTTPError as error:
        if error.code != 404:
            raise
        return None


def wait_for_elyra(server: LiveServer, name: str, selected: str | None) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while (seen := seen_by_elyra(server, name)) != selected:
        assert time.monotonic() < deadline, f"Elyra has {seen!r}, not {selected!r}"
        time.sleep(0.05)


def actors(server: LiveServer, name: str) -> list[str]:
    """Return the author of each version of an instance, the oldest first."""
    found = server.call("GET", f"colophon/api/entities/urn:li:instance:({SPACE},{name})/aspects/instance/versions")
    return ["outside" if one["actor"].startswith("outside:") else "us" for one in reversed(found["versions"])]


def command(server: LiveServer, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(server.data)}
    return subprocess.run([*words], env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_elyra_sees_our_saves_and_removals(server: LiveServer) -> None:
    server.call("POST", OURS, build_snippet("Shared"))
    wait_for_elyra(server, "shared", "Shared")
    for title in ("Second", "Third"):
        server.call("PUT", f"{OURS}/shared", build_snippet(title))
        wait_for_elyra(server, "shared", title)
    # A process other than Elyra's server.
    ours = [sys.executable, "-m", "jupyter_colophon.cli", "metadata"]
    done = command(server, *ours, "update", SPACE, "--name=shared", "--display_name=Fourth")
    assert done.returncode == 0, done.stdout
    wait_for_elyra(server, "shared", "Fourth")
    server.call("DELETE", f"{OURS}/shared")
    wait_for_elyra(server, "shared", None)
    server.call("POST", OURS, build_snippet("Shared", code=["again"]))
    assert server.call("GET", f"{THEIRS}/shared")["metadata"]["code"] == ["again"]
    assert set(actors(server, "shared")) == {"us"}


def test_concurrent_edits_by_both_are_kept(server: LiveServer) -> None:
    server.call("POST", THEIRS, build_snippet("Both", tags=["theirs"]))
    for number in range(3):
        mine = server.call("GET", f"{OURS}/both")
        title = f"{mine['display_name']}, ours {number}"
        metadata = {**mine["metadata"], "tags": [*mine["metadata"]["tags"], f"ours {number}"]}
        server.call("PUT", f"{OURS}/both", {**build_snippet(title), "metadata": metadata})
        wait_for_elyra(server, "both", title)
        theirs = server.call("GET", f"{THEIRS}/both")
        metadata = {**theirs["metadata"], "tags": [*theirs["metadata"]["tags"], f"theirs {number}"]}
        server.call("PUT", f"{THEIRS}/both", {**theirs, "metadata": metadata})
    expected = ["theirs", *(f"{side} {number}" for number in range(3) for side in ("ours", "theirs"))]
    assert server.call("GET", f"{OURS}/both")["metadata"]["tags"] == expected
    assert actors(server, "both") == ["outside", *["us", "outside"] * 3]
    listed = json.loads(command(server, str(ELYRA / "python"), "-c", LIST).stdout)
    assert listed == {"both": expected}
    server.call("DELETE", f"{THEIRS}/both")
    with pytest.raises(HTTPError, match="404"):
        server.call("GET", f"{OURS}/both")


#: Lists instances in a new process of Elyra; the output of `elyra-metadata list --json` is not JSON.
LIST = f"""
import json
from elyra.metadata.manager import MetadataManager
print(json.dumps({{one.name: one.metadata["tags"] for one in MetadataManager({SPACE!r}).get_all() if one.name == "both"}}))
"""


def test_elyra_commands_log_nothing_about_us(server: LiveServer) -> None:
    done = command(server, str(ELYRA / "elyra-metadata"), "list", "runtimes")
    assert (done.returncode, done.stdout) == (0, "No metadata instances found for runtimes\n")
    assert done.stderr == ""


def test_old_and_irregular_files_are_valid_for_both(server: LiveServer) -> None:
    put_file(server, "runtimes", "kfp-fyre", json.dumps(FYRE))
    put_file(server, SPACE, "years", json.dumps(build_snippet("Years", tags=[2023, "v1"])))
    twice = json.dumps(build_snippet("Twice")).replace('"language"', '"language": "R", "language"')
    put_file(server, SPACE, "twice", twice)
    for space, name in (("runtimes", "kfp-fyre"), (SPACE, "years"), (SPACE, "twice")):
        ours = server.call("GET", f"colophon/api/schemaspaces/{space}/instances/{name}")
        theirs = server.call("GET", f"elyra/metadata/{space}/{name}")
        assert (ours["valid"], ours["metadata"].keys()) == (True, theirs["metadata"].keys())


def put_file(server: LiveServer, space: str, name: str, text: str) -> None:
    path = server.data / "metadata" / space / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
