"""DataHub's own classes read the messages that we send to Kafka."""

import json
from pathlib import Path
from typing import Any

from datahub.conftest import Program
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.datahub.mcl import build_metadata_change_log
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import ADA, write_metadata
from support.urns import ORDERS


def test_datahubs_classes_read_our_change_log(program: Program, tmp_path: Path) -> None:
    catalog = open_or_create_catalog(choose_sqlite_store(tmp_path / "store.db"), IdentityRules())
    write_metadata(catalog, ORDERS, {"owner": "Zoë"})
    write_metadata(catalog, ORDERS, {"owner": "ada"})
    changes = catalog.feed.read_visible_changes(0, 100, {}, ADA)
    reported = [one for change in changes if (one := build_metadata_change_log(change, catalog.registry)) is not None]
    catalog.close()
    read = program(_READ.format(json.dumps(reported)))
    assert [one.pop("valid") for one in read] == [True] * len(reported)
    assert [_as_sent(one) for one in read] == reported
    assert json.loads(reported[-1]["previousAspectValue"]["value"])["properties"] == {"owner": "Zoë"}


def _as_sent(one: dict[str, Any]) -> dict[str, Any]:
    """Without what the class adds: the run before, which nobody described."""
    if "systemMetadata" in one:
        assert one["systemMetadata"].pop("lastRunId") == "no-run-id-provided"
    return one


_READ = """
from datahub.metadata.schema_classes import MetadataChangeLogClass
read = [MetadataChangeLogClass.from_obj(one) for one in json.loads({0!r})]
print(json.dumps([one.to_obj() | {{"valid": one.validate()}} for one in read]))
"""
