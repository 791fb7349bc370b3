"""Apply events of OpenLineage: runs, jobs and datasets reflect all events so far, in any order of arrival.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, parse_stored
from jupyter_colophon.core.errors import AlreadyExists, NotFound
from jupyter_colophon.core.identity.names import (
    Urn,
    make_field_urn,
    make_hashed_run_urn,
    make_namespace_urn,
    make_run_urn,
)
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.core.openlineage.aspects import ASPECTS_OF, read_column_tags
from jupyter_colophon.core.openlineage.described import ReportedDescription
from jupyter_colophon.core.openlineage.event import Event, EventDataset, OriginalName
from jupyter_colophon.core.openlineage.facets import merge_facets
from jupyter_colophon.core.openlineage.run_state import RunState, start_state
from jupyter_colophon.storage.commit.columns import record_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.merge_by_location import move_data, replace_urn
from jupyter_colophon.storage.commit.runs import record_access
from jupyter_colophon.storage.commit.snapshots import keep_snapshot
from jupyter_colophon.storage.commit.upsert_run import write_run
from jupyter_colophon.storage.lineage.symlinks import find_table_at, record_table, resolve_event
from jupyter_colophon.storage.spi import Range, Row

_DESCRIPTION, _RUN = "said", "run"
_TAGS = "globalTags"
#: Items of `globalTags` by the path of a column.
_ColumnTags = Mapping[str, list[dict[str, str]]]


def apply_event(commit: Commit, event: Event, with_system: bool) -> None:
    """Apply an event. Raises AlreadyExists if another client recorded its run."""
    for dataset in event.data:
        _resolve_location(commit, dataset, with_system)
    event = resolve_event(commit.tx, event)
    expected = [dataset.urn for dataset in event.data]
    if event.job is not None:
        program = event.make_program_urn((event.run_facets.get("processing_engine") or {}).get("name"))
        expected += [program, Urn.parse(program.parts[0]), make_namespace_urn(commit.identity.get_namespace(program))]
    commit.load_entities(expected)
    run = _find_run(commit, event.job, event.run) if event.run and event.job is not None else None
    if run is not None:
        _apply_run(commit, event, run, with_system)
    elif event.job is not None:
        report = ReportedDescription(
            event.job, event.job_facets, event.time, described.build_job_lineage(event), alone=True
        )
        _describe(commit, event.make_program_urn(), report, None)
    for dataset in event.data:
        _describe(
            commit,
            dataset.urn,
            ReportedDescription(dataset.spelling, dataset.facets, event.time, described.build_data_lineage(event)),
            run,
        )


def _find_run(commit: Commit, job: OriginalName, run_id: str) -> str:
    """Return the URN of a job's run with this id; jobs that share an id have separate runs.

    The first job uses the id as its run's URN, others one derived from job and id.
    """
    program = make_openlineage_job_urn(job.namespace, job.name)
    first = str(make_run_urn(program, run_id))
    row = commit.tx.get_table("openlineage").read((first, _RUN))
    if row is None or RunState.read(parse_stored(row["value"])).job == job:
        return first
    return str(make_hashed_run_urn(program, run_id))


def _find_parent(commit: Commit, state: RunState, urn: str) -> str | None:
    """Return the URN of the parent run, None if there is none or it is the run itself."""
    parent = state.parent
    if parent is not None and state.parent_job is not None:
        parent = _find_run(commit, state.parent_job, Urn.parse(parent).parts[0])
    return None if parent == urn else parent


def _apply_run(commit: Commit, event: Event, urn: str, with_system: bool) -> None:
    run_row = next(iter(commit.tx.get_table("runs").scan_index("urn", urn, 1)), None)
    state = _update_state(commit, event, urn, run_row)
    program = state.program
    row = _build_run_row(commit, urn, state, event.run, run_row)
    _describe(commit, program, ReportedDescription(state.job, event.job_facets, event.time), urn)
    write_run(commit, run_row, row)
    if run_row is not None and run_row["program"] != row["program"]:
        _move_description(commit, Urn.parse(run_row["program"]), program, state, urn)
    for entity in (program, Urn.parse(program.parts[0])) if event.data else ():
        keep_snapshot(commit, urn, entity, None, with_system)
    time = event.time // 1_000
    for dataset in event.data:
        record_access(commit, row, Access(dataset.urn, dataset.mode or "read", time=time), with_system)
        _store_run_facets(commit, urn, dataset, event.time)
    record_columns(commit, row, event.columns, time)


def _resolve_location(commit: Commit, dataset: EventDataset, with_system: bool) -> None:
    """Record that a table is stored at a path, and move the metadata reported for the path to the table."""
    if dataset.urn == dataset.place or find_table_at(commit.tx, dataset.place) is not None:
        return
    record_table(commit.tx, dataset.place, dataset.urn, commit.now)
    # The source of columns may have lineage without being an entity.
    is_left = move_data(commit, dataset.place, dataset.urn, with_system)
    if commit.has_existed_before(dataset.place):
        _merge_location(commit, dataset.place, dataset.urn, is_left=is_left)


def _merge_location(commit: Commit, place: Urn, table: Urn, *, is_left: bool) -> None:
    """Copy the path's metadata to the table, then delete the path unless others refer to it."""
    stamps = {row["part"]: parse_stored(row["value"]) for row in _iterate_parts(commit, str(place))}.get(
        _DESCRIPTION, {}
    )
    value = commit.get_value(place, described.ASPECT)
    if value is None:
        return
    spellings = [OriginalName(**original) for original in value["names"]]
    for spelling in spellings:
        _describe(commit, table, ReportedDescription(spelling, {}, 0, alone=described.is_alone(stamps)), None)
    for name, facet in value["facets"].items():
        _describe(commit, table, ReportedDescription(spellings[0], {name: facet}, stamps["facets"].get(name, 0)), None)
    if "lineage" in value:
        lineage = replace_urn(value["lineage"], str(place), str(table))
        _describe(commit, table, ReportedDescription(spellings[0], {}, stamps["lineage"], lineage), None)
    if not is_left and not _has_other_metadata(commit, place, value["facets"]):
        commit.remove_entity(place)


def _has_other_metadata(commit: Commit, place: Urn, facets: Mapping[str, Any]) -> bool:
    """Return whether an entity has metadata that do not come from these facets."""
    kind = commit.registry.get_type(place.type)
    ours = {kind.key_aspect, "status", described.ASPECT}
    derived = ASPECTS_OF[place.type](place, facets)
    others = {spec.name: commit.get_value(place, spec.name) for spec in kind.aspects if spec.name not in ours}
    return any(value is not None and value != derived.get(name) for name, value in others.items())


def _update_state(commit: Commit, event: Event, urn: str, run_row: Row | None) -> RunState:
    """Merge the event into the stored state of its run and return that. Raises AlreadyExists for others' runs."""
    table = commit.tx.get_table("openlineage")
    row = table.read((urn, _RUN))
    before = None if row is None else RunState.read(parse_stored(row["value"]))
    if before is None and run_row is not None:
        raise AlreadyExists("a run recorded by another client", event.run)
    state = start_state(event) if before is None else before.apply_event(event)
    if state != before:
        table.upsert({"subject": urn, "part": _RUN, "value": compact(state.document)})
    return state


def _build_run_row(commit: Commit, urn: str, state: RunState, run_id: str, row: Row | None) -> Row:
    """Return the run's row; its actor is the first to report it."""
    by = row or {"actor": commit.principal.user, "via": commit.principal.via}
    return {
        "program": str(state.program),
        "run_id": run_id,
        "urn": urn,
        "start": state.start,
        "stop": state.stop,
        "status": state.status,
        "parent": _find_parent(commit, state, urn),
        "actor": by["actor"],
        "via": by["via"],
        "facts": compact(state.facts),
        "arguments": "{}",
    }


def _store_run_facets(commit: Commit, run: str, dataset: EventDataset, time: int) -> None:
    """Store the facets of a dataset that belong to this run: those of an input or an output."""
    if not dataset.own:
        return
    table, part = commit.tx.get_table("openlineage"), f"{dataset.mode} {dataset.urn}"
    stored = table.read((run, part))
    old = {"facets": {}, "stamps": {}} if stored is None else parse_stored(stored["value"])
    facets, stamps = merge_facets(old["facets"], old["stamps"], dataset.own, time)
    text = compact({"facets": facets, "stamps": stamps})
    if stored is None or text != stored["value"]:
        table.upsert({"subject": run, "part": part, "value": text})


def _describe(commit: Commit, urn: Urn, report: ReportedDescription, run: str | None) -> None:
    """Update the aspects of a dataset or a job so that they reflect all events so far."""
    if urn.type == "dataJob":
        commit.ensure_exists(Urn.parse(urn.parts[0]), create_namespace=True)
    commit.ensure_exists(urn, create_namespace=True)
    table = commit.tx.get_table("openlineage")
    row = table.read((str(urn), _DESCRIPTION))
    stamps = {} if row is None else parse_stored(row["value"])
    old = commit.get_value(urn, described.ASPECT)
    new, times = described.apply_report(old or described.EMPTY, stamps if old else {}, report)
    if times != stamps:
        table.upsert({"subject": str(urn), "part": _DESCRIPTION, "value": compact(times)})
    if new != old:
        commit.put(urn, commit.registry.get_aspect(urn.type, described.ASPECT), new, run)
        _translate(commit, urn, old or described.EMPTY, new, run)
    _index_name(commit, urn, report)


def _translate(commit: Commit, urn: Urn, old: Mapping[str, Any], new: Mapping[str, Any], run: str | None) -> None:
    """Write the aspects that correspond to facets, without overwriting values of others."""
    before = ASPECTS_OF[urn.type](urn, old["facets"])
    for name, value in ASPECTS_OF[urn.type](urn, new["facets"]).items():
        try:
            spec = commit.registry.get_aspect(urn.type, name)
        except NotFound:
            continue
        present = commit.get_value(urn, name)
        filtered = commit.facts.filter_aspect(name, value, urn, commit.get_entity_row(urn)["namespace"])
        if filtered is not None and present in (None, before.get(name)) and spec.schema.is_valid(filtered):
            commit.put(urn, spec, filtered, run, implied=True)
    if urn.type == "dataset":
        _translate_columns(commit, urn, read_column_tags(old["facets"]), read_column_tags(new["facets"]), run)


def _translate_columns(commit: Commit, urn: Urn, old: _ColumnTags, new: _ColumnTags, run: str | None) -> None:
    """Update the tags of columns from the facets before and after; tags of others are kept."""
    for path in dict.fromkeys([*old, *new]):
        column = make_field_urn(urn, path)
        value = commit.get_value(column, _TAGS) or {"tags": []}
        now = new.get(path, [])
        removed = {item["tag"] for item in old.get(path, [])} - {item["tag"] for item in now}
        kept_items = [item for item in value["tags"] if item["tag"] not in removed]
        kept_tags = {item["tag"] for item in kept_items}
        tags = [*kept_items, *(item for item in now if item["tag"] not in kept_tags)]
        if tags != value["tags"]:
            commit.ensure_exists(column, create_namespace=True)
            commit.put(
                column, commit.registry.get_aspect(column.type, _TAGS), {**value, "tags": tags}, run, implied=True
            )


def _index_name(commit: Commit, urn: Urn, report: ReportedDescription) -> None:
    """Index the entity by its OpenLineage name."""
    table, kind = commit.tx.get_table("openlineage_names"), urn.type
    key = (kind, report.spelling.namespace, report.spelling.name)
    row = table.read(key)
    if row is None:
        space = ("namespace", report.spelling.namespace, "")
        if table.read(space) is None:
            table.upsert(dict(zip(_NAME_KEY, space, strict=True)) | {"urn": "", "first": commit.now})
    elif not described.is_preferred(urn, Urn.parse(row["urn"]), commit.identity):
        return
    first = commit.now if row is None else row["first"]
    table.upsert(dict(zip(_NAME_KEY, key, strict=True)) | {"urn": str(urn), "first": first})


_NAME_KEY = ("kind", "namespace", "name")


def _move_description(commit: Commit, old: Urn, new: Urn, state: RunState, run: str) -> None:
    """Move the description of a job to the job of the same name with its engine, once the engine is known."""
    stamps = {row["part"]: parse_stored(row["value"]) for row in _iterate_parts(commit, str(old))}.get(_DESCRIPTION, {})
    value = commit.get_value(old, described.ASPECT)
    if value is None or described.is_alone(stamps) or _has_runs(commit, old) or _is_described(commit, old):
        return
    for name, facet in value["facets"].items():
        time = stamps["facets"].get(name, 0)
        _describe(commit, new, ReportedDescription(state.job, {name: facet}, time), run)
    commit.remove_entity(old)
    flow = Urn.parse(old.parts[0])
    if next(commit.iterate_children(flow), None) is None and not _is_described(commit, flow):
        commit.remove_entity(flow)


def _iterate_parts(commit: Commit, subject: str) -> Iterator[Row]:
    return commit.tx.get_table("openlineage").scan(Range.prefix(subject))


def _has_runs(commit: Commit, program: Urn) -> bool:
    return any(True for _ in commit.tx.get_table("run_times").scan(Range.prefix(str(program)), 1))


def _is_described(commit: Commit, urn: Urn) -> bool:
    return any(
        commit.get_value(urn, spec.name) is not None
        for spec in commit.registry.get_type(urn.type).aspects
        if spec.scope == "USER"
    )
