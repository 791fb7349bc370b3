"""Checks of the catalog after a run of the sample notebooks."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.identity.names import (
    DEFAULT_NAMESPACE,
    make_cell_program_urn,
    make_home_dataset_urn,
    make_notebook_program_urn,
    make_stream_urn,
)

#: The facts of the run of a cell.
Facts: TypeAlias = dict[str, Any]
#: Descriptions of checks with the functions that check them.
Checks: TypeAlias = Iterator[tuple[str, Callable[[], bool]]]


@dataclass(frozen=True, slots=True)
class SampleResult:
    """The result of a notebook: outputs and run facts by the ids of the cells."""

    catalog: Operations
    texts: Mapping[str, str]
    runs: Mapping[str, Facts]

    def has_output(self, cell_id: str, *words: str) -> bool:
        """Return whether the output of a cell contains all words."""
        return all(word in self.texts[cell_id] for word in words)


def _list_flights_checks(story: SampleResult) -> Checks:
    catalog, runs = story.catalog, story.runs
    yield "flights.flights has the tags faa and raw-data", partial(_has_tags, catalog, "flights", {"faa", "raw-data"})
    yield "the search owner:op* finds flights.daily_delays", partial(_is_found, catalog, "owner:op*", "daily_delays")
    for source in ("flights", "weather", "planes"):
        leads = partial(_has_lineage, catalog, source, "daily_delays", runs["daily-delays"])
        yield f"flights.{source} is a source of flights.daily_delays", leads
    leads = partial(_has_lineage, catalog, "daily_delays", "carrier_report", runs["carrier-report"])
    yield "flights.daily_delays is a source of flights.carrier_report", leads
    for table, cell_id in (("daily_delays", "daily-delays"), ("worst_days", "worst-days")):
        names = partial(_is_last_writer, catalog, table, runs[cell_id])
        yield f"the run that wrote flights.{table} has notebook, cell, source and execution count", names
    yield "the run of the notebook ended with its kernel", partial(_has_ended, catalog, runs["tag"]["notebook"])
    yield (
        "the output of the cell with --tag reviewed has the tag",
        partial(_has_tags, catalog, "worst_days", {"reviewed"}),
    )


def _list_flights_without_spark_checks(story: SampleResult) -> Checks:
    catalog = story.catalog
    yield "the search owner:op* finds the file", partial(_finds_one, catalog, "owner:op*", "daily_delays.parquet")
    yield (
        "the tag of the tail number reaches the join, and not the result",
        partial(story.has_output, "tags-of", "{'joined': ['tailnum'], 'daily': []}"),
    )
    for name in ("daily_delays.parquet", "worst_days.csv", "delays.png"):
        leads = partial(_leads_back_through_cells, catalog, name, "flights.csv.zip", ("read-flights", "clean", "join"))
        yield f"{name} leads back to flights.csv.zip, through the cells that read, clean and join", leads
    yield "weather and planes are sources as well", partial(story.has_output, "lineage", "weather.csv", "planes.csv")
    yield "the mean delay is derived from dep_delay", partial(story.has_output, "columns", "dep_delay", "aggregation")
    yield "one of two expectations failed", partial(story.has_output, "check", "1 of 2 expectations failed")
    yield "the quality of the file is failing", partial(_finds_one, catalog, "quality:failing", "daily_delays.parquet")
    yield "the cell with --tag reviewed tagged its file", partial(_finds_one, catalog, "reviewed", "worst_days.csv")
    yield "the run of the notebook ended with its kernel", partial(_has_ended, catalog, story.runs["join"]["notebook"])


def _leads_back_through_cells(catalog: Operations, file: str, source: str, cell_ids: Collection[str]) -> bool:
    """Return whether data flowed from one file to another through all of the cells."""
    (target,) = [hit["urn"] for hit in catalog.search(file)["hits"] if hit["urn"].endswith(f"/{file},PROD)")]
    nodes = {node["urn"] for node in catalog.read_lineage(target, direction="upstream", levels=8)["nodes"]}
    has_source = any(urn.endswith(f"/{source},PROD)") for urn in nodes)
    return has_source and all(any(urn.endswith(f"#{cell_id})") for urn in nodes) for cell_id in cell_ids)


def _finds_one(catalog: Operations, query: str, file: str) -> bool:
    """Return whether the search finds a file and nothing else."""
    return [hit["urn"].endswith(f"/{file},PROD)") for hit in catalog.search(query)["hits"]] == [True]


def _get_urn(table: str) -> str:
    return str(make_home_dataset_urn("flights", table))


def _has_tags(catalog: Operations, table: str, tags: set[str]) -> bool:
    return tags <= set(read_stored_aspect(catalog, _get_urn(table), "businessMetadata").value.get("tags", []))


def _is_found(catalog: Operations, query: str, table: str) -> bool:
    return _get_urn(table) in {hit["urn"] for hit in catalog.search(query)["hits"]}


def _has_lineage(catalog: Operations, source: str, target: str, facts: Facts) -> bool:
    """Return whether data flowed from one table to another through the cell."""
    graph = catalog.read_lineage(_get_urn(target), direction="upstream", levels=1)
    ends = {(edge["source"], edge["target"]) for edge in graph["edges"]}
    program = str(make_cell_program_urn(DEFAULT_NAMESPACE, facts["notebook"], facts["cellId"]))
    return {(_get_urn(source), program), (program, _get_urn(target))} <= ends


def _is_last_writer(catalog: Operations, table: str, facts: Facts) -> bool:
    """Return whether the newest run that wrote a table succeeded and has these facts."""
    run = next(run for run in catalog.list_runs(data=_get_urn(table))["runs"] if _has_written(run, _get_urn(table)))
    return bool(facts.items() <= run["facts"].items() and run["status"] == "succeeded" and run["end"])


def _has_ended(catalog: Operations, notebook: str) -> bool:
    (run,) = catalog.list_runs(program=str(make_notebook_program_urn(DEFAULT_NAMESPACE, notebook)), limit=1)["runs"]
    return bool(run["status"] == "succeeded" and run["end"])


def _has_written(run: Mapping[str, Any], urn: str) -> bool:
    return any(access["data"] == urn and access["mode"] == "write" for access in run["accesses"])


def _list_pipeline_checks(story: SampleResult) -> Checks:
    yield "the preview of the pipeline masks the names", partial(story.has_output, "preview", "***")
    yield (
        "the output has the pay and no names",
        lambda: story.has_output("read", "***", "5.50") and not story.has_output("read", "Ada"),
    )
    yield "tag and owner of the source were copied", partial(story.has_output, "show", "hr", "ops")
    yield "lineage contains the source file", partial(story.has_output, "lineage", "employees.csv")
    yield "the run of the pipeline succeeded", partial(_has_pipeline_succeeded, story.catalog)


def _has_pipeline_succeeded(catalog: Operations) -> bool:
    runs = catalog.list_runs(limit=50)["runs"]
    ours = [run for run in runs if run["program"].endswith("(colophon,staff,default),workflows.staff)")]
    return bool(ours) and ours[0]["status"] == "succeeded" and ours[0]["facts"]["stage.staff.rows"] == 3


def _list_stream_checks(story: SampleResult) -> Checks:
    yield "all events are read", partial(story.has_output, "read", "100 events")
    yield "each event is read once", partial(story.has_output, "again", "101 events")
    yield "the counts are derived from the events", partial(story.has_output, "lineage", "clicks_read")
    yield "the stream is found by search", partial(story.has_output, "search", "clicks")
    yield "lineage contains the writer of the stream", partial(_has_writer, story.catalog)


def _has_writer(catalog: Operations) -> bool:
    graph = catalog.read_lineage(str(make_stream_urn("shop", "clicks")), direction="upstream", levels=1)
    return any("web" in str(edge["source"]) for edge in graph["edges"])


def _list_crawl_checks(story: SampleResult) -> Checks:
    yield (
        "the dry run lists the files",
        partial(story.has_output, "dry", "Dry run", "orders", "visits.jsonl"),
    )
    yield (
        "all files except the damaged one are recorded",
        partial(story.has_output, "crawl", "4 new, 1 failed", "broken.parquet", "900"),
    )
    yield (
        "a table is found by the name of a column",
        partial(story.has_output, "search", "staff.csv", "schema:birthday"),
    )
    yield "its profile is shown", partial(story.has_output, "show", "3 rows, 4 columns", "1985-01-02", "6.25")
    yield (
        "only the confidential file is crawled again",
        partial(story.has_output, "again", "1 changed, 3 same"),
    )
    yield (
        "the last crawl changes nothing",
        lambda: not story.has_output("python", "new") and not story.has_output("python", "changed"),
    )
    yield "confidential columns have no values", partial(_is_hidden, story.catalog)


def _is_hidden(catalog: Operations) -> bool:
    (staff,) = [hit["urn"] for hit in catalog.search("schema:birthday")["hits"]]
    newest = catalog.list_timeseries_values(staff, "datasetProfile", limit=1)["values"][0]["value"]
    columns = {item["fieldPath"]: item for item in newest["fieldProfiles"]}
    return "max" in columns["id"] and "max" not in columns["pay"]


#: The notebooks that need neither PySpark nor Java.
WITHOUT_SPARK: Final = ("flights-pandas",)
#: Checks by the names of the notebooks.
CHECKS: Final[Mapping[str, Callable[[SampleResult], Checks]]] = {
    "flights": _list_flights_checks,
    "flights-pandas": _list_flights_without_spark_checks,
    "pipeline": _list_pipeline_checks,
    "stream": _list_stream_checks,
    "crawl": _list_crawl_checks,
}
