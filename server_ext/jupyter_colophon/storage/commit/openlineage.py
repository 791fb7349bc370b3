"""Apply events of OpenLineage: runs, jobs and datasets reflect all events so far, in any order of arrival.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.entities.lock_names import make_lock_name_of_openlineage_name
from jupyter_colophon.core.errors import AlreadyExists, NotFound
from jupyter_colophon.core.identity.names import (
    Urn,
    make_field_urn,
    make_hashed_run_urn,
    make_run_urn,
)
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.core.openlineage.aspects import ASPECTS_OF, convert_column_tag_facets
from jupyter_colophon.core.openlineage.assertions import convert_assertions_to_results
from jupyter_colophon.core.openlineage.described import ReportedDescription
from jupyter_colophon.core.openlineage.event import Event, EventDataset, OriginalName
from jupyter_colophon.core.openlineage.facets import merge_facets_and_times
from jupyter_colophon.core.openlineage.run_state import RunState, create_state_of_first_event
from jupyter_colophon.storage.commit.buffered_table import BufferedTable
from jupyter_colophon.storage.commit.columns import add_column_edges
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.merge_by_location import move_reported_data_to_table, replace_equal_urns
from jupyter_colophon.storage.commit.quality import add_quality_results
from jupyter_colophon.storage.commit.runs import record_access_outside_statements
from jupyter_colophon.storage.commit.snapshots import store_missing_snapshots
from jupyter_colophon.storage.commit.upsert_run import write_run_and_derived_rows
from jupyter_colophon.storage.lineage.symlinks import (
    find_table_at_location,
    record_table_location,
    replace_locations_by_tables,
)
from jupyter_colophon.storage.spi import Key, Range, Row

_DESCRIPTION, _RUN = "said", "run"
_NAME_KEY = ("kind", "namespace", "name")
_TAGS = "globalTags"
#: Items of `globalTags` by the path of a column.
_ColumnTags = Mapping[str, list[dict[str, str]]]


def apply_openlineage_event(commit: CommitBuilder, event: Event, include_system_metadata: bool) -> None:
    """Apply an event in which tables have replaced their known locations. Raises AlreadyExists if another client
    recorded its run.
    """
    recorded = [_record_location_and_move_metadata(commit, dataset, include_system_metadata) for dataset in event.data]
    if any(recorded):
        event = replace_locations_by_tables(commit.tx, event)
    tables = _EventTables(commit)
    _load_entities_and_rows(commit, tables, event)
    run, state = None, None
    if event.run and event.job is not None:
        run, state = _find_run_and_state(tables, event.job, event.run)
        _apply_run_event(commit, tables, event, run, state, include_system_metadata)
    elif event.job is not None:
        report = ReportedDescription(
            event.job, event.job_facets, event.time, described.build_job_lineage(event), alone=True
        )
        _update_description_aspects(commit, tables, event.make_program_urn(), report, None)
    for dataset in event.data:
        _update_description_aspects(
            commit,
            tables,
            dataset.urn,
            ReportedDescription(dataset.original_name, dataset.facets, event.time, described.build_data_lineage(event)),
            run,
        )
    tables.write_rows()


class _EventTables:
    """The tables of OpenLineage's descriptions and names, whose rows an event reads and writes at once."""

    def __init__(self, commit: CommitBuilder) -> None:
        self.parts = BufferedTable(commit.tx.get_table("openlineage"), ("subject", "part"))
        self.names = BufferedTable(commit.tx.get_table("openlineage_names"), _NAME_KEY)

    def write_rows(self) -> None:
        """Write the changed rows."""
        self.parts.write_rows()
        self.names.write_rows()


def _load_entities_and_rows(commit: CommitBuilder, tables: _EventTables, event: Event) -> None:
    """Load what most events need, at once."""
    named = [(dataset.urn, dataset.original_name) for dataset in event.data]
    parts: list[Key] = []
    flows: list[Urn] = []
    if event.job is not None:
        program = event.make_program_urn(event.engine)
        named.append((program, event.job))
        flows.append(Urn.parse(program.parts[0]))
        if event.run:
            parts.append((str(make_run_urn(event.make_program_urn(), event.run)), _RUN))
    commit.load_entities_at_once([*(urn for urn, _ in named), *flows])
    tables.parts.load_rows([*parts, *((str(urn), _DESCRIPTION) for urn, _ in named)])
    tables.names.load_rows((urn.type, name.namespace, name.name) for urn, name in named)


def _find_run_and_state(tables: _EventTables, job: OriginalName, run_id: str) -> tuple[str, RunState | None]:
    """Return the URN of a job's run with this id, and its state; jobs that share an id have separate runs.

    The first job uses the id as its run's URN, others one derived from job and id.
    """
    program = make_openlineage_job_urn(job.namespace, job.name)
    first = str(make_run_urn(program, run_id))
    state = _read_run_state(tables, first)
    if state is None or state.job == job:
        return first, state
    urn = str(make_hashed_run_urn(program, run_id))
    return urn, _read_run_state(tables, urn)


def _read_run_state(tables: _EventTables, urn: str) -> RunState | None:
    row = tables.parts.read((urn, _RUN))
    return None if row is None else RunState.from_stored_document(parse_stored_json(row["value"]))


def _find_parent_run_urn(tables: _EventTables, state: RunState, urn: str) -> str | None:
    """Return the URN of the parent run, None if there is none or it is the run itself."""
    parent = state.parent
    if parent is not None and state.parent_job is not None:
        parent, _ = _find_run_and_state(tables, state.parent_job, Urn.parse(parent).parts[0])
    return None if parent == urn else parent


def _apply_run_event(
    commit: CommitBuilder,
    tables: _EventTables,
    event: Event,
    urn: str,
    before: RunState | None,
    include_system_metadata: bool,
) -> None:
    run_row = next(iter(commit.tx.get_table("runs").scan_index("urn", urn, 1)), None)
    state = _merge_event_into_run_state(tables, event, urn, before, run_row)
    program = state.program
    commit.require_lock(program)
    if run_row is not None and run_row["program"] != str(program):
        commit.require_lock(Urn.parse(run_row["program"]))
    row = _build_run_row(commit, tables, urn, state, event.run, run_row)
    _update_description_aspects(
        commit, tables, program, ReportedDescription(state.job, event.job_facets, event.time), urn
    )
    write_run_and_derived_rows(commit, run_row, row)
    if run_row is not None and run_row["program"] != row["program"]:
        _move_description_to_job(commit, tables, Urn.parse(run_row["program"]), program, state, urn)
    if event.data:
        _record_accesses(commit, tables, event, row, state, include_system_metadata)
    add_column_edges(commit, row, event.columns, event.time // 1_000)


def _record_accesses(
    commit: CommitBuilder,
    tables: _EventTables,
    event: Event,
    run: Row,
    state: RunState,
    include_system_metadata: bool,
) -> None:
    """Record the accesses of a run to the datasets of an event, their facets that belong to the run, and their quality."""
    time, urn = event.time // 1_000, run["urn"]
    accesses = BufferedTable(commit.tx.get_table("accesses"), ("run", "data", "mode", "component"))
    keys = [(urn, str(dataset.urn), dataset.mode or "read", "") for dataset in event.data]
    accesses.load_rows(keys)
    fresh = [dataset.urn for dataset, key in zip(event.data, keys, strict=True) if accesses.read(key) is None]
    entities = dict.fromkeys([state.program, Urn.parse(state.program.parts[0]), *fresh])
    store_missing_snapshots(commit, urn, entities, include_system_metadata)
    for dataset, key in zip(event.data, keys, strict=True):
        access = Access(dataset.urn, dataset.mode or "read", time=time)
        existing = accesses.read(key)
        access_row = record_access_outside_statements(commit, run, access, existing)
        if access_row != existing:
            accesses.upsert(access_row)
        _store_run_facets(tables, urn, dataset, event.time)
        facets = {**dataset.facets, **dataset.input_output_facets}
        results = convert_assertions_to_results(facets, time, urn, state.job.name)
        if dataset.urn.type == "dataset":
            add_quality_results(commit, dataset.urn, results, urn)
    accesses.write_rows()


def _record_location_and_move_metadata(
    commit: CommitBuilder, dataset: EventDataset, include_system_metadata: bool
) -> bool:
    """Record that a table is stored at a path, and move the metadata reported for the path to the table; return whether
    this was not known.
    """
    if dataset.urn == dataset.location_urn or find_table_at_location(commit.tx, dataset.location_urn) is not None:
        return False
    # It also changes lineage of runs and entities that the event does not name.
    commit.require_no_other_writer()
    record_table_location(commit.tx, dataset.location_urn, dataset.urn, commit.now)
    # The source of columns may have lineage without being an entity.
    is_left = move_reported_data_to_table(commit, dataset.location_urn, dataset.urn, include_system_metadata)
    if commit.has_existed_before(dataset.location_urn):
        _copy_metadata_to_table_and_delete_path(commit, dataset.location_urn, dataset.urn, is_left=is_left)
    return True


def _copy_metadata_to_table_and_delete_path(
    commit: CommitBuilder, location_urn: Urn, table: Urn, *, is_left: bool
) -> None:
    """Copy the path's metadata to the table, then delete the path unless others refer to it."""
    stamps = {
        row["part"]: parse_stored_json(row["value"]) for row in _iterate_facet_rows(commit, str(location_urn))
    }.get(_DESCRIPTION, {})
    value = commit.get_aspect_value(location_urn, described.ASPECT)
    if value is None:
        return
    tables = _EventTables(commit)
    spellings = [OriginalName(**original) for original in value["names"]]
    for spelling in spellings:
        _update_description_aspects(
            commit,
            tables,
            table,
            ReportedDescription(spelling, {}, 0, alone=described.is_described_without_run(stamps)),
            None,
        )
    for name, facet in value["facets"].items():
        _update_description_aspects(
            commit, tables, table, ReportedDescription(spellings[0], {name: facet}, stamps["facets"].get(name, 0)), None
        )
    if "lineage" in value:
        lineage = replace_equal_urns(value["lineage"], str(location_urn), str(table))
        _update_description_aspects(
            commit, tables, table, ReportedDescription(spellings[0], {}, stamps["lineage"], lineage), None
        )
    tables.write_rows()
    if not is_left and not _has_other_metadata(commit, location_urn, value["facets"]):
        commit.delete_entity_and_children(location_urn)


def _has_other_metadata(commit: CommitBuilder, location_urn: Urn, facets: Mapping[str, Any]) -> bool:
    """Return whether an entity has metadata that do not come from these facets."""
    kind = commit.registry.get_type(location_urn.type)
    ours = {kind.key_aspect, "status", described.ASPECT}
    derived = ASPECTS_OF[location_urn.type](location_urn, facets)
    others = {
        spec.name: commit.get_aspect_value(location_urn, spec.name) for spec in kind.aspects if spec.name not in ours
    }
    return any(value is not None and value != derived.get(name) for name, value in others.items())


def _merge_event_into_run_state(
    tables: _EventTables, event: Event, urn: str, before: RunState | None, run_row: Row | None
) -> RunState:
    """Merge the event into the state of its run, store that and return it. Raises AlreadyExists for others' runs."""
    if before is None and run_row is not None:
        raise AlreadyExists("a run recorded by another client", event.run)
    state = create_state_of_first_event(event) if before is None else before.with_event(event)
    if state != before:
        row = {"subject": urn, "part": _RUN, "value": encode_canonical_json(state.document)}
        tables.parts.upsert(row)
    return state


def _build_run_row(
    commit: CommitBuilder, tables: _EventTables, urn: str, state: RunState, run_id: str, row: Row | None
) -> Row:
    """Return the run's row; its actor is the first to report it."""
    by = row or {"actor": commit.principal.user, "via": commit.principal.via}
    return {
        "program": str(state.program),
        "run_id": run_id,
        "urn": urn,
        "start": state.start,
        "stop": state.stop,
        "status": state.status,
        "parent": _find_parent_run_urn(tables, state, urn),
        "actor": by["actor"],
        "via": by["via"],
        "facts": encode_canonical_json(state.facts),
        "arguments": "{}",
    }


def _store_run_facets(tables: _EventTables, run: str, dataset: EventDataset, time: int) -> None:
    """Store the facets of a dataset that belong to this run: those of an input or an output."""
    if not dataset.input_output_facets:
        return
    part = f"{dataset.mode} {dataset.urn}"
    stored = tables.parts.read((run, part))
    old = {"facets": {}, "stamps": {}} if stored is None else parse_stored_json(stored["value"])
    facets, stamps = merge_facets_and_times(old["facets"], old["stamps"], dataset.input_output_facets, time)
    text = encode_canonical_json({"facets": facets, "stamps": stamps})
    if stored is None or text != stored["value"]:
        tables.parts.upsert({"subject": run, "part": part, "value": text})


def _update_description_aspects(
    commit: CommitBuilder, tables: _EventTables, urn: Urn, report: ReportedDescription, run: str | None
) -> None:
    """Update the aspects of a dataset or a job so that they reflect all events so far."""
    if urn.type == "dataJob":
        commit.create_entity_if_missing(Urn.parse(urn.parts[0]), create_namespace=True)
    commit.create_entity_if_missing(urn, create_namespace=True)
    row = tables.parts.read((str(urn), _DESCRIPTION))
    stamps = {} if row is None else parse_stored_json(row["value"])
    old = commit.get_aspect_value(urn, described.ASPECT)
    new, times = described.merge_report_into_description(old or described.EMPTY, stamps if old else {}, report)
    if times != stamps:
        tables.parts.upsert({"subject": str(urn), "part": _DESCRIPTION, "value": encode_canonical_json(times)})
    if new != old:
        commit.write_aspect(urn, commit.registry.get_aspect(urn.type, described.ASPECT), new, run)
        _write_aspects_of_facets(commit, urn, old or described.EMPTY, new, run)
    _index_openlineage_name(commit, tables.names, urn, report)


def _write_aspects_of_facets(
    commit: CommitBuilder, urn: Urn, old: Mapping[str, Any], new: Mapping[str, Any], run: str | None
) -> None:
    """Write the aspects that correspond to facets, without overwriting values of others."""
    before = ASPECTS_OF[urn.type](urn, old["facets"])
    for name, value in ASPECTS_OF[urn.type](urn, new["facets"]).items():
        try:
            spec = commit.registry.get_aspect(urn.type, name)
        except NotFound:
            continue
        present = commit.get_aspect_value(urn, name)
        filtered = commit.facts.filter_aspect_keys(name, value, urn, commit.get_entity_row(urn)["namespace"])
        if filtered is not None and present in (None, before.get(name)) and spec.schema.is_valid(filtered):
            commit.write_aspect(urn, spec, filtered, run, implied=True)
    if urn.type == "dataset":
        _update_column_tags(
            commit, urn, convert_column_tag_facets(old["facets"]), convert_column_tag_facets(new["facets"]), run
        )


def _update_column_tags(commit: CommitBuilder, urn: Urn, old: _ColumnTags, new: _ColumnTags, run: str | None) -> None:
    """Update the tags of columns from the facets before and after; tags of others are kept."""
    for path in dict.fromkeys([*old, *new]):
        column = make_field_urn(urn, path)
        value = commit.get_aspect_value(column, _TAGS) or {"tags": []}
        now = new.get(path, [])
        removed = {item["tag"] for item in old.get(path, [])} - {item["tag"] for item in now}
        kept_items = [item for item in value["tags"] if item["tag"] not in removed]
        kept_tags = {item["tag"] for item in kept_items}
        tags = [*kept_items, *(item for item in now if item["tag"] not in kept_tags)]
        if tags != value["tags"]:
            commit.create_entity_if_missing(column, create_namespace=True)
            commit.write_aspect(
                column, commit.registry.get_aspect(column.type, _TAGS), {**value, "tags": tags}, run, implied=True
            )


def _index_openlineage_name(commit: CommitBuilder, table: BufferedTable, urn: Urn, report: ReportedDescription) -> None:
    """Index the entity by its OpenLineage name."""
    kind = urn.type
    key = (kind, report.original_name.namespace, report.original_name.name)
    commit.require_lock_of_name(make_lock_name_of_openlineage_name(kind, report.original_name))
    row = table.read(key)
    if row is None:
        space = ("namespace", report.original_name.namespace, "")
        if table.read(space) is None:
            commit.require_no_other_writer()
            table.upsert(dict(zip(_NAME_KEY, space, strict=True)) | {"urn": "", "first": commit.now})
    elif not described.is_preferred_over(urn, Urn.parse(row["urn"]), commit.identity):
        return
    first = commit.now if row is None else row["first"]
    table.upsert(dict(zip(_NAME_KEY, key, strict=True)) | {"urn": str(urn), "first": first})


def _move_description_to_job(
    commit: CommitBuilder, tables: _EventTables, old: Urn, new: Urn, state: RunState, run: str
) -> None:
    """Move the description of a job to the job of the same name with its engine, once the engine is known."""
    stamps = {row["part"]: parse_stored_json(row["value"]) for row in _iterate_facet_rows(commit, str(old))}.get(
        _DESCRIPTION, {}
    )
    value = commit.get_aspect_value(old, described.ASPECT)
    if (
        value is None
        or described.is_described_without_run(stamps)
        or _has_program_runs(commit, old)
        or _has_stored_description(commit, old)
    ):
        return
    for name, facet in value["facets"].items():
        time = stamps["facets"].get(name, 0)
        _update_description_aspects(commit, tables, new, ReportedDescription(state.job, {name: facet}, time), run)
    commit.delete_entity_and_children(old)
    flow = Urn.parse(old.parts[0])
    if next(commit.iterate_child_urns(flow), None) is None and not _has_stored_description(commit, flow):
        commit.delete_entity_and_children(flow)


def _iterate_facet_rows(commit: CommitBuilder, subject: str) -> Iterator[Row]:
    return commit.tx.get_table("openlineage").scan(Range.prefix(subject))


def _has_program_runs(commit: CommitBuilder, program: Urn) -> bool:
    return any(True for _ in commit.tx.get_table("run_times").scan(Range.prefix(str(program)), 1))


def _has_stored_description(commit: CommitBuilder, urn: Urn) -> bool:
    return any(
        commit.get_aspect_value(urn, spec.name) is not None
        for spec in commit.registry.get_type(urn.type).aspects
        if spec.scope == "USER"
    )
