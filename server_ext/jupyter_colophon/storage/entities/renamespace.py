"""Entities that belong to another namespace since the rules changed (spec ID-14)."""

from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_ending
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Row, TableContext


def misplaced(tx: TableContext, identity: Identity, after: str, limit: int) -> tuple[dict[str, str], str | None]:
    """Of so many entities those that the rules put elsewhere, with where; and after which one to look on."""
    rows = list(tx.table("entities").scan(sources_of_truth.beyond((after,) if after else ()), limit))
    places = {row["urn"]: identity.namespace_of(Urn.parse(row["urn"])) for row in rows}
    found = {row["urn"]: places[row["urn"]] for row in rows if places[row["urn"]] != row["namespace"]}
    return found, rows[-1]["urn"] if len(rows) == limit else None


def move(tx: TableContext, registry: Registry, urn: str, namespace: str) -> bool:
    """Have an entity, and what search knows of it and its past, in this namespace; False where it is there already."""
    told = sources_of_truth.entity(tx, urn)
    if told is None or told.entity["namespace"] == namespace or is_ending(tx, told.entity["namespace"]):
        return False
    here = told.entity
    there: Row = here | {"namespace": namespace}
    for key in past_values.of_history(tx, registry, here, told.aspects):
        tx.table(past_values.TABLE).delete(key)
    if not here["deleted"]:
        said = sources_of_truth.said_aspects(registry, told)
        index.refresh(tx, [index.Becoming(here | {"deleted": True}, said, {})])
        tx.table("entity_names").delete((here["namespace"], here["type"], here["name"], urn))
        tx.table("entity_names").upsert(sources_of_truth.name_row(there))
        index.refresh(tx, [index.Becoming(there, {}, said, sources_of_truth.marked(registry, here, told.aspects))])
    tx.table("entities").upsert(there)
    tx.table(past_values.TABLE).upsert_all([*past_values.of_history(tx, registry, there, told.aspects).values()])
    return True
