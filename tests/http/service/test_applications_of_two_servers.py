"""Applications on two servers of one store, as on two machines: what they share, and what one takes over from the other.

Each server has a home folder of its own. They share PostgreSQL and the folder of the applications' files.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.storage.spi import Range
from jupyter_colophon.storage.system_app_schedules import find_schedule_state, write_schedule_state
from support.journal_app import JOURNAL
from support.postgres import create_empty_store
from support.service import Service, find_processes_of, list_children, run_service
from support.system_apps import install_app
from support.urns import build_table_urn
from support.waiting import wait_for

INSTANCES = 3
TABLES = 20
DAY_MS = 86_400_000
APP = "namespaces/system/apps/journal"


@dataclass(frozen=True)
class Pair:
    """The two servers, and their store as this process opened it."""

    first: Service
    second: Service
    catalog: Catalog

    def read_rows(self, table: str) -> dict[str, dict[str, Any]]:
        """Return what the application has recorded, by name."""
        rows = self.catalog.provider.tx_runner.run(
            lambda tx: list(tx.get_table(f"app_journal_{table}").scan(Range())), read_only=True
        )
        return {row["name"]: row for row in rows}

    def let_schedule_be_due(self) -> None:
        """Let the hourly schedule be due since yesterday, so that many of its times are missed."""

        def write(tx: Any) -> None:
            state = find_schedule_state(tx, "journal", "hourly")
            assert state is not None
            write_schedule_state(tx, replace(state, due=state.due - DAY_MS))

        self.catalog.provider.tx_runner.run(write)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    package = folder / "journal"
    install_app(package, JOURNAL, "journal", "Journal")
    options = [f"--Colophon.app_file_folder={folder / 'files'}"]
    homes = [folder / name for name in ("first", "second")]
    for home in homes:
        home.mkdir()
    with (
        create_empty_store() as store,
        run_service(homes[0], store, options=options, packages=[package]) as first,
        run_service(homes[1], store, options=options, packages=[package]) as second,
    ):
        catalog = open_or_create_catalog(store, IdentityRules())
        try:
            for service in (first, second):
                listed = service.connect().list_system_apps()["systemApps"]
                assert [(app["name"], app["state"]) for app in listed] == [("journal", "running")]
            for namespace in ("sales", "ops"):
                ask(first, "PUT", f"namespaces/{namespace}")
            yield Pair(first, second, catalog)
        finally:
            catalog.close()


def ask(service: Service, method: str, path: str, body: Any = None) -> Any:
    return service.create_transport("/colophon/v3").request(method, f"/{path}", body=body).body


def call(service: Service, method: str, path: str, body: Any = None) -> Any:
    return ask(service, method, f"{APP}/services/service/methods/{path}", body)


def list_app_processes(service: Service) -> list[int]:
    """Return the worker processes of the application in a server."""
    assert service.process is not None
    return find_processes_of(list_children(service.process.pid), "jupyter_colophon.operations.app_worker")


def wait_until_provisioned(service: Service) -> None:
    """Wait until a server knows that all instances run, in all servers together."""
    expected = {"instances": INSTANCES, "requested": INSTANCES, "provisioned": INSTANCES}
    wait_for(lambda: ask(service, "GET", f"{APP}/services/service/instances"), lambda found: found == expected)


def is_process_of(row: dict[str, Any], service: Service) -> bool:
    """Return whether the process of a row is that of a server."""
    return service.process is not None and row["process"] == service.process.pid


def write_table(service: Service, name: str) -> None:
    value = {"properties": {}, "tags": ["raw"]}
    proposal = {"urn": build_table_urn(name), "aspect": "businessMetadata", "operation": "upsert", "value": value}
    service.connect().submit_proposals({"proposals": [proposal]})


def test_tables_and_files_are_those_of_the_store(pair: Pair) -> None:
    call(pair.first, "PUT", "contexts/sales/notes/a", {"text": "first"})
    call(pair.second, "PUT", "contexts/ops/notes/b", {"text": "second"})
    assert call(pair.second, "GET", "contexts/sales/notes")["notes"] == {"a": 16}
    assert call(pair.first, "GET", "contexts/ops/notes")["notes"] == {"b": 17}
    disabled = pair.first.connect().disable_system_app("journal")
    assert disabled["state"] == "disabled"
    with pytest.raises(RequestFailed, match="it is disabled"):
        call(pair.second, "GET", "contexts/sales/notes")
    pair.second.connect().enable_system_app("journal")
    assert call(pair.first, "GET", "contexts/sales/notes")["notes"] == {"a": 16}


def test_namespace_ends_on_both_servers_and_listeners_learn_it_once(pair: Pair) -> None:
    call(pair.first, "PUT", "contexts/sales/notes/old", {"text": "secret"})
    ask(pair.first, "DELETE", "namespaces/sales?confirm=sales")
    with pytest.raises(RequestFailed, match="Namespace 'sales' not found") as refused:
        call(pair.second, "GET", "contexts/sales/notes")
    assert refused.value.status == 404
    # Waits until everything is deleted.
    ask(pair.second, "PUT", "namespaces/sales")
    for service in (pair.first, pair.second):
        assert call(service, "GET", "contexts/sales/notes")["notes"] == {}
    wait_for(lambda: pair.read_rows("handled"), lambda rows: "deleted:sales" in rows)
    assert pair.read_rows("handled")["deleted:sales"]["times"] == 1


def test_killed_server_leaves_its_instances_events_and_schedules_to_the_other(pair: Pair) -> None:
    ask(pair.first, "PUT", f"{APP}/services/service/instances", {"instances": INSTANCES})
    # Two on one of them, and one on the other.
    wait_for(lambda: {len(list_app_processes(service)) for service in (pair.first, pair.second)}, {1, 2}.__eq__)
    for service in (pair.first, pair.second):
        wait_until_provisioned(service)
    pair.let_schedule_be_due()
    write_table(pair.first, "before")
    ran = wait_for(lambda: pair.read_rows("runs"), lambda rows: rows)["hourly"]
    handled = wait_for(lambda: pair.read_rows("handled"), lambda rows: "dataset:before" in rows)["dataset:before"]
    assert (ran["times"], handled["times"]) == (1, 1)
    # The server that handles the events is killed in the middle of some.
    killed, left = (pair.second, pair.first) if is_process_of(handled, pair.second) else (pair.first, pair.second)
    assert is_process_of(handled, killed)
    names = [f"t{number}" for number in range(TABLES)]
    writer = threading.Thread(target=lambda: [write_table(left, name) for name in names])
    writer.start()
    wait_for(lambda: pair.read_rows("handled"), lambda rows: "dataset:t0" in rows)
    assert killed.process is not None
    killed.process.kill()
    killed.process.wait()
    writer.join()
    pair.let_schedule_be_due()
    wait_until_provisioned(left)
    wait_for(lambda: list_app_processes(left), lambda processes: len(processes) == INSTANCES)
    rows = wait_for(lambda: pair.read_rows("handled"), lambda rows: "dataset:" + names[-1] in rows)
    assert {name: rows[f"dataset:{name}"]["times"] for name in names} == dict.fromkeys(names, 1)
    assert is_process_of(rows["dataset:" + names[-1]], left)
    # The server that is left may have run the schedule before, too.
    ran = wait_for(lambda: pair.read_rows("runs"), lambda rows: rows["hourly"]["times"] == 2)["hourly"]
    assert is_process_of(ran, left)
