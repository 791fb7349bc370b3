"""Search and lineage immediately see the writes of another process."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import choice
from faults.size import sized
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.store import StorageChoice
from support.catalog import ADA, search_catalog
from support.process import start_script_process
from support.stores import READY
from support.urns import build_table_urn

WRITES = sized(40, 10_000)
#: Writes for each number it reads, and prints the number afterwards: a value that can be searched for, and a run.
WRITER = """
from faults.choice import open_choice
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from support.catalog import ADA, write_metadata
from support.urns import build_cell_urn, build_table_urn
catalog = open_choice(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    number = line.strip()
    target = build_table_urn(f"target{int(number) // 100}")
    write_metadata(catalog, target, {"number": f"n{number}"})
    run = catalog.write_path.start_run(RunStart(Urn.parse(build_cell_urn(f"c{number}")), number, 1_000, 2_000, "succeeded"), ADA)
    catalog.write_path.record_run_accesses(run.urn, [Access(Urn.parse(target), "write")], [], ADA)
    print(number, flush=True)
"""


@pytest.fixture(params=sorted(READY.keys() - {"toy"}))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageChoice]:
    """Open every store that several processes can share."""
    with READY[request.param](tmp_path) as chosen:
        yield chosen


def read_line(writer: "subprocess.Popen[str]") -> str:
    """Return the next line of a writer."""
    assert writer.stdout is not None
    return writer.stdout.readline().strip()


def test_search_and_lineage_see_writes_of_another_process_immediately(store: StorageChoice) -> None:
    catalog = choice.open_choice(choice.format_choice(store))
    with start_script_process(WRITER, choice.format_choice(store)) as writer:
        assert writer.stdin is not None
        assert read_line(writer) == "ready"
        for number in range(WRITES):
            writer.stdin.write(f"{number}\n")
            writer.stdin.flush()
            assert read_line(writer) == str(number)
            target = build_table_urn(f"target{number // 100}")
            assert [hit.summary.urn for hit in search_catalog(catalog, f"number:n{number}").hits] == [target]
            request = LineageRequest(Urn.parse(target), "upstream", 1)
            sources = {edge.source for edge in catalog.lineage.read_lineage(request, ADA).edges}
            assert any(source.endswith(f"#c{number})") for source in sources), json.dumps(sorted(sources))
    catalog.close()
