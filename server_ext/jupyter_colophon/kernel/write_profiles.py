"""Send the profiles of frames that cells wrote, without values of columns that may be confidential.

Columns are followed through the variables between cells. The least and greatest value of a column are sent only if the column is
not confidential, and neither is any column that it was computed from, as far as all of these are known.
"""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.observation import DatasetKind, MissingDetail, Transformation
from jupyter_colophon.client.confidential_columns import read_confidential_columns
from jupyter_colophon.client.problems import ClientError, ServerUnavailable
from jupyter_colophon.core.identity.names import is_variable_urn
from jupyter_colophon.core.model.confidential import PROFILE_ASPECT

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import Observation
    from jupyter_colophon.capture.write_profile import ColumnSummary, WriteProfile
    from jupyter_colophon.client.operations import Operations
    from jupyter_colophon.core.model.confidential import ConfidentialColumns

#: A column: the URN of its dataset and its path.
_Column = tuple[str, str]
#: By column: the columns of data that its values came from; None if they are unknown.
_Sources = dict[str, set[_Column] | None]
#: The time of a write, its profile, the sources of its columns, and whether data was read for it.
_Waiting = tuple[int, "WriteProfile", _Sources, bool]
_VALUES = (Transformation.IDENTITY, Transformation.TRANSFORMATION, Transformation.AGGREGATION)
#: Number of variables whose columns are followed; above it, the oldest are forgotten.
_VARIABLES_MOST = 2_000
#: Number of datasets whose profiles wait; above it, the oldest are dropped.
_WAITING_MOST = 200


class WriteProfiles:
    """Keeps the newest profile of each dataset until it is sent."""

    def __init__(self, catalog: "Operations") -> None:
        """Create it without profiles."""
        self._catalog = catalog
        self._variables: OrderedDict[str, _Sources] = OrderedDict()
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    def add_observation(self, observation: "Observation") -> None:
        """Follow the columns of an observation, and keep its profile if it has one. Sends nothing."""
        for ref in observation.writes:
            sources = self._list_sources(observation, ref.urn)
            if ref.kind is DatasetKind.VARIABLE:
                self._variables[ref.urn] = sources
                if len(self._variables) > _VARIABLES_MOST:
                    self._variables.popitem(last=False)
            elif observation.profile is not None and not ref.parts:
                waiting = (observation.started_ms, observation.profile, sources, bool(observation.reads))
                with self._lock:
                    self._waiting[ref.urn] = waiting
                    if len(self._waiting) > _WAITING_MOST:
                        self._waiting.popitem(last=False)

    def send_profiles(self) -> None:
        """Send what waits, after the writes themselves; while the server is unavailable it stays. A refused one is dropped."""
        while (waiting := self._get_next()) is not None:
            urn, (time_ms, profile, sources, has_reads) = waiting
            try:
                hidden = self._list_hidden(urn, profile, sources, has_reads=has_reads)
                value = build_profile_document(profile, time_ms, hidden)
                proposal = {"urn": urn, "aspect": PROFILE_ASPECT, "operation": "upsert", "value": value}
                self._catalog.submit_proposals({"proposals": [proposal]})
            except ServerUnavailable:
                return
            except ClientError:
                pass
            with self._lock:
                # A newer one may have come meanwhile.
                if self._waiting.get(urn) == waiting[1]:
                    del self._waiting[urn]

    def _get_next(self) -> "tuple[str, _Waiting] | None":
        with self._lock:
            return next(iter(self._waiting.items()), None)

    def _list_sources(self, observation: "Observation", urn: str) -> _Sources:
        found: _Sources = {}
        if MissingDetail.VALUE_COLUMNS in observation.missing:
            return found
        for flow in observation.columns:
            if flow.target_urn != urn or flow.transformation not in _VALUES:
                continue
            source = (flow.source_urn, flow.source_field)
            more = self._variables.get(source[0], {}).get(source[1]) if is_variable_urn(source[0]) else {source}
            known = found.setdefault(flow.target_field, set())
            found[flow.target_field] = None if known is None or more is None else known | more
        return found

    def _list_hidden(self, urn: str, profile: "WriteProfile", sources: _Sources, *, has_reads: bool) -> set[str]:
        """Return the columns of which no values are sent. Raises ClientError."""
        marks: dict[str, ConfidentialColumns] = {}

        def is_marked(column: _Column) -> bool:
            if column[0] not in marks:
                marks[column[0]] = read_confidential_columns(self._catalog, column[0])
            return marks[column[0]].has_column(column[1])

        def is_hidden(path: str) -> bool:
            # A column of a frame that was read, without known sources, may come from any column.
            known = sources.get(path, None if has_reads else set())
            return known is None or is_marked((urn, path)) or any(map(is_marked, sorted(known)))

        return {column.path for column in profile.columns if is_hidden(column.path)}


def build_profile_document(profile: "WriteProfile", time_ms: int, hidden: set[str]) -> dict[str, Any]:
    """Return DataHub's aspect `datasetProfile`; of `hidden` columns it has only counts."""
    examined = profile.rows if profile.sampled is None else profile.sampled
    partition = {"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"}
    if profile.sampled is not None:
        partition = {"type": "QUERY", "partition": f"SAMPLE ({profile.sampled} rows)"}
    return {
        "timestampMillis": time_ms,
        "partitionSpec": partition,
        "rowCount": profile.rows,
        "columnCount": profile.column_count,
        "fieldProfiles": [
            _build_field_profile(column, examined, is_hidden=column.path in hidden) for column in profile.columns
        ],
    }


def _build_field_profile(column: "ColumnSummary", rows: int, *, is_hidden: bool) -> dict[str, Any]:
    filled = rows - column.nulls
    document = {
        "fieldPath": column.path,
        "nullCount": column.nulls,
        "nullProportion": column.nulls / rows if rows else None,
        "uniqueCount": column.distinct,
        "uniqueProportion": column.distinct / filled if column.distinct is not None and filled else None,
        "min": None if is_hidden else column.least,
        "max": None if is_hidden else column.most,
    }
    return {name: value for name, value in document.items() if value is not None}
