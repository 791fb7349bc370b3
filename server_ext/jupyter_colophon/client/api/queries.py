"""Queries of the catalog: entities, search, lineage, history, runs."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Literal

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Document, Result, table
from jupyter_colophon.client.api.base import ApiBase, Named, to_server_time
from jupyter_colophon.client.api.edits import BUSINESS
from jupyter_colophon.client.problems import NotFound, RequestFailed
from jupyter_colophon.core.documents.difference import diff
from jupyter_colophon.core.documents.steps import change_text, with_old_values, with_old_values_of_versions
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.core.time_format import parse_instant, parse_time

Direction = Literal["both", "upstream", "downstream"]
#: A version's number, or a time such as `now-1d`.
Point = int | str | datetime

#: The query that finds every entity.
EVERYTHING = "*"
#: Maximum number of runs shown with one entity.
RUNS_SHOWN = 5
#: Maximum number of fields whose tags and properties are shown with one entity.
FIELDS_SHOWN = 100
_PAGE = 500
_SCOPES = ("USER", "SYSTEM")
_RUN, _PROGRAM = f"{PREFIX}dataProcessInstance:", f"{PREFIX}dataJob:"


class Queries(ApiBase):
    """Each result has the document of the native API (schemas/api) and rows. Times are ISO 8601 or `now-1d`."""

    def show(self, name: Named, *, field: str | None = None) -> Result:
        """Return one entity: `Entity`; for a dataset also its latest `runs`, the metadata of its `fields`, and its latest `profile`.

        Rows: scope, kind, key, value. Raises NotFound.
        """
        urn = self.urn(name, field)
        entity = find_entity(self.catalog, urn)
        if entity is None:
            raise NotFound(_absent(urn))
        whole = {**entity, **self._dataset_details(urn)} if entity["type"] == "dataset" else {**entity, "runs": []}
        return Result("show", whole, ("scope", "kind", "key", "value"), list(_metadata_rows(entity)))

    def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        include_removed: bool = False,
        **filters: str | None,
    ) -> Result:
        """Return the best hits: `SearchResults`. Words are alternatives; `word*`, `"a phrase"`, `key:value`, `tags:…`, `*` for all.

        Filters are `type`, `tag`, `owner` and the like (docs/api.md#search), each a key, a URN or a name; with one of
        them no query is needed. Soft-deleted entities are only found with `include_removed`. Raises TypeError for a filter
        that does not exist, ValueError without query and filter.
        """
        names = [one.name for one in FILTERS]
        if unknown := [name for name in filters if name not in names]:
            msg = f"unknown filter {unknown[0]!r}; known filters: {', '.join(names)}"
            raise TypeError(msg)
        if not query and not any(filters.values()):
            msg = "a search needs a query or a filter; * finds everything"
            raise ValueError(msg)
        query = query or EVERYTHING
        found = self.catalog.search(
            query, limit=limit, include_removed=include_removed or None, timeout_s=None, **filters
        )
        hits = [{**hit, "name": short_name(hit["urn"])} for hit in found["hits"]]
        return table("search", found, "name type namespace tags terms domains owner description urn", hits)

    def keys(self, prefix: str = "", *, values: str | None = None, limit: int = 200) -> Result:
        """Return keys in use that begin with `prefix`: `Keys`; with `values=KEY` the values of that key: `KeyValues`."""
        if values is not None:
            found = self.catalog.list_values(values, prefix=prefix or None, limit=limit)
            return table("values", {"key": values, **found}, "value entities", found["values"])
        found = self.catalog.list_keys(prefix=prefix or None, limit=limit)
        return table("keys", {"prefix": prefix, **found}, "key kind scope entities", found["keys"])

    def lineage(
        self,
        name: Named,
        *,
        levels: int = 1,
        direction: Direction = "both",
        start: str | datetime | None = None,
        end: str | datetime | None = None,
        columns: bool = False,
    ) -> Result:
        """Return the lineage of data: `Lineage`. Rows are its edges, with `columns` its column-level edges. Raises NotFound."""
        urn = self.urn(name)
        ask = partial(
            self.catalog.read_lineage,
            urn,
            direction=direction,
            levels=levels,
            columns=columns,
            start=to_server_time(start),
            end=to_server_time(end),
        )
        found = self._request_or_not_found(urn, ask)
        if columns:
            names = "source sourceField target targetField transformation program"
            return table("lineage-columns", found, names, found["columns"])
        edges = [{**edge, **_ends(edge)} for edge in found["edges"]]
        return table("lineage", found, "source target access runCount start end", edges)

    def history(self, name: Named, *, aspect: str = BUSINESS, field: str | None = None, limit: int = 20) -> Result:
        """Return the versions of an aspect, newest first: `Versions`; steps that remove or replace a value have it as `old`.

        Each row has the changes, as `+ /tags/0 raw` or `~ /properties/owner ops → dev`. Raises NotFound.
        """
        urn = self.urn(name, field)
        found = self._request_or_not_found(urn, lambda: self.catalog.list_versions(urn, aspect, limit=limit), aspect)
        versions = with_old_values_of_versions(found["versions"], self._value_before(urn, aspect, found["cursor"]))
        rows = [{**one, "changes": [change_text(step) for step in one["diff"]]} for one in versions]
        document = {"urn": urn, "aspect": aspect, **found, "versions": versions}
        return table("history", document, "version time actor via deleted changes", rows)

    def diff(
        self,
        name: Named,
        older: Point | None = None,
        newer: Point | None = None,
        *,
        aspect: str = BUSINESS,
        field: str | None = None,
        lineage: bool = False,
    ) -> Result:
        """Compare two versions of an aspect, or two times; by default the latest version and the one before.

        With `lineage` the edges added and removed between two times: `LineageDiff`, by default within the last day.
        Raises NotFound if there was no value at that time.
        """
        urn = self.urn(name, field)
        if lineage:
            ask = partial(self.catalog.read_lineage_diff, urn, from_=_time(older), to=_time(newer))
            found = self._request_or_not_found(urn, ask)
            rows = [(word, *_ends(edge).values()) for word in ("added", "removed") for edge in found[word]]
            return Result("lineage-diff", found, ("change", "source", "target"), rows)
        new = self._version(urn, aspect, newer)
        # Version 0 is the empty value before the first version.
        old = self._version(urn, aspect, older if older is not None else new["version"] - 1)
        steps = with_old_values(diff(old["value"] or {}, new["value"] or {}), old["value"] or {})
        document = {"urn": urn, "aspect": aspect, "from": _stamp(old), "to": _stamp(new), "diff": steps}
        return table("diff", document, "op path value old", steps)

    def runs(
        self,
        name: Named | None = None,
        *,
        start: str | datetime | None = None,
        end: str | datetime | None = None,
        status: str | None = None,
        limit: int = 20,
    ) -> Result:
        """Return runs that accessed data, or of a program (by URN), or all, newest first: `Runs`.

        For the URN of a run, return the run and its accesses: `Run` and `RunAccesses`.
        """
        urn = None if name is None else self.urn(name)
        if urn is not None and urn.startswith(_RUN):
            run = self.catalog.read_run(urn)
            accesses = self.catalog.list_run_accesses(urn)["accesses"]
            return table(
                "run", {**run, "accesses": accesses}, "role mode namespace name component first last urn", accesses
            )
        is_program = urn is not None and urn.startswith(_PROGRAM)
        found = self.catalog.list_runs(
            program=urn if is_program else None,
            data=None if is_program else urn,
            start=to_server_time(start),
            end=to_server_time(end),
            status=status,
            limit=limit,
        )
        rows = [{**run, "program": short_name(run["program"]), **_access_names(run)} for run in found["runs"]]
        return table("runs", {"of": urn, **found}, "program status start end actor reads writes urn", rows)

    def _dataset_details(self, urn: str) -> Document:
        """Return the runs, fields and profile of a dataset, which are not among its aspects."""
        fields = self.catalog.list_fields_metadata(urn, limit=FIELDS_SHOWN)
        left = len(self.catalog.list_fields(urn)["fields"]) - len(fields["fields"]) if fields["cursor"] else 0
        profiles = self.catalog.list_timeseries_values(urn, "datasetProfile", limit=1)["values"]
        return {
            "runs": self.catalog.list_runs(data=urn, limit=RUNS_SHOWN)["runs"],
            "fields": fields["fields"],
            "fieldsLeft": left,
            "profile": profiles[0] if profiles else None,
        }

    def _value_before(self, urn: str, aspect: str, cursor: str | None) -> object:
        """Return the value before the versions of a page that continues at a cursor; None if there is none."""
        older = [] if cursor is None else self.catalog.list_versions(urn, aspect, limit=1, cursor=cursor)["versions"]
        return older[0]["value"] if older else None

    def _version(self, urn: str, aspect: str, point: Point | None) -> Document:
        """Return the version with this number, at this time, or the latest; version 0 is empty. Raises NotFound."""
        number = (
            point if isinstance(point, int) else int(point) if isinstance(point, str) and point.isdecimal() else None
        )
        if number == 0:
            return {"version": 0, "value": None, "time": None}
        until = (
            None if number is not None or point is None else parse_time(str(_time(point)), time.time_ns() // 1_000_000)
        )
        for one in self._versions(urn, aspect):
            if number == one["version"] or (number is None and (until is None or parse_instant(one["time"]) <= until)):
                return one
        raise NotFound(
            f"{short_name(urn)} has no version of {aspect} " + (f"{number}" if number is not None else f"at {point}")
        )

    def _versions(self, urn: str, aspect: str) -> Iterator[Document]:
        cursor: str | None = ""
        while cursor is not None:
            ask = partial(self.catalog.list_versions, urn, aspect, limit=_PAGE, cursor=cursor or None)
            page = self._request_or_not_found(urn, ask, aspect)
            yield from page["versions"]
            cursor = page["cursor"]

    def _request_or_not_found(self, urn: str, ask: Callable[[], Document], aspect: str = "") -> Document:
        """Return the response. Raises NotFound if the entity does not exist, or never had the aspect."""
        try:
            return dict(ask())
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise NotFound(self._why_absent(urn, aspect)) from None
            raise

    def _why_absent(self, urn: str, aspect: str) -> str:
        entity = find_entity(self.catalog, urn) if aspect else None
        if entity is None:
            return _absent(urn)
        has = ", ".join(sorted(entity["aspects"])) or "none"
        return f"{short_name(urn)} has no aspect {aspect}; its aspects: {has}"


def _absent(urn: str) -> str:
    return f"{short_name(urn)} is not in the catalog"


def _time(point: Point | None) -> str | None:
    return to_server_time(point) if isinstance(point, str | datetime) else None if point is None else str(point)


def _metadata_rows(entity: Document) -> Iterator[tuple[str, str, str, str]]:
    own = [one for one in entity["descriptors"] if one["column"] is None]
    for scope in _SCOPES:
        of_scope = [one for one in own if one["scope"] == scope]
        yield from ((scope, "tag", name, "") for name in _names(of_scope, "tag"))
        yield from ((scope, "term", name, "") for name in _names(of_scope, "term"))
        rest = {(one["key"], one["name"]) for one in of_scope if one["kind"] not in ("tag", "term")}
        yield from ((scope, "property", key, text) for key, text in sorted(rest))
    for one in entity["aspects"].get("schemaMetadata", {}).get("value", {}).get("fields", ()):
        yield "SYSTEM", "field", one.get("fieldPath", ""), one.get("nativeDataType", "")


def _names(descriptors: list[Document], kind: str) -> list[str]:
    return list(dict.fromkeys(one["name"] for one in descriptors if one["kind"] == kind))


def _ends(edge: Document) -> dict[str, str]:
    return {"source": short_name(edge["source"]), "target": short_name(edge["target"])}


def _access_names(run: Document) -> dict[str, list[str]]:
    """Return the short names of the data that a run read and wrote."""

    def names(*modes: str) -> list[str]:
        return list(dict.fromkeys(short_name(one["data"]) for one in run["accesses"] if one["mode"] in modes))

    return {"reads": names("read", "both"), "writes": names("write", "both")}


def _stamp(version: Document) -> Document:
    return {name: version.get(name) for name in ("version", "time", "actor")}
