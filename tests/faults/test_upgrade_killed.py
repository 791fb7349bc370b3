"""An upgrade that is killed at any moment continues, and ends as one that was not (spec STORE-21)."""

from pathlib import Path
from typing import Any

import pytest
from faults.choice import format_choice
from faults.size import sized
from jupyter_colophon.composition import create_or_migrate_store
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.registry_files import load_entity_registry
from jupyter_colophon.storage import providers, tables
from jupyter_colophon.storage.migrations.runner import read_migration_progress
from jupyter_colophon.storage.spi import Range, TableContext
from support.old_catalogs import OLD
from support.process import run_script

#: Upgrades of each store, each of which is killed several times.
UPGRADES = sized(1, 40)
#: Upgrades a store in forks that a timer kills, each a little later than the one before, until one of them has ended.
KILLED = """
import json, os, random, signal
from jupyter_colophon.composition import create_or_migrate_store
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.service.registry_files import load_entity_registry
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.postgresql import provider
from jupyter_colophon.storage.sqlite import provider
choice, chance, registry = StorageChoice(**json.loads(sys.argv[1])), random.Random(int(sys.argv[2])), load_entity_registry(None)
killed = 0
while True:
    child = os.fork()
    if child == 0:
        # Nothing handles the signal: the process ends at once, as by SIGKILL.
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.001, 0.03 * (killed + 1)))
        store = providers.open_complete_provider(choice)
        create_or_migrate_store(store, registry)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGALRM, status
    killed += 1
print(killed)
"""


def _read_rows(choice: StorageChoice) -> dict[str, Any]:
    """Return all rows of a store, derived ones too, without its key and settings."""
    store = providers.open_complete_provider(choice)

    def read(tx: TableContext) -> dict[str, Any]:
        rows: dict[str, Any] = {
            spec.id: list(tx.get_table(spec.id).scan(Range())) for spec in tables.ALL if spec.id != "settings"
        }
        return rows | {"log": tx.log.read_changes(0, 10_000, {}), "schema": read_migration_progress(tx)}

    try:
        assert store.find_store_problems() == []
        return store.tx_runner.run(read, read_only=True)
    finally:
        store.close()


@pytest.mark.parametrize("name", list(OLD))
def test_killed_upgrade_loses_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / f"whole{name}").mkdir()
    with OLD[name](tmp_path / f"whole{name}") as choice:
        store = providers.open_complete_provider(choice)
        create_or_migrate_store(store, load_entity_registry(None))
        store.close()
        expected = _read_rows(choice)
    kills = 0
    for upgrade in range(UPGRADES):
        folder = tmp_path / f"killed{name}{upgrade}"
        folder.mkdir()
        with OLD[name](folder) as choice:
            kills += int(run_script(KILLED, format_choice(choice), str(upgrade)).splitlines()[-1])
            assert _read_rows(choice) == expected
    assert kills > UPGRADES
