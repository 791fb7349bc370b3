"""What we tell on Kafka is what DataHub's own classes read."""

import json
from pathlib import Path
from typing import Any

from datahub.conftest import Program
from jupyter_colophon.composition import open_catalog
from jupyter_colophon.core.datahub.mcl import log_entry
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import sqlite_file
from support.catalog import ADA, say
from support.urns import ORDERS


def test_datahubs_classes_read_our_change_log(program: Program, tmp_path: Path) -> None:
    catalog = open_catalog(sqlite_file(tmp_path / "store.db"), Identity())
    say(catalog, ORDERS, {"owner": "Zoë"})
    say(catalog, ORDERS, {"owner": "ada"})
    changes = catalog.feed.changes(0, 100, {}, ADA)
    told = [one for change in changes if (one := log_entry(change, catalog.registry)) is not None]
    catalog.close()
    read = program(_READ.format(json.dumps(told)))
    assert [one.pop("valid") for one in read] == [True] * len(told)
    assert [_as_sent(one) for one in read] == told
    assert json.loads(told[-1]["previousAspectValue"]["value"])["properties"] == {"owner": "Zoë"}


def _as_sent(one: dict[str, Any]) -> dict[str, Any]:
    """Without what the class adds: the run before, of which nobody said anything."""
    if "systemMetadata" in one:
        assert one["systemMetadata"].pop("lastRunId") == "no-run-id-provided"
    return one


_READ = """
from datahub.metadata.schema_classes import MetadataChangeLogClass
read = [MetadataChangeLogClass.from_obj(one) for one in json.loads({0!r})]
print(json.dumps([one.to_obj() | {{"valid": one.validate()}} for one in read]))
"""
