"""Read timeseries aspects, newest first."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.identity.assertion_urn import parse_assertion_urn
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.confidential_values import ConfidentialValues
from jupyter_colophon.service.datahub import expectations_as_assertions, runs_as_process_instances
from jupyter_colophon.service.datahub.expectations_as_assertions import DerivedAssertions
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.entities import aspects, timeseries
from jupyter_colophon.storage.spi import Range, Row, StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class TimeseriesValue:
    """A value of a timeseries. `time` is its own time, `recorded` when the catalog stored it (ms).

    `withheld` are the columns whose values it does not have, because they are marked confidential.
    """

    time: int
    value: Mapping[str, Any]
    actor: str
    recorded: int
    system: SystemMetadata | None
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeseriesPage:
    """Values, newest first; `truncated` if some were left out because of their size."""

    values: list[TimeseriesValue]
    truncated: bool


@dataclass(frozen=True, slots=True)
class TimeseriesReader:
    """Reads timeseries aspects. What may not be read is treated as not found."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy

    def count_timeseries_values(self, urn: Urn, principal: Principal) -> int:
        """Return the number of values of all timeseries aspects of an entity; 0 if it may not be read."""
        if not self.read_policy.filter_visible_entities(principal, [urn]):
            return 0
        within = Range.prefix(str(urn))
        return self.provider.tx_runner.run(lambda tx: tx.get_table("timeseries").count((within,)), read_only=True)

    def read_newest_values(
        self,
        urn: Urn,
        name: str,
        principal: Principal,
        *,
        limit: int,
        start: int | None = None,
        end: int | None = None,
        matches: Callable[[Mapping[str, Any]], bool] | None = None,
        bytes_max: int = PAGE_BYTES_MAX,
    ) -> TimeseriesPage:
        """Return the newest matching values between two times, newest first; empty for an unknown entity.

        Raises NotFound for what may not be read, and for an unknown aspect.
        """
        self.read_policy.require_readable_entity(principal, urn)
        self.registry.get_aspect(urn.type, name)
        within = timeseries.build_range_of_times(str(urn), name, start, end)

        def read_page(tx: TableContext) -> TimeseriesPage:
            table = tx.get_table("timeseries")
            if name == runs_as_process_instances.EVENTS and not any(table.scan(Range.prefix(str(urn), name), 1)):
                timed_values = self._derive_run_events(tx, urn, (start, end), principal)
            elif name == expectations_as_assertions.EVENTS and parse_assertion_urn(urn) is not None:
                timed_values = self._merge_assertion_run_events(tx, urn, (start, end), principal)
            elif aspects.find_entity_summary(tx, str(urn)) is None:
                return TimeseriesPage([], False)
            else:
                confidential = ConfidentialValues(tx, self.registry)
                timed_values = (
                    _remove_values(confidential, urn, name, _parse_timeseries_value(row))
                    for row in table.scan(within, limit if matches is None else None, "desc")
                )
            matching = islice(
                (timed_value for timed_value in timed_values if matches is None or matches(timed_value.value)), limit
            )
            values = list(limit_items_to_page_bytes(matching, _measure_value_bytes, bytes_max))
            return TimeseriesPage(values, next(matching, None) is not None)

        return self.provider.tx_runner.run(read_page, read_only=True)

    def _merge_assertion_run_events(
        self, tx: TableContext, urn: Urn, window: tuple[int | None, int | None], principal: Principal
    ) -> Iterator[TimeseriesValue]:
        """Yield the checks of an expectation, newest first: those that clients emitted, and others as they are recorded."""
        start, end = window
        nodes = NodeCache(tx, self.read_policy, principal)
        within = timeseries.build_range_of_times(str(urn), expectations_as_assertions.EVENTS, start, end)
        emitted = [_parse_timeseries_value(row) for row in tx.get_table("timeseries").scan(within, None, "desc")]
        times = {event.time for event in emitted}
        for value in DerivedAssertions(tx, self.registry, nodes).derive_run_events(urn):
            time = value["timestampMillis"]
            if time not in times and (start is None or start <= time) and (end is None or time <= end):
                emitted.append(TimeseriesValue(time, value, "", time, None))
        yield from sorted(emitted, key=lambda event: event.time, reverse=True)

    def _derive_run_events(
        self, tx: TableContext, urn: Urn, window: tuple[int | None, int | None], principal: Principal
    ) -> Iterator[TimeseriesValue]:
        """Yield the events of a run that are derived from its record."""
        start, end = window
        for value, actor in runs_as_process_instances.derive_process_instance_events(
            tx, urn, NodeCache(tx, self.read_policy, principal)
        ):
            time = value["timestampMillis"]
            if (start is None or start <= time) and (end is None or time <= end):
                yield TimeseriesValue(time, value, actor, time, None)


def _measure_value_bytes(timed_value: TimeseriesValue) -> int:
    """Return the approximate size of a value in a response."""
    return measure_json_bytes(timed_value.value)


def _remove_values(
    confidential: ConfidentialValues, urn: Urn, aspect: str, timed_value: TimeseriesValue
) -> TimeseriesValue:
    """Return a value without values of confidential columns; filters do not see them either."""
    withheld = confidential.list_withheld_columns(str(urn), aspect, timed_value.value)
    if not withheld:
        return timed_value
    value = confidential.remove_values(str(urn), aspect, timed_value.value) or {}
    return replace(timed_value, value=value, withheld=withheld)


def _parse_timeseries_value(row: Row) -> TimeseriesValue:
    return TimeseriesValue(
        row["time"],
        parse_stored_json(row["value"]),
        row["actor"],
        row["recorded"],
        codecs.parse_system_metadata(row["system"]),
    )
