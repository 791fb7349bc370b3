"""`reindex --namespaces` moves entities to the namespaces of changed rules."""

from pathlib import Path

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, build_metadata_value, open_catalog_file
from support.commands import Commands

FILE = "urn:li:dataset:(urn:li:dataPlatform:file,/lake/raw/a.csv,PROD)"
OTHER = "urn:li:dataset:(urn:li:dataPlatform:file,/home/b.csv,PROD)"
FIELD = f"urn:li:schemaField:({FILE},price)"


def test_reindex_moves_entities_to_new_namespaces(colophon: Commands, database: Path) -> None:
    catalog = open_catalog_file(database)
    for urn in (FILE, OTHER, FIELD):
        for note in ("old", "new"):
            value = build_metadata_value({"note": note}, ["raw"])
            catalog.write_path.apply_proposals_atomically(
                [Proposal(Urn.parse(urn), "businessMetadata", "upsert", value)], ADA
            )
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(OTHER), None, "delete")], ADA)
    catalog.close()
    config = colophon.home / "rules.py"
    config.write_text('c.Colophon.namespace_rules = [("*file,/lake/*", "lake"), ("*file,/home/*", "homes")]\n')
    rules = f"--config={config}"
    assert colophon("dataset", "list", "--namespace=default", "--json").answer["entities"][0]["urn"] == FILE
    result = colophon("reindex", "--namespaces", "--json", rules)
    assert (result.status, result.answer) == (0, {"moved": 3, "repaired": 0}), result
    assert colophon("dataset", "list", "--namespace=default").out == "No entities.\n"
    assert [one["urn"] for one in colophon("dataset", "list", "--namespace=lake", "--json").answer["entities"]] == [
        FILE
    ]
    assert "lake" in colophon("namespace", "list", "--json").answer["namespaces"]
    found = colophon("search", "note:new", "--namespace=lake", "--json").answer
    assert {one["urn"] for one in found["hits"]} == {FILE, FIELD}
    assert colophon("search", "note:new", "--namespace=default", "--json").answer["total"] == 0
    assert colophon("verify", rules).out == "no problems found\n"
    again = colophon("reindex", "--namespaces", rules)
    assert again.out == "0 entities moved, no differences found\n"
    # Without these rules, they go back.
    assert colophon("reindex", "--namespaces", "--json").answer["moved"] == 3
    assert colophon("verify").out == "no problems found\n"
