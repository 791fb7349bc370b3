"""Marquez's lists and single reads: namespaces, jobs, datasets, runs, search."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.openlineage import documents
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import choice, count, number, text

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.service.openlineage.models import ToldRun

_OBJECT: Final = {"type": "object"}
LIMIT: Final = count("limit", "How many at most.", default=100, least=0, most=1_000)
OFFSET: Final = number("offset", "How many to pass by.", default=0, least=0, most=10_000)
_RESULTS: Final = {
    "type": "object",
    "required": ["totalCount", "truncated", "results"],
    "properties": {
        "totalCount": {
            "type": "integer",
            "description": "How many fit; at least so many where they were not all counted, as with `namespace`.",
        },
        "truncated": {
            "type": "boolean",
            "description": "Whether there may be more than `results`. Not part of Marquez's API.",
        },
        "results": {"type": "array"},
    },
}
_FOUND: Final = count("limit", "How many at most.", default=10, least=0, most=100)
_Q: Final = text("q", "What is looked for.", required=True)
_FILTER: Final = choice("filter", "Jobs or datasets alone.", "JOB", "DATASET", "job", "dataset")
_SORT: Final = choice("sort", "By name, or by when it changed last.", "NAME", "UPDATE_AT", "name", "update_at")
_NAMESPACE: Final = text("namespace", "Of this namespace of OpenLineage alone.")
_TYPE: Final = choice("type", "Whose facets: of a run that is the run.", "run", "job")


def _next_page(offset: int | None) -> dict[str, Any]:
    """Return what Marquez's lists have no word for: where to read on after a page that ended by its size."""
    return {} if offset is None else {"nextOffset": offset}


class NamespacesHandler(ApiHandler):
    """`GET /api/v1/namespaces`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listNamespaces", takes=[LIMIT, OFFSET], answers={200: _OBJECT})
    async def get(self) -> None:
        """The namespaces of which OpenLineage told."""
        limit, offset, principal = self.asked(LIMIT), self.asked(OFFSET), self.principal
        found = await self.hop(lambda catalog: catalog.marquez.namespaces(limit, offset, principal))
        self.answer({"namespaces": [documents.space(one) for one in found]})


class NamespaceHandler(ApiHandler):
    """`GET /api/v1/namespaces/{namespace}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readNamespace", answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, namespace: str) -> None:
        """One of them."""
        principal = self.principal
        self.answer(documents.space(await self.hop(lambda catalog: catalog.marquez.namespace(namespace, principal))))


class _PageHandler(ApiHandler):
    async def page(self, kind: str, namespace: str | None) -> None:
        """Answer a list of jobs or datasets."""
        limit, offset, principal = self.asked(LIMIT), self.asked(OFFSET), self.principal
        found = await self.hop(lambda catalog: catalog.marquez.page(kind, namespace, limit, offset, principal))
        page = [documents.thing(one) for one in found.things]
        self.answer({f"{kind}s": page, "totalCount": found.total} | _next_page(found.next_offset))


class AllJobsHandler(_PageHandler):
    """`GET /api/v1/jobs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listAllJobs", takes=[LIMIT, OFFSET], answers={200: _OBJECT})
    async def get(self) -> None:
        """The jobs of all namespaces."""
        await self.page("job", None)


class JobsHandler(_PageHandler):
    """`GET /api/v1/namespaces/{namespace}/jobs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listJobs", takes=[LIMIT, OFFSET], answers={200: _OBJECT})
    async def get(self, namespace: str) -> None:
        """The jobs of a namespace."""
        await self.page("job", namespace)


class DatasetsHandler(_PageHandler):
    """`GET /api/v1/namespaces/{namespace}/datasets`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listDatasets", takes=[LIMIT, OFFSET], answers={200: _OBJECT})
    async def get(self, namespace: str) -> None:
        """The datasets of a namespace."""
        await self.page("dataset", namespace)


class JobHandler(ApiHandler):
    """`GET /api/v1/namespaces/{namespace}/jobs/{name}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readJob", answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, namespace: str, name: str) -> None:
        """A job with its newest run."""
        asked, principal = Spelling(namespace, name), self.principal
        self.answer(documents.thing(await self.hop(lambda catalog: catalog.marquez.one("job", asked, principal))))


class DatasetHandler(ApiHandler):
    """`GET /api/v1/namespaces/{namespace}/datasets/{name}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readDataset", answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, namespace: str, name: str) -> None:
        """A dataset with its facets."""
        asked, principal = Spelling(namespace, name), self.principal
        self.answer(documents.thing(await self.hop(lambda catalog: catalog.marquez.one("dataset", asked, principal))))


class RunsHandler(ApiHandler):
    """`GET /api/v1/namespaces/{namespace}/jobs/{name}/runs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listRunsOfJob", takes=[LIMIT, OFFSET], answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, namespace: str, name: str) -> None:
        """The runs of a job, newest first."""
        asked, principal = Spelling(namespace, name), self.principal
        limit, offset = self.asked(LIMIT), self.asked(OFFSET)

        def work(catalog: "Catalog") -> "tuple[list[ToldRun], int | None]":
            return catalog.marquez.runs(catalog.marquez.one("job", asked, principal), limit, offset, principal)

        found, next_offset = await self.hop(work)
        self.answer({"runs": [documents.run(one) for one in found]} | _next_page(next_offset))


class RunHandler(ApiHandler):
    """`GET /api/v1/jobs/runs/{id}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readRunOfJob", answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, run_id: str) -> None:
        """A run with its facets."""
        principal = self.principal
        self.answer(documents.run(await self.hop(lambda catalog: catalog.marquez.run(run_id, principal))))


class RunFacetsHandler(ApiHandler):
    """`GET /api/v1/jobs/runs/{id}/facets`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readRunFacets", takes=[_TYPE], answers={200: _OBJECT}, refuses=[NotFound])
    async def get(self, run_id: str) -> None:
        """The facets of a run, or of its job as they are now."""
        kind, principal = self.asked(_TYPE), self.principal

        def work(catalog: "Catalog") -> Mapping[str, Any]:
            found = catalog.marquez.run(run_id, principal)
            return catalog.marquez.one("job", found.job, principal).facets if kind == "job" else found.facets

        self.answer({"runId": run_id, "facets": dict(await self.hop(work))})


class SearchHandler(ApiHandler):
    """`GET /api/v1/search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "searchJobsAndDatasets",
        takes=[_Q, _FILTER, _SORT, _FOUND, _NAMESPACE],
        answers={200: _RESULTS},
        refuses=[InvalidQuery],
    )
    async def get(self) -> None:
        """Jobs and datasets that a text fits."""
        asked, kind, limit, principal = self.asked(_Q), self.asked(_FILTER).lower(), self.asked(_FOUND), self.principal
        namespace, kinds = self.asked(_NAMESPACE), [kind] if kind else ["job", "dataset"]
        found = await self.hop(lambda catalog: catalog.marquez.search(asked, kinds, namespace, limit, principal))
        things = found.things
        if self.asked(_SORT).lower() == "update_at":
            things = sorted(things, key=lambda thing: -thing.updated)
        elif self.asked(_SORT):
            things = sorted(things, key=lambda thing: thing.spelling.name)
        results = [documents.result(thing) for thing in things]
        self.answer({"totalCount": found.total, "truncated": found.truncated, "results": results})


ROUTES: Final[list[tuple[str, type]]] = [
    ("/api/v1/namespaces", NamespacesHandler),
    ("/api/v1/namespaces/{namespace}", NamespaceHandler),
    ("/api/v1/namespaces/{namespace}/jobs", JobsHandler),
    ("/api/v1/namespaces/{namespace}/jobs/{name}", JobHandler),
    ("/api/v1/namespaces/{namespace}/jobs/{name}/runs", RunsHandler),
    ("/api/v1/namespaces/{namespace}/datasets", DatasetsHandler),
    ("/api/v1/namespaces/{namespace}/datasets/{name}", DatasetHandler),
    ("/api/v1/jobs", AllJobsHandler),
    ("/api/v1/jobs/runs/{id}", RunHandler),
    ("/api/v1/jobs/runs/{id}/facets", RunFacetsHandler),
    ("/api/v1/search", SearchHandler),
]
