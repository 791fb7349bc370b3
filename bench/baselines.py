"""Store the ratios of a run of benchmarks, and compare those of another run with them.

`python bench/baselines.py store TABLE` stores the ratios of a table that `bench/run.py` printed, for machines with as
many cores and of the same architecture as this one. `python bench/baselines.py compare TABLE` prints the ratios that
became worse than the stored ones by more than the tolerance, and fails if there are any. A ratio is only comparable
with one from the same class of machines, and only rows with a goal have a direction in which they become worse.
"""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

FOLDER = Path(__file__).with_name("baselines")
#: By how much a ratio may become worse, as a part of the stored one: two runs on a quiet machine differ by less.
TOLERANCE = 0.3
_RATIO = re.compile(r"(\d+(?:\.\d+)?(?:e[-+]\d+)?)x?(?: \(.*\))?")
_GOAL = re.compile(r"(<=|>=) (\d+(?:\.\d+)?)x?")
#: The columns of the table that `bench/run.py` prints.
_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Ratio:
    """A measured ratio with its goal, the date of the run, and the load average of the machine."""

    ratio: float
    goal: str
    measured: str
    load: float

    def is_worse_than(self, other: "Ratio", tolerance: float) -> bool:
        """Return whether this is worse than another ratio by more than the tolerance, in the direction of the goal."""
        if self.goal.startswith("<"):
            return self.ratio > other.ratio * (1 + tolerance)
        return self.ratio < other.ratio / (1 + tolerance)


def name_machine_class() -> str:
    """Return the class of this machine: the number of its cores, and its architecture."""
    return f"{os.cpu_count()}-{platform.machine()}"


def parse_table(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table in Markdown, without its head."""
    for line in lines:
        cells = tuple(cell.strip() for cell in line.strip().strip("|").split(" | "))
        if len(cells) == _COLUMNS and cells[0] != "what":
            yield cells


def extract_ratios(rows: Iterable[tuple[str, ...]]) -> dict[str, Ratio]:
    """Return the ratios of the rows that have a ratio and a goal for it, by what was measured."""
    today, load = date.today().isoformat(), round(os.getloadavg()[0], 1)
    ratios = {}
    for what, _, _, text, goal in rows:
        match = _RATIO.fullmatch(text)
        if match is not None and _GOAL.fullmatch(goal) is not None:
            ratios[what] = Ratio(float(match[1]), goal, today, load)
    return ratios


def read_baseline(path: Path) -> dict[str, Ratio]:
    """Return the stored ratios of a class of machines; none if nothing is stored."""
    if not path.exists():
        return {}
    return {what: Ratio(**ratio) for what, ratio in json.loads(path.read_text()).items()}


def store_ratios(path: Path, ratios: Mapping[str, Ratio]) -> None:
    """Store ratios; those of other benchmarks stay."""
    documents = {what: asdict(ratio) for what, ratio in sorted((read_baseline(path) | dict(ratios)).items())}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(documents, indent=2, ensure_ascii=False) + "\n")


def format_comparison(ratios: Mapping[str, Ratio], baseline: Mapping[str, Ratio], tolerance: float) -> Iterator[str]:
    """Yield a line for each ratio that became worse than the stored one."""
    for what, ratio in ratios.items():
        before = baseline.get(what)
        if before is not None and ratio.is_worse_than(before, tolerance):
            change = ratio.ratio / before.ratio - 1 if before.ratio else float("inf")
            yield (
                f"{what}: {ratio.ratio:g}x, {before.ratio:g}x on {before.measured} ({change:+.0%}; goal {ratio.goal})"
            )


def print_comparison(ratios: Mapping[str, Ratio], path: Path, tolerance: float) -> bool:
    """Print which ratios became worse than the stored ones; return whether none did."""
    baseline = read_baseline(path)
    worse = list(format_comparison(ratios, baseline, tolerance))
    compared = len(ratios.keys() & baseline.keys())
    print(f"\n{len(worse)} of {compared} ratios are worse than in {path.name} by more than {tolerance:.0%}")
    for line in worse:
        print(f"* {line}")
    return not worse


def main(arguments: list[str]) -> int:
    """Run a command; return 1 if a ratio became worse."""
    options = _parse_arguments(arguments)
    ratios = extract_ratios(parse_table(options.table.read_text().splitlines()))
    if not ratios:
        print(f"{options.table} has no row with a ratio and a goal", file=sys.stderr)
        return 2
    if options.command == "compare":
        return 0 if print_comparison(ratios, options.baseline, options.tolerance) else 1
    store_ratios(options.baseline, ratios)
    print(f"{len(ratios)} ratios are stored in {options.baseline}")
    return 0


def _parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, help_ in (
        ("store", "store the ratios of a table"),
        ("compare", "compare a table with the stored ratios"),
    ):
        command = commands.add_parser(name, help=help_)
        command.add_argument("table", type=Path, help="the table that bench/run.py printed")
        add_baseline_option(command)
        if name == "compare":
            add_tolerance_option(command)
    return parser.parse_args(arguments)


def add_baseline_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option `--baseline`."""
    default = FOLDER / f"{name_machine_class()}.json"
    parser.add_argument(
        "--baseline", type=Path, default=default, help="the file of stored ratios; default: %(default)s"
    )


def add_tolerance_option(parser: argparse.ArgumentParser) -> None:
    """Declare the option `--tolerance`."""
    parser.add_argument(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        help="by how much a ratio may become worse, as a part of the stored one; default: %(default)s",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
