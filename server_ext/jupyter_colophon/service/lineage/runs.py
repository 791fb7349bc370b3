"""Read single runs, and lists of runs by program, data and time."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.entities.metadata_scopes import Metadata, ScopedMetadata
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import RunListing
from jupyter_colophon.core.lineage.run import RUNNING, EntitySnapshot, Run, RunEntity, ScopeSnapshot
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many runs one request examines, at most, for matches.
_LOOKED_AT = 2_000
_AT_ONCE = 200
#: How many cells of a notebook are listed, at most.
_CELLS_MOST = 500
#: The approximate size of an access in a response.
_ACCESS_BYTES = 300


@dataclass(frozen=True, slots=True)
class RunReader:
    """Reads runs. What the principal may not read is treated as not found."""

    provider: StorageProvider
    read_policy: ReadPolicy
    cursors: CursorCodec

    @audit_reads_of_method("runs", lambda run: list_entities_of_runs([run]))
    def read_visible_run(self, urn: str, principal: Principal) -> Run:
        """Return one run with its accesses. Raises NotFound."""

        def find_visible_run(tx: TableContext) -> Run | None:
            found = runs.find_run_by_urn(tx, urn)
            if found is None or self._may_read_run(tx, found, principal):
                return found
            self.read_policy.access_control.record_denial(principal, "read", found.program)
            return None

        run = self.provider.tx_runner.run(find_visible_run, read_only=True)
        if run is None:
            raise NotFound("run", urn)
        return self._remove_hidden_accesses(run, principal)

    @audit_reads_of_method("runs", lambda page: list_entities_of_runs(page[0]))
    def list_visible_runs(self, listing: RunListing, principal: Principal) -> tuple[list[Run], str | None]:
        """Return a page of runs, newest first, and the next cursor; a short page may have a next one."""
        if listing.data and not self.read_policy.filter_visible_entities(principal, [Urn.parse(listing.data)]):
            return [], None
        place = self.cursors.decode_cursor("runs", listing.cursor) if listing.cursor else None
        before = (int(place[0]), str(place[1])) if place else None

        def collect(tx: TableContext) -> tuple[list[Run], runs.Position | None]:
            def fits(run: Run) -> bool:
                return _matches_listing(run, listing) and self._may_read_run(tx, run, principal)

            return _collect_matching_runs(tx, _create_position_reader(tx, listing), before, listing.limit, fits)

        matching_runs, rest = self.provider.tx_runner.run(collect, read_only=True)
        visible_runs = [self._remove_hidden_accesses(run, principal) for run in matching_runs]
        return visible_runs, None if rest is None else self.cursors.encode_cursor("runs", list(rest))

    @audit_reads_of_method("runs", lambda found: list_entities_of_runs(found))
    def list_cell_runs(self, notebook: Urn, principal: Principal) -> list[Run]:
        """Return the newest run of each cell of a notebook, and of the notebook itself, newest first.

        The list ends after LIST_BYTES_MAX.
        """

        def read_runs(tx: TableContext) -> list[Run]:
            programs = self.read_policy.filter_visible(
                tx,
                principal,
                runs.list_notebook_programs(tx, notebook, _CELLS_MOST),
                lambda program: (Urn.parse(program), None),
            )
            newest = runs.iterate_newest_runs(tx, programs)
            return list(limit_items_to_page_bytes(newest, _measure_run_bytes, LIST_BYTES_MAX))

        newest_runs = self.provider.tx_runner.run(read_runs, read_only=True)
        return [self._remove_hidden_accesses(run, principal) for run in newest_runs]

    def read_run_by_program_and_id(self, program: Urn, namespace: str, run_id: str, principal: Principal) -> Run:
        """Return a run by its program, which may be deleted, and its run id. Raises NotFound."""
        self.read_policy.require_readable_entity(principal, program, "run")
        run = self.provider.tx_runner.run(
            lambda tx: runs.find_run_by_key(tx, str(program), namespace, run_id), read_only=True
        )
        if run is None:
            raise NotFound("run", run_id)
        return self._remove_hidden_accesses(run, principal)

    def require_program(self, program: Urn, namespace: str, principal: Principal) -> None:
        """Raise NotFound unless this program exists or existed."""
        self.read_policy.require_readable_entity(principal, program, "program")
        if not self.provider.tx_runner.run(
            lambda tx: runs.was_program_in_namespace(tx, str(program), namespace), read_only=True
        ):
            raise NotFound("program", self.read_policy.identity.get_short_name(program))

    @audit_reads_of_method("runs", lambda entities: (entity.urn for entity in entities))
    def list_accessed_entities(self, run: Run, principal: Principal) -> list[RunEntity]:
        """Return the entities that a run accessed, with their metadata at the first access."""
        return self.provider.tx_runner.run(
            lambda tx: self.read_policy.filter_visible(
                tx,
                principal,
                runs.list_run_entities(tx, run),
                lambda entity: (Urn.parse(entity.urn), entity.namespace),
            ),
            read_only=True,
        )

    def build_run_metadata(self, run: Run) -> ScopedMetadata:
        """Return a run's metadata: that of its program at its start, and its status and facts."""
        snapshot = self.provider.tx_runner.run(
            lambda tx: runs.read_entity_snapshot(tx, run.urn, run.program), read_only=True
        )
        return ScopedMetadata(
            None,
            _create_metadata_of_snapshot(snapshot.user),
            Metadata(_build_system_properties(run, snapshot), _get_system_tags(snapshot)),
        )

    def _remove_hidden_accesses(self, run: Run, principal: Principal) -> Run:
        """Return a run without accesses to hidden data."""
        if not self.read_policy.may_hide_from(principal):
            return run
        visible = set(
            self.read_policy.filter_visible_entities(principal, [Urn.parse(access.data) for access in run.accesses])
        )
        return replace(run, accesses=tuple(access for access in run.accesses if Urn.parse(access.data) in visible))

    def _may_read_run(self, tx: TableContext, run: Run, principal: Principal) -> bool:
        return self.read_policy.may_see_entity(tx, principal, Urn.parse(run.program))


def list_entities_of_runs(found: Iterable[Run]) -> Iterator[str]:
    """Yield the programs of runs, and the data that the runs accessed."""
    for run in found:
        yield run.program
        yield from (access.data for access in run.accesses)


PositionReader = Callable[[runs.Position | None, int], Sequence[runs.Position]]


def _create_position_reader(tx: TableContext, listing: RunListing) -> PositionReader:
    if listing.data:
        return lambda before, count: runs.list_run_positions_of_data(tx, listing.data, before, count)
    return lambda before, count: runs.list_run_positions_of_program(tx, listing.program, before, count)


def _collect_matching_runs(
    tx: TableContext, positions: PositionReader, before: runs.Position | None, limit: int, fits: Callable[[Run], bool]
) -> tuple[list[Run], runs.Position | None]:
    matching_runs: list[Run] = []
    size = 0
    for _ in range(_LOOKED_AT // _AT_ONCE):
        part = positions(before, _AT_ONCE)
        for position in part:
            if len(matching_runs) == limit or size > PAGE_BYTES_MAX:
                return matching_runs, before
            before = position
            run = runs.find_run_by_urn(tx, position[1])
            if run is not None and fits(run):
                matching_runs.append(run)
                size += _measure_run_bytes(run)
        if len(part) < _AT_ONCE:
            return matching_runs, None
    return matching_runs, before


def _measure_run_bytes(run: Run) -> int:
    """Return the approximate size of a run in a response."""
    return measure_json_bytes((run.facts, run.arguments)) + len(run.accesses) * _ACCESS_BYTES


def _build_system_properties(run: Run, snapshot: EntitySnapshot) -> dict[str, str]:
    system_properties = {} if snapshot.system is None else dict(snapshot.system.properties)
    facts_of_run = {"status": run.status, "start-time": str(run.start), "started-by": run.actor}
    if run.status != RUNNING:
        facts_of_run["stop-time"] = str(run.end)
    if run.parent is not None:
        facts_of_run["parent"] = run.parent
    facts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in run.facts.items()}
    return system_properties | facts | facts_of_run


def _create_metadata_of_snapshot(metadata: ScopeSnapshot) -> Metadata:
    return Metadata(metadata.properties, metadata.tags)


def _get_system_tags(snapshot: EntitySnapshot) -> tuple[str, ...]:
    return () if snapshot.system is None else snapshot.system.tags


def _matches_listing(run: Run, listing: RunListing) -> bool:
    window = listing.window
    early = window.end is None or run.start < window.end
    late = window.start is None or run.end is None or run.end >= window.start
    program = not listing.program or run.program == listing.program
    return early and late and program and listing.status in ("", run.status)
