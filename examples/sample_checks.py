"""What the sample notebooks tell when they are over, in sentences that hold or do not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, cell_program, home_dataset, notebook_program, stream

#: What the run of a cell says of it.
Facts: TypeAlias = dict[str, Any]
#: A sentence, and what finds out whether it holds.
Checks: TypeAlias = Iterator[tuple[str, Callable[[], bool]]]


@dataclass(frozen=True, slots=True)
class Story:
    """A notebook that ran: what its cells said, and what their runs say, both by the ids of the cells."""

    catalog: Operations
    texts: Mapping[str, str]
    runs: Mapping[str, Facts]

    def says(self, cell_id: str, *words: str) -> bool:
        """Whether all of this is in the output of a cell."""
        return all(word in self.texts[cell_id] for word in words)


def _flights(story: Story) -> Checks:
    catalog, runs = story.catalog, story.runs
    yield "flights.flights has the tags faa and raw-data", partial(_has_tags, catalog, "flights", {"faa", "raw-data"})
    yield "the search owner:op* finds flights.daily_delays", partial(_finds, catalog, "owner:op*", "daily_delays")
    for source in ("flights", "weather", "planes"):
        leads = partial(_leads, catalog, source, "daily_delays", runs["daily-delays"])
        yield f"flights.{source} goes into flights.daily_delays", leads
    leads = partial(_leads, catalog, "daily_delays", "carrier_report", runs["carrier-report"])
    yield "flights.daily_delays goes into flights.carrier_report", leads
    for table, cell_id in (("daily_delays", "daily-delays"), ("worst_days", "worst-days")):
        names = partial(_wrote_last, catalog, table, runs[cell_id])
        yield f"the run that wrote flights.{table} names notebook, cell, source and count", names
    yield "the run of the notebook has ended with its kernel", partial(_has_ended, catalog, runs["tag"]["notebook"])
    yield (
        "what the cell with --tag reviewed wrote has that tag",
        partial(_has_tags, catalog, "worst_days", {"reviewed"}),
    )


def _urn(table: str) -> str:
    return str(home_dataset("flights", table))


def _has_tags(catalog: Operations, table: str, tags: set[str]) -> bool:
    return tags <= set(read_stored_aspect(catalog, _urn(table), "businessMetadata").value.get("tags", []))


def _finds(catalog: Operations, query: str, table: str) -> bool:
    return _urn(table) in {hit["urn"] for hit in catalog.search(query)["hits"]}


def _leads(catalog: Operations, source: str, target: str, facts: Facts) -> bool:
    """Whether data went from one table to another through that cell."""
    graph = catalog.read_lineage(_urn(target), direction="upstream", levels=1)
    ends = {(edge["source"], edge["target"]) for edge in graph["edges"]}
    program = str(cell_program(DEFAULT_NAMESPACE, facts["notebook"], facts["cellId"]))
    return {(_urn(source), program), (program, _urn(target))} <= ends


def _wrote_last(catalog: Operations, table: str, facts: Facts) -> bool:
    """Whether the newest run that wrote a table has ended well and has these facts."""
    run = next(run for run in catalog.list_runs(data=_urn(table))["runs"] if _wrote(run, _urn(table)))
    return bool(facts.items() <= run["facts"].items() and run["status"] == "succeeded" and run["end"])


def _has_ended(catalog: Operations, notebook: str) -> bool:
    (run,) = catalog.list_runs(program=str(notebook_program(DEFAULT_NAMESPACE, notebook)), limit=1)["runs"]
    return bool(run["status"] == "succeeded" and run["end"])


def _wrote(run: Mapping[str, Any], urn: str) -> bool:
    return any(access["data"] == urn and access["mode"] == "write" for access in run["accesses"])


def _pipeline(story: Story) -> Checks:
    yield "the pipeline is valid, and a preview hides the names", partial(story.says, "preview", "***")
    yield (
        "what it wrote has the pay and no names",
        lambda: story.says("read", "***", "5.50") and not story.says("read", "Ada"),
    )
    yield "tag and owner of the source went along", partial(story.says, "show", "hr", "ops")
    yield "lineage leads back to the file", partial(story.says, "lineage", "employees.csv")
    yield "the run of the pipeline succeeded", partial(_pipeline_ran, story.catalog)


def _pipeline_ran(catalog: Operations) -> bool:
    runs = catalog.list_runs(limit=50)["runs"]
    ours = [run for run in runs if run["program"].endswith("(colophon,staff,default),workflows.staff)")]
    return bool(ours) and ours[0]["status"] == "succeeded" and ours[0]["facts"]["stage.staff.rows"] == 3


def _stream(story: Story) -> Checks:
    yield "all events are taken", partial(story.says, "read", "100 events")
    yield "and each once", partial(story.says, "again", "101 events")
    yield "the counts come from what was taken", partial(story.says, "lineage", "clicks_taken")
    yield "a search finds the stream", partial(story.says, "search", "clicks")
    yield "lineage says who wrote into it", partial(_has_writer, story.catalog)


def _has_writer(catalog: Operations) -> bool:
    graph = catalog.read_lineage(str(stream("shop", "clicks")), direction="upstream", levels=1)
    return any("web" in str(edge["source"]) for edge in graph["edges"])


def _crawl(story: Story) -> Checks:
    yield "a dry run says what is there", partial(story.says, "dry", "Nothing was written", "orders", "visits.jsonl")
    yield "all is told but what is damaged", partial(story.says, "crawl", "4 new, 1 failed", "broken.parquet", "900")
    yield "a table is found by the name of a column", partial(story.says, "search", "staff.csv", "schema:birthday")
    yield "its profile is shown", partial(story.says, "show", "3 rows, 4 columns", "1985-01-02", "6.25")
    yield "what is confidential is looked at again, and nothing else", partial(story.says, "again", "1 changed, 3 same")
    yield "in the end all is as it was", lambda: not story.says("python", "new") and not story.says("python", "changed")
    yield "of what is confidential no values are told", partial(_is_hidden, story.catalog)


def _is_hidden(catalog: Operations) -> bool:
    (staff,) = [hit["urn"] for hit in catalog.search("schema:birthday")["hits"]]
    newest = catalog.list_timeseries_values(staff, "datasetProfile", limit=1)["values"][0]["value"]
    columns = {one["fieldPath"]: one for one in newest["fieldProfiles"]}
    return "max" in columns["id"] and "max" not in columns["pay"]


#: By the names of the notebooks.
CHECKS: Final[Mapping[str, Callable[[Story], Checks]]] = {
    "flights": _flights,
    "pipeline": _pipeline,
    "stream": _stream,
    "crawl": _crawl,
}
