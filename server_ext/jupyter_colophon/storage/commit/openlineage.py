"""Events of OpenLineage: runs, jobs and data are brought to what all events so far say, in whatever order they came.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.errors import AlreadyExists, NotFound
from jupyter_colophon.core.identity.names import Urn, field, namespace, run_urn, shared_run_urn
from jupyter_colophon.core.identity.openlineage_names import openlineage_job
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.core.openlineage.aspects import ASPECTS_OF, column_tags
from jupyter_colophon.core.openlineage.described import Telling
from jupyter_colophon.core.openlineage.event import Event, Spelling, ToldData
from jupyter_colophon.core.openlineage.facets import merged
from jupyter_colophon.core.openlineage.run_state import RunState, first_state
from jupyter_colophon.storage.commit.columns import record_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.merge_by_location import hand_over_data, swapped
from jupyter_colophon.storage.commit.runs import record_access
from jupyter_colophon.storage.commit.snapshots import keep_snapshot
from jupyter_colophon.storage.commit.upsert_run import place
from jupyter_colophon.storage.lineage.symlinks import learn, resolved, table_at
from jupyter_colophon.storage.spi import Range, Row

_SAID, _RUN = "said", "run"
_TAGS = "globalTags"
#: Items of `globalTags` by the path of a column.
_ColumnTags = Mapping[str, list[dict[str, str]]]


def take(commit: Commit, event: Event, with_system: bool) -> None:
    """Take an event in. Raises AlreadyExists where another recorder told of its run."""
    for one in event.data:
        _meet(commit, one, with_system)
    event = resolved(commit.tx, event)
    expected = [one.urn for one in event.data]
    if event.job is not None:
        program = event.program((event.run_facets.get("processing_engine") or {}).get("name"))
        expected += [program, Urn.parse(program.parts[0]), namespace(commit.identity.namespace_of(program))]
    commit.expect(expected)
    run = _find_run(commit, event.job, event.run) if event.run and event.job is not None else None
    if run is not None:
        _take_run(commit, event, run, with_system)
    elif event.job is not None:
        told = Telling(event.job, event.job_facets, event.time, described.job_lineage(event), alone=True)
        _describe(commit, event.program(), told, None)
    for one in event.data:
        _describe(commit, one.urn, Telling(one.spelling, one.facets, event.time, described.data_lineage(event)), run)


def _find_run(commit: Commit, job: Spelling, run_id: str) -> str:
    """Return the URN of a job's run of this id. Some clients use one id for several jobs: each has a run of its own.

    The job that is known first has the id itself as its run's URN, others one made of job and id.
    """
    program = openlineage_job(job.namespace, job.name)
    first = str(run_urn(program, run_id))
    kept = commit.tx.table("openlineage").read((first, _RUN))
    if kept is None or RunState.read(stored(kept["value"])).job == job:
        return first
    return str(shared_run_urn(program, run_id))


def _find_parent(commit: Commit, state: RunState, urn: str) -> str | None:
    """Return the URN of the run that a run is a part of; None for none, and for itself."""
    parent = state.parent
    if parent is not None and state.parent_job is not None:
        parent = _find_run(commit, state.parent_job, Urn.parse(parent).parts[0])
    return None if parent == urn else parent


def _take_run(commit: Commit, event: Event, urn: str, with_system: bool) -> None:
    known = next(iter(commit.tx.table("runs").scan_index("urn", urn, 1)), None)
    state = _state(commit, event, urn, known)
    program = state.program
    row = _row(commit, urn, state, event.run, known)
    _describe(commit, program, Telling(state.job, event.job_facets, event.time), urn)
    place(commit, known, row)
    if known is not None and known["program"] != row["program"]:
        _hand_over(commit, Urn.parse(known["program"]), program, state, urn)
    for entity in (program, Urn.parse(program.parts[0])) if event.data else ():
        keep_snapshot(commit, urn, entity, None, with_system)
    time = event.time // 1_000
    for one in event.data:
        record_access(commit, row, Access(one.urn, one.mode or "read", time=time), with_system)
        _keep_own(commit, urn, one, event.time)
    record_columns(commit, row, event.columns, time)


def _meet(commit: Commit, one: ToldData, with_system: bool) -> None:
    """Learn that a table is at a place, and give it what was told of the place before."""
    if one.urn == one.place or table_at(commit.tx, one.place) is not None:
        return
    learn(commit.tx, one.place, one.urn, commit.now)
    # What only columns are made of is no entity, and known all the same.
    is_left = hand_over_data(commit, one.place, one.urn, with_system)
    if commit.was_there(one.place):
        _hand_over_place(commit, one.place, one.urn, is_left=is_left)


def _hand_over_place(commit: Commit, place: Urn, table: Urn, *, is_left: bool) -> None:
    """Say of a table what events said of its place; that goes, unless somebody else knows of it."""
    said = {row["part"]: stored(row["value"]) for row in _parts(commit, str(place))}.get(_SAID, {})
    value = commit.current(place, described.ASPECT)
    if value is None:
        return
    spellings = [Spelling(**one) for one in value["names"]]
    for spelling in spellings:
        _describe(commit, table, Telling(spelling, {}, 0, alone=described.is_alone(said)), None)
    for name, facet in value["facets"].items():
        _describe(commit, table, Telling(spellings[0], {name: facet}, said["facets"].get(name, 0)), None)
    if "lineage" in value:
        lineage = swapped(value["lineage"], str(place), str(table))
        _describe(commit, table, Telling(spellings[0], {}, said["lineage"], lineage), None)
    if not is_left and not _is_known_otherwise(commit, place, value["facets"]):
        commit.remove_entity(place)


def _is_known_otherwise(commit: Commit, place: Urn, facets: Mapping[str, Any]) -> bool:
    """Whether anybody said anything of it that is not from these facets."""
    kind = commit.registry.type(place.type)
    ours = {kind.key_aspect, "status", described.ASPECT}
    made = ASPECTS_OF[place.type](place, facets)
    held = {spec.name: commit.current(place, spec.name) for spec in kind.aspects if spec.name not in ours}
    return any(value is not None and value != made.get(name) for name, value in held.items())


def _state(commit: Commit, event: Event, urn: str, known: Row | None) -> RunState:
    """What is known of the event's run with this event, which is kept. Raises AlreadyExists for others' runs."""
    table = commit.tx.table("openlineage")
    kept = table.read((urn, _RUN))
    before = None if kept is None else RunState.read(stored(kept["value"]))
    if before is None and known is not None:
        raise AlreadyExists("a run of which another recorder told", event.run)
    state = first_state(event) if before is None else before.after(event)
    if state != before:
        table.upsert({"subject": urn, "part": _RUN, "value": compact(state.document)})
    return state


def _row(commit: Commit, urn: str, state: RunState, run_id: str, known: Row | None) -> Row:
    """The run's row as it has to be; it is who told of it first who recorded it."""
    by = known or {"actor": commit.principal.user, "via": commit.principal.via}
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


def _keep_own(commit: Commit, run: str, one: ToldData, time: int) -> None:
    """Keep what is said of the data in this run alone: the facets of an input or an output."""
    if not one.own:
        return
    table, part = commit.tx.table("openlineage"), f"{one.mode} {one.urn}"
    kept = table.read((run, part))
    old = {"facets": {}, "stamps": {}} if kept is None else stored(kept["value"])
    facets, stamps = merged(old["facets"], old["stamps"], one.own, time)
    said = compact({"facets": facets, "stamps": stamps})
    if kept is None or said != kept["value"]:
        table.upsert({"subject": run, "part": part, "value": said})


def _describe(commit: Commit, urn: Urn, told: Telling, run: str | None) -> None:
    """Bring the aspects of a dataset or a job to what all events so far say of it."""
    if urn.type == "dataJob":
        commit.ensure(Urn.parse(urn.parts[0]), create_namespace=True)
    commit.ensure(urn, create_namespace=True)
    table = commit.tx.table("openlineage")
    kept = table.read((str(urn), _SAID))
    stamps = {} if kept is None else stored(kept["value"])
    old = commit.current(urn, described.ASPECT)
    new, when = described.after(old or described.EMPTY, stamps if old else {}, told)
    if when != stamps:
        table.upsert({"subject": str(urn), "part": _SAID, "value": compact(when)})
    if new != old:
        commit.put(urn, commit.registry.aspect(urn.type, described.ASPECT), new, run)
        _translate(commit, urn, old or described.EMPTY, new, run)
    _name(commit, urn, told)


def _translate(commit: Commit, urn: Urn, old: Mapping[str, Any], new: Mapping[str, Any], run: str | None) -> None:
    """Write the aspects that facets say as well, but nothing over what somebody else wrote."""
    before = ASPECTS_OF[urn.type](urn, old["facets"])
    for name, value in ASPECTS_OF[urn.type](urn, new["facets"]).items():
        try:
            spec = commit.registry.aspect(urn.type, name)
        except NotFound:
            continue
        there = commit.current(urn, name)
        said = commit.facts.of_aspect(name, value, urn, commit.entity(urn)["namespace"])
        if said is not None and there in (None, before.get(name)) and spec.schema.is_valid(said):
            commit.put(urn, spec, said, run, implied=True)
    if urn.type == "dataset":
        _translate_columns(commit, urn, column_tags(old["facets"]), column_tags(new["facets"]), run)


def _translate_columns(commit: Commit, urn: Urn, old: _ColumnTags, new: _ColumnTags, run: str | None) -> None:
    """Bring the tags of columns from what facets said before to what they say now; others' tags stay."""
    for path in dict.fromkeys([*old, *new]):
        column = field(urn, path)
        value = commit.current(column, _TAGS) or {"tags": []}
        now = new.get(path, [])
        gone = {one["tag"] for one in old.get(path, [])} - {one["tag"] for one in now}
        kept = [one for one in value["tags"] if one["tag"] not in gone]
        known = {one["tag"] for one in kept}
        tags = [*kept, *(one for one in now if one["tag"] not in known)]
        if tags != value["tags"]:
            commit.ensure(column, create_namespace=True)
            commit.put(column, commit.registry.aspect(column.type, _TAGS), {**value, "tags": tags}, run, implied=True)


def _name(commit: Commit, urn: Urn, told: Telling) -> None:
    """Have the entity found by OpenLineage's name for it."""
    table, kind = commit.tx.table("openlineage_names"), urn.type
    key = (kind, told.spelling.namespace, told.spelling.name)
    known = table.read(key)
    if known is None:
        space = ("namespace", told.spelling.namespace, "")
        if table.read(space) is None:
            table.upsert(dict(zip(_NAME_KEY, space, strict=True)) | {"urn": "", "first": commit.now})
    elif not described.is_better(urn, Urn.parse(known["urn"]), commit.identity):
        return
    first = commit.now if known is None else known["first"]
    table.upsert(dict(zip(_NAME_KEY, key, strict=True)) | {"urn": str(urn), "first": first})


_NAME_KEY = ("kind", "namespace", "name")


def _hand_over(commit: Commit, old: Urn, new: Urn, state: RunState, run: str) -> None:
    """A run turned out to be of a job whose engine was not known before: what was known only because of it goes along."""
    said = {row["part"]: stored(row["value"]) for row in _parts(commit, str(old))}.get(_SAID, {})
    value = commit.current(old, described.ASPECT)
    if value is None or described.is_alone(said) or _has_runs(commit, old) or _is_described(commit, old):
        return
    for name, facet in value["facets"].items():
        time = said["facets"].get(name, 0)
        _describe(commit, new, Telling(state.job, {name: facet}, time), run)
    commit.remove_entity(old)
    flow = Urn.parse(old.parts[0])
    if next(commit.held(flow), None) is None and not _is_described(commit, flow):
        commit.remove_entity(flow)


def _parts(commit: Commit, subject: str) -> Iterator[Row]:
    return commit.tx.table("openlineage").scan(Range.prefix(subject))


def _has_runs(commit: Commit, program: Urn) -> bool:
    return any(True for _ in commit.tx.table("run_times").scan(Range.prefix(str(program)), 1))


def _is_described(commit: Commit, urn: Urn) -> bool:
    return any(
        commit.current(urn, spec.name) is not None
        for spec in commit.registry.type(urn.type).aspects
        if spec.scope == "USER"
    )
