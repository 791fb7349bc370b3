"""What is PostgreSQL's own: options and secrets, a schema for each catalog, long keys, statements that failed."""

import json
import logging
import random
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import psycopg
import pytest
from jupyter_colophon.composition import open_catalog
from jupyter_colophon.core.errors import InvalidField, StorageError, StoreUnavailable, TableSchemaIncompatible
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.spi import Document, Range, TableContext, TableSpec, Words
from support.catalog import say, search
from support.postgres import fresh_schema
from support.process import running, told

SECRET = "canary-4711"
SPEC = TableSpec("things", {"a": "string", "b": "string", "c": "string", "n": "long"}, ("a", "b", "c"))
OPEN = """
import json
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.composition import open_catalog
open_catalog(StoreChoice(**json.loads(sys.argv[1])), Identity()).close()
"""
WITHOUT_DRIVER = """
sys.modules["psycopg"] = None
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage import providers
try:
    providers.opened(StoreChoice("postgresql"))
except StoreUnavailable as error:
    print(error)
"""


def test_a_missing_driver_is_told_in_one_sentence() -> None:
    said = told(WITHOUT_DRIVER).splitlines()
    assert len(said) == 1
    assert "pip install 'jupyter-colophon[postgresql]'" in said[0]


@pytest.mark.parametrize(
    "options",
    [
        {"path": "here"},
        {"schema": "Upper"},
        {"schema": "a; drop"},
        {"schema": ""},
        {"schema": 1},
        {"readers": 0},
        {"readers": "8"},
        {"dsn": 5},
        {"dsn": f"host='x password={SECRET}"},
        {"dsn": f"host=x {SECRET}"},
    ],
)
def test_an_option_that_is_none_is_refused_and_no_secret_is_told(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidField) as refused:
        providers.opened(StoreChoice("postgresql", options))
    assert SECRET not in f"{refused.value}{refused.value.__cause__}"


def test_a_password_is_in_no_error_no_log_and_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(StoreUnavailable) as away:
        providers.opened(StoreChoice("postgresql", {"dsn": f"host=/nowhere password={SECRET}"}))
    with fresh_schema() as store:
        dsn = f"{store.options['dsn']} password={SECRET}"
        provider = providers.opened(StoreChoice("postgresql", dict(store.options) | {"dsn": dsn}))
        provider.table_admin.create_or_update()
        told = [dict(provider.health()), dict(provider.about()), provider.check()]
        provider.close()
    assert "cannot be reached" in caplog.text
    assert SECRET not in f"{away.value}{away.value.__cause__}{caplog.text}{told}"


def test_several_processes_may_start_at_once_in_a_schema_that_is_not_there() -> None:
    with fresh_schema() as store:
        text = json.dumps(asdict(store))
        with running(OPEN, text) as a, running(OPEN, text) as b, running(OPEN, text) as c:
            for process in (a, b, c):
                output, _ = process.communicate(timeout=300)
                assert process.returncode == 0, output


def test_catalogs_in_two_schemas_of_a_database_share_nothing() -> None:
    with fresh_schema() as one, fresh_schema() as other:
        first, second = (open_catalog(store, Identity()) for store in (one, other))
        head, heard = second.feed.head(), second.provider.commits()
        say(first)
        assert search(first, "orders").total == 1
        assert search(second, "orders").total == 0
        assert (second.feed.head(), second.provider.commits()) == (head, heard)
        first.close()
        second.close()


@pytest.mark.parametrize("letters", ["abc\\'", "aä€😀\x00\x01"])
def test_texts_of_any_length_are_keys(letters: str) -> None:
    dice = random.Random(len(letters))
    start = "".join(dice.choices(letters, k=3_000))
    keys = [tuple(start + "".join(dice.choices(letters, k=dice.randint(0, 3_000))) for _ in "abc") for _ in range(20)]
    with fresh_schema() as store:
        provider = providers.opened(store)
        provider.table_admin.create_or_update(SPEC)

        def write(tx: TableContext) -> None:
            for at, key in enumerate(keys):
                tx.table("things").upsert(dict(zip("abc", key, strict=True)) | {"n": at})

        def look(tx: TableContext) -> None:
            things = tx.table("things")
            assert [things.read(key, ["n"]) for key in keys] == [{"n": at} for at in range(len(keys))]
            assert sorted(row["n"] for row in things.multi_read(keys)) == list(range(len(keys)))
            assert [[row["n"] for row in things.scan(Range.prefix(*key[:2]))] for key in keys[:3]] == [[0], [1], [2]]
            assert len(list(things.scan(Range()))) == len(keys)

        provider.tx_runner.run(write)
        provider.tx_runner.run(write)
        provider.tx_runner.run(look, read_only=True)
        assert provider.tx_runner.run(lambda tx: tx.table("things").delete_all(Range.prefix(keys[0][0]))) == 1
        provider.close()


def test_an_endless_scan_gives_every_row_once_in_both_orders() -> None:
    names = [f"{number:05}" for number in range(2_500)]
    with fresh_schema() as store:
        provider = providers.opened(store)
        provider.table_admin.create_or_update(SPEC)

        def write(tx: TableContext) -> None:
            for name in names:
                tx.table("things").upsert({"a": "a", "b": name[:2], "c": name})

        def look(tx: TableContext) -> None:
            for keys in (Range(), Range(("a", "00"), ("a", "02"))):
                found = [row["c"] for row in tx.table("things").scan(keys)]
                assert found == names
                assert [row["c"] for row in tx.table("things").scan(keys, order="desc")] == found[::-1]

        provider.tx_runner.run(write)
        provider.tx_runner.run(look, read_only=True)
        provider.close()


def test_nothing_is_committed_after_a_statement_that_failed_and_was_passed_over() -> None:
    with fresh_schema() as store:
        provider = providers.opened(store)
        provider.table_admin.create_or_update(SPEC)

        def work(tx: TableContext) -> None:
            tx.table("things").upsert({"a": "a", "b": "b", "c": "c"})
            with suppress(StorageError):
                tx.edges.add("data", "program", "read", "run", "", 2**70, None)

        with pytest.raises(StorageError):
            provider.tx_runner.run(work)
        assert provider.tx_runner.run(lambda tx: tx.table("things").count(), read_only=True) == 0
        provider.close()


def test_a_document_of_any_size_is_found_by_each_of_its_words() -> None:
    words = [f"w{number:06}" + "\U000f00e4" * 200 for number in range(3_000)]
    terms = frozenset({"term", "t" * 5_000})
    document = Document("urn", "space", "dataset", frozenset({("tag", "t")}), frozenset(words), terms)
    with fresh_schema() as store:
        provider = providers.opened(store)
        provider.table_admin.create_or_update()
        provider.tx_runner.run(lambda tx: tx.search.put(document))

        def found(tx: TableContext) -> list[int]:
            asked = [
                Words((words[0],), terms=("term",)),
                Words((words[-1],), terms=tuple(terms)),
                Words(prefixes=("w00",)),
                Words(terms=("t" * 5_000,)),
                Words((words[0],), terms=("t" * 5_001,)),
                Words(("w'\\",), ("x" * 9_000, "'")),
            ]
            counts = [sum(len(group.numbers) for group in tx.search.groups(one, 10)) for one in asked]
            assert [len(tx.search.match(one, 10)) for one in asked] == counts
            return counts

        assert provider.tx_runner.run(found, read_only=True) == [1, 1, 1, 1, 0, 0]
        provider.repair()
        assert provider.tx_runner.run(found, read_only=True) == [1, 1, 1, 1, 0, 0]
        assert provider.tx_runner.run(lambda tx: tx.search.after("", 9), read_only=True) == [document]
        assert provider.check() == []
        provider.tx_runner.run(lambda tx: tx.search.remove("urn"))
        assert provider.tx_runner.run(found, read_only=True) == [0] * 6
        provider.close()


def test_tables_of_an_older_catalog_are_brought_to_their_shape() -> None:
    with fresh_schema() as store:
        open_catalog(store, Identity()).close()
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute("ALTER TABLE change_log DROP COLUMN previous_system, DROP COLUMN system")
            connection.execute("DROP TABLE search_facets")
            connection.execute("ALTER TABLE search_entries ADD COLUMN tags text NOT NULL DEFAULT ''")
            connection.execute("DELETE FROM structured_tables WHERE id = '+'")
        catalog = open_catalog(store, Identity())
        say(catalog)
        rows = catalog.provider.tx_runner.run(lambda tx: tx.log.read(0, 100, {}), read_only=True)
        assert rows
        assert {row["system"] for row in rows} == {None}
        catalog.close()


def test_a_catalog_that_a_newer_version_made_is_refused() -> None:
    with fresh_schema() as store:
        open_catalog(store, Identity()).close()
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute("UPDATE structured_tables SET shape = '99' WHERE id = '+'")
        with pytest.raises(TableSchemaIncompatible):
            open_catalog(store, Identity())
