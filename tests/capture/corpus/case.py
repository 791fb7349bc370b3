"""Notebooks with the lineage that a person expects of them, as text."""

import functools
import importlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from support.captured_notebook import run_captured_notebook

Edges = frozenset[tuple[str, ...]]

#: The files that every case finds in its folder.
FILES = {
    "sales.csv": "id,day,shop,price,quantity\n1,2026-01-01,a,2.5,2\n2,2026-01-01,b,4.0,1\n3,2026-01-02,a,1.5,\n",
    "shops.csv": "shop,town\na,Bern\nb,Lyon\n",
}


@dataclass(frozen=True)
class Case:
    """Cells, and what they are expected to read, to write and to pass to each other.

    `cells` are lines of code by the cell's name; a name may occur again with a number in parentheses, for a second run.
    `flows` are lines `cell: source -> target`, `columns` lines `source.column -> target.column how`. Reads into memory alone
    are left out of `flows`. `missed` are lines of either that are true, and that capture is known not to see.
    """

    name: str
    cells: Mapping[str, str]
    flows: str
    columns: str = ""
    missed: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What capture saw of a case, beside what was expected."""

    flows: Edges
    columns: Edges
    expected_flows: Edges
    expected_columns: Edges
    missed: Edges


def run_case(case: Case) -> Outcome:
    """Run the cells of a case in a folder of their own."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        for name, text in {**FILES, **case.files}.items():
            (folder / name).write_text(text)
        with chdir(folder), run_captured_notebook(folder, disabled=_list_unused(case)) as notebook:
            for name, code in case.cells.items():
                notebook.run(name.partition("(")[0].strip(), code)
            missed = _parse_flows(case.missed) | _parse_columns(case.missed)
            return Outcome(
                frozenset(edge for edge in notebook.list_flows() if edge[2] and not _is_unknown(edge, missed)),
                frozenset(notebook.list_columns()),
                _parse_flows(case.flows),
                _parse_columns(case.columns),
                missed,
            )
    finally:
        shutil.rmtree(folder)


def _list_unused(case: Case) -> list[str]:
    """Return the libraries that take long to observe, and that no cell mentions."""
    code = " ".join(case.cells.values())
    return [name for name in ("pandas", "polars", "duckdb", "matplotlib", "plotly") if name not in code]


def _is_unknown(flow: tuple[str, str, str], missed: Edges) -> bool:
    """Return whether a flow says that something was written, and nothing of its source, which is known to be missed."""
    cell, source, target = flow
    return not source and any(each[0] == cell and each[2] == target for each in missed)


def copy_columns(source: str, target: str, names: str, how: str = "identity") -> str:
    """Return the lines that say that these columns of the target are those of the source, which have the same names."""
    return "".join(f"{source}.{name} -> {target}.{name} {how}\n" for name in names.split())


def control_columns(columns: str, target: str, names: str, how: str) -> str:
    """Return the lines that say that each of these columns of the target depends on each of `columns`, which have the names of their data.

    A column depends on one of the same name in a stronger way, by its values.
    """
    return "".join(
        f"{column} -> {target}.{name} {how}\n"
        for column in columns.split()
        for name in names.split()
        if column.rpartition(".")[2] != name
    )


def _list_lines(text: str) -> Iterable[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _parse_flows(text: str) -> Edges:
    edges = []
    for line in _list_lines(text):
        cell, colon, flow = line.partition(": ")
        if colon:
            source, _, target = flow.partition("->")
            edges += [(cell, each.strip(), target.strip()) for each in source.split(",")]
    return frozenset(edges)


def _parse_columns(text: str) -> Edges:
    edges = []
    for line in _list_lines(text):
        if ": " not in line:
            source, _, rest = line.partition("->")
            target, _, how = rest.strip().rpartition(" ")
            edges += [(each.strip(), target.strip(), how) for each in source.split(",")]
    return frozenset(edges)


@dataclass
class Score:
    """How many edges were right, wrong, and not seen."""

    right: int = 0
    wrong: int = 0
    unseen: int = 0

    def add(self, found: Edges, expected: Edges) -> None:
        """Count the edges of a case."""
        self.right += len(found & expected)
        self.wrong += len(found - expected)
        self.unseen += len(expected - found)

    @property
    def precision(self) -> float:
        """Return the part of the found edges that is right; 1 if none was found."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1

    @property
    def recall(self) -> float:
        """Return the part of the expected edges that was found; 1 if none was expected."""
        return self.right / (self.right + self.unseen) if self.right + self.unseen else 1


@functools.cache
def run_library(library: str) -> Mapping[str, Outcome]:
    """Run all cases of `corpus/<library>_cases.py` once, and return the outcomes by the cases' names."""
    return {case.name: run_case(case) for case in list_cases(library)}


def list_cases(library: str) -> list[Case]:
    """Return the cases of a library."""
    cases: list[Case] = importlib.import_module(f"capture.corpus.{library}_cases").CASES
    assert len({case.name for case in cases}) == len(cases), "two cases have the same name"
    return cases


def list_libraries() -> list[str]:
    """Return the libraries with cases."""
    return sorted(
        name.removesuffix("_cases.py") for name in os.listdir(Path(__file__).parent) if name.endswith("_cases.py")
    )
