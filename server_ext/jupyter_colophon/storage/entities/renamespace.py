"""Move entities to another namespace after the rules for namespaces changed (spec ID-14)."""

from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_namespace_being_deleted
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Row, TableContext


def find_entities_of_wrong_namespace(
    tx: TableContext, identity: IdentityRules, after: str, limit: int
) -> tuple[dict[str, str], str | None]:
    """Return those of up to `limit` entities whose namespace should change, with the new one, and the URN to continue
    after.
    """
    rows = list(tx.get_table("entities").scan(sources_of_truth.build_range_after_key((after,) if after else ()), limit))
    places = {row["urn"]: identity.get_namespace(Urn.parse(row["urn"])) for row in rows}
    misplaced = {row["urn"]: places[row["urn"]] for row in rows if places[row["urn"]] != row["namespace"]}
    return misplaced, rows[-1]["urn"] if len(rows) == limit else None


def move_entity_to_namespace(tx: TableContext, registry: Registry, urn: str, namespace: str) -> bool:
    """Move an entity, its search entries and its past values to a namespace; return False if it is there already."""
    stored = sources_of_truth.find_stored_entity(tx, urn)
    if (
        stored is None
        or stored.entity["namespace"] == namespace
        or is_namespace_being_deleted(tx, stored.entity["namespace"])
    ):
        return False
    old = stored.entity
    new: Row = old | {"namespace": namespace}
    for key in past_values.derive_past_value_rows(tx, registry, old, stored.aspects):
        tx.get_table(past_values.TABLE).delete(key)
    if not old["deleted"]:
        aspects = sources_of_truth.select_searchable_aspects_of_entity(registry, stored)
        index.update_search_rows_and_counters(tx, [index.EntityChange(old | {"deleted": True}, aspects, {})])
        tx.get_table("entity_names").delete((old["namespace"], old["type"], old["name"], urn))
        tx.get_table("entity_names").upsert(sources_of_truth.build_name_row(new))
        index.update_search_rows_and_counters(
            tx,
            [
                index.EntityChange(
                    new, {}, aspects, sources_of_truth.collect_marked_search_words(registry, old, stored.aspects)
                )
            ],
        )
    tx.get_table("entities").upsert(new)
    tx.get_table(past_values.TABLE).upsert_many(
        [*past_values.derive_past_value_rows(tx, registry, new, stored.aspects).values()]
    )
    return True
