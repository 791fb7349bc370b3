"""`metadata.expect(…)`: write what is expected of the data of a dataset (docs/how-to/check-data-quality.md)."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.current_connection import send_pending_and_get_api
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity
from jupyter_colophon.client.aspect_edits import edit_aspect_with_retries, read_stored_aspect
from jupyter_colophon.client.problems import EntityNotFound
from jupyter_colophon.core.quality.results import EXPECTATIONS, list_expectations


def expect(
    name: str, expectations: Mapping[str, Mapping[str, Any]] | None = None, *, remove: Iterable[str] = ()
) -> dict[str, Mapping[str, Any]]:
    """Add or replace expectations of a dataset by their ids, and remove others; return all that it has now.

    `name` is the dataset's name or URN. Raises EntityNotFound, and RequestFailed for an invalid expectation.
    """
    api, removed = send_pending_and_get_api(), frozenset(remove)
    urn = api.resolve_urn(name)
    if find_entity(api.catalog, urn, "status") is None:
        raise EntityNotFound(explain_missing_entity(api.catalog, urn))

    def edit(stored: Mapping[str, Any]) -> dict[str, Any]:
        kept = {id_: one for id_, one in list_expectations(stored).items() if id_ not in removed}
        return {"expectations": {**kept, **(expectations or {})}}

    if expectations or removed:
        edit_aspect_with_retries(api.catalog, urn, EXPECTATIONS, edit)
    return dict(list_expectations(read_stored_aspect(api.catalog, urn, EXPECTATIONS).value))
