"""Aspects that are told by time, read newest first."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX, take_page
from jupyter_colophon.service.datahub import runs_as_process_instances
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.entities import aspects, timeseries
from jupyter_colophon.storage.spi import Range, Row, StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class TimedValue:
    """What was told of one moment. `time` is the moment, `recorded` when the catalog was told of it (ms)."""

    time: int
    value: Mapping[str, Any]
    actor: str
    recorded: int
    system: SystemMetadata | None


@dataclass(frozen=True, slots=True)
class TimedPage:
    """Values, the newest first; `truncated` where fewer than were asked for, since they are too large."""

    values: list[TimedValue]
    truncated: bool


@dataclass(frozen=True, slots=True)
class TimeseriesReader:
    """Reads what is told by time. What may not be read is not there."""

    provider: StorageProvider
    registry: Registry
    gate: Gate

    def count(self, urn: Urn, principal: Principal) -> int:
        """How many values all aspects of an entity have; none where it may not be read."""
        if not self.gate.filter_visible(principal, [urn]):
            return 0
        within = Range.prefix(str(urn))
        return self.provider.tx_runner.run(lambda tx: tx.table("timeseries").count((within,)), read_only=True)

    def values(
        self,
        urn: Urn,
        name: str,
        principal: Principal,
        *,
        limit: int,
        start: int | None = None,
        end: int | None = None,
        fits: Callable[[Mapping[str, Any]], bool] | None = None,
        bytes_max: int = PAGE_BYTES_MAX,
    ) -> TimedPage:
        """Return the newest values from one time to another that fit, newest first; none of what is not there.

        Raises NotFound for what may not be read, and for an aspect that the type has not.
        """
        self.gate.require(principal, urn)
        self.registry.aspect(urn.type, name)
        within = timeseries.within(str(urn), name, start, end)

        def work(tx: TableContext) -> TimedPage:
            table = tx.table("timeseries")
            if name == runs_as_process_instances.EVENTS and not any(table.scan(Range.prefix(str(urn), name), 1)):
                found = self._seen(tx, urn, (start, end), principal)
            elif aspects.summary(tx, str(urn)) is None:
                return TimedPage([], False)
            else:
                found = map(_value, table.scan(within, limit if fits is None else None, "desc"))
            wanted = islice((one for one in found if fits is None or fits(one.value)), limit)
            values = list(take_page(wanted, _measure, bytes_max))
            return TimedPage(values, next(wanted, None) is not None)

        return self.provider.tx_runner.run(work, read_only=True)

    def _seen(
        self, tx: TableContext, urn: Urn, window: tuple[int | None, int | None], principal: Principal
    ) -> Iterator[TimedValue]:
        """What the catalog knows of a run of which nobody told events."""
        start, end = window
        for value, actor in runs_as_process_instances.events(tx, urn, NodeCache(tx, self.gate, principal)):
            time = value["timestampMillis"]
            if (start is None or start <= time) and (end is None or time <= end):
                yield TimedValue(time, value, actor, time, None)


def _measure(one: TimedValue) -> int:
    """Return about how many bytes a value takes in an answer."""
    return measure(one.value)


def _value(row: Row) -> TimedValue:
    return TimedValue(row["time"], stored(row["value"]), row["actor"], row["recorded"], codecs.system(row["system"]))
