"""People and retention from the command line."""

import getpass
import json

from support.commands import Commands


def test_person_is_exported_and_erased(colophon: Commands) -> None:
    person = getpass.getuser()
    assert colophon("set", "sales.orders", "owner=ops").status == 0
    file = colophon.home / "person.jsonl"
    exported = colophon("person", "export", person, str(file))
    assert (exported.status, "records to" in exported.out) == (0, True)
    assert json.loads(file.read_text().splitlines()[0])["person"] == person
    refused = colophon("person", "erase", person)
    assert (refused.status, "--yes" in refused.err) == (1, True)
    erased = colophon("person", "erase", person, "--yes", "--json").answer
    assert (erased["step"], erased["changed"]["aspects"] > 0) == ("finished", True)
    listed = colophon("person", "erasures")
    assert (erased["pseudonym"] in listed.out, person in listed.out) == (True, False)
    assert colophon("verify").status == 0
    shown = colophon("changes", "--json").out
    assert (erased["pseudonym"] in shown, f'"{person}"' in shown) == (True, False)


def test_versions_that_are_not_kept_are_listed_and_deleted(colophon: Commands) -> None:
    for number in range(4):
        assert colophon("set", "sales.orders", f"n={number}").status == 0
    assert "All versions are kept." in colophon("retention", "show").out
    rules = 'c.Colophon.retention = [{"namespace": "sales", "aspect": "businessMetadata", "config": {"retention": {"version": {"maxVersions": 1}}}}]'
    folder = colophon.home / "config"
    folder.mkdir()
    (folder / "jupyter_server_config.py").write_text(rules)
    assert "businessMetadata" in colophon("retention", "show").out
    planned = colophon("retention", "apply", "--dry-run", "--json").answer
    assert planned["expired"] == [
        {"namespace": "sales", "type": "dataset", "aspect": "businessMetadata", "versions": 3}
    ]
    assert "3 versions deleted" in colophon("retention", "apply").out
    assert colophon("retention", "apply", "--json").answer["expired"] == []
    assert colophon("verify").status == 0
