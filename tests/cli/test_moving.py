"""Entities go where changed namespace rules say, with all that search knows of them."""

from pathlib import Path

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, metadata, opened
from support.commands import Commands

FILE = "urn:li:dataset:(urn:li:dataPlatform:file,/lake/raw/a.csv,PROD)"
OTHER = "urn:li:dataset:(urn:li:dataPlatform:file,/home/b.csv,PROD)"
FIELD = f"urn:li:schemaField:({FILE},price)"


def test_changed_rules_move_entities_with_what_is_said_of_them(colophon: Commands, database: Path) -> None:
    catalog = opened(database)
    for urn in (FILE, OTHER, FIELD):
        for note in ("old", "new"):
            value = metadata({"note": note}, ["raw"])
            catalog.write_path.propose([Proposal(Urn.parse(urn), "businessMetadata", "upsert", value)], ADA)
    catalog.write_path.propose([Proposal(Urn.parse(OTHER), None, "delete")], ADA)
    catalog.close()
    config = colophon.home / "rules.py"
    config.write_text('c.Colophon.namespace_rules = [("*file,/lake/*", "lake"), ("*file,/home/*", "homes")]\n')
    rules = f"--config={config}"
    assert colophon("dataset", "list", "--namespace=default", "--json").answer["entities"][0]["urn"] == FILE
    told = colophon("reindex", "--namespaces", "--json", rules)
    assert (told.status, told.answer) == (0, {"moved": 3, "mended": 0}), told
    assert colophon("dataset", "list", "--namespace=default").out == "There is none.\n"
    assert [one["urn"] for one in colophon("dataset", "list", "--namespace=lake", "--json").answer["entities"]] == [
        FILE
    ]
    assert "lake" in colophon("namespace", "list", "--json").answer["namespaces"]
    found = colophon("search", "note:new", "--namespace=lake", "--json").answer
    assert {one["urn"] for one in found["hits"]} == {FILE, FIELD}
    assert colophon("search", "note:new", "--namespace=default", "--json").answer["total"] == 0
    assert colophon("verify", rules).out == "everything is whole\n"
    again = colophon("reindex", "--namespaces", rules)
    assert again.out == "0 entities moved, nothing differed\n"
    # Without these rules, they go back.
    assert colophon("reindex", "--namespaces", "--json").answer["moved"] == 3
    assert colophon("verify").out == "everything is whole\n"
