"""A Jupyter server extension that measures the CPU time of the stages of requests.

`POST /stages` begins a measurement, after the routes are loaded; `GET /stages` returns its CPU milliseconds by stage. The
time of a stage does not include that of the stages within it.
"""

import json
import sys
import threading
import time
import types
from collections import defaultdict
from collections.abc import Callable, Coroutine, Generator, Mapping
from functools import partial, wraps
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import authenticated

#: The functions of each stage, as `module:name`.
STAGES = {
    "Tornado: parse and route the request": (
        "tornado.http1connection:HTTP1Connection._parse_headers",
        "tornado.routing:_RoutingDelegate.headers_received",
    ),
    "Tornado: create the handler": ("tornado.web:_HandlerDelegate.execute", "tornado.web:RequestHandler.__init__"),
    "find the route of ours": ("jupyter_colophon.http.lazy_routes:LazyRouter.find_handler",),
    "Jupyter: identify the user": ("jupyter_server.auth.identity:IdentityProvider._get_user",),
    "Jupyter: sign the user's cookie": ("jupyter_server.auth.identity:IdentityProvider.set_login_cookie",),
    "Jupyter: other checks before the request": ("jupyter_server.base.handlers:JupyterHandler.prepare",),
    "Jupyter and Tornado: send the answer": ("jupyter_server.base.handlers:APIHandler.finish",),
    "Jupyter: log and count the request": ("tornado.web:Application.log_request",),
    "handler: body, limits, authorization": (
        "jupyter_colophon.http.request_body:BodyHandler._refuse_large_body_and_prepare",
        "jupyter_colophon.http.request_body:BodyHandler.data_received",
        "jupyter_colophon.http.operation_handler:OperationHandler._serve_any_method",
        "jupyter_colophon.http.operation_handler:OperationHandler.on_finish",
    ),
    "hop to a thread and back": (
        "jupyter_colophon.http.fair_pool:FairPool.submit_work",
        "jupyter_colophon.http.fair_pool:FairPool._run_and_start_next",
    ),
    "operation: parameters and result": ("jupyter_colophon.operations.call:check_and_run_operation",),
    "parse JSON of the request": ("jupyter_colophon.core.documents.json_parsing:parse_json",),
    "encode JSON of the answer": ("jupyter_colophon.http.operation_handler:_encode_document",),
    "validate against schemas": (
        "jupyter_colophon.operations.request_schemas:ApiSchemas.require_valid_body",
        "jupyter_colophon.service.validation:require_valid_aspect_value",
    ),
    "authorize and validate proposals": (
        "jupyter_colophon.service.write_authorization:WriteAuthorization.authorize_and_validate",
        "jupyter_colophon.service.held_changes:HeldChangeWriter.find_reviewed_entity",
    ),
    "DataHub: read the proposals": ("jupyter_colophon.core.datahub.mcp:read_valid_proposal",),
    "DataHub: their URNs": ("jupyter_colophon.core.datahub.mcp:parse_urn_at",),
    "DataHub: their system metadata": ("jupyter_colophon.core.datahub.mcp:parse_system_metadata",),
    "DataHub: unknown fields, and access before these": (
        "jupyter_colophon.operations.datahub.ingest:write_or_queue_proposals",
    ),
    "OpenLineage: check and read the event": (
        "jupyter_colophon.service.openlineage.collector:OpenLineageCollector.parse_event",
    ),
    "OpenLineage: tables at locations": (
        "jupyter_colophon.storage.lineage.symlinks:replace_locations_by_tables",
        "jupyter_colophon.storage.commit.openlineage:_record_location_and_move_metadata",
    ),
    "OpenLineage: descriptions": ("jupyter_colophon.storage.commit.openlineage:_update_description_aspects",),
    "OpenLineage: the run and its accesses": (
        "jupyter_colophon.storage.commit.openlineage:_apply_run_event",
        "jupyter_colophon.storage.commit.openlineage:_record_accesses",
    ),
    "OpenLineage: snapshots": ("jupyter_colophon.storage.commit.snapshots:store_missing_snapshots",),
    "OpenLineage: edges between columns": ("jupyter_colophon.storage.commit.columns:add_column_edges",),
    "transaction, and what runs in it and has no stage": (
        "jupyter_colophon.storage.sqlite.provider:SqliteProvider.run",
    ),
    "transaction: commit": ("jupyter_colophon.storage.sqlite.session:SqliteSession.commit",),
    "SQL statements": (
        "jupyter_colophon.storage.sqlite.guarded:GuardedConnection.execute",
        "jupyter_colophon.storage.sqlite.guarded:GuardedConnection.execute_many",
    ),
    "tables: rows to statements": tuple(
        f"jupyter_colophon.storage.sql.table:SqlTable.{name}"
        for name in ("upsert_many", "read_many", "increment_many", "decrement_many", "read", "upsert")
    ),
    "commit: aspects, versions, changes": (
        "jupyter_colophon.service.write_path:WritePath._apply_batch",
        "jupyter_colophon.storage.commit.commit:CommitBuilder.write_changes_and_update_indexes",
    ),
    "commit: load the entities": ("jupyter_colophon.storage.commit.commit:CommitBuilder.load_entities_at_once",),
    "commit: values, counts and words of search": ("jupyter_colophon.storage.search.index:update_search_rows",),
    "commit: values in the aspects": ("jupyter_colophon.storage.search.index:collect_aspect_value_rows",),
    "commit: words of the documents": ("jupyter_colophon.storage.search.index:build_search_document",),
    "commit: relationships": ("jupyter_colophon.storage.lineage.relationships:update_relationships",),
    "commit: runs of DataHub's clients": (
        "jupyter_colophon.storage.entities.ingestion:IngestionIndexWriter.write_collected_changes",
    ),
    "commit: the text index": ("jupyter_colophon.storage.sqlite.search:SqliteSearch.put_documents",),
    "read: search": ("jupyter_colophon.service.search.search:CatalogSearcher.search_page_of_hits",),
    "search: matches and their visibility": (
        "jupyter_colophon.service.search.search:CatalogSearcher._find_visible_matches",
    ),
    "search: columns of the text index": (
        "jupyter_colophon.storage.sqlite.search:SqliteSearch.find_match_columns",
        "jupyter_colophon.storage.sqlite.search:SqliteSearch.find_matches",
    ),
    "search: choose the page": ("jupyter_colophon.service.search.search:_select_page",),
    "search: hits of the page": ("jupyter_colophon.service.search.search:CatalogSearcher._build_hits_of_page",),
    "search: highlights": ("jupyter_colophon.core.search.highlights:find_match_reasons",),
    "search: count facets": ("jupyter_colophon.service.search.facet_counts:count_most_frequent_facet_values",),
    "search: names of facet values, tags of machines": (
        "jupyter_colophon.service.entities.reference_names:ReferenceNameResolver.read_names_of_facet_values",
        "jupyter_colophon.service.search.search:CatalogSearcher._find_system_tags",
    ),
    "search: document of the answer": ("jupyter_colophon.operations.native.search:_render_search_results",),
    "read: lineage": ("jupyter_colophon.service.lineage.lineage:LineageReader.read_lineage",),
}


class StageClock:
    """The CPU time of each stage, of all threads."""

    def __init__(self) -> None:
        self._milliseconds: defaultdict[str, float] = defaultdict(float)
        self._calls: defaultdict[str, int] = defaultdict(int)
        self._local = threading.local()

    def reset(self) -> None:
        """Begin a measurement."""
        self._milliseconds.clear()
        self._calls.clear()

    def get_totals(self) -> dict[str, tuple[float, int]]:
        """Return CPU milliseconds and calls of each stage."""
        return {stage: (taken, self._calls[stage]) for stage, taken in self._milliseconds.items()}

    def run_in_stage(self, stage: str, work: Callable[[], Any]) -> Any:
        """Run a function, and add its time to the stage and not to the one around it."""
        around: list[float] = self._local.__dict__.setdefault("inner", [])
        around.append(0.0)
        begun = time.thread_time_ns()
        try:
            return work()
        finally:
            taken = (time.thread_time_ns() - begun) / 1e6
            self._milliseconds[stage] += taken - around.pop()
            self._calls[stage] += 1
            if around:
                around[-1] += taken

    def wrap_function(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is measured; of a coroutine, each step is."""

        @wraps(function)
        def measured(*arguments: Any, **named: Any) -> Any:
            return self.run_in_stage(stage, lambda: function(*arguments, **named))

        @wraps(function)
        async def measured_steps(*arguments: Any, **named: Any) -> Any:
            return await self._run_steps(stage, function(*arguments, **named))

        return measured_steps if iscoroutinefunction(function) else measured

    @types.coroutine
    def _run_steps(self, stage: str, coroutine: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        advance: Callable[[], Any] = partial(coroutine.send, None)
        while True:
            try:
                awaited = self.run_in_stage(stage, advance)
            except StopIteration as end:
                return end.value
            try:
                sent = yield awaited
                advance = partial(coroutine.send, sent)
            except BaseException as error:  # noqa: BLE001  the coroutine handles it
                advance = partial(coroutine.throw, error)


def install_clock(clock: StageClock, stages: Mapping[str, tuple[str, ...]] = STAGES) -> None:
    """Measure the functions of all stages that exist, also where modules have imported them by name."""
    for stage, names in stages.items():
        for name in names:
            module_name, _, path = name.partition(":")
            *outer, last = path.split(".")
            owner: Any = import_module(module_name)
            for part in outer:
                owner = getattr(owner, part)
            function = getattr(owner, last)
            measured = clock.wrap_function(stage, function)
            holders = [owner] if outer else list(sys.modules.values())
            for holder in holders:
                if getattr(holder, "__dict__", {}).get(last) is function:
                    setattr(holder, last, measured)


class Stages(APIHandler):
    """`/stages`."""

    clock: StageClock | None = None

    @authenticated
    def post(self) -> None:
        """Begin a measurement."""
        if Stages.clock is None:
            Stages.clock = StageClock()
            install_clock(Stages.clock)
        Stages.clock.reset()
        self.finish("{}")

    @authenticated
    def get(self) -> None:
        """Return what was measured."""
        self.finish(json.dumps({} if Stages.clock is None else Stages.clock.get_totals()))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "stages"}]


def _load_jupyter_server_extension(server: Any) -> None:
    path = url_path_join(server.web_app.settings["base_url"], "stages")
    server.web_app.add_handlers(".*$", [(path, Stages)])
