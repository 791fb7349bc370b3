"""Print the bytes an entity of each table of a filled store on PostgreSQL: rows, values out of line, each index and its density.

`python bench/table_sizes.py --folder F --size 10000` reads a store that `growth_curves.py --store postgresql --fill` has filled.
`--compact` rewrites it before, as `jupyter colophon compact` does.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import psycopg
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from sized_stores import open_stores

#: Smaller tables are counted as the rest, in bytes an entity.
_LEAST = 30
_TABLES = b"""SELECT oid::int, relname::text, pg_relation_size(oid)::int,
        COALESCE(pg_total_relation_size(NULLIF(reltoastrelid, 0)), 0)::int, pg_total_relation_size(oid)::int
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'colophon'::regnamespace ORDER BY 5 DESC"""
#: The density of B-trees in percent.
_INDEXES = b"""SELECT c.relname::text, pg_relation_size(c.oid)::int,
        CASE WHEN a.amname = 'btree' THEN NULLIF((pgstatindex(c.oid)).avg_leaf_density, 'NaN') END
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS a ON a.oid = c.relam
    WHERE i.indrelid = %s ORDER BY 2 DESC"""


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--compact", action="store_true")
    options = parser.parse_args()
    with open_stores(options.folder, "postgresql") as stores:
        choice = stores.choose(str(options.size))
        if options.compact:
            catalog = open_or_create_catalog(choice, IdentityRules())
            catalog.provider.reclaim_space()
            catalog.close()
        print("\n".join(_format_table(choice, options.size)))


def _format_table(choice: StorageChoice, size: int) -> Iterator[str]:
    yield "| table | bytes an entity | rows | out of line | indexes (density of B-trees) |\n|---|---|---|---|---|"
    whole = rest = 0
    with psycopg.connect(choice.options["dsn"], autocommit=True) as connection:
        connection.execute(b"CREATE EXTENSION IF NOT EXISTS pgstattuple")
        for oid, name, rows, out_of_line, total in connection.execute(_TABLES).fetchall():
            whole += total
            if total < _LEAST * size:
                rest += total
                continue
            indexes = ", ".join(
                f"{index.removeprefix(name + '_')} {taken / size:.0f}"
                + ("" if density is None else f" ({density:.0f} %)")
                for index, taken, density in connection.execute(_INDEXES, (oid,)).fetchall()
            )
            yield f"| `{name}` | {total / size:,.0f} | {rows / size:.0f} | {out_of_line / size:.0f} | {indexes} |"
    yield f"| other tables | {rest / size:,.0f} | | | |\n| all | {whole / size:,.0f} | | | |"


if __name__ == "__main__":
    main()
