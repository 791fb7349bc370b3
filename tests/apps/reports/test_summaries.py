"""Reports from summaries are those from the rows of runs, after any history of runs and namespaces, on each store."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

import pytest
from jupyter_colophon.apps import AppTables, Range, ServiceContext
from jupyter_colophon.apps.reports import earlier_runs, ordered_runs, visible_runs
from jupyter_colophon.apps.reports.definition import GROUPS, STATUSES, ReportDefinition
from jupyter_colophon.apps.reports.earlier_runs import list_summarized_namespaces, summarize_earlier_runs
from jupyter_colophon.apps.reports.listeners import write_run
from jupyter_colophon.apps.reports.ordered_runs import find_runs_in_order
from jupyter_colophon.apps.reports.queries import build_aggregation
from jupyter_colophon.apps.reports.visible_runs import VisibleRuns
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import make_program_urn
from support.catalog import ADA
from support.report_runs import HOUR
from support.stores import CATALOGS, open_new_catalog
from support.system_apps import open_shipped_apps
from support.waiting import wait_for

Run = dict[str, Any]
#: Histories on each store.
CASES: Final = {"sqlite": 40, "postgresql": 10}
NAMESPACES: Final = ("ops", "sales")
#: A Monday; weeks of summaries begin on Thursday.
BEGIN: Final = int(datetime(2026, 11, 2, tzinfo=UTC).timestamp() * 1_000)
#: Times on both sides of the borders of periods, and between them.
TIMES: Final = [
    BEGIN + hours * HOUR + ms
    for hours in (-200, -72, -24, -1, 0, 1, 6, 23, 24, 72, 73, 240, 241, 2_000)
    for ms in (-1, 0, 1, 1_800_000)
]
PROGRAMS: Final = {
    name: str(make_program_urn("sales", "shop", type_, name)) for name, type_ in (("a", "spark"), ("b", "workflows"))
}
FILTERS: Final = {
    "namespaces": ["ops"],
    "programs": ["a", PROGRAMS["b"]],
    "types": ["spark"],
    "users": ["bob"],
    "statuses": [*STATUSES],
}


def _build_run(random: Random, times: Sequence[int]) -> Run:
    """Return a run with one of few numbers, so that runs are replaced: also by another start, or in another namespace."""
    name, start, status = random.choice([*PROGRAMS]), random.choice(times), random.choice([*STATUSES, "running"])
    number = random.randrange(12)
    return {
        "context": random.choice(NAMESPACES),
        "start_ms": start,
        "run": f"run{number}",
        "run_id": str(number),
        "program": PROGRAMS[name],
        "program_name": name,
        "type": "spark" if name == "a" else "workflows",
        "actor": random.choice(("ada", "ada", "bob")),
        "status": status,
        "stop_ms": None if status == "running" else start + random.choice((-5, 0, 7, 61_234, 9 * HOUR)),
        "arguments": "{}",
    }


def _build_definition(random: Random) -> ReportDefinition:
    filters = {
        name: random.sample(values, random.randint(1, len(values)))
        for name, values in FILTERS.items()
        if random.random() < 0.15
    }
    interval = dict(zip(("from", "to"), map(_format_time, sorted(random.sample(TIMES, 2))), strict=True))
    group_by = random.sample(GROUPS, random.randint(0, 2))
    return ReportDefinition.from_document(
        {"groupBy": group_by, "filters": filters, "interval": interval, "limit": 1_000}
    )


def _format_time(time_ms: int) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time_ms)).isoformat()


class History:
    """Runs in the tables of the application, and the same runs in a dictionary."""

    def __init__(
        self, catalog: Catalog, context: ServiceContext, earlier: dict[str, Run], times: Sequence[int]
    ) -> None:
        self._catalog, self._context = catalog, context
        self.runs = {**earlier}
        self._times = times
        self._last: Run | None = None

        def begin(tables: AppTables) -> None:
            for table in ("runs", "summaries", "progress"):
                tables.get_table(table).delete_range(Range())
            tables.get_table("runs").upsert_many([*self.runs.values()])

        context.execute(begin)

    def continue_at_random(self, random: Random) -> None:
        """Start, end, replace or repeat a run, summarize some earlier runs, or replace a namespace by an empty one."""
        step = random.random()
        if step < 0.4:
            self._write(_build_run(random, self._times))
        elif step < 0.75 and self.runs:
            run = random.choice([*self.runs.values()])
            self._write({**run, "status": random.choice(STATUSES[:3]), "stop_ms": run["start_ms"] + 5_000})
        elif step < 0.85 and self._last is not None and self._last["run"] in self.runs:
            self._write(self._last)
        elif step < 0.98:
            earlier_runs._summarize_page(self._context, random.choice(NAMESPACES))
        else:
            self._delete_and_create("ops")

    def forget_summaries(self) -> None:
        """Let reports read rows."""
        self._context.execute(lambda tables: tables.get_table("progress").delete_range(Range()))

    def count_summaries(self) -> int:
        """Return the number of rows of summaries."""
        return self._context.execute(lambda tables: tables.get_table("summaries").count(), read_only=True)

    def _write(self, run: Run) -> None:
        self._context.execute(lambda tables: write_run(tables, run))
        self.runs[run["run"]] = run
        self._last = run

    def _delete_and_create(self, name: str) -> None:
        self._catalog.namespaces.delete_namespace_and_content_in_background(name, ADA)
        self._catalog.namespaces.delete_remaining_content_now(name)
        wait_for(lambda: _create_namespace(self._catalog, name), bool)
        self.runs = {key: run for key, run in self.runs.items() if run["context"] != name}


def _create_namespace(catalog: Catalog, name: str) -> bool:
    try:
        catalog.deployer.create_or_update_namespace(name, {}, ADA)
    except MetadataError:
        return False
    return True


@pytest.fixture(scope="module", params=CATALOGS)
def opened(request: Any, tmp_path_factory: Any) -> Iterator[tuple[str, Catalog, SystemApps]]:
    with open_new_catalog(request.param, tmp_path_factory.mktemp("summaries")) as catalog:
        for name in NAMESPACES:
            _create_namespace(catalog, name)
        apps = open_shipped_apps(catalog, ["reports"])
        yield request.param, catalog, apps
        apps.close()


def _prepare_context(apps: SystemApps, principal: Principal = ADA) -> ServiceContext:
    call = ReceivedAppCall("reports", "service", ["v1", "reports", "query"], ServiceRequest("POST"), principal)
    return apps.prepare_call(call).context


def _query(context: ServiceContext, definition: ReportDefinition) -> Mapping[str, Any]:
    return build_aggregation(context, context.principal, definition).build_result()


def test_reports_from_summaries_equal_those_from_rows(
    opened: tuple[str, Catalog, SystemApps], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, catalog, apps = opened
    for module in (earlier_runs, ordered_runs, visible_runs):
        monkeypatch.setattr(module, "_PAGE", 2)
    for seed in range(CASES[store]):
        random = Random(seed)
        context = _prepare_context(apps)
        # Each run once, as the tables have them.
        times = random.sample(TIMES[8:40], random.choice((2, 6)))
        earlier = {run["run"]: run for run in (_build_run(random, times) for _ in range(random.randrange(16)))}
        history = History(catalog, context, earlier, times)
        for _ in range(random.randrange(30)):
            history.continue_at_random(random)
        definitions = [_build_definition(random) for _ in range(8)]
        # While some runs may not be summarized yet, and afterwards.
        before = [_query(context, definition) for definition in definitions]
        summarize_earlier_runs(context)
        assert list_summarized_namespaces(context) >= {*NAMESPACES}, seed
        after = [_query(context, definition) for definition in definitions]
        newest = [_find_newest(context, definition) for definition in definitions]
        # No summary is left of runs that are gone.
        assert history.count_summaries() == len(_list_periods(history.runs)), seed
        history.forget_summaries()
        from_rows = [_query(context, definition) for definition in definitions]
        assert before == from_rows, seed
        assert after == from_rows, seed
        for definition, result, found in zip(definitions, after, newest, strict=True):
            runs = _select(history.runs, definition)
            assert result["summary"]["runs"] == sum(row["runs"] for row in result["rows"]) == len(runs), seed
            starts = {"oldestMs": runs[0]["start_ms"], "newestMs": runs[-1]["start_ms"]} if runs else None
            assert result["summary"]["starts"] == starts, seed
            assert found == runs[:-6:-1], seed


def test_run_that_was_not_counted_is_counted_when_it_ends(opened: tuple[str, Catalog, SystemApps]) -> None:
    _, catalog, apps = opened
    context = _prepare_context(apps)
    history = History(catalog, context, {}, TIMES)
    running = {**_build_run(Random(1), TIMES[20:21]), "status": "running", "stop_ms": None}
    summarize_earlier_runs(context)
    # A process of an earlier version knows no summaries.
    context.execute(lambda tables: tables.get_table("runs").upsert(running))
    interval = {"from": _format_time(TIMES[0]), "to": _format_time(TIMES[-1])}
    definition = ReportDefinition.from_document({"interval": interval})
    assert _query(context, definition)["summary"]["runs"] == 0
    ended = {**running, "status": "killed", "stop_ms": running["start_ms"] + 1_000}
    context.execute(lambda tables: write_run(tables, ended))
    (row,) = _query(context, definition)["rows"]
    assert (row["runs"], row["maxDurationMs"]) == (1, 1_000)
    assert history.count_summaries() == 4


def _find_newest(context: ServiceContext, definition: ReportDefinition) -> list[Any]:
    runs = VisibleRuns.open(context, context.principal, definition)
    return find_runs_in_order(runs, *definition.get_interval_ms(0), "desc", 5)


def _select(runs: Mapping[str, Run], definition: ReportDefinition) -> list[Run]:
    """Return the runs of a definition by their start."""
    first, last = definition.get_interval_ms(0)
    fields = {
        "namespaces": "context",
        "programs": "program_name",
        "types": "type",
        "users": "actor",
        "statuses": "status",
    }
    accepted = {
        fields[name]: [value if value not in PROGRAMS.values() else "b" for value in values]
        for name, values in definition.document["filters"].items()
    }
    selected = [
        run
        for run in runs.values()
        if first <= run["start_ms"] < last and all(run[name] in values for name, values in accepted.items())
    ]
    return sorted(selected, key=lambda run: (run["start_ms"], run["run"]))


def _list_periods(runs: Mapping[str, Run]) -> set[Any]:
    return {
        (run["context"], run["program"], hours, run["start_ms"] // (hours * HOUR))
        for run in runs.values()
        for hours in (1, 24, 168, 672)
    }
