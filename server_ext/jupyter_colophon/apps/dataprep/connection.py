"""What a connection of any type can do."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self

from jupyter_colophon.apps import BadRequest, NotFound, SecretUnavailable, ServiceContext
from jupyter_colophon.apps.shipped.bodies import Body, require_valid_name
from jupyter_colophon.apps.shipped.samples import Sample

Entry = dict[str, Any]


class Connection(Protocol):
    """A connection to data. All methods raise BadRequest for what cannot be reached or read, or is not permitted."""

    #: The members of its document, and those that describe a sample.
    members: ClassVar[tuple[str, ...]]
    sample_members: ClassVar[tuple[str, ...]]

    @classmethod
    def from_body(cls, context: ServiceContext, body: Body) -> Self:
        """Return the connection of a document."""

    def get_properties(self) -> Mapping[str, Any]:
        """Return the members that are set. A password is the name of a secret."""

    def test(self, context: ServiceContext) -> str:
        """Connect, and describe the server."""

    def list_entries(self, context: ServiceContext, path: str) -> list[Entry]:
        """Return what is at a path; empty for the top. Raises NotFound."""

    def read_sample(self, context: ServiceContext, body: Body) -> tuple[dict[str, Any], Sample]:
        """Return where a sample is read, and the sample. Raises NotFound."""


def parse_secret_name(body: Body) -> str:
    """Return the name of the secret with the password; empty if there is none. Raises BadRequest."""
    name = body.get_text("passwordSecret", "")
    return require_valid_name("secret", name) if name else ""


def read_password(context: ServiceContext, name: str) -> str | None:
    """Return the password in a secret of the namespace; None without one. Raises BadRequest."""
    if not name:
        return None
    try:
        return context.admin.get_secrets(context.namespace).get(name)
    except NotFound:
        raise BadRequest(
            f"the member passwordSecret names the secret {name}, which the namespace does not have"
        ) from None
    except SecretUnavailable as error:
        raise BadRequest(f"the value of the secret {name} is not available: {error.detail}") from None


def select_set_members(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value}
