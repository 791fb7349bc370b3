"""The base of all queries and edits: the catalog, and the resolution of names."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.health import read_health
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.identity.names import make_namespace_urn as namespace_urn
from jupyter_colophon.core.identity.short_names import format_field_urn, parse_name_to_urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: A name of an entity: `sales.orders`, `orders` of the namespace in use, `/data/x.csv`, a URN, or an entity.
Named = str | MetadataEntity


class ApiBase:
    """Base class of the API. All methods raise ClientError (ServerUnavailable, RequestFailed, NotFound) and InvalidName."""

    def __init__(self, catalog: "Operations", namespace: str = "") -> None:
        self.catalog = catalog
        self.namespace = namespace

    def use(self, namespace: str | None = None) -> Result:
        """Use `namespace` for names without a dot; "" uses none, and None returns the current one.

        Raises ValueError if the namespace does not exist.
        """
        if namespace:
            urn = str(namespace_urn(namespace))
            if find_entity(self.catalog, urn, "status") is None:
                msg = (
                    f"namespace {namespace!r} not found: create it with jupyter colophon namespace create {namespace!r}"
                )
                raise ValueError(msg)
        if namespace is not None:
            self.namespace = namespace
        return Result("use", {"namespace": self.namespace}, ("namespace",), [(self.namespace,)])

    def health(self) -> Result:
        """Return the status of the catalog: `Health`."""
        document = read_health(self.catalog)
        store = document["store"]
        rows = [("catalog", document["status"], document["version"]), ("store", store["status"], store["provider"])]
        return Result("health", document, ("part", "status", "detail"), rows)

    def resolve_urn(self, named: Named, field: str | None = None) -> str:
        """Return the URN of a named entity; with `field` that of its field. Raises InvalidName, TypeError."""
        whole = (
            named.urn
            if isinstance(named, MetadataEntity)
            else parse_name_to_urn(_require_name_text(named), self.namespace)
        )
        return whole if field is None else format_field_urn(whole, field)


def _require_name_text(named: object) -> str:
    if isinstance(named, str):
        return named
    msg = f"a name must be a string, such as 'sales.orders', or a MetadataEntity, not {type(named).__name__}"
    raise TypeError(msg)


def to_server_time(value: str | datetime | None) -> str | None:
    """Convert a time for the server. A time without an offset is local time, whose zone the server does not know."""
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    try:
        parsed = datetime.fromisoformat(value or "")
    except ValueError:
        return value
    return parsed.astimezone().isoformat() if parsed.tzinfo is None and "-" in str(value) else value


def split_properties_and_tags(value: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return properties and tags of an aspect's value, which may be empty."""
    return dict(value.get("properties", {})), list(value.get("tags", ()))
