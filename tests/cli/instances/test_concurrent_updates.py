"""Concurrent updates of an instance, with and without a catalog."""

import subprocess
import sys

import pytest
from support.catalog import open_catalog_file
from support.shell import InstanceShell

OPTIONS = {"--tags=a,b": ("tags", ["a", "b"]), "--is_new=true": ("is_new", True), "--ratio=9": ("ratio", 9)} | {
    "--database=d": ("database", "d"),
    "--size=7": ("size", 7),
}


@pytest.mark.parametrize("has_catalog", [True, False], ids=["catalog", "files alone"])
def test_concurrent_updates_are_merged(shell: InstanceShell, has_catalog: bool) -> None:
    if has_catalog:
        shell.commands.database.parent.mkdir(parents=True)
        open_catalog_file(shell.commands.database).close()
    shell.write_instance_file("things", "it", {"display_name": "It", "schema_name": "thing", "metadata": {"size": 1}})
    command = [sys.executable, "-m", "jupyter_colophon.cli", "metadata", "update", "things", "--name=it"]
    environment = shell.commands.whole_environment
    started = [
        subprocess.Popen([*command, option], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for option in OPTIONS
    ]
    ended = [(process.communicate(timeout=300)[0], process.returncode) for process in started]
    assert [status for _, status in ended] == [0] * len(OPTIONS), ended
    metadata = shell.read_instance_file("things", "it")["metadata"]
    assert {key: metadata[key] for key, _ in OPTIONS.values()} == dict(OPTIONS.values())
