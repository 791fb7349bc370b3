"""Any history of OpenLineage events, in any order and with any of them twice, against a model that looks at all of them.

Some events tell that a table is where the files are (`symlinks`), others of the same files do not. 33 histories a store;
202 with COLOPHON_TEST_SIZE=full (`make long-openlineage`).
"""

import json
import os
import random
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.spi import Range, TableContext
from support.catalog import ADA
from support.keeping import findings, keeper
from support.openlineage import data, event
from support.urns import table

_MOST = 200 if os.environ.get("COLOPHON_TEST_SIZE") == "full" else 30
#: Three of them were once wrong: a run and a JobEvent told of the same edge between columns.
HISTORIES = sorted({*range(1, _MOST + 1), 88, 258, 306})
TYPES = ("START", "RUNNING", "OTHER", "COMPLETE", "ABORT", "FAIL")
STATUS = {"COMPLETE": "succeeded", "ABORT": "killed", "FAIL": "failed"}
Event = dict[str, Any]


def history(chance: random.Random, number: int) -> list[Event]:
    """A few runs of two jobs, of which one has an engine that some of each run's events name; times are often equal."""
    found = []
    for run in range(chance.randint(1, 3)):
        job, run_id = chance.choice(("plain", "spark")), f"{number:08x}-0000-4000-8000-{run:012x}"
        events = [_event(chance, number, run_id, job) for _ in range(chance.randint(1, 5))]
        if job == "spark":
            for one in chance.sample(events, chance.randint(1, len(events))):
                one["run"]["facets"]["processing_engine"] = {"name": "Spark", "version": "4"}
        found += events
    if chance.random() < 0.5:
        found.append({**_event(chance, number, "", "plain")})
    return found


def _event(chance: random.Random, number: int, run: str, job: str) -> Event:
    def some(prefix: str) -> list[Event]:
        return [_data(chance, f"h{number}.{prefix}{chance.randint(0, 2)}") for _ in range(chance.randint(0, 2))]

    facets = {name: {"v": chance.randint(0, 2)} for name in ("a", "b") if chance.random() < 0.5}
    made = event(
        chance.choice(TYPES),
        chance.randint(0, 4),
        run=run,
        job=f"{job}.h{number}.",
        inputs=some("in"),
        outputs=some("out"),
        run_facets=dict(facets),
        job_facets=dict(facets),
    )
    return made if run else {key: one for key, one in made.items() if key not in ("run", "eventType")}


def _data(chance: random.Random, name: str) -> Event:
    facets: Event = {}
    if chance.random() < 0.2:
        facets["symlinks"] = {"identifiers": [{"namespace": "hive://metastore", "name": name, "type": "TABLE"}]}
    if chance.random() < 0.6:
        facets["schema"] = {"fields": [{"name": f"f{chance.randint(0, 2)}", "type": "INT"}]}
    if "out" in name and chance.random() < 0.5:
        source = {"namespace": "file", "name": name.replace("out", "in"), "field": f"s{chance.randint(0, 1)}"}
        facets["columnLineage"] = {"fields": {"t": {"inputFields": [source]}}}
    return data(name, "file", **facets)


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{name},PROD)"


def program(job: str) -> str:
    return f"urn:li:dataJob:(urn:li:dataFlow:({'spark' if 'spark' in job else 'openlineage'},etl,PROD),{job})"


def ms(told: Event) -> int:
    return int(datetime.fromisoformat(told["eventTime"]).timestamp() * 1_000)


def newest(told: Iterable[tuple[int, Any]]) -> Any:
    return max(told, key=lambda one: (one[0], compact(one[1])))[1]


def touches(events: Iterable[Event]) -> Iterator[tuple[Event, str, Event]]:
    for one in events:
        for side, mode in (("inputs", "read"), ("outputs", "write")):
            for told in one[side]:
                yield one, mode, told


def model(events: list[Event]) -> dict[str, Any]:
    """What has to be known of these events."""
    runs: dict[str, list[Event]] = {}
    for one in events:
        if "run" in one:
            runs.setdefault(f"urn:li:dataProcessInstance:{one['run']['runId']}", []).append(one)
    found: dict[str, Any] = {"runs": {}, "accesses": {}, "columns": set(), "links": set()}
    for run, those in runs.items():
        model_run(found, run, those)
    for one in events:
        if "run" not in one:
            found["columns"] |= made_columns([one], program(one["job"]["name"]))
    return renamed(found | model_things(events), tables(events))


def tables(events: list[Event]) -> dict[str, str]:
    """The tables of the catalog, by the places of their files."""
    linked = {told["name"] for _, _, told in touches(events) if "symlinks" in told["facets"]}
    return {urn(name): table(name.partition(".")[2], name.partition(".")[0]) for name in linked}


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The same of things with other names."""
    if isinstance(value, dict):
        return {renamed(key, names): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list | tuple | set):
        return type(value)(renamed(one, names) for one in value)
    return names.get(value, value) if isinstance(value, str) else value


def model_run(found: dict[str, Any], run: str, those: list[Event]) -> None:
    ends = [(one["eventType"], ms(one)) for one in those if one["eventType"] in STATUS]
    failed = [end for end in ends if end[0] == "FAIL"]
    end = max(failed or ends, key=lambda one: (one[1], one[0] == "ABORT"), default=None)
    job, start, stop = program(those[0]["job"]["name"]), min(map(ms, those)), end and end[1]
    found["runs"][run] = (job, "running" if end is None else STATUS[end[0]], start, stop)
    for one, mode, told in touches(those):
        key, time = (run, urn(told["name"]), mode), ms(one)
        first, last = found["accesses"].get(key, (time, time))
        found["accesses"][key] = (min(first, time), max(last, time))
        found["links"].add((key[1], job, mode, run, start, stop))
    found["columns"] |= made_columns(those, job)


def made_columns(events: list[Event], job: str) -> set[tuple[str, ...]]:
    return {
        (urn(told["name"]), "t", urn(source["name"]), source["field"], job)
        for _, _, told in touches(events)
        for made in told["facets"].get("columnLineage", {}).get("fields", {}).values()
        for source in made["inputFields"]
    }


def model_things(events: list[Event]) -> dict[str, Any]:
    """Each facet of a job or a dataset as the newest event said."""
    things: dict[str, list[tuple[int, str, Any]]] = {}
    for one in events:
        about = [(program(one["job"]["name"]), one["job"]["facets"])]
        about += [(urn(told["name"]), told["facets"]) for _, _, told in touches([one])]
        for thing, facets in about:
            things.setdefault(thing, []).extend((ms(one), name, value) for name, value in facets.items())
    facets = {
        thing: {name: newest((t, v) for t, n, v in said if n == name) for name in {name for _, name, _ in said}}
        for thing, said in things.items()
    }
    schemas = {
        thing: [one["name"] for one in told["schema"]["fields"]] for thing, told in facets.items() if "schema" in told
    }
    return {"facets": facets, "schemas": schemas}


def known(catalog: Catalog, mark: str) -> dict[str, Any]:
    """What the catalog knows of one history."""

    def read(tx: TableContext) -> dict[str, Any]:
        def rows(table: str) -> list[Any]:
            return [row for row in tx.table(table).scan(Range()) if mark in json.dumps(row)]

        def about(name: str) -> dict[str, Any]:
            return {
                row["urn"]: json.loads(row["value"])
                for row in rows("aspects")
                if row["aspect"] == name and row["value"] and mark in row["urn"]
            }

        runs = [row for row in tx.table("runs").scan(Range()) if mark in row["program"]]
        return {
            "runs": {one["urn"]: (one["program"], one["status"], one["start"], one["stop"]) for one in runs},
            "accesses": {(r["run"], r["data"], r["mode"]): (r["first"], r["last"]) for r in rows("accesses")},
            "columns": {
                (r["target"], r["target_field"], r["source"], r["source_field"], r["program"])
                for r in rows("column_edges")
            },
            "facets": {thing: value["facets"] for thing, value in about("openLineage").items()},
            "links": {
                (link.data, link.program, link.mode, link.run, link.start, link.stop)
                for run in runs
                for link in tx.edges.of_run(run["urn"])
            },
            "schemas": {
                thing: [one["fieldPath"] for one in value["fields"]] for thing, value in about("schemaMetadata").items()
            },
        }

    return catalog.provider.tx_runner.run(read, read_only=True)


def send(catalog: Catalog, events: Iterable[Event]) -> None:
    for one in events:
        catalog.collector.take(json.dumps(one).encode(), ADA)


def test_any_order_of_any_events_ends_as_one_who_looks_at_all_of_them_says(catalog: Catalog) -> None:
    wanted: dict[str, Any] = {}
    for number in HISTORIES:
        chance = random.Random(number)
        events = history(chance, number)
        order = events + chance.sample(events, chance.randint(0, len(events)))
        chance.shuffle(order)
        send(catalog, order)
        wanted = {part: wanted.get(part, type(said)()) | said for part, said in model(events).items()}
    found = known(catalog, "")
    for part, said in wanted.items():
        assert _rows(found[part]) ^ _rows(said) == set(), part
    assert findings(keeper(catalog)) == []


def _rows(said: Any) -> set[Any]:
    return {(key, compact(one)) for key, one in said.items()} if isinstance(said, dict) else said


@pytest.mark.parametrize("end", ["COMPLETE", "ABORT"])
def test_a_run_that_failed_stays_failed_and_one_that_ended_does_not_go_on(catalog: Catalog, end: str) -> None:
    send(catalog, [event(end, 1), event("RUNNING", 3)])
    [run] = known(catalog, "load")["runs"].values()
    assert run[1] == STATUS[end]
    send(catalog, [event("FAIL", 1), event("COMPLETE", 4)])
    [run] = known(catalog, "load")["runs"].values()
    assert run[1] == "failed"


def test_what_somebody_else_wrote_is_not_overwritten(catalog: Catalog) -> None:
    def tell(second: int, *names: str) -> list[str]:
        facet = {"fields": [{"name": one, "type": "INT"} for one in names]}
        send(catalog, [event("RUNNING", second, outputs=[data("t", "file", schema=facet)])])
        return known(catalog, "file,t,")["schemas"][urn("t")]

    assert tell(1, "a") == ["a"]
    assert tell(3, "a", "b") == ["a", "b"]
    assert tell(2, "old") == ["a", "b"]
    mine = catalog.reader.aspect(Urn.parse(urn("t")), "schemaMetadata", ADA).value
    mine = {**mine, "fields": [{**mine["fields"][0], "fieldPath": "mine"}]}
    catalog.write_path.propose([Proposal(Urn.parse(urn("t")), "schemaMetadata", "upsert", mine)], ADA)
    assert tell(4, "c") == ["mine"]
    assert known(catalog, "file,t,")["facets"][urn("t")]["schema"]["fields"][0]["name"] == "c"
