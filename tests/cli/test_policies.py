"""Access policies on the command line: stored ones, and files that are checked without a catalog."""

import json
from pathlib import Path

from support.commands import Commands

GOOD = "rules:\n  - role: viewer\n    to: [group:analysts]\n    on: {namespace: [default]}\n"


def test_policies_are_stored_from_files_listed_shown_and_deleted(colophon: Commands, tmp_path: Path) -> None:
    file = tmp_path / "sales.yaml"
    file.write_text(GOOD)
    assert colophon("policies", "list").out == "No policies.\n"
    assert colophon("policies", "set", "sales-team", str(file)).out == "Access policy sales-team stored, version 1.\n"
    listed = colophon("policies", "list").out
    assert ("sales-team" in listed, "group:analysts" in listed) == (True, True)
    shown = colophon("policies", "show", "sales-team")
    rule = {"role": "viewer", "to": ["group:analysts"], "on": {"namespace": ["default"]}}
    assert json.loads(shown.out) == {"rules": [rule]}
    file.write_text(GOOD.replace("default", "nowhere"))
    changed = colophon("policies", "set", "urn:li:accessPolicy:sales-team", str(file)).out
    assert "version 2" in changed
    assert "/rules/0/on/namespace/0: there is no namespace 'nowhere'" in changed
    assert colophon("policies", "delete", "sales-team").out == "Access policy sales-team deleted.\n"
    missing = colophon("policies", "show", "sales-team")
    assert (missing.status, "not found" in missing.err) == (1, True)


def test_an_invalid_file_is_not_stored(colophon: Commands, tmp_path: Path) -> None:
    file = tmp_path / "sales.json"
    file.write_text('{"rules": [{"role": "king", "to": ["*"]}]}')
    refused = colophon("policies", "set", "sales-team", str(file))
    assert (refused.status, "/rules/0/role" in refused.err) == (1, True)
    assert colophon("policies", "list").out == "No policies.\n"


def test_files_are_checked_without_a_catalog(colophon: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "good.yaml").write_text(GOOD)
    assert colophon.run("policies", "check", str(folder)).out == "1 access policies are valid.\n"
    (folder / "bad.yaml").write_text(GOOD + "  - {role: king, to: [ada]}\n")
    (folder / "broken.json").write_text("{")
    done = colophon.run("policies", "check", str(folder))
    lines = done.out.splitlines()
    assert (done.status, len(lines)) == (1, 3)
    assert {line.split(": ")[0] for line in lines} == {f"{folder}/bad.yaml:5", f"{folder}/broken.json"}
    assert {line.split(": ")[1] for line in lines if "bad" in line} == {"/rules/1/role", "/rules/1/to/0"}
    faults = colophon.run("policies", "check", "--json", str(folder / "bad.yaml")).answer
    assert (faults["ok"], faults["files"], len(faults["faults"])) == (False, 1, 2)
    missing = colophon.run("policies", "check", str(folder / "none.yaml"))
    assert (missing.status, "cannot be read" in missing.out) == (1, True)
    assert colophon.run("policies", "check").status == 2


def test_a_user_who_may_read_nothing_is_referred_to_the_stewards(colophon: Commands) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    config = folder / "jupyter_server_config.py"
    config.write_text('c.Colophon.admins = ["grace"]\n')
    nothing = "You have no permission to read anything in this catalog; ask "
    assert colophon("search", "*").out == f"nothing found\n{nothing}an administrator of the server.\n"
    assert colophon("search", "*", "--json").answer == {"total": 0, "hits": []}
    config.write_text(config.read_text() + 'c.Colophon.stewards = ["ivy", "urn:li:corpGroup:data team"]\n')
    shown = colophon("show", "sales.orders")
    assert (shown.status, f"dataset 'sales.orders' not found. {nothing}ivy or data team." in shown.err) == (1, True)
