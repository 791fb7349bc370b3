"""The wall clock jumps: back an hour, forward ten days, back ten days."""

import json
import subprocess
import sys
from pathlib import Path

from faults import choice, shim
from faults.oracle import find_violations, parse_acknowledgements
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.store import choose_sqlite_store
from support.catalog import ADA
from support.urns import build_table_urn

DAY = 24 * 3600
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from faults import shim
from faults.choice import open_choice
from faults.workload import Write
catalog = open_choice(sys.argv[2])
for number, seconds in enumerate(json.loads(sys.argv[3])):
    shim.shift_clock(seconds)
    for at in range(6):
        print(json.dumps({"number": f"j-{6 * number + at}", "written": Write(f"j-{6 * number + at}").apply(catalog)}), flush=True)
catalog.close()
"""


def test_clock_changes_do_not_affect_versions_and_log_order(tmp_path: Path) -> None:
    store = choice.format_choice(choose_sqlite_store(tmp_path / "catalog.db"))
    jumps = [0, -3600, 10 * DAY, -10 * DAY, 3600, 0]
    arguments = ["-c", SCRIPT, str(Path(__file__).parents[1]), store, json.dumps(jumps)]
    done = subprocess.run(
        [sys.executable, *arguments], env=shim.environment(tmp_path), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    catalog = choice.open_choice(store)
    assert find_violations(catalog, parse_acknowledgements(done.stdout)) == []
    history, _ = catalog.reader.list_aspect_versions(
        Urn.parse(build_table_urn("t0")), "technicalMetadata", 500, "", ADA
    )
    times = [one.time for one in history]
    assert [one.version for one in history] == list(range(len(history), 0, -1))
    assert max(times) - min(times) > 19 * DAY * 1000, "the clock did jump"
    catalog.close()
