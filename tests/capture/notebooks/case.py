"""Whole notebooks with the lineage that a person expects of them: `<name>.ipynb` and `<name>.lineage` (README.md)."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

from capture.notebooks.files import FILES
from support.captured_notebook import run_captured_notebook

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.ipynb"))

Edges = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Lineage:
    """Flows as cell, source and target; columns as source, target and how the one depends on the other."""

    flows: Edges
    columns: Edges
    #: Edges that are true, and that capture is known not to see.
    missed: Edges = field(default_factory=frozenset)


def run_notebook(name: str) -> Lineage:
    """Run the cells of a notebook in a folder with its files, and return what capture saw."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        for file, text in FILES[name]().items():
            (folder / file).write_text(text)
        with chdir(folder), run_captured_notebook(folder) as notebook:
            for cell in json.loads((HERE / f"{name}.ipynb").read_text())["cells"]:
                if cell["cell_type"] == "code":
                    outcome = notebook.run(cell["id"], "".join(cell["source"]))
                    assert outcome.error is None, outcome.error
            flows = frozenset(flow for flow in notebook.list_flows() if flow[2])
            return Lineage(flows, frozenset(notebook.list_columns()))
    finally:
        shutil.rmtree(folder)


def read_expected(name: str) -> Lineage:
    """Return the lineage that a person drew of a notebook."""
    sections: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, (HERE / f"{name}.lineage").read_text().splitlines())):
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            lines.append(line)
    edges = {
        section: frozenset(edge for line in lines for edge in _parse_line(line)) for section, lines in sections.items()
    }
    return Lineage(edges["flows"], edges["columns"], edges.get("missed", frozenset()))


def _parse_line(line: str) -> Iterator[tuple[str, ...]]:
    source, arrow, target = line.partition(" -> ")
    assert arrow, line
    cell, colon, datasets = source.partition(": ")
    if colon:
        yield from ((cell, dataset.strip(), target) for dataset in datasets.split(","))
        return
    target, _, how = target.rpartition(" ")
    for column in _list_columns(source):
        for result in _list_columns(target):
            yield column, result.removesuffix("=") + (column.rpartition(".")[2] if result[-1] == "=" else ""), how


def _list_columns(text: str) -> list[str]:
    """Return the columns of `dataset.column` or `dataset.{column column}`."""
    match = re.fullmatch(r"(.*)\.\{(.*)\}", text)
    return [f"{match[1]}.{column}" for column in match[2].split()] if match else [text]
