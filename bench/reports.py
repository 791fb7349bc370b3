"""Measure reports on runs: from summaries and from the rows of all runs, by each group, and what the summaries cost a run."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from random import Random

import stores
from clock import measure_cpu_ms
from jupyter_colophon.apps import AppTables, ServiceContext, ServiceRequest
from jupyter_colophon.apps.reports.aggregation import GROUPS_MAX
from jupyter_colophon.apps.reports.app import Reports
from jupyter_colophon.apps.reports.definition import DAY_MS, GROUPS
from jupyter_colophon.apps.reports.earlier_runs import list_summarized_namespaces, summarize_earlier_runs
from jupyter_colophon.apps.reports.listeners import Run, write_run
from jupyter_colophon.apps.reports.queries import query_report, query_runs
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules, make_namespace_urn, make_program_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.service.schemaspaces.registrations import BuiltinEntryPoint, list_registrations

#: The times over which all runs start, in days, and the groups of the reports.
DAYS: dict[int, tuple[str, ...]] = {7: GROUPS, 365: ("program", "user", "day")}
PROGRAMS, NAMESPACES, USERS = 100, 10, 20
_BUILT_IN = 2
#: Reports of each side, of which the quickest counts, and runs that are written.
ROUNDS, EVENTS = 3, 300
_ALL_DAYS_MS = 1_793_491_200_000 + 17 * 60_000
_PAGE = 5_000
_WHO = Principal("bench")
Side = Callable[[], object]


def measure_rows(size: int) -> Iterator[tuple[str, ...]]:
    """Measure stores with this number of runs, and yield the rows of the table."""
    for days in DAYS:
        with ExitStack() as stack:
            yield from _measure_store(_open_apps(stack, size, days), size, days)


def _measure_store(apps: SystemApps, size: int, days: int) -> Iterator[tuple[str, ...]]:
    subject = f"{size:,} runs in {days} days"
    _write_rows(apps, size, days)
    queries = _build_queries(days)
    from_rows = [_measure(partial(_call, apps, query), 1) for query in queries.values()]
    summarizing_ms = measure_cpu_ms(partial(_summarize, apps))
    for (name, query), (rows_cpu, rows_wall) in zip(queries.items(), from_rows, strict=True):
        cpu, wall = _measure(partial(_call, apps, query), ROUNDS)
        ours, other = (f"{a:.3g} / {b:.3g} s" for a, b in ((cpu, wall), (rows_cpu, rows_wall)))
        yield f"{name}, {subject}, CPU / elapsed", ours, f"{other} (rows)", f"{cpu / rows_cpu:.3f}", "<= 0.1"
    yield f"summarizing earlier runs, {subject}, CPU", f"{summarizing_ms / 1_000:.3g} s", "-", "-", "-"
    yield _measure_events(apps, subject, days)


def _call(apps: SystemApps, query: Callable[[ServiceContext], object]) -> object:
    """Call a handler as a request does, with a time limit of its own."""
    return query(_prepare_context(apps))


def _summarize(apps: SystemApps) -> None:
    while len(list_summarized_namespaces(_prepare_context(apps))) < NAMESPACES + _BUILT_IN:
        summarize_earlier_runs(_prepare_context(apps))


def _measure_events(apps: SystemApps, subject: str, days: int) -> tuple[str, ...]:
    """Measure the start and the end of a run, with summaries and without; the sides take turns."""
    random, least, context = Random(1), [float("inf")] * 2, _prepare_context(apps)
    for _ in range(EVENTS):
        for at, write in enumerate((write_run, _write_only_row)):
            run = _build_run(random, 10**9 + random.randrange(10**9), days)
            running = {**run, "status": "running", "stop_ms": None}
            cpu = measure_cpu_ms(partial(_write_in_transactions, context, write, (running, run)))
            least[at] = min(least[at], cpu / 2)
    ours, other = least
    return (
        f"the row of a run that starts or ends, {subject}, CPU ms",
        f"{ours:.3g}",
        f"{other:.3g} (rows)",
        f"{ours / other:.2f}",
        "-",
    )


def _write_in_transactions(context: ServiceContext, write: Callable[..., None], rows: tuple[Run, ...]) -> None:
    for row in rows:
        context.execute(partial(write, row=row))


def _write_only_row(tables: AppTables, row: Run) -> None:
    table = tables.get_indexed_table("runs")
    keys = [(old["context"], old["start_ms"], old["run"]) for old in table.scan_index("run", row["run"])]
    table.delete_many([key for key in keys if key != (row["context"], row["start_ms"], row["run"])])
    table.upsert(row)


def _measure(side: Side, rounds: int) -> tuple[float, float]:
    """Return the least CPU time and the least elapsed time in seconds."""
    cpu_s, wall_s = float("inf"), float("inf")
    for _ in range(rounds):
        begun = time.monotonic()
        cpu_s = min(cpu_s, measure_cpu_ms(side) / 1_000)
        wall_s = min(wall_s, time.monotonic() - begun)
    return cpu_s, wall_s


def _build_queries(days: int) -> dict[str, Callable[[ServiceContext], object]]:
    # Neither end is the border of an hour.
    first, last = (_ALL_DAYS_MS + n * DAY_MS for n in (0, days))
    times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms // 1_000)) for ms in (first, last)]
    interval = dict(zip(("from", "to"), times, strict=True))
    bodies: dict[str, dict[str, object]] = {f"by {group}": {"groupBy": [group]} for group in DAYS[days]}
    # A report has at most 10,000 groups, fewer than programs and days of a year.
    pair = ["program", "day"] if PROGRAMS * days <= GROUPS_MAX else ["namespace", "day"]
    bodies[f"of the failed runs by {pair[0]} and day"] = {"groupBy": pair, "filters": {"statuses": ["failed"]}}
    queries = {f"a report {name}": _bind(query_report, {**body, "interval": interval}) for name, body in bodies.items()}
    queries["the newest runs"] = _bind(query_runs, {"interval": interval})
    queries["the newest runs of a user"] = _bind(query_runs, {"interval": interval, "filters": {"users": ["user3"]}})
    return queries


def _bind(
    handler: Callable[[ServiceContext, ServiceRequest], object], body: object
) -> Callable[[ServiceContext], object]:
    request = ServiceRequest("POST", {}, {}, "application/json", json.dumps(body).encode())
    return lambda context: handler(context, request)


def _open_apps(stack: ExitStack, size: int, days: int) -> SystemApps:
    """Open the application without its background work."""
    catalog: Catalog = open_or_create_catalog(
        choose_sqlite_store(stores.get_or_create_folder() / f"reports{size}-{days}.db"), IdentityRules()
    )
    stack.callback(catalog.close)
    catalog.write_path.apply_proposals_atomically(
        [
            Proposal(make_namespace_urn(f"team{number}"), "status", "upsert", {"removed": False})
            for number in range(NAMESPACES)
        ],
        _WHO,
    )
    point = BuiltinEntryPoint("reports", f"{Reports.__module__}:{Reports.__name__}")
    apps = SystemApps(
        catalog.reader,
        catalog.metadata,
        catalog.write_path,
        catalog.topics,
        shipped_names=["reports"],
        find_registrations=lambda: list_registrations([point], ()),
    )
    stack.callback(apps.close)
    return apps


def _prepare_context(apps: SystemApps) -> ServiceContext:
    received = ReceivedAppCall("reports", "service", ["v1", "reports", "query"], ServiceRequest("POST"), _WHO)
    return apps.prepare_call(received).context


def _write_rows(apps: SystemApps, size: int, days: int) -> None:
    """Write runs as an earlier version did, without summaries."""
    random = Random(days)
    for first in range(0, size, _PAGE):
        page = [_build_run(random, number, days) for number in range(first, min(size, first + _PAGE))]
        _prepare_context(apps).execute(partial(_write_page, page=page))


def _write_page(tables: AppTables, page: list[Run]) -> None:
    tables.get_table("runs").upsert_many(page)


def _build_run(random: Random, number: int, days: int) -> Run:
    program = random.randrange(PROGRAMS)
    namespace, name, type_ = f"team{program % NAMESPACES}", f"program{program}", ("spark", "workflows")[program % 2]
    start = _ALL_DAYS_MS + random.randrange(days * DAY_MS)
    status = random.choices(("succeeded", "failed", "killed", "running"), (90, 6, 2, 2))[0]
    # Most programs are scheduled by one user.
    user = program % USERS if random.random() < 0.98 else random.randrange(USERS)
    return {
        "context": namespace,
        "start_ms": start,
        "run": f"urn:li:dataProcessInstance:{number:032}",
        "run_id": f"{number:032}",
        "program": str(make_program_urn(namespace, "shop", type_, name)),
        "program_name": name,
        "type": type_,
        "actor": f"user{user}",
        "status": status,
        "stop_ms": None if status == "running" else start + int(random.lognormvariate(11, 1)),
        "arguments": "{}",
    }
