"""PostgreSQL only: reads of a streaming replica see all earlier writes (spec STORE-25)."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

import pytest
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.postgresql import replica
from jupyter_colophon.storage.postgresql.provider import PostgresProvider
from support.catalog import ADA, write_metadata
from support.postgres import PostgresServer
from support.urns import build_table_urn

WRITES = 25


class Servers(NamedTuple):
    primary: PostgresServer
    replica: PostgresServer

    def open_catalog(self) -> Catalog:
        options = {"dsn": self.primary.dsn, "replica_dsn": self.replica.dsn}
        return open_or_create_catalog(StorageChoice("postgresql", options), IdentityRules())


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        primary = PostgresServer()
        stack.callback(primary.stop)
        replica_server = PostgresServer(primary=primary)
        stack.callback(replica_server.stop)
        yield Servers(primary, replica_server)


@pytest.fixture
def catalogs(servers: Servers) -> Iterator[list[Catalog]]:
    with ExitStack() as stack:
        yield [stack.enter_context(closing(servers.open_catalog())) for _ in range(2)]


def is_read_from_replica(catalog: Catalog) -> bool:
    def ask(tx: Any) -> bool:
        return tx.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)

    return catalog.provider.tx_runner.run(ask, read_only=True)


def await_use_of_replica(catalog: Catalog) -> None:
    while not is_read_from_replica(catalog):
        time.sleep(0.02)


def read_number(catalog: Catalog, urn: str) -> str:
    value = catalog.reader.read_current_aspect(Urn.parse(urn), "technicalMetadata", ADA).value
    return str(value["properties"]["n"])


def test_replica_shows_the_writes_of_all_processes(catalogs: list[Catalog]) -> None:
    def write_and_read(writer: int) -> None:
        urn = build_table_urn(f"t{writer}")
        for number in range(WRITES):
            write_metadata(catalogs[writer % 2], urn, {"n": str(number)})
            assert read_number(catalogs[(writer + number) % 2], urn) == str(number)

    write_metadata(catalogs[0])
    await_use_of_replica(catalogs[0])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write_and_read, range(4)))
    await_use_of_replica(catalogs[1])


def test_primary_answers_while_the_replica_is_behind(
    servers: Servers, catalogs: list[Catalog], caplog: pytest.LogCaptureFixture
) -> None:
    await_use_of_replica(catalogs[1])
    servers.replica.execute("SELECT pg_wal_replay_pause()")
    try:
        with caplog.at_level(logging.WARNING):
            for number in range(3):
                write_metadata(catalogs[0], properties={"n": str(number)})
                assert read_number(catalogs[1], build_table_urn("orders")) == str(number)
                assert not is_read_from_replica(catalogs[1])
    finally:
        servers.replica.execute("SELECT pg_wal_replay_resume()")
    await_use_of_replica(catalogs[1])
    behind = {record.getMessage() for record in caplog.records if "replica" in record.getMessage()}
    assert behind == {"reads use the primary database until its replica is usable again: it is more than 250 ms behind"}


def test_primary_answers_while_the_replica_is_stopped(servers: Servers, catalogs: list[Catalog]) -> None:
    await_use_of_replica(catalogs[0])
    servers.replica.crash()
    try:
        write_metadata(catalogs[0], properties={"n": "alone"})
        assert read_number(catalogs[1], build_table_urn("orders")) == "alone"
    finally:
        servers.replica.start()
    await_use_of_replica(catalogs[0])


def test_server_that_is_no_replica_of_the_database_is_not_read(
    servers: Servers, catalogs: list[Catalog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The primary itself, or one that was promoted, may have other commits."""
    monkeypatch.setattr(replica, "AVOIDED_S", 0.0)
    with closing(Servers(servers.primary, servers.primary).open_catalog()) as catalog:
        write_metadata(catalogs[0], properties={"n": "here"})
        assert read_number(catalog, build_table_urn("orders")) == "here"
        assert not is_read_from_replica(catalog)


def test_invalid_connection_string_of_the_replica_is_named_without_its_text() -> None:
    with pytest.raises(InvalidField, match="the option replica_dsn is not a valid") as raised:
        PostgresProvider().initialize({"replica_dsn": "host=x secret"})
    assert "secret" not in str(raised.value)
