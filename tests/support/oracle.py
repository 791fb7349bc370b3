"""Run statements with our listener and OpenLineage's agent side by side: `python -m support.oracle OUT` writes what
each observed.

It is a separate program because the agent must be configured when Spark starts. The output has a line of JSON per
statement, with short names: `s.t` is a table or view, `/x` a file below the program's folder.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.core.openlineage.columns import parse_column_lineage_facet
from jupyter_colophon.spark.capture.attach import attach_listener
from jupyter_colophon.spark.session import get_session

CORPORA = Path(__file__).parents[1] / "conformance" / "spark"
JAR = "io.openlineage:openlineage-spark_2.13:1.53.0"
PATIENCE_MS = 300_000

Seen = dict[str, Any]


def list_cases() -> Iterator[dict[str, Any]]:
    """Yield all statements of the corpora, each with `before`, `sql`, and the table `{t}` that it creates."""
    yield from list_warehouse_queries()
    yield from read_corpus("queries")["cases"]


def list_warehouse_queries() -> list[dict[str, Any]]:
    """Return the queries of the warehouse, each creating a table."""
    queries = read_corpus("warehouse")["cases"]
    return [{**case, "sql": f"CREATE TABLE {{t}} USING parquet AS {case['sql']}"} for case in queries]


def read_corpus(name: str) -> dict[str, Any]:
    """Read a file of statements."""
    content: dict[str, Any] = json.loads((CORPORA / f"{name}.json").read_text(encoding="utf-8"))
    return content


def create_tables(spark: Any, tables: Iterable[str]) -> None:
    """Create tables, each given as `database.name AS query`."""
    for table in tables:
        name, _, query = table.partition(" AS ")
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {name.partition('.')[0]}")
        spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")


class RunFolder:
    """The folder of a run, and the short names in it."""

    def __init__(self, folder: Path, warehouse: str) -> None:
        self.folder, self._warehouse = str(folder), warehouse

    def shorten_urn(self, urn: str) -> str:
        """Shorten a URN of the catalog."""
        platform, name, _ = urn.removeprefix("urn:li:dataset:(urn:li:dataPlatform:").removesuffix(")").split(",")
        return name if platform == "spark" else name.removeprefix(self.folder)

    def shorten_dataset(self, dataset: Mapping[str, Any]) -> str:
        """Shorten a dataset of the agent."""
        for link in dataset.get("facets", {}).get("symlinks", {}).get("identifiers", ()):
            if link["type"] == "TABLE":
                return str(link["name"]).removeprefix("spark_catalog.")
        return self.shorten_path(dataset["name"])

    def shorten_path(self, name: str) -> str:
        """Shorten a path, which may be a table's folder."""
        path = re.sub(r"/part-[^/]*", "/part-*", name.removeprefix("file:"))
        if path.startswith(self._warehouse):
            return path.removeprefix(self._warehouse).strip("/").replace(".db/", ".")
        return path.removeprefix(self.folder)


def summarize_our_observations(seen: Iterable[Observation], place: RunFolder) -> Seen:
    """Summarize what our listener observed of a statement."""
    observations = list(seen)
    return _build_sorted_summary(
        (place.shorten_urn(ref.urn) for observation in observations for ref in observation.reads),
        (place.shorten_urn(ref.urn) for observation in observations for ref in observation.writes),
        {
            f"{place.shorten_urn(edge.source_urn)}.{edge.source_field} -> {edge.target_field}": str(edge.transformation)
            for observation in observations
            for edge in observation.columns
        },
    )


def summarize_agent_events(events: Iterable[Mapping[str, Any]], place: RunFolder) -> Seen:
    """Summarize what the agent observed of a statement in all its events."""
    reads, writes = set[str](), set[str]()
    named: dict[tuple[str, str], str] = {}
    columns: dict[str, str] = {}
    for event in events:
        for dataset, into in [
            *((item, reads) for item in event["inputs"]),
            *((item, writes) for item in event["outputs"]),
        ]:
            named[dataset["namespace"], dataset["name"]] = place.shorten_dataset(dataset)
            into.add(place.shorten_dataset(dataset))
        for dataset in event["outputs"]:
            edges = parse_column_lineage_facet(dataset["facets"].get("columnLineage"), lambda *_: None)  # type: ignore[arg-type,return-value]
            for (source, _, field, target), how in edges.items():
                columns[f"{named.get(source) or place.shorten_path(source[1])}.{field} -> {target}"] = str(how)
    return _build_sorted_summary(reads, writes, columns)


def _build_sorted_summary(reads: Iterable[str], writes: Iterable[str], columns: dict[str, str]) -> Seen:
    return {"reads": sorted(set(reads)), "writes": sorted(set(writes)), "columns": dict(sorted(columns.items()))}


def main(out: Path) -> None:
    """Run all statements."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        log = folder / "events.jsonl"
        log.touch()
        spark = get_session("oracle", **build_settings(log))
        create_tables(spark, [*read_corpus("queries")["tables"], *read_corpus("warehouse")["tables"]])
        for statement in read_corpus("queries")["files"]:
            spark.sql(statement.replace("{dir}", str(folder)))
        warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
        _run_all_cases(spark, RunFolder(folder, warehouse), log, out)
        spark.stop()


def build_settings(log: Path) -> dict[str, str]:
    """Build the settings of a small session with the agent, which writes its events to a file."""
    return {
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "1",
        # Plans are compared; no query runs long enough for compiled code to pay.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.jars.packages": JAR,
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(log),
    }


def _run_all_cases(spark: Any, place: RunFolder, log: Path, out: Path) -> None:
    seen: list[Observation] = []
    capture = attach_listener(spark, seen.append)
    with out.open("w", encoding="utf-8") as lines:
        for number, case in enumerate(list_cases()):
            name = f"shop.made_{number}"

            def run(statement: str, name: str = name) -> None:
                spark.sql(statement.replace("{dir}", place.folder).replace("{t}", name)).collect()

            for statement in case.get("before", ()):
                run(statement)
            capture.wait_for_observations(PATIENCE_MS)
            seen.clear()
            length = log.stat().st_size
            run(case["sql"])
            capture.wait_for_observations(PATIENCE_MS)
            events = [json.loads(line) for line in _read_lines_after(log, length)]
            both = {"ours": summarize_our_observations(seen, place), "agent": summarize_agent_events(events, place)}
            missing = sorted({str(word) for observation in seen for word in observation.missing})
            text = json.dumps({"case": case["name"], "unseen": missing, **both}).replace(name, "{t}")
            lines.write(text + "\n")
            lines.flush()


def _read_lines_after(log: Path, length: int) -> list[str]:
    with log.open("rb") as events:
        events.seek(length)
        return events.read().decode().splitlines()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
