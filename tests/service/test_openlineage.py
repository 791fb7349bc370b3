"""Random histories of OpenLineage events, in any order and with duplicates, compared with a model.

Some events report that a table is where the files are (`symlinks`), others of the same files do not. 21 histories a store;
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
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage.spi import Range, TableContext
from support.catalog import ADA
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.openlineage import build_event, build_event_dataset
from support.urns import build_table_urn

_MOST = 200 if os.environ.get("COLOPHON_TEST_SIZE") == "full" else 18
#: Three of them failed once: a run and a JobEvent reported the same column edge.
HISTORIES = sorted({*range(1, _MOST + 1), 88, 258, 306})
TYPES = ("START", "RUNNING", "OTHER", "COMPLETE", "ABORT", "FAIL")
STATUS = {"COMPLETE": "succeeded", "ABORT": "killed", "FAIL": "failed"}
Event = dict[str, Any]


def history(chance: random.Random, number: int) -> list[Event]:
    """Create a few runs of two jobs; some events of one job name its engine, and many times are equal."""
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
    made = build_event(
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
    return build_event_dataset(name, "file", **facets)


def urn(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{name},PROD)"


def program(job: str) -> str:
    return f"urn:li:dataJob:(urn:li:dataFlow:({'spark' if 'spark' in job else 'openlineage'},etl,PROD),{job})"


def ms(event: Event) -> int:
    return int(datetime.fromisoformat(event["eventTime"]).timestamp() * 1_000)


def newest(values: Iterable[tuple[int, Any]]) -> Any:
    return max(values, key=lambda one: (one[0], encode_canonical_json(one[1])))[1]


def touches(events: Iterable[Event]) -> Iterator[tuple[Event, str, Event]]:
    for one in events:
        for side, mode in (("inputs", "read"), ("outputs", "write")):
            for dataset in one[side]:
                yield one, mode, dataset


def model(events: list[Event]) -> dict[str, Any]:
    """Return the expected state after these events."""
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
    """Return the tables of the catalog, by the location of their files."""
    linked = {dataset["name"] for _, _, dataset in touches(events) if "symlinks" in dataset["facets"]}
    return {urn(name): build_table_urn(name.partition(".")[2], name.partition(".")[0]) for name in linked}


def renamed(value: Any, names: dict[str, str]) -> Any:
    """Return the value with other names of entities."""
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
    for one, mode, dataset in touches(those):
        key, time = (run, urn(dataset["name"]), mode), ms(one)
        first, last = found["accesses"].get(key, (time, time))
        found["accesses"][key] = (min(first, time), max(last, time))
        found["links"].add((key[1], job, mode, run, start, stop))
    found["columns"] |= made_columns(those, job)


def made_columns(events: list[Event], job: str) -> set[tuple[str, ...]]:
    return {
        (urn(dataset["name"]), "t", urn(source["name"]), source["field"], job)
        for _, _, dataset in touches(events)
        for made in dataset["facets"].get("columnLineage", {}).get("fields", {}).values()
        for source in made["inputFields"]
    }


def model_things(events: list[Event]) -> dict[str, Any]:
    """Return each facet of a job or a dataset from the newest event."""
    things: dict[str, list[tuple[int, str, Any]]] = {}
    for one in events:
        about = [(program(one["job"]["name"]), one["job"]["facets"])]
        about += [(urn(dataset["name"]), dataset["facets"]) for _, _, dataset in touches([one])]
        for thing, facets in about:
            things.setdefault(thing, []).extend((ms(one), name, value) for name, value in facets.items())
    facets = {
        thing: {name: newest((t, v) for t, n, v in values if n == name) for name in {name for _, name, _ in values}}
        for thing, values in things.items()
    }
    schemas = {
        thing: [one["name"] for one in dataset["schema"]["fields"]]
        for thing, dataset in facets.items()
        if "schema" in dataset
    }
    return {"facets": facets, "schemas": schemas}


def known(catalog: Catalog, mark: str) -> dict[str, Any]:
    """Return the state of the catalog after one history."""

    def read(tx: TableContext) -> dict[str, Any]:
        def rows(table: str) -> list[Any]:
            return [row for row in tx.get_table(table).scan(Range()) if mark in json.dumps(row)]

        def about(name: str) -> dict[str, Any]:
            return {
                row["urn"]: json.loads(row["value"])
                for row in rows("aspects")
                if row["aspect"] == name and row["value"] and mark in row["urn"]
            }

        runs = [row for row in tx.get_table("runs").scan(Range()) if mark in row["program"]]
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
                for link in tx.edges.list_links_of_run(run["urn"])
            },
            "schemas": {
                thing: [one["fieldPath"] for one in value["fields"]] for thing, value in about("schemaMetadata").items()
            },
        }

    return catalog.provider.tx_runner.run(read, read_only=True)


def send(catalog: Catalog, events: Iterable[Event]) -> None:
    for one in events:
        catalog.collector.parse_and_store_event(json.dumps(one).encode(), ADA)


def test_any_order_of_events_gives_the_state_of_the_model(catalog: Catalog) -> None:
    selected: dict[str, Any] = {}
    for number in HISTORIES:
        chance = random.Random(number)
        events = history(chance, number)
        order = events + chance.sample(events, chance.randint(0, len(events)))
        chance.shuffle(order)
        send(catalog, order)
        selected = {part: selected.get(part, type(values)()) | values for part, values in model(events).items()}
    found = known(catalog, "")
    for part, values in selected.items():
        assert _rows(found[part]) ^ _rows(values) == set(), part
    assert list_integrity_issues(create_maintenance(catalog)) == []


def _rows(values: Any) -> set[Any]:
    return {(key, encode_canonical_json(one)) for key, one in values.items()} if isinstance(values, dict) else values


@pytest.mark.parametrize("end", ["COMPLETE", "ABORT"])
def test_ended_run_keeps_its_status(catalog: Catalog, end: str) -> None:
    send(catalog, [build_event(end, 1), build_event("RUNNING", 3)])
    [run] = known(catalog, "load")["runs"].values()
    assert run[1] == STATUS[end]
    send(catalog, [build_event("FAIL", 1), build_event("COMPLETE", 4)])
    [run] = known(catalog, "load")["runs"].values()
    assert run[1] == "failed"


def test_event_does_not_overwrite_aspects_of_others(catalog: Catalog) -> None:
    def send_names(second: int, *names: str) -> list[str]:
        facet = {"fields": [{"name": one, "type": "INT"} for one in names]}
        send(catalog, [build_event("RUNNING", second, outputs=[build_event_dataset("t", "file", schema=facet)])])
        return known(catalog, "file,t,")["schemas"][urn("t")]

    assert send_names(1, "a") == ["a"]
    assert send_names(3, "a", "b") == ["a", "b"]
    assert send_names(2, "old") == ["a", "b"]
    mine = catalog.reader.read_current_aspect(Urn.parse(urn("t")), "schemaMetadata", ADA).value
    mine = {**mine, "fields": [{**mine["fields"][0], "fieldPath": "mine"}]}
    catalog.write_path.apply_proposals_atomically(
        [Proposal(Urn.parse(urn("t")), "schemaMetadata", "upsert", mine)], ADA
    )
    assert send_names(4, "c") == ["mine"]
    assert known(catalog, "file,t,")["facets"][urn("t")]["schema"]["fields"][0]["name"] == "c"
