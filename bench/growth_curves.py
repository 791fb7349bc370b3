"""Measure how each operation grows with the catalog: fill it through the bulk path to each size, and measure there.

`python bench/growth_curves.py --folder F --sizes 10000 100000 1000000 [--store postgresql]` continues where an earlier
call ended: the SQLite store and all figures stay in the folder (`figures.jsonl`). PostgreSQL is that of the tests, so that
all sizes are measured by one call. `--table` prints the figures as a table, with the growth since the smallest size.
`--plans` lists the steps of SQLite's query plans that read a large table from its start.

CPU time is that of this process, and on PostgreSQL also that of the server's processes.
"""

import argparse
import json
import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import bulk_fill
import corpus
import query_plans
from bulk_fill import WHO
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import KeysRequest, SearchRequest
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.maintenance import Maintenance
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage.integrity import derived_check, source_check
from jupyter_colophon.storage.secret import read_or_create_store_key

TIMES, ROUNDS = 40, 5
#: A plan that reads fewer rows than this from the start of a table is no concern.
SMALL_TABLE = 5_000
_TICKS = os.sysconf("SC_CLK_TCK")
Operation = Callable[[int], object]


def main() -> None:
    """Fill, measure, and print."""
    options = _parse_arguments()
    logging.disable(logging.WARNING)
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / "figures.jsonl"
    if options.table:
        print("\n".join(_format_table(file)))
        return
    with ExitStack() as stack:
        choice, server = _open_store(options, stack)
        for size in sorted(options.sizes):
            if options.plans:
                _print_plans(choice, size)
                continue
            for figure in _fill_and_measure(choice, size, server, options):
                figure |= {"store": options.store, "entities": size, "load": round(os.getloadavg()[0], 1)}
                with file.open("a", encoding="utf-8") as figures:
                    figures.write(f"{json.dumps(figure)}\n")
                print(json.dumps(figure), flush=True)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--skip-backup", action="store_true")
    parser.add_argument("--only", nargs="+", default=[""], metavar="BEGIN", help="operations whose names begin so")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def _open_store(options: argparse.Namespace, stack: ExitStack) -> tuple[StorageChoice, int]:
    """Return the store, and the process of its server, 0 if there is none."""
    if options.store == "sqlite":
        return choose_sqlite_store(options.folder / "catalog.db"), 0
    # The real server of the tests.
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.postgres import create_store_in_schema, get_or_start_server

    return stack.enter_context(create_store_in_schema()), get_or_start_server().pid


def _fill_and_measure(
    choice: StorageChoice, size: int, server: int, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    catalog = open_or_create_catalog(choice, IdentityRules())
    before = _read_cpu_s(server)
    cost = bulk_fill.fill_catalog(catalog, size)
    if cost.entities:
        yield {
            "operation": "fill",
            "rate": round(cost.entities / cost.entities_s),
            "cpu_ms": round(cost.entities_cpu_s / cost.entities * 1e3, 4),
            "runs_cpu_ms": round(cost.runs_cpu_s / cost.entities * bulk_fill.ENTITIES_OF_RUN * 1e3, 4),
            "server_cpu_ms": round((_read_cpu_s(server) - before) / cost.entities * 1e3, 4) if server else 0,
        }
    # Otherwise the thread that seals would be measured.
    seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), lambda: int(time.time() * 1e3))
    for name, act in _list_operations(catalog, size).items():
        if not name.startswith(tuple(options.only)):
            continue
        figures = [_measure(act, size, round_, server) for round_ in range(ROUNDS + 1)][1:]
        cpu, wall = (statistics.median(column) for column in zip(*figures, strict=True))
        yield {"operation": name, "cpu_ms": round(cpu, 4), "wall_ms": round(wall, 4)}
    if not options.skip_backup:
        yield _measure_backup(catalog, size, server)
    yield {"operation": "memory", "rss_mb": _read_memory_mb()}
    yield {"operation": "disk", "kb_an_entity": round(int(catalog.provider.describe_store()["bytes"]) / size / 1e3, 3)}
    catalog.close()


def _measure(act: Operation, size: int, round_: int, server: int) -> tuple[float, float]:
    """Return CPU and wall milliseconds of one operation, the mean of a round; each has other entities."""
    began, began_cpu = time.perf_counter(), time.process_time() + _read_cpu_s(server)
    for at in range(TIMES):
        act((round_ * TIMES + at) * 7_919 % size)
    cpu = time.process_time() + _read_cpu_s(server) - began_cpu
    return cpu / TIMES * 1e3, (time.perf_counter() - began) / TIMES * 1e3


def _list_operations(catalog: Catalog, size: int) -> dict[str, Operation]:
    """Return the operations by name; each gets the number of an entity."""
    run_id = time.time_ns()
    head = catalog.feed.read_newest_change_number()

    def search(text: str) -> object:
        return catalog.searcher.search_page_of_hits(SearchRequest(text, limit=20), WHO)

    def write(urn: Any, number: int) -> object:
        value = {"properties": {"note": f"{number} {time.time_ns()}", "owner": "ops"}, "tags": ["bench"]}
        return catalog.write_path.apply_proposals_atomically([Proposal(urn, "technicalMetadata", "upsert", value)], WHO)

    def create(number: int) -> object:
        # New names, which the filled catalog does not have.
        return write(
            corpus.parse_entity_urn(10**9 + run_id % 10**8 * 100 + number % 97 * 5 + time.time_ns() % 10**6), number
        )

    def check_slice(checks: Any, title: str, number: int) -> object:
        check = next(check for check in checks if check.title == title)
        begin = corpus.build_urn(number)
        return catalog.provider.tx_runner.run(lambda tx: check.step(tx, begin), read_only=True)

    def page_of_dataset(number: int) -> int:
        return number - 1 if number % 5 == 4 else number

    return {
        "create": create,
        "update": lambda number: write(corpus.parse_entity_urn(number), number),
        "read": lambda number: catalog.reader.read_entity(corpus.parse_entity_urn(number), None, WHO),
        "list of 50": lambda number: catalog.reader.list_visible_entities(
            EntityListing(f"ns{number % corpus.NAMESPACES:02}", "dataset", f"table{number:07}"[:9]), WHO
        ),
        "search, rare word": lambda number: search(f"t{number:07}"),
        "search, middling word": lambda number: search(corpus.get_word(200 + number % 1_800)),
        "search, common word": lambda number: search(corpus.get_word(number % 12)),
        "search, key:value": lambda number: search(f"ticket:t{number:07}"),
        "search, key:prefix": lambda number: search(f"source:feed{number % 500}*"),
        "keys": lambda number: catalog.keys.list_keys_with_counts(KeysRequest(), WHO),
        "lineage, one level": lambda number: catalog.lineage.read_lineage(
            LineageRequest(corpus.parse_entity_urn(page_of_dataset(number))), WHO
        ),
        "lineage, three levels": lambda number: catalog.lineage.read_lineage(
            LineageRequest(corpus.parse_entity_urn(page_of_dataset(number)), levels=3), WHO
        ),
        "feed of 100": lambda number: catalog.feed.read_visible_changes(number * 7 % max(1, head - 100), 100, {}, WHO),
        "verify, 200 entities": partial(check_slice, source_check.list_source_checks(catalog.registry), "aspects"),
        "verify, derived rows of 200": partial(
            check_slice, derived_check.list_derived_row_checks(catalog.registry), "entities"
        ),
    }


def _measure_backup(catalog: Catalog, size: int, server: int) -> dict[str, Any]:
    maintenance = Maintenance(catalog.provider, catalog.registry, lambda what, steps: None)
    with tempfile.TemporaryDirectory() as folder:
        began, began_cpu = time.perf_counter(), time.process_time() + _read_cpu_s(server)
        maintenance.create_backup_service("bench").write_backup_file(Path(folder) / "backup.jsonl.gz")
        cpu = time.process_time() + _read_cpu_s(server) - began_cpu
        return {
            "operation": "backup, of one entity",
            "cpu_ms": round(cpu / size * 1e3, 4),
            "wall_ms": round((time.perf_counter() - began) / size * 1e3, 4),
        }


def _read_cpu_s(server: int) -> float:
    """Return the CPU seconds of a PostgreSQL server's processes, ended ones included; 0 for no server."""
    if not server:
        return 0.0
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(stat.parent.name) == server:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == server:
            ticks += sum(map(int, fields[11:13]))
    return ticks / _TICKS


def _read_memory_mb() -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) // 1024


def _print_plans(choice: StorageChoice, size: int) -> None:
    """Print the steps that read a large table from its start, by operation."""
    rows = query_plans.count_rows(str(choice.options["path"]))
    with query_plans.trace_connections():
        catalog = open_or_create_catalog(choice, IdentityRules())
        for name, act in _list_operations(catalog, size).items():
            act(1)
            scans = query_plans.find_scans(partial(act, 7_919 % size), rows, SMALL_TABLE)
            print(f"{name}: {'no scan' if not scans else ''}")
            print("".join(f"  {scan}\n" for scan in scans), end="", flush=True)
        catalog.close()


def _format_table(file: Path) -> Iterator[str]:
    """Yield a table: a row for each operation of a store, a column for each size; the newest figures count."""
    figures = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for store in dict.fromkeys(figure["store"] for figure in figures):
        newest = {(item["operation"], item["entities"]): item for item in figures if item["store"] == store}
        sizes = sorted({size for _, size in newest})
        yield f"| {store}, CPU ms | {' | '.join(f'{size:,}' for size in sizes)} | growth |"
        yield f"|---|{'---|' * (len(sizes) + 1)}"
        for operation in dict.fromkeys(name for name, _ in newest):
            row = [newest.get((operation, size), {}) for size in sizes]
            member = next(name for name in ("cpu_ms", "rss_mb", "kb_an_entity") if name in {**row[0], **row[-1]})
            values = [item.get(member) for item in row]
            growth = f"{values[-1] / values[0]:.2f}x" if values[0] and values[-1] else ""
            unit = {"cpu_ms": "", "rss_mb": ", MB", "kb_an_entity": ", kB an entity"}[member]
            yield f"| {operation}{unit} | {' | '.join('' if v is None else f'{v:g}' for v in values)} | {growth} |"
        yield ""


if __name__ == "__main__":
    main()
