"""The catalog that is queried, and the resolution of names."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.health import read_health
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.identity.names import namespace as namespace_urn
from jupyter_colophon.core.identity.short_names import field_urn, parse_name

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: What can be named: `sales.orders`, `orders` of the namespace in use, `/data/x.csv`, a URN, or an entity.
Named = str | MetadataEntity


class Asking:
    """The base of all operations. Each of them raises ClientError (ServerUnavailable, RequestFailed, NotFound) and InvalidName."""

    def __init__(self, catalog: "Operations", namespace: str = "") -> None:
        self.catalog = catalog
        self.namespace = namespace

    def use(self, namespace: str | None = None) -> Result:
        """Use `namespace` for names without a dot; "" clears it, and without an argument the current one is returned.

        Raises ValueError where there is no such namespace.
        """
        if namespace:
            urn = str(namespace_urn(namespace))
            if find_entity(self.catalog, urn, "status") is None:
                msg = f"there is no namespace {namespace!r}"
                raise ValueError(msg)
        if namespace is not None:
            self.namespace = namespace
        return Result("use", {"namespace": self.namespace}, ("namespace",), [(self.namespace,)])

    def health(self) -> Result:
        """Return the health of the catalog: `Health`."""
        found = read_health(self.catalog)
        store = found["store"]
        rows = [("catalog", found["status"], found["version"]), ("store", store["status"], store["provider"])]
        return Result("health", found, ("part", "status", "detail"), rows)

    def urn(self, named: Named, field: str | None = None) -> str:
        """Return the URN of an entity or, with `field`, of a field of a dataset. Raises InvalidName, TypeError."""
        whole = named.urn if isinstance(named, MetadataEntity) else parse_name(_text(named), self.namespace)
        return whole if field is None else field_urn(whole, field)


def _text(named: object) -> str:
    if isinstance(named, str):
        return named
    msg = f"a name is a text, such as 'sales.orders', or a MetadataEntity, and not {type(named).__name__}"
    raise TypeError(msg)


def moment(told: str | datetime | None) -> str | None:
    """A time as the server takes it. Without an offset it is local time, as answers are shown: the server would not know whose."""
    if isinstance(told, datetime):
        return told.astimezone().isoformat()
    try:
        found = datetime.fromisoformat(told or "")
    except ValueError:
        return told
    return found.astimezone().isoformat() if found.tzinfo is None and "-" in str(told) else told


def said(value: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Properties and tags of an aspect's value, which may be empty."""
    return dict(value.get("properties", {})), list(value.get("tags", ()))
