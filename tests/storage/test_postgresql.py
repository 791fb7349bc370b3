"""PostgreSQL only: options and secrets, one schema per catalog, long keys, failed statements."""

import json
import logging
import random
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import psycopg
import pytest
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.errors import InvalidField, StorageError, StoreUnavailable, TableSchemaIncompatible
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.migrations.runner import MigrationProgress, write_migration_progress
from jupyter_colophon.storage.spi import Document, Range, TableContext, TableSpec, TextQuery
from support.catalog import list_hit_names, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.postgres import create_store_in_schema, spread_entries_over_blocks
from support.process import run_script, start_script_process
from support.urns import ORDERS, REPORT, build_table_urn

SECRET = "canary-4711"
SPEC = TableSpec("things", {"a": "string", "b": "string", "c": "string", "n": "long"}, ("a", "b", "c"))
OPEN = """
import json
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.composition import open_or_create_catalog
open_or_create_catalog(StorageChoice(**json.loads(sys.argv[1])), IdentityRules()).close()
"""
WITHOUT_DRIVER = """
sys.modules["psycopg"] = None
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage import providers
try:
    providers.open_complete_provider(StorageChoice("postgresql"))
except StoreUnavailable as error:
    print(error)
"""


def test_missing_driver_is_reported_in_one_sentence() -> None:
    lines = run_script(WITHOUT_DRIVER).splitlines()
    assert len(lines) == 1
    assert "pip install 'jupyter-colophon[postgresql]'" in lines[0]


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
def test_unknown_option_is_refused_without_secrets(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidField) as refused:
        providers.open_complete_provider(StorageChoice("postgresql", options))
    assert SECRET not in f"{refused.value}{refused.value.__cause__}"


def test_password_is_in_no_error_log_or_response(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(StoreUnavailable) as away:
        providers.open_complete_provider(StorageChoice("postgresql", {"dsn": f"host=/nowhere password={SECRET}"}))
    with create_store_in_schema() as store:
        dsn = f"{store.options['dsn']} password={SECRET}"
        provider = providers.open_complete_provider(StorageChoice("postgresql", dict(store.options) | {"dsn": dsn}))
        provider.table_admin.create_or_update()
        reports = [dict(provider.check_health()), dict(provider.describe_store()), provider.find_store_problems()]
        provider.close()
    assert "cannot be reached" in caplog.text
    assert SECRET not in f"{away.value}{away.value.__cause__}{caplog.text}{reports}"


def test_processes_can_start_together_in_a_new_schema() -> None:
    with create_store_in_schema() as store:
        text = json.dumps(asdict(store))
        with (
            start_script_process(OPEN, text) as a,
            start_script_process(OPEN, text) as b,
            start_script_process(OPEN, text) as c,
        ):
            for process in (a, b, c):
                output, _ = process.communicate(timeout=300)
                assert process.returncode == 0, output


def test_catalogs_in_two_schemas_are_independent() -> None:
    with create_store_in_schema() as one, create_store_in_schema() as other:
        first, second = (open_or_create_catalog(store, IdentityRules()) for store in (one, other))
        head, received = second.feed.read_newest_change_number(), second.provider.get_data_version()
        write_metadata(first)
        assert search_catalog(first, "orders").total == 1
        assert search_catalog(second, "orders").total == 0
        assert (second.feed.read_newest_change_number(), second.provider.get_data_version()) == (head, received)
        first.close()
        second.close()


@pytest.mark.parametrize("letters", ["abc\\'", "aä€😀\x00\x01"])
def test_keys_may_have_any_length(letters: str) -> None:
    dice = random.Random(len(letters))
    start = "".join(dice.choices(letters, k=3_000))
    keys = [tuple(start + "".join(dice.choices(letters, k=dice.randint(0, 3_000))) for _ in "abc") for _ in range(20)]
    with create_store_in_schema() as store:
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update(SPEC)

        def write(tx: TableContext) -> None:
            for at, key in enumerate(keys):
                tx.get_table("things").upsert(dict(zip("abc", key, strict=True)) | {"n": at})

        def look(tx: TableContext) -> None:
            things = tx.get_table("things")
            assert [things.read(key, ["n"]) for key in keys] == [{"n": at} for at in range(len(keys))]
            assert sorted(row["n"] for row in things.read_many(keys)) == list(range(len(keys)))
            assert [[row["n"] for row in things.scan(Range.prefix(*key[:2]))] for key in keys[:3]] == [[0], [1], [2]]
            assert len(list(things.scan(Range()))) == len(keys)

        provider.tx_runner.run(write)
        provider.tx_runner.run(write)
        provider.tx_runner.run(look, read_only=True)
        assert provider.tx_runner.run(lambda tx: tx.get_table("things").delete_range(Range.prefix(keys[0][0]))) == 1
        provider.close()


def test_unlimited_scan_gives_every_row_once_in_both_orders() -> None:
    names = [f"{number:05}" for number in range(2_500)]
    with create_store_in_schema() as store:
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update(SPEC)

        def write(tx: TableContext) -> None:
            for name in names:
                tx.get_table("things").upsert({"a": "a", "b": name[:2], "c": name})

        def look(tx: TableContext) -> None:
            for keys in (Range(), Range(("a", "00"), ("a", "02"))):
                values = [row["c"] for row in tx.get_table("things").scan(keys)]
                assert values == names
                assert [row["c"] for row in tx.get_table("things").scan(keys, order="desc")] == values[::-1]

        provider.tx_runner.run(write)
        provider.tx_runner.run(look, read_only=True)
        provider.close()


def test_nothing_is_committed_after_an_ignored_failed_statement() -> None:
    with create_store_in_schema() as store:
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update(SPEC)

        def work(tx: TableContext) -> None:
            tx.get_table("things").upsert({"a": "a", "b": "b", "c": "c"})
            with suppress(InvalidField):
                tx.edges.record_access("data", "program", "read", "run", "", 2**70, None)

        with pytest.raises(StorageError):
            provider.tx_runner.run(work)
        assert provider.tx_runner.run(lambda tx: tx.get_table("things").count(), read_only=True) == 0
        provider.close()


def test_document_of_any_size_is_found_by_each_word() -> None:
    words = [f"w{number:06}" + "\U000f00e4" * 200 for number in range(3_000)]
    terms = frozenset({"term", "t" * 5_000})
    document = Document("urn", "space", "dataset", frozenset({("tag", "t")}), frozenset(words), terms)
    with create_store_in_schema() as store:
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update()
        provider.tx_runner.run(lambda tx: tx.search.put_documents(document))

        def found(tx: TableContext) -> list[int]:
            queries = [
                TextQuery((words[0],), terms=("term",)),
                TextQuery((words[-1],), terms=tuple(terms)),
                TextQuery(prefixes=("w00",)),
                TextQuery(terms=("t" * 5_000,)),
                TextQuery((words[0],), terms=("t" * 5_001,)),
                TextQuery(("w'\\",), ("x" * 9_000, "'")),
            ]
            counts = [len(tx.search.find_match_columns(query, 0, 10).counted.numbers) for query in queries]
            assert [len(tx.search.find_matches(query, 10)) for query in queries] == counts
            return counts

        assert provider.tx_runner.run(found, read_only=True) == [1, 1, 1, 1, 0, 0]
        provider.rebuild_derived_data()
        assert provider.tx_runner.run(found, read_only=True) == [1, 1, 1, 1, 0, 0]
        assert provider.tx_runner.run(lambda tx: tx.search.read_documents_after("", 9), read_only=True) == [document]
        assert provider.find_store_problems() == []
        provider.tx_runner.run(lambda tx: tx.search.remove_document("urn"))
        assert provider.tx_runner.run(found, read_only=True) == [0] * 6
        provider.close()


#: Replaces the tables of full text by those before words were stored once.
_WITH_TEXTS = b"""INSERT INTO search_texts SELECT id, concat_ws(' ', words, long_tokens) FROM search_words;
    INSERT INTO search_facets SELECT id, split_part(pair, E'\\x1f', 1), substr(pair, strpos(pair, E'\\x1f') + 1)
        FROM search_entries, unnest(facets) AS pair;
    ALTER TABLE search_entries DROP COLUMN facets;
    DROP TABLE search_words"""
#: And by those before blocks.
_WITHOUT_BLOCKS = b"""CREATE TABLE search_tokens (id bigint NOT NULL, part integer NOT NULL, tokens tsvector NOT NULL, PRIMARY KEY (id, part))"""


def test_documents_of_an_older_catalog_are_indexed_in_blocks() -> None:
    with create_store_in_schema() as store:
        catalog = open_or_create_catalog(store, IdentityRules())
        spread_entries_over_blocks(store)
        for urn in (ORDERS, REPORT, build_table_urn("third"), build_table_urn("fourth")):
            write_metadata(catalog, urn, {"owner": "ops"})
        found = list_hit_names(search_catalog(catalog, "owner:ops"))
        catalog.provider.tx_runner.run(lambda tx: write_migration_progress(tx, MigrationProgress(3)))
        catalog.close()
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute(_WITH_TEXTS)
            connection.execute(_WITHOUT_BLOCKS)
            connection.execute("UPDATE structured_tables SET shape = (shape::int - 10)::text WHERE id = '+'")
        catalog = open_or_create_catalog(store, IdentityRules())
        assert len(found) == 4
        assert list_hit_names(search_catalog(catalog, "owner:ops")) == found
        assert list_integrity_issues(create_maintenance(catalog)) == []
        catalog.close()


def test_texts_of_documents_are_moved_beside_writers() -> None:
    def build(name: str, word: str) -> Document:
        facets = frozenset({("tag", f'{name} "\\,{{}}\x00\x1f'), ("owner", "ops")})
        return Document(name, "space", "dataset", facets, frozenset({word, "each"}), frozenset({"t" * 5_000}))

    kept, *others = [build(f"urn{number:03}", "old") for number in range(250)]
    with create_store_in_schema() as store:
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update()
        provider.tx_runner.run(lambda tx: tx.search.put_documents(kept, *others))
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute(_WITH_TEXTS)
            connection.execute("UPDATE structured_tables SET shape = (shape::int - 6)::text WHERE id = '+'")
            connection.execute(b"CREATE TABLE search_block_tokens ()")
        provider.close()
        provider = providers.open_complete_provider(store)
        provider.table_admin.create_or_update()
        changed, removed = build(others[-2].urn, "new"), others[-1].urn

        def move(tx: TableContext, place: str) -> str | None:
            return tx.search.rewrite_some_documents(5, place)

        place = provider.tx_runner.run(lambda tx: move(tx, ""))
        provider.tx_runner.run(lambda tx: tx.search.put_documents(changed))
        provider.tx_runner.run(lambda tx: tx.search.remove_document(removed))
        while place is not None:
            place = provider.tx_runner.run(lambda tx, now=place: move(tx, now))  # type: ignore[misc]
        expected = [kept, *others[:-2], changed]
        assert provider.tx_runner.run(lambda tx: tx.search.read_documents_after("", 999), read_only=True) == expected
        found = {
            word: provider.tx_runner.run(
                lambda tx, word=word: len(tx.search.find_matches(TextQuery((word,)), 999)),  # type: ignore[misc]
                read_only=True,
            )
            for word in ("old", "new")
        }
        assert found == {"old": 248, "new": 1}
        assert provider.find_store_problems() == []
        provider.close()


def test_tables_of_an_older_catalog_are_upgraded() -> None:
    with create_store_in_schema() as store:
        open_or_create_catalog(store, IdentityRules()).close()
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute(
                "ALTER TABLE change_log DROP COLUMN previous_system, DROP COLUMN system, DROP COLUMN token"
            )
            connection.execute(_WITH_TEXTS)
            connection.execute(_WITHOUT_BLOCKS)
            connection.execute("DROP TABLE search_facets")
            connection.execute("ALTER TABLE search_entries ADD COLUMN tags text NOT NULL DEFAULT ''")
            connection.execute("DELETE FROM structured_tables WHERE id = '+'")
        catalog = open_or_create_catalog(store, IdentityRules())
        write_metadata(catalog)
        rows = catalog.provider.tx_runner.run(lambda tx: tx.log.read_changes(0, 100, {}), read_only=True)
        assert rows
        assert {row["system"] for row in rows} == {None}
        catalog.close()
        # A later version.
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute(_WITH_TEXTS)
            connection.execute(_WITHOUT_BLOCKS)
            connection.execute("ALTER TABLE change_log DROP COLUMN token")
            connection.execute("UPDATE structured_tables SET shape = (shape::int - 11)::text WHERE id = '+'")
        catalog = open_or_create_catalog(store, IdentityRules())
        write_metadata(catalog, properties={"later": "1"})
        assert len(catalog.provider.tx_runner.run(lambda tx: tx.log.read_changes(0, 100, {}), read_only=True)) > len(
            rows
        )
        catalog.close()


def test_catalog_of_newer_version_is_refused() -> None:
    with create_store_in_schema() as store:
        open_or_create_catalog(store, IdentityRules()).close()
        with psycopg.connect(store.options["dsn"]) as connection:
            connection.execute(f"SET search_path TO {store.options['schema']}")
            connection.execute("UPDATE structured_tables SET shape = '99' WHERE id = '+'")
        with pytest.raises(TableSchemaIncompatible):
            open_or_create_catalog(store, IdentityRules())
