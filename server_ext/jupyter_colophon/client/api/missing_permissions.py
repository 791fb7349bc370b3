"""The notice for a user who may read nothing: without it, such a catalog looks empty."""

from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.identity.urn import PREFIX, Urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations


def explain_missing_permissions(catalog: "Operations") -> str:
    """Return that the user may read nothing in the catalog, and whom to ask; empty if the user may read some of it."""
    try:
        me = catalog.read_me()
    except ClientError:
        # The notice is optional: ignore errors.
        return ""
    # A server of an earlier version does not answer what is readable.
    if me.get("readable") != "nothing":
        return ""
    stewards = [_format_steward(steward) for steward in me["stewards"]]
    whom = " or ".join(stewards) or "an administrator of the server"
    return f"You have no permission to read anything in this catalog; ask {whom}."


def _format_steward(steward: str) -> str:
    """Return the name of a user or a team, which settings name by its URN or as it is."""
    return Urn.parse(steward).parts[0] if steward.startswith(PREFIX) else steward
