"""Measure how each operation grows with the catalog: fill a store of each size through the bulk path, and measure each.

`python bench/growth_curves.py --folder F --sizes 10000 100000 1000000 [--store postgresql]` fills the stores that the folder
does not have yet and measures all of them. `--fill` only fills them, and may be interrupted and called again; so the stores can
be filled on a busy machine, and measured on an idle one. All figures are appended to `figures.jsonl` in the folder; `--table`
prints the newest as a table, with the growth since the smallest size. `--plans` lists the steps of SQLite's query plans that read
a large table from its start.

CPU time is that of this process, and on PostgreSQL also that of the server's processes.
"""

import argparse
import itertools
import json
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from jupyter_colophon.core.search.search import KeysRequest, SearchRequest
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.maintenance import Maintenance
from jupyter_colophon.storage.integrity import derived_check, source_check
from sized_stores import SizedStores, fill_missing_stores, open_stores, read_cpu_s, read_memory_mb

TIMES, ROUNDS = 40, 5
#: A backup of a larger store takes minutes.
BACKUP_MAX = 100_000
#: A plan that reads fewer rows than this from the start of a table is no concern.
SMALL_TABLE = 5_000
#: What the table shows of an operation.
_UNITS = {
    "cpu_ms": "",
    "log_kb": ", kB of the write-ahead log",
    "rss_mb": ", MB",
    "kb_an_entity": ", kB an entity",
}
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
    _write_figures(file, options.store, _fill(options))
    if options.fill:
        return
    with open_stores(options.folder, options.store) as stores:
        for size in sorted(options.sizes):
            if options.plans:
                _print_plans(stores.choose(str(size)), size)
            else:
                _write_figures(file, options.store, _measure_store(stores, size, options.only))


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--fill", action="store_true")
    parser.add_argument("--only", nargs="+", default=[""], metavar="BEGIN", help="operations whose names begin so")
    parser.add_argument("--plans", action="store_true")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def _write_figures(file: Path, store: str, figures: Iterable[dict[str, Any]]) -> None:
    for figure in figures:
        line = json.dumps(figure | {"store": store, "load": round(os.getloadavg()[0], 1)})
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")
        print(line, flush=True)


def _fill(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for size, cost, server_s in fill_missing_stores(options.folder, options.store, options.sizes):
        yield {
            "operation": "fill",
            "entities": size,
            "cpu_ms": round(cost.entities_cpu_s / cost.entities * 1e3, 4),
            "runs_cpu_ms": round(cost.runs_cpu_s / cost.entities * bulk_fill.ENTITIES_OF_RUN * 1e3, 4),
            "server_ms": round(server_s / cost.entities * 1e3, 4),
        }


def _measure_store(stores: SizedStores, size: int, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    catalog = open_or_create_catalog(stores.choose(str(size)), IdentityRules())
    for name, act in _list_operations(catalog, size).items():
        if name.startswith(tuple(only)):
            turns = [_measure(act, size, turn, stores) for turn in range(ROUNDS + 1)][1:]
            columns = zip(*turns, strict=True)
            names = ("cpu_ms", "server_ms", "wall_ms", "log_kb")
            medians = {name: round(statistics.median(column), 4) for name, column in zip(names, columns, strict=True)}
            yield {"operation": name, "entities": size, **medians}
    if size <= BACKUP_MAX and "backup".startswith(tuple(only)):
        yield _measure_backup(catalog, size, stores.server)
    yield {"operation": "memory", "entities": size, "rss_mb": read_memory_mb()}
    kilobytes = int(catalog.provider.describe_store()["bytes"]) / size / 1e3
    yield {"operation": "disk", "entities": size, "kb_an_entity": round(kilobytes, 3)}
    catalog.close()


def _measure(act: Operation, size: int, turn: int, stores: SizedStores) -> tuple[float, ...]:
    """Return milliseconds of CPU, of the server's CPU in it, and of wall time of one operation, and the kilobytes of its
    server's write-ahead log: the mean of a turn. Each turn has other entities.
    """
    log, began_server = stores.read_log_bytes(), read_cpu_s(stores.server)
    began, began_cpu = time.perf_counter(), time.process_time()
    for at in range(TIMES):
        act((turn * TIMES + at) * 7_919 % size)
    cpu, wall = time.process_time() - began_cpu, time.perf_counter() - began
    server = read_cpu_s(stores.server) - began_server
    milliseconds = (seconds / TIMES * 1e3 for seconds in (cpu + server, server, wall))
    return (*milliseconds, (stores.read_log_bytes() - log) / TIMES / 1e3)


def _list_operations(catalog: Catalog, size: int) -> dict[str, Operation]:
    """Return the operations by name; each gets the number of an entity."""
    run_id = time.time_ns()
    head = catalog.feed.read_newest_change_number()

    def search(text: str) -> object:
        return catalog.searcher.search_page_of_hits(SearchRequest(text, limit=20), WHO)

    def create(number: int) -> object:
        # New names, which the filled catalog does not have.
        urn = corpus.parse_entity_urn(10**9 + run_id % 10**8 * 100 + number % 97 * 5 + time.time_ns() % 10**6)
        return bulk_fill.write_entity(catalog, urn, number)

    def check_slice(checks: Any, title: str, number: int) -> object:
        check = next(check for check in checks if check.title == title)
        begin = corpus.build_urn(number)
        return catalog.provider.tx_runner.run(lambda tx: check.step(tx, begin), read_only=True)

    def page_of_dataset(number: int) -> int:
        return number - 1 if number % 5 == 4 else number

    return {
        "create": create,
        "update": lambda number: bulk_fill.write_entity(catalog, corpus.parse_entity_urn(number), number),
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
        began, began_cpu = time.perf_counter(), time.process_time() + read_cpu_s(server)
        maintenance.create_backup_service("bench").write_backup_file(Path(folder) / "backup.jsonl.gz")
        cpu, wall = time.process_time() + read_cpu_s(server) - began_cpu, time.perf_counter() - began
    of_one = {"cpu_ms": round(cpu / size * 1e3, 4), "wall_ms": round(wall / size * 1e3, 4)}
    return {"operation": "backup, of one entity", "entities": size, **of_one}


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
        for operation, (member, unit) in itertools.product(dict.fromkeys(name for name, _ in newest), _UNITS.items()):
            values = [newest.get((operation, size), {}).get(member) for size in sizes]
            if any(values):
                growth = f"{values[-1] / values[0]:.2f}x" if values[0] and values[-1] else ""
                yield f"| {operation}{unit} | {' | '.join('' if v is None else f'{v:g}' for v in values)} | {growth} |"
        yield ""


if __name__ == "__main__":
    main()
