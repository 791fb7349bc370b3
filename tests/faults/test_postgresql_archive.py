"""The steps of docs/how-to/back-up-and-restore.md restore a catalog on PostgreSQL as it was at a time."""

import time
from datetime import UTC, datetime

import pytest
from faults import choice
from faults.size import IS_FULL
from faults.test_postgresql import Writers
from faults.workload import ASPECTS
from jupyter_colophon.core.store import StorageChoice
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.postgres import PostgresServer


@pytest.mark.skipif(not IS_FULL, reason="copies a database cluster and starts it twice: make long-faults")
def test_a_time_is_restored_from_base_backup_and_write_ahead_log() -> None:
    server = PostgresServer()
    try:
        archive = server.create_folder("wal")
        server.restart(archive_mode="on", archive_command=f"test ! -f {archive}/%f && cp %p {archive}/%f")
        store = choice.format_choice(StorageChoice("postgresql", {"dsn": server.dsn}))
        catalog = choice.open_choice(store)
        with Writers(catalog, "a") as writers:
            writers.wait_for(20)
            base = server.take_base_backup("base")
            writers.wait_for(20)
        moment = time.time()
        time.sleep(0.1)
        with Writers(catalog, "b") as later:
            later.wait_for(20)
        catalog.close()
        instant = datetime.fromtimestamp(moment, UTC).isoformat()
        # Before it ends, the server archives everything.
        server.recover(
            base,
            restore_command=f"cp {archive}/%f %p",
            recovery_target_time=instant,
            recovery_target_action="promote",
        )
        restored = choice.open_choice(store)
        assert list_integrity_issues(create_maintenance(restored)) == []
        changes = restored.feed.read_visible_changes(0, 100_000, {}, ADA)
        values = [change.value for change in changes if change.aspect in ASPECTS and change.value is not None]
        numbers = {value["properties"].get("number") for value in values}
        assert {write.number for write in writers.acknowledged} <= numbers
        assert not {write.number for write in later.acknowledged} & numbers
        restored.close()
    finally:
        server.stop()
