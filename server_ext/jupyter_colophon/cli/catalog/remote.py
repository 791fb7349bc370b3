"""The catalog of a server, by its native API (native.md)."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from jupyter_colophon.cli.catalog.source import Count, Line, Results, Shown
from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.client.problems import ClientError, Refused
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.core.annotation import Annotation
from jupyter_colophon.core.errors import Absent, MetadataError

_PAGE = 500
_NOTHING: dict[str, Any] = {"properties": {}, "tags": []}


class Remote:
    """Asks the server; what it refuses is told in its words."""

    def __init__(self, server: Server) -> None:
        self._transport = Transport(server)
        self._catalog = Catalog(server, self._transport)

    def show(self, urn: str) -> Shown:
        """One entity."""
        found = self._existing(urn)
        user, system = (self._value(found, name) for name in ("businessMetadata", "technicalMetadata"))
        return Shown(
            urn=found["urn"],
            type=found["type"],
            namespace=found["namespace"],
            name=found["name"],
            user=user["properties"],
            user_tags=sorted(user["tags"]),
            system=system["properties"],
            system_tags=sorted(system["tags"]),
        )

    def annotate(self, urn: str, change: Annotation) -> bool:
        """Change what people say of an entity that is there; again, where somebody was faster."""
        self._existing(urn)

        def edit(value: dict[str, Any]) -> dict[str, Any]:
            return change.applied({**_NOTHING, **value})

        return bool(_told(lambda: self._catalog.edit_aspect(urn, "businessMetadata", edit))["changed"])

    def search(self, query: str, filters: Mapping[str, str], limit: int) -> Results:
        """The best hits."""
        found = _told(lambda: self._catalog.search(query, limit=limit, **filters))
        return Results([_line(one) for one in found["hits"]], found["total"])

    def keys(self, prefix: str) -> Sequence[Count]:
        """Keys that begin so."""
        found = self._all("keys", "/keys", {"prefix": prefix or None})
        return [Count(one["key"], one["entities"], one["kind"], one["scope"]) for one in found]

    def values(self, key: str, prefix: str) -> Sequence[Count]:
        """Values of a key that begin so."""
        found = self._all("values", f"/keys/{quote(key, safe='')}/values", {"prefix": prefix or None})
        return [Count(one["value"], one["entities"]) for one in found]

    def listed(self, type_: str, namespace: str) -> Sequence[Line]:
        """Entities of a type."""
        asked = {"type": type_, "namespace": namespace or None}
        return [_line(one) for one in self._all("entities", "/entities", asked)]

    def make_namespace(self, name: str) -> None:
        """Make a namespace."""
        urn = f"urn:li:namespace:{name}"
        _told(lambda: self._catalog.put_aspect(urn, "status", {"removed": False}))

    def delete(self, urn: str) -> None:
        """Delete an entity, and what it holds."""
        _told(lambda: self._transport.request("DELETE", f"/entities/{quote(urn, safe='')}").body)

    def close(self) -> None:
        """Close the connection."""
        self._catalog.close()

    def _existing(self, urn: str) -> dict[str, Any]:
        found = _told(lambda: self._catalog.entity(urn, ("businessMetadata", "technicalMetadata")))
        if found is None:
            raise Absent("entity", urn)
        return dict(found)

    def _value(self, entity: Mapping[str, Any], aspect: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = entity["aspects"].get(aspect, {}).get("value", _NOTHING)
        return found

    def _all(self, members: str, path: str, asked: Mapping[str, object]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            query = {**asked, "limit": _PAGE, "cursor": cursor or None}
            page: dict[str, Any] = _told(lambda: self._transport.request("GET", path, query=query).body)  # noqa: B023  asked at once
            found += page[members]
            cursor = page["cursor"]
        return found


def _line(one: Mapping[str, Any]) -> Line:
    return Line(one["urn"], one["type"], one["namespace"], one["name"], one.get("description", ""), one.get("tags", ()))


def _told(ask: Any) -> Any:
    """An answer, or the server's refusal as our error."""
    try:
        return ask()
    except Refused as error:
        raise MetadataError(str(error)) from error
    except ClientError as error:
        raise MetadataError(str(error)) from error
