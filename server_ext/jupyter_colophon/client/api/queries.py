"""Queries of the catalog: entities, search, lineage, history, runs."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Literal

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Document, Result, create_table_result
from jupyter_colophon.client.api.base import ApiBase, Named, to_server_time
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity, require_entity
from jupyter_colophon.client.api.edits import BUSINESS
from jupyter_colophon.client.api.missing_permissions import explain_missing_permissions
from jupyter_colophon.client.problems import EntityNotFound, RequestFailed
from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.lineage_diff import list_edge_changes
from jupyter_colophon.core.documents.steps import (
    add_old_values_to_operations,
    add_old_values_to_versions,
    format_operation,
)
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.core.time_format import parse_iso_time_to_ms, parse_time_to_ms

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
        urn = self.resolve_urn(name, field)
        entity = find_entity(self.catalog, urn)
        if entity is None:
            raise EntityNotFound(explain_missing_entity(self.catalog, urn))
        whole = {**entity, **self._read_dataset_details(urn)} if entity["type"] == "dataset" else {**entity, "runs": []}
        return Result("show", whole, ("scope", "kind", "key", "value"), list(_list_metadata_rows(entity)))

    def search(
        self,
        query: str = "",
        *,
        limit: int = 20,
        include_removed: bool = False,
        **filters: str | None,
    ) -> Result:
        """Return the best hits: `SearchResults`. Words are alternatives; `word*`, `"a phrase"`, `key:value`, `tags:…`, `*` for all.

        Filters are `type`, `tag`, `owner` and the like (docs/api.md#rules), each a key, a URN or a name; with one of
        them no query is needed. Soft-deleted entities are only found with `include_removed`. Raises TypeError for a filter
        that does not exist, ValueError without query and filter.
        """
        names = [filter_.name for filter_ in FILTERS]
        if unknown := [name for name in filters if name not in names]:
            msg = f"unknown filter {unknown[0]!r}; known filters: {', '.join(names)}"
            raise TypeError(msg)
        if not query and not any(filters.values()):
            msg = "a search needs a query or a filter; * finds everything"
            raise ValueError(msg)
        query = query or EVERYTHING
        page = self.catalog.search(
            query, limit=limit, include_removed=include_removed or None, timeout_s=None, **filters
        )
        hits = [{**hit, "name": shorten_urn(hit["urn"])} for hit in page["hits"]]
        if not hits and (notice := explain_missing_permissions(self.catalog)):
            page = {**page, "notice": notice}
        return create_table_result("search", page, "name type namespace tags terms domains owner description urn", hits)

    def keys(self, prefix: str = "", *, values: str | None = None, limit: int = 200) -> Result:
        """Return keys in use that begin with `prefix`: `Keys`; with `values=KEY` the values of that key: `KeyValues`."""
        if values is not None:
            page = self.catalog.list_values(values, prefix=prefix or None, limit=limit)
            return create_table_result("values", {"key": values, **page}, "value entities", page["values"])
        page = self.catalog.list_keys(prefix=prefix or None, limit=limit)
        return create_table_result("keys", {"prefix": prefix, **page}, "key kind scope entities", page["keys"])

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
        urn = self.resolve_urn(name)
        ask = partial(
            self.catalog.read_lineage,
            urn,
            direction=direction,
            levels=levels,
            columns=columns,
            start=to_server_time(start),
            end=to_server_time(end),
        )
        document = self._read_or_raise_not_found(urn, ask)
        if columns:
            names = "source sourceField target targetField transformation program"
            return create_table_result("lineage-columns", document, names, document["columns"])
        edges = [{**edge, **_shorten_edge_ends(edge)} for edge in document["edges"]]
        return create_table_result("lineage", document, "source target access runCount start end", edges)

    def history(self, name: Named, *, aspect: str = BUSINESS, field: str | None = None, limit: int = 20) -> Result:
        """Return the versions of an aspect, newest first: `Versions`; steps that remove or replace a value have it as `old`.

        Each row has the changes, as `+ /tags/0 raw` or `~ /properties/owner ops → dev`. Raises NotFound.
        """
        urn = self.resolve_urn(name, field)
        page = self._read_or_raise_not_found(urn, lambda: self.catalog.list_versions(urn, aspect, limit=limit), aspect)
        versions = add_old_values_to_versions(
            page["versions"], self._read_value_before_cursor(urn, aspect, page["cursor"])
        )
        rows = [{**version, "changes": [format_operation(step) for step in version["diff"]]} for version in versions]
        document = {"urn": urn, "aspect": aspect, **page, "versions": versions}
        return create_table_result("history", document, "version time actor via deleted changes", rows)

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

        With `lineage` the edges added, removed and changed between two times: `LineageDiff`, by default within the last day.
        Raises NotFound if there was no value at that time.
        """
        urn = self.resolve_urn(name, field)
        if lineage:
            ask = partial(self.catalog.read_lineage_diff, urn, from_=_format_point(older), to=_format_point(newer))
            difference = self._read_or_raise_not_found(urn, ask)
            rows = [(word, *_shorten_edge_ends(edge).values()) for word, edge in list_edge_changes(difference)]
            return Result("lineage-diff", difference, ("change", "source", "target"), rows)
        new = self._find_version(urn, aspect, newer)
        # Version 0 is the empty value before the first version.
        old = self._find_version(urn, aspect, older if older is not None else new["version"] - 1)
        steps = add_old_values_to_operations(
            diff_as_json_patch(old["value"] or {}, new["value"] or {}), old["value"] or {}
        )
        document = {
            "urn": urn,
            "aspect": aspect,
            "from": _select_version_time_and_actor(old),
            "to": _select_version_time_and_actor(new),
            "diff": steps,
        }
        return create_table_result("diff", document, "op path value old", steps)

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

        For the URN of a run, return the run and its accesses: `Run` and `RunAccesses`. Raises NotFound.
        """
        urn = None if name is None else self.resolve_urn(name)
        if urn is not None and urn.startswith(_RUN):
            run = self.catalog.read_run(urn)
            accesses = self.catalog.list_run_accesses(urn)["accesses"]
            return create_table_result(
                "run", {**run, "accesses": accesses}, "role mode namespace name component first last urn", accesses
            )
        is_program = urn is not None and urn.startswith(_PROGRAM)
        page = self.catalog.list_runs(
            program=urn if is_program else None,
            data=None if is_program else urn,
            start=to_server_time(start),
            end=to_server_time(end),
            status=status,
            limit=limit,
        )
        if urn is not None and not page["runs"]:
            require_entity(self.catalog, urn)
        rows = [{**run, "program": shorten_urn(run["program"]), **_shorten_accessed_names(run)} for run in page["runs"]]
        return create_table_result("runs", {"of": urn, **page}, "program status start end actor reads writes urn", rows)

    def _read_dataset_details(self, urn: str) -> Document:
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

    def _read_value_before_cursor(self, urn: str, aspect: str, cursor: str | None) -> object:
        """Return the value before the versions of a page that continues at a cursor; None if there is none."""
        older = [] if cursor is None else self.catalog.list_versions(urn, aspect, limit=1, cursor=cursor)["versions"]
        return older[0]["value"] if older else None

    def _find_version(self, urn: str, aspect: str, point: Point | None) -> Document:
        """Return the version with this number, at this time, or the latest; version 0 is empty. Raises NotFound."""
        number = (
            point if isinstance(point, int) else int(point) if isinstance(point, str) and point.isdecimal() else None
        )
        if number == 0:
            return {"version": 0, "value": None, "time": None}
        until = (
            None
            if number is not None or point is None
            else parse_time_to_ms(str(_format_point(point)), time.time_ns() // 1_000_000)
        )
        for version in self._iterate_versions(urn, aspect):
            if number == version["version"] or (
                number is None and (until is None or parse_iso_time_to_ms(version["time"]) <= until)
            ):
                return version
        raise EntityNotFound(
            f"{shorten_urn(urn)} has no version of {aspect} " + (f"{number}" if number is not None else f"at {point}")
        )

    def _iterate_versions(self, urn: str, aspect: str) -> Iterator[Document]:
        cursor: str | None = ""
        while cursor is not None:
            ask = partial(self.catalog.list_versions, urn, aspect, limit=_PAGE, cursor=cursor or None)
            page = self._read_or_raise_not_found(urn, ask, aspect)
            yield from page["versions"]
            cursor = page["cursor"]

    def _read_or_raise_not_found(self, urn: str, send: Callable[[], Document], aspect: str = "") -> Document:
        """Return the response. Raises NotFound if the entity does not exist, or never had the aspect."""
        try:
            return dict(send())
        except RequestFailed as refusal:
            if refusal.is_absence:
                raise EntityNotFound(self._explain_missing_entity_or_aspect(urn, aspect)) from None
            raise

    def _explain_missing_entity_or_aspect(self, urn: str, aspect: str) -> str:
        entity = find_entity(self.catalog, urn) if aspect else None
        if entity is None:
            return explain_missing_entity(self.catalog, urn)
        has = ", ".join(sorted(entity["aspects"])) or "none"
        return f"{shorten_urn(urn)} has no aspect {aspect}; its aspects: {has}"


def _format_point(point: Point | None) -> str | None:
    return to_server_time(point) if isinstance(point, str | datetime) else None if point is None else str(point)


def _list_metadata_rows(entity: Document) -> Iterator[tuple[str, str, str, str]]:
    own = [descriptor for descriptor in entity["descriptors"] if descriptor["column"] is None]
    for scope in _SCOPES:
        of_scope = [item for item in own if item["scope"] == scope]
        yield from ((scope, "tag", name, "") for name in _list_descriptor_names(of_scope, "tag"))
        yield from ((scope, "term", name, "") for name in _list_descriptor_names(of_scope, "term"))
        rest = {(item["key"], item["name"]) for item in of_scope if item["kind"] not in ("tag", "term")}
        yield from ((scope, "property", key, text) for key, text in sorted(rest))
    for field in entity["aspects"].get("schemaMetadata", {}).get("value", {}).get("fields", ()):
        yield "SYSTEM", "field", field.get("fieldPath", ""), field.get("nativeDataType", "")


def _list_descriptor_names(descriptors: list[Document], kind: str) -> list[str]:
    return list(dict.fromkeys(descriptor["name"] for descriptor in descriptors if descriptor["kind"] == kind))


def _shorten_edge_ends(edge: Document) -> dict[str, str]:
    return {"source": shorten_urn(edge["source"]), "target": shorten_urn(edge["target"])}


def _shorten_accessed_names(run: Document) -> dict[str, list[str]]:
    """Return the short names of the data that a run read and wrote."""

    def list_names(*modes: str) -> list[str]:
        return list(dict.fromkeys(shorten_urn(access["data"]) for access in run["accesses"] if access["mode"] in modes))

    return {"reads": list_names("read", "both"), "writes": list_names("write", "both")}


def _select_version_time_and_actor(version: Document) -> Document:
    return {name: version.get(name) for name in ("version", "time", "actor")}
