"""What one process writes, another finds and traces at once."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import choice
from faults.size import sized
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageQuestion
from jupyter_colophon.core.store import StoreChoice
from support.catalog import ADA, search
from support.process import running
from support.stores import READY
from support.urns import table

WRITES = sized(80, 10_000)
#: Writes when it is told a number, and says when it is done: a value that is searched for, and a run.
WRITER = """
from faults.choice import catalog_of
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from support.catalog import ADA, say
from support.urns import cell, table
catalog = catalog_of(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    number = line.strip()
    target = table(f"target{int(number) // 100}")
    say(catalog, target, {"number": f"n{number}"})
    run = catalog.write_path.start_run(RunStart(Urn.parse(cell(f"c{number}")), number, 1_000, 2_000, "succeeded"), ADA)
    catalog.write_path.record_accesses(run.urn, [Access(Urn.parse(target), "write")], [], ADA)
    print(number, flush=True)
"""


@pytest.fixture(params=sorted(READY.keys() - {"toy"}))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreChoice]:
    """Every store that several processes can share."""
    with READY[request.param](tmp_path) as chosen:
        yield chosen


def said(writer: "subprocess.Popen[str]") -> str:
    """The next word of a writer."""
    assert writer.stdout is not None
    return writer.stdout.readline().strip()


def test_search_and_lineage_see_each_write_at_once_from_another_process(store: StoreChoice) -> None:
    catalog = choice.catalog_of(choice.told(store))
    with running(WRITER, choice.told(store)) as writer:
        assert writer.stdin is not None
        assert said(writer) == "ready"
        for number in range(WRITES):
            writer.stdin.write(f"{number}\n")
            writer.stdin.flush()
            assert said(writer) == str(number)
            target = table(f"target{number // 100}")
            assert [hit.summary.urn for hit in search(catalog, f"number:n{number}").hits] == [target]
            question = LineageQuestion(Urn.parse(target), "upstream", 1)
            sources = {edge.source for edge in catalog.lineage.lineage(question, ADA).edges}
            assert any(source.endswith(f"#c{number})") for source in sources), json.dumps(sorted(sources))
    catalog.close()
