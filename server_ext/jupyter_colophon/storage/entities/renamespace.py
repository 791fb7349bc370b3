"""Move entities to another namespace after the rules for namespaces changed (spec ID-14)."""

from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_ending
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Row, TableContext


def find_misplaced(tx: TableContext, identity: Identity, after: str, limit: int) -> tuple[dict[str, str], str | None]:
    """Return, of up to `limit` entities, those whose namespace should change, with the new one, and the URN to
    continue after.
    """
    rows = list(tx.table("entities").scan(sources_of_truth.beyond((after,) if after else ()), limit))
    places = {row["urn"]: identity.namespace_of(Urn.parse(row["urn"])) for row in rows}
    found = {row["urn"]: places[row["urn"]] for row in rows if places[row["urn"]] != row["namespace"]}
    return found, rows[-1]["urn"] if len(rows) == limit else None


def move(tx: TableContext, registry: Registry, urn: str, namespace: str) -> bool:
    """Move an entity, its search entries and its past values to a namespace; return False if nothing was to do."""
    stored = sources_of_truth.entity(tx, urn)
    if stored is None or stored.entity["namespace"] == namespace or is_ending(tx, stored.entity["namespace"]):
        return False
    old = stored.entity
    new: Row = old | {"namespace": namespace}
    for key in past_values.of_history(tx, registry, old, stored.aspects):
        tx.table(past_values.TABLE).delete(key)
    if not old["deleted"]:
        aspects = sources_of_truth.described_aspects(registry, stored)
        index.update_search_rows(tx, [index.EntityChange(old | {"deleted": True}, aspects, {})])
        tx.table("entity_names").delete((old["namespace"], old["type"], old["name"], urn))
        tx.table("entity_names").upsert(sources_of_truth.name_row(new))
        index.update_search_rows(
            tx, [index.EntityChange(new, {}, aspects, sources_of_truth.search_words(registry, old, stored.aspects))]
        )
    tx.table("entities").upsert(new)
    tx.table(past_values.TABLE).upsert_all([*past_values.of_history(tx, registry, new, stored.aspects).values()])
    return True
