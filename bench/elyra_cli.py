"""Compare the metadata commands with those of Elyra 4.1.1, from start to end, in CPU time of the processes and in wall
time.

`--elyra` (of run.py) is the Python of an environment with `pip install elyra==4.1.1`. Both use the same files and take
turns; the minimum of each is reported. All installed schemaspaces are loaded, as for users.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from elyra_api import SPACE, create_document

ROUNDS = 7
_SIZE = 1_000
_GOAL = 0.1


def measure_rows(python: str | None) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    if python is None:
        raise SystemExit("name the Python of an environment with elyra==4.1.1: --elyra PYTHON")
    theirs = [str(Path(python).parent / "elyra-metadata")]
    ours = [sys.executable, "-m", "jupyter_colophon.cli", "metadata"]
    with TemporaryDirectory() as home:
        folder = Path(home, "metadata", SPACE)
        folder.mkdir(parents=True)
        for number in range(_SIZE):
            (folder / f"snippet_{number}.json").write_text(json.dumps(create_document(number)))
        for what, words in (
            ("list of no instances", ["list", "runtimes"]),
            ("help", ["--help"]),
            (f"list of {_SIZE:,} instances", ["list", SPACE]),
        ):
            yield from _compare_commands(f"command line, {what}", [[*side, *words] for side in (ours, theirs)], home)


def _compare_commands(what: str, sides: Sequence[list[str]], home: str) -> Iterator[tuple[str, ...]]:
    # The first run compiles to bytecode, as an installation does.
    for side in sides:
        _measure_process(side, home)
    rounds = [[_measure_process(side, home) for side in sides] for _ in range(ROUNDS)]
    (our_cpu, our_time), (their_cpu, their_time) = (
        tuple(min(figures) for figures in zip(*(item[at] for item in rounds), strict=True)) for at in range(2)
    )
    for unit, mine, other in (("CPU s", our_cpu, their_cpu), ("s", our_time, their_time)):
        yield f"{what}, {unit}", f"{mine:.2f}", f"{other:.2f} (Elyra)", f"{mine / other:.3f}", f"<= {_GOAL}"


def _measure_process(command: list[str], home: str) -> tuple[float, float]:
    """Return CPU seconds and wall seconds of a process and its children."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "JUPYTER_DATA_DIR": home,
        "JUPYTER_CONFIG_DIR": f"{home}/c",
    }
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, timeout=300, env=environment)
    after, taken = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begun
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, taken
