"""Compare our listener with OpenLineage's Spark agent over a hundred statements: each difference has an explanation.

`make long-oracle` runs it. It is too slow for `make test`, so pytest does not collect it by its name.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from support.oracle import list_cases, read_corpus

Row = Mapping[str, Any]


def test_differences_from_agent_match_explanations(tmp_path: Path) -> None:
    out = tmp_path / "both.jsonl"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    subprocess.run(
        [sys.executable, "-m", "support.oracle", str(out)],
        env=os.environ | {"PYTHONPATH": paths, "JUPYTER_DATA_DIR": str(tmp_path)},
        check=True,
        timeout=3_000,
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["case"] for row in rows] == [case["name"] for case in list_cases()]
    found = {(row["case"], what) for row in rows for what in differences(row)}
    explained = {(one["case"], one["what"]) for one in read_corpus("differences")["differences"]}
    assert sorted(found - explained) == [], "not explained"
    assert sorted(explained - found) == [], "explained, but no longer found"


def differences(row: Row) -> Iterator[str]:
    """Yield the differences between the two results for a statement, one per line."""
    ours, agent = row["ours"], row["agent"]
    for what in ("reads", "writes"):
        yield from (f"{what} {name}: ours alone" for name in sorted({*ours[what]} - {*agent[what]}))
        yield from (f"{what} {name}: the agent's alone" for name in sorted({*agent[what]} - {*ours[what]}))
    targets = defaultdict(list)
    for pair in sorted({*ours["columns"], *agent["columns"]}):
        ways = (ours["columns"].get(pair, "nothing"), agent["columns"].get(pair, "nothing"))
        source, _, target = pair.partition(" -> ")
        if ways[0] != ways[1]:
            targets[(source, *ways)].append(target)
    for (source, one, other), made in targets.items():
        yield f"{source} to {', '.join(made)}: ours {one}, the agent's {other}"
