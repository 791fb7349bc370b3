"""Maintain a SQLite file: checks, rebuilt indexes, reclaimed space."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_colophon.storage.sqlite import facets
from jupyter_colophon.storage.sqlite.compressed_texts import decode_compressed_text
from jupyter_colophon.storage.sqlite.name_bits import compute_name_bits

#: The most problems that one check reports.
_FINDINGS_MAX = 50
_CHECK = f"PRAGMA integrity_check({_FINDINGS_MAX})"
# With rank 1, newer versions also compare full text with its documents; older ones always do.
_CHECK_WORDS = "INSERT INTO search_tokens (search_tokens, rank) VALUES ('integrity-check', 1)"
#: The numbers of facet values in `search_entries`; 0, which no value has, for a damaged text.
_NUMBERS = """json_each(
    CASE WHEN json_valid('[' || facet_values || ']') THEN '[' || facet_values || ']' ELSE '[0]' END)"""
_USED_FACET_VALUES = f"SELECT DISTINCT value FROM search_entries, {_NUMBERS}"
#: The number of the group of an entry, null if it has none, and the condition that the entry has another one.
_GROUP_NUMBER = f"""(SELECT v.id FROM search_facet_values AS v
    WHERE v.facet = '{facets.GROUP}' AND v.value = {facets.GROUP_VALUE})"""
_HAS_OTHER_GROUP = f"group_number IS NOT {_GROUP_NUMBER}"
_COMPUTED_NAME_BITS = "compute_name_bits(urn, namespace, type)"
_ALONE = {
    "search_entries": "SELECT COUNT(*) FROM search_entries WHERE id NOT IN (SELECT id FROM search_texts)",
    "search_texts": "SELECT COUNT(*) FROM search_texts WHERE id NOT IN (SELECT id FROM search_entries)",
    "facet values of search_entries": f"""SELECT COUNT(*) FROM ({_USED_FACET_VALUES}) AS used
        WHERE used.value NOT IN (SELECT id FROM search_facet_values)""",
    "groups of search_entries": f"SELECT COUNT(*) FROM search_entries WHERE {_HAS_OTHER_GROUP}",
}
_REPAIRS = (
    "DELETE FROM search_entries WHERE id NOT IN (SELECT id FROM search_texts)",
    "DELETE FROM search_texts WHERE id NOT IN (SELECT id FROM search_entries)",
    # Reindexing writes the values of these entries again.
    f"""UPDATE search_entries SET facet_values = ''
        WHERE EXISTS (SELECT 1 FROM {_NUMBERS} WHERE value NOT IN (SELECT id FROM search_facet_values))""",
    f"""INSERT OR IGNORE INTO search_facet_values (facet, value)
        SELECT DISTINCT '{facets.GROUP}', {facets.GROUP_VALUE} FROM search_entries""",
    f"UPDATE search_entries SET group_number = {_GROUP_NUMBER} WHERE {_HAS_OTHER_GROUP}",
    f"""DELETE FROM search_facet_values
        WHERE id NOT IN ({_USED_FACET_VALUES} UNION SELECT group_number FROM search_entries)""",
    f"UPDATE search_entries SET name_bits = {_COMPUTED_NAME_BITS} WHERE name_bits IS NOT {_COMPUTED_NAME_BITS}",
    """DELETE FROM lineage_nodes WHERE id NOT IN (SELECT data FROM lineage_runs UNION SELECT program FROM lineage_runs
        UNION SELECT data FROM lineage_edges UNION SELECT program FROM lineage_edges)""",
    "REINDEX",
)
_CLEAR_WORDS = "INSERT INTO search_tokens (search_tokens) VALUES ('delete-all')"
_INDEX_WORDS = "INSERT INTO search_tokens (rowid, words) VALUES (?, ?)"
_STORED_TEXTS = "SELECT id, words FROM search_texts"
_DECOMPRESS_TEXTS = "UPDATE search_texts SET words = decode_compressed_text(words)"


def find_file_problems(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Return the problems of the file, its indexes and full text, one sentence each."""
    problems = [text for (text,) in connection.execute(_CHECK) if text != "ok"]
    if problems:
        return problems
    for table, statement in _ALONE.items():
        if count := connection.execute(statement).fetchone()[0]:
            problems.append(f"{table}: {count} rows without the row that they belong to")
    return problems or _check_full_text_on_copy(connection, path)


def rebuild_indexes_and_full_text(connection: sqlite3.Connection) -> None:
    """Rebuild indexes and full text in the open transaction."""
    connection.create_function("compute_name_bits", 3, compute_name_bits, deterministic=True)
    for statement in (*_REPAIRS, _CLEAR_WORDS):
        connection.execute(statement)
    texts = connection.execute(_STORED_TEXTS)
    connection.executemany(_INDEX_WORDS, ((number, decode_compressed_text(words)) for number, words in texts))


def rewrite_file_and_return_freed_bytes(connection: sqlite3.Connection, path: Path) -> int:
    """Rewrite the file without its free pages; return the number of bytes freed."""
    before = measure_file_bytes(path)
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return max(0, before - measure_file_bytes(path))


def measure_file_bytes(path: Path) -> int:
    """Return the bytes of the file and its log."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def measure_free_bytes(connection: sqlite3.Connection) -> int:
    """Return the bytes of the file's free pages; pages that are half empty do not count."""
    pages, page_bytes = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    return int(pages * page_bytes)


def _check_full_text_on_copy(connection: sqlite3.Connection, path: Path) -> list[str]:
    """Check full text on a copy, since the check takes the lock of writers."""
    with TemporaryDirectory(dir=path.parent, prefix=".check-") as folder:
        copy = sqlite3.connect(Path(folder) / "copy.db", isolation_level=None)
        try:
            connection.backup(copy)
            # The check reads the texts as they are.
            copy.create_function("decode_compressed_text", 1, decode_compressed_text, deterministic=True)
            copy.execute(_DECOMPRESS_TEXTS)
            copy.execute(_CHECK_WORDS)
        except sqlite3.DatabaseError as error:
            if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
                raise
            return ["the full-text index differs from its documents: run `jupyter colophon reindex`"]
        finally:
            copy.close()
    return []
