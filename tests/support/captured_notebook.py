"""A notebook without a kernel: cells run in this process, and the observations of what their libraries did are collected."""

import itertools
import linecache
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.data_capture import DataCapture
from jupyter_colophon.capture.executions import current_execution
from jupyter_colophon.capture.observation import DataRef, DatasetKind, Observation

_numbers = itertools.count()


@dataclass(eq=False)
class CapturedCell:
    """A run of a cell, with its observations."""

    cell_id: str
    observations: list[Observation] = field(default_factory=list)
    error: BaseException | None = None


class CapturedNotebook:
    """Runs cells; `runs` are all of them, in order."""

    def __init__(self, folder: Path, disabled: Iterable[str] = (), *, has_profiles: bool = False) -> None:
        self.folder, self.errors = folder, []
        self.runs: list[CapturedCell] = []
        self.variables: dict[str, Any] = {}
        #: What happened between cells.
        self.outside: list[Observation] = []
        self._current: CapturedCell | None = None
        self._clock = 0
        self.capture = DataCapture(
            self._add_observation,
            get_execution=lambda: self._current,
            get_time_ms=self._tick,
            name_variable=name_variable,
            on_error=lambda library, error: self.errors.append((library, error)),
            disabled=tuple(disabled),
            has_profiles=has_profiles,
        )

    def run(self, cell_id: str, code: str) -> CapturedCell:
        """Run a cell; an exception of its code is kept in `error`."""
        cell = self._current = CapturedCell(cell_id)
        self.runs.append(cell)
        # As IPython does, so that the source of each cell can be found by its file name.
        name = f"<{cell_id}-{next(_numbers)}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        token = current_execution.set(cell)
        try:
            exec(compile(code, name, "exec"), self.variables)
        except Exception as error:  # noqa: BLE001
            cell.error = error
        self.capture.end_cell(lambda: code, self.variables, cell)
        self._current = None
        current_execution.reset(token)
        return cell

    def run_cells(self, *cells: str) -> set[tuple[str, str, str]]:
        """Run cells with the ids `c1`, `c2` and so on, which must succeed, and return `list_flows()`."""
        for number, code in enumerate(cells, 1):
            outcome = self.run(f"c{number}", code)
            assert outcome.error is None, outcome.error
        return self.list_flows()

    def list_flows(self) -> set[tuple[str, str, str]]:
        """Return what flowed in written data and in variables: the cell, its source and its target; a read alone has the target ""."""
        assert self.capture.wait_until_reported(10)
        assert not self.errors, self.errors
        flows = set()
        for cell in self.runs:
            for observation in cell.observations:
                reads = [self.shorten(ref) for ref in observation.reads] or [""]
                writes = [self.shorten(ref) for ref in observation.writes] or [""]
                flows |= {(cell.cell_id, read, write) for read in reads for write in writes}
        return flows

    def list_columns(self) -> set[tuple[str, str, str]]:
        """Return the column lineage: `source.column`, `target.column` and the transformation."""
        assert self.capture.wait_until_reported(10)
        return {
            (
                f"{self._shorten_urn(flow.source_urn)}.{flow.source_field}",
                f"{self._shorten_urn(flow.target_urn)}.{flow.target_field}",
                str(flow.transformation),
            )
            for cell in self.runs
            for observation in cell.observations
            for flow in observation.columns
        }

    def shorten(self, ref: DataRef) -> str:
        """Return the name of a dataset: a file's path below the notebook's folder, `$cell.name` of a variable, `model:` before that of a model."""
        return self._shorten_urn(ref.urn)

    def _shorten_urn(self, urn: str) -> str:
        type_, key = urn.removeprefix("urn:li:").removesuffix(")").split(":(", 1)
        _, name, _ = key.split(",", 2)
        return ("model:" if type_ == "mlModel" else "") + name.removeprefix(f"{self.folder}/")

    def _add_observation(self, observation: Observation, execution: object | None) -> None:
        (execution.observations if isinstance(execution, CapturedCell) else self.outside).append(observation)

    def _tick(self) -> int:
        self._clock += 1
        return self._clock


def name_variable(execution: object | None, name: str, number: int) -> DataRef | None:
    if not isinstance(execution, CapturedCell):
        return None
    urn = f"urn:li:dataset:(urn:li:dataPlatform:notebook,${execution.cell_id}.{name or 'unnamed'},PROD)"
    return DataRef(urn, DatasetKind.VARIABLE)


@contextmanager
def run_captured_notebook(folder: Path, **options: Any) -> Iterator[CapturedNotebook]:
    """Run a notebook whose libraries are captured, in `folder` as the working directory of its cells."""
    notebook = CapturedNotebook(folder, **options)
    notebook.variables["folder"] = str(folder)
    notebook.capture.start()
    try:
        yield notebook
    finally:
        notebook.capture.stop()
