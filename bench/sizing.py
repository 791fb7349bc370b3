"""Measure what sizing needs: disk an entity, a change and a run, and memory and CPU time of the shared service.

`python bench/sizing.py [--entities 5000]`, on SQLite and on PostgreSQL. The figures and what follows from them are in
`docs/how-to/size-a-service.md`.
"""

import argparse
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_home_dataset_urn
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.service.admin.archiving import start_archive
from serving import Client, Server

WHO, ROUNDS, REQUESTS = Principal("bench"), 3, 100
#: Proposals in one transaction.
BATCH = 20
_COLUMNS = [
    {
        "fieldPath": f"column_{number}",
        "nativeDataType": "string",
        "type": {"type": {"com.linkedin.schema.StringType": {}}},
    }
    for number in range(12)
]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", type=int, default=5_000)
    parser.add_argument("--stores", nargs="+", default=["sqlite", "postgresql"])
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    print("| what | figure |\n|---|---|", flush=True)
    for name in options.stores:
        for what, figure in _measure_store(name, options.entities):
            print(f"| {what}, {name} | {figure} |", flush=True)


def _measure_store(name: str, count: int) -> Iterator[tuple[str, str]]:
    # The real server of the tests.
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from support.postgres import create_empty_store
    from support.service import run_service

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        is_file = name == "sqlite"
        choice = choose_sqlite_store(folder / "catalog.db") if is_file else stack.enter_context(create_empty_store())
        yield from _measure_disk(choice, count)
        if is_file:
            yield from _measure_archive(choice, folder, count)
        (folder / "home").mkdir()
        service = stack.enter_context(run_service(folder / "home", choice))
        assert service.process is not None
        server = Server(service.process.pid, service.port, 0.0)
        yield "resident memory after the start, MB", f"{server.read_memory_mb():.0f}"
        with server.open_client() as client:
            yield from _measure_requests(server, client, service.token, count)
        yield "resident memory after all requests, MB", f"{server.read_memory_mb():.0f}"


def _measure_disk(choice: StorageChoice, count: int) -> Iterator[tuple[str, str]]:
    """Yield bytes on the disk by kind of row, with indexes and history."""
    catalog = open_or_create_catalog(choice, IdentityRules())
    works: dict[str, Callable[[Catalog, int], None]] = {
        "entity with a schema of 12 columns, properties and tags": _write_entities,
        "change of properties": _write_changes,
        "run with four accesses": _write_runs,
    }
    before = _read_bytes(catalog)
    for what, work in works.items():
        began = time.perf_counter()
        work(catalog, count)
        took = time.perf_counter() - began
        after = _read_bytes(catalog)
        yield f"disk of one {what}, kB", f"{(after - before) / count / 1000:.1f}"
        yield f"{what}: written a second by one thread, {BATCH} a transaction", f"{count / took:.0f}"
        before = after
    catalog.close()


def _measure_archive(choice: StorageChoice, folder: Path, count: int) -> Iterator[tuple[str, str]]:
    """Yield what the archive of changes costs: writes one by one with and without it, and its files."""
    rates = {}
    for archived in (False, True):
        catalog = open_or_create_catalog(choice, IdentityRules())
        archiver = start_archive(catalog.provider, folder / "archive") if archived else None
        began = time.perf_counter()
        for number in range(count // 5):
            catalog.write_path.apply_proposals_atomically([_build_change(number, f"{archived}")], WHO)
        rates[archived] = count // 5 / (time.perf_counter() - began)
        if archiver is not None:
            archiver.close()
        catalog.close()
    size = sum(path.stat().st_size for path in (folder / "archive").glob("*/*.gz"))
    yield (
        "writes a second, one a transaction, without and with the archive",
        f"{rates[False]:.0f} and {rates[True]:.0f}",
    )
    yield "files of the archive, kB a write", f"{size / (count // 5) / 1000:.2f}"


def _measure_requests(server: Server, client: Client, token: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield the CPU time of the process by kind of request; the minimum of some rounds."""

    def path(number: int) -> str:
        return f"/colophon/api/entities/{quote(str(_get_urn(number % count)), safe='')}"

    kinds: dict[str, Callable[[int], tuple[str, str, object]]] = {
        "read of an entity": lambda number: ("GET", f"{path(number)}/metadata", None),
        "search of one word": lambda number: ("GET", f"/colophon/api/search?q=table{number % count}&limit=20", None),
        "lineage of two levels": lambda number: (
            "GET",
            f"/colophon/api/lineage?levels=2&urn={quote(str(_get_urn(number % count)), safe='')}",
            None,
        ),
        "write of properties": lambda number: (
            "PUT",
            f"{path(number)}/aspects/businessMetadata",
            {"properties": {"note": f"{number} {time.time_ns()}"}, "tags": []},
        ),
    }
    authorized = _AuthorizedClient(client, token)
    for what, build in kinds.items():
        rounds = []
        for round_ in range(ROUNDS + 1):
            before = server.read_cpu_ms()
            for number in range(REQUESTS):
                authorized.request(*build((round_ * REQUESTS + number) * 7919))
            rounds.append((server.read_cpu_ms() - before) / REQUESTS)
        least = min(rounds[1:])
        yield f"CPU time of a {what}, ms; of it, requests a second and core", f"{least:.1f}; {1000 / least:.0f}"


class _AuthorizedClient:
    """Sends requests with a token of the service."""

    def __init__(self, client: Client, token: str) -> None:
        self._connection, self._token = client.connection, token

    def request(self, method: str, path: str, body: object) -> None:
        """Send a request; anything but success is an error."""
        headers = {"Authorization": f"token {self._token}", "Content-Type": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (path, answer.status, text)


def _write_entities(catalog: Catalog, count: int) -> None:
    for first in range(0, count, BATCH):
        batch = []
        for number in range(first, min(first + BATCH, count)):
            urn = _get_urn(number)
            schema = {"schemaName": f"table{number}", "platform": "urn:li:dataPlatform:spark", "fields": _COLUMNS}
            properties = {"owner": f"team{number % 50}", "refresh": "every morning", "source": f"system {number % 9}"}
            batch += [
                Proposal(urn, "technicalMetadata", "upsert", {"properties": properties, "tags": []}),
                Proposal(
                    urn, "businessMetadata", "upsert", {"properties": {"note": "x" * 200}, "tags": ["gold", "eu"]}
                ),
                Proposal(urn, "schemaMetadata", "upsert", schema),
            ]
        catalog.write_path.apply_proposals_atomically(batch, WHO)


def _write_changes(catalog: Catalog, count: int) -> None:
    for first in range(0, count, BATCH):
        batch = [_build_change(number, "first") for number in range(first, min(first + BATCH, count))]
        catalog.write_path.apply_proposals_atomically(batch, WHO)


def _build_change(number: int, text: str) -> Proposal:
    value = {"properties": {"note": f"{text} {number} " + "y" * 200}, "tags": ["gold", "eu"]}
    return Proposal(_get_urn(number), "businessMetadata", "upsert", value)


def _write_runs(catalog: Catalog, count: int) -> None:
    for number in range(count):
        # A cell runs some times, and reads and writes some tables.
        program = Urn.parse(f"urn:li:dataJob:(urn:li:dataFlow:(jupyter,bench.ipynb,default),a{number // 5})")
        run = catalog.write_path.start_run(RunStart(program, f"run{number}", 1_000, 2_000, "succeeded"), WHO).urn
        accesses = [Access(_get_urn((number + step) % count), "write" if step == 0 else "read") for step in range(4)]
        catalog.write_path.record_run_accesses(run, accesses, [], WHO)


def _get_urn(number: int) -> Urn:
    return make_home_dataset_urn("default", f"table{number}")


def _read_bytes(catalog: Catalog) -> int:
    return int(catalog.provider.describe_store()["bytes"])


if __name__ == "__main__":
    main()
