"""Warn of confidential columns that a cell writes to data in which they are not marked.

Columns are followed through the variables between cells by the captured column lineage. The marks are read from the catalog on
the thread that sends reports, so that no cell waits for them: a warning is shown with the next cell.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jupyter_colophon.capture.observation import DatasetKind, Transformation
from jupyter_colophon.client.confidential_columns import read_confidential_columns
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.identity.names import is_variable_urn
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.confidential import CONFIDENTIAL

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import DataRef, Observation
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.core.model.confidential import ConfidentialColumns
    from jupyter_colophon.kernel.messages import NoticeQueue

#: A column: the URN of its dataset and its path.
_Column = tuple[str, str]
#: How values of a column reach another one.
_COPYING = (Transformation.IDENTITY, Transformation.TRANSFORMATION)
#: Number of columns of variables that are followed; above it, the oldest are forgotten.
_VARIABLE_COLUMNS_MOST = 20_000
#: Number of writes that wait to be checked; above it, the oldest are not.
_WAITING_MOST = 1_000
#: How long marks that were read from the catalog are used.
_MARKS_S = 60.0


class ConfidentialWarnings:
    """Warns of each pair of a dataset and a confidential column in it once."""

    def __init__(self, catalog: "Operations", notices: "NoticeQueue") -> None:
        """Create it without columns."""
        self._catalog, self._notices = catalog, notices
        self._sources: OrderedDict[_Column, set[_Column]] = OrderedDict()
        self._waiting: deque[tuple[DataRef, dict[str, set[_Column]]]] = deque(maxlen=_WAITING_MOST)
        self._marks: dict[str, tuple[float, ConfidentialColumns]] = {}

    def add_observation(self, observation: "Observation") -> None:
        """Follow the columns of an observation; what it wrote is checked by `check_writes`. Sends nothing."""
        for ref in observation.writes:
            columns: dict[str, set[_Column]] = {}
            for flow in observation.columns:
                if flow.target_urn == ref.urn and flow.transformation in _COPYING:
                    source = (flow.source_urn, flow.source_field)
                    columns.setdefault(flow.target_field, set()).update(self._sources.get(source, {source}))
            if ref.kind is DatasetKind.VARIABLE:
                self._follow(ref.urn, columns)
            elif columns:
                self._waiting.append((ref, columns))

    def check_writes(self) -> None:
        """Add a notice for each unmarked column with values of a confidential one; a server that fails is not asked again."""
        while self._waiting:
            ref, columns = self._waiting.popleft()
            try:
                found = list(self._iterate_unmarked(ref.urn, columns))
            except ClientError:
                return
            for path, source in found:
                self._notices.add_line_once(f"confidential {ref.urn} {path}", _format_warning(ref.urn, path, source))

    def _follow(self, variable: str, columns: dict[str, set[_Column]]) -> None:
        for path, sources in columns.items():
            self._sources[variable, path] = sources
        while len(self._sources) > _VARIABLE_COLUMNS_MOST:
            self._sources.popitem(last=False)

    def _iterate_unmarked(self, urn: str, columns: dict[str, set[_Column]]) -> Iterator[tuple[str, _Column]]:
        for path, sources in sorted(columns.items()):
            marked = sorted(source for source in sources if source[0] != urn and self._is_marked(*source))
            if marked and not self._is_marked(urn, path):
                yield path, marked[0]

    def _is_marked(self, urn: str, path: str) -> bool:
        if is_variable_urn(urn):
            return False
        time_s, marks = self._marks.get(urn, (0.0, None))
        if marks is None or time.monotonic() - time_s > _MARKS_S:
            marks = read_confidential_columns(self._catalog, urn)
            self._marks[urn] = (time.monotonic(), marks)
        return marks.has_column(path)


def _format_warning(urn: str, path: str, source: _Column) -> str:
    target = shorten_urn(urn)
    return (
        f"Colophon: the column {path} of {target} has values of {source[1]} of {shorten_urn(source[0])}, which is tagged"
        f" {CONFIDENTIAL}. Tag it as well with %metadata tag {target} {CONFIDENTIAL} --field {path}, or leave it out."
    )
