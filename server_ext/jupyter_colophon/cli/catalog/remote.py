"""The catalog of a server, by its native API."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from jupyter_colophon.cli.catalog.catalog_protocol import (
    ChangesAsked,
    Count,
    Event,
    Line,
    Results,
    Shown,
    Statement,
    Taken,
)
from jupyter_colophon.cli.catalog.lineage_codec import lineage, time_asked
from jupyter_colophon.cli.catalog.run_codec import run, touched
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import edit_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.problems import ClientError, Refused
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.core.cdap.names import v3_path
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.export_lines import chunks
from jupyter_colophon.core.errors import MetadataError, NotFound
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.lineage.graph import Lineage, LineageQuestion, RunListing
from jupyter_colophon.core.lineage.run import Run, Touched

_PAGE = 500
#: How many bytes of lines are sent at once: a server takes 10 MiB unless it is told otherwise.
_SENT_BYTES = 4 * 1024 * 1024
_IMPORT_TIMEOUT_S = 300.0
#: How much longer than it waits for changes a server has time to answer, in seconds.
_SPARE_S = 10
_NOTHING: dict[str, Any] = {"properties": {}, "tags": []}


class Remote:
    """Asks the server; what it refuses is told in its words."""

    def __init__(self, server: Server, identity: Identity) -> None:
        self._identity = identity
        self._v3 = Transport(server, prefix="/colophon/v3")
        self._catalog = Operations(Transport(server))

    def show(self, urn: str) -> Shown:
        """One entity; what the server itself knows of it is told by the door that shows both scopes."""
        found = _told(lambda: find_entity(self._catalog, urn))
        if found is None:
            raise NotFound("entity", urn)
        asked = {"entity": urn, "scope": "all", "responseFormat": "v6"}
        said = _told(lambda: self._v3.request("GET", "/-/metadata", query=asked).body)
        properties: dict[str, dict[str, str]] = {"USER": {}, "SYSTEM": {}}
        for one in said["properties"]:
            properties[one["scope"]][one["name"]] = one["value"]
        user_tags, system_tags = (
            sorted(one["name"] for one in said["tags"] if one["scope"] == scope) for scope in properties
        )
        return Shown(
            urn=found["urn"],
            type=found["type"],
            namespace=found["namespace"],
            name=found["name"],
            user=properties["USER"],
            user_tags=user_tags,
            system=properties["SYSTEM"],
            system_tags=system_tags,
            statements=[
                Statement(one["kind"], one["key"], one["name"], one["scope"], one["detail"])
                for one in found["descriptors"]
                if one["column"] is None
            ],
            created=Event(**found["created"]),
            updated=Event(**found["updated"]),
        )

    def annotate(self, urn: str, change: Annotation) -> bool:
        """Change what people say of an entity that is there; again, where somebody was faster."""
        self._existing(urn)

        def edit(value: dict[str, Any]) -> dict[str, Any]:
            return change.applied({**_NOTHING, **value})

        return bool(_told(lambda: edit_aspect(self._catalog, urn, "businessMetadata", edit))["changed"])

    def search(self, query: str, filters: Mapping[str, str], limit: int, *, removed: bool = False) -> Results:
        """The best hits; what was softly deleted only with `removed`."""
        asked: dict[str, Any] = {**filters, "limit": limit, "removed": removed or None}
        found = _told(lambda: self._catalog.search(query, **asked))
        return Results([_line(one) for one in found["hits"]], found["total"])

    def keys(self, prefix: str) -> Sequence[Count]:
        """Keys that begin so."""
        found = _all("keys", partial(self._catalog.list_keys, prefix=prefix or None, limit=_PAGE))
        return [Count(one["key"], one["entities"], one["kind"], one["scope"]) for one in found]

    def values(self, key: str, prefix: str) -> Sequence[Count]:
        """Values of a key that begin so."""
        found = _all("values", partial(self._catalog.list_values, key, prefix=prefix or None, limit=_PAGE))
        return [Count(one["value"], one["entities"]) for one in found]

    def listed(self, type_: str, namespace: str) -> Sequence[Line]:
        """Entities of a type."""
        ask = partial(self._catalog.list_entities, type=type_, namespace=namespace or None, limit=_PAGE)
        return [_line(one) for one in _all("entities", ask)]

    def begun(self, type_: str, namespace: str, prefix: str) -> Sequence[Line]:
        """The first entities of a type whose names begin so."""
        found = _told(
            lambda: self._catalog.list_entities(type=type_, namespace=namespace or None, prefix=prefix or None)
        )
        return [_line(one) for one in found["entities"]]

    def deploy(self, urn: str, told: Mapping[str, Any]) -> bool:
        """Make a dataset or an application, by the server's door for that."""
        path = "/".join(quote(one, safe="") for one in v3_path(Urn.parse(urn), self._identity).segments)
        return bool(_told(lambda: self._v3.request("PUT", f"/{path}", body=dict(told)).body)["changed"])

    def exported(self, namespace: str) -> Iterator[bytes]:
        """The lines of a namespace."""
        lines = self._catalog.export_namespace(namespace)
        while (line := _told(lambda: next(lines, None))) is not None:
            yield line

    def imported(self, lines: Callable[[], Iterable[bytes]], *, overwrite: bool, dry_run: bool) -> Iterator[Taken]:
        """Take lines in; whether all of them can be is asked before anything is written."""
        if not dry_run:
            for _ in self._sent(lines(), overwrite=overwrite, dry_run=True):
                pass
        return self._sent(lines(), overwrite=overwrite, dry_run=dry_run)

    def _sent(self, lines: Iterable[bytes], *, overwrite: bool, dry_run: bool) -> Iterator[Taken]:
        send = partial(
            self._catalog.import_namespace, overwrite=overwrite, dry_run=dry_run, timeout_s=_IMPORT_TIMEOUT_S
        )
        for body in chunks(lines, _SENT_BYTES):
            found = _told(partial(send, body))
            yield Taken(Counter(found["counts"]), [(one["urn"], one["aspect"]) for one in found["conflicts"]])

    def changes(self, asked: ChangesAsked, wait_s: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Changes after a number. CDAP's formats are those of its API."""
        after: dict[str, Any] = {"limit": 0}
        if asked.after is not None:
            after = {"after": asked.after, "limit": _PAGE, "wait": wait_s}
        timeout_s = wait_s + _SPARE_S
        if asked.form == "change":
            ask = partial(self._catalog.read_changes, namespace=asked.namespace or None, timeout_s=timeout_s, **after)
            found = _told(ask)
        else:
            path = f"/namespaces/{quote(asked.namespace, safe='')}/metadata/changes"
            query = {**after, "format": asked.form}
            found = _told(lambda: self._v3.request("GET", path, query=query, timeout_s=timeout_s).body)
        return found["changes"], found["cursor"]

    def make_namespace(self, name: str) -> bool:
        """Make a namespace."""
        path = f"/namespaces/{quote(name, safe='')}"
        return bool(_told(lambda: self._v3.request("PUT", path, body={}).body)["changed"])

    def delete(self, urn: str) -> None:
        """Delete an entity, and what it holds."""
        _told(lambda: self._catalog.delete_entity(urn))

    def lineage(self, question: LineageQuestion) -> Lineage:
        """The graph around data or a program."""
        asked: dict[str, Any] = {
            "direction": question.direction,
            "levels": question.levels,
            "limit": question.limit,
            "start": time_asked(question.window.start),
            "end": time_asked(question.window.end),
            "as_of": time_asked(question.as_of),
        }
        return lineage(_told(lambda: self._catalog.read_lineage(str(question.urn), **asked)))

    def runs(self, listing: RunListing) -> list[Run]:
        """Runs, newest first."""
        window = {"start": time_asked(listing.window.start), "end": time_asked(listing.window.end)}
        asked = {"program": listing.program, "data": listing.data, "status": listing.status, **window}
        filters: dict[str, Any] = {name: value for name, value in asked.items() if value}
        found: list[Run] = []
        cursor: str | None = ""
        while cursor is not None and len(found) < listing.limit:
            page = _told(
                partial(self._catalog.list_runs, limit=listing.limit - len(found), cursor=cursor or None, **filters)
            )
            found += [run(one) for one in page["runs"]]
            cursor = page["cursor"]
        return found

    def run(self, urn: str) -> tuple[Run, list[Touched]]:
        """One run, and what it had to do with."""
        found = _told(partial(self._catalog.read_run, urn))
        return run(found), [touched(one) for one in _told(partial(self._catalog.list_run_accesses, urn))["accesses"]]

    def close(self) -> None:
        """Close the connection."""
        self._catalog.close()
        self._v3.close()

    def _existing(self, urn: str) -> dict[str, Any]:
        found = _told(lambda: find_entity(self._catalog, urn, "status"))
        if found is None:
            raise NotFound("entity", urn)
        return dict(found)


def _all(members: str, ask: Callable[..., dict[str, Any]]) -> list[dict[str, Any]]:
    return list(_told(lambda: list(pages(lambda cursor: ask(cursor=cursor), members))))


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
