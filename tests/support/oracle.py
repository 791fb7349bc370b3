"""Runs statements with our listener and OpenLineage's agent side by side: `python -m support.oracle OUT` writes what each saw.

A program of its own, since the agent must be there when Spark starts. Its output is a line of JSON a statement, in short names:
`s.t` is a table or view, `/x` a file below the program's folder.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.core.openlineage.columns import columns_of
from jupyter_colophon.spark.capture.attach import attach
from jupyter_colophon.spark.plans.observation import Observation
from jupyter_colophon.spark.session import session

CORPORA = Path(__file__).parents[1] / "conformance" / "spark"
JAR = "io.openlineage:openlineage-spark_2.13:1.53.0"
PATIENCE_MS = 300_000

Seen = dict[str, Any]


def cases() -> Iterator[dict[str, Any]]:
    """All statements of the corpora, each with `before` and `sql`, and the table `{t}` that it makes."""
    yield from questions()
    yield from corpus("queries")["cases"]


def questions() -> list[dict[str, Any]]:
    """The warehouse's questions, each made a table."""
    found = corpus("warehouse")["cases"]
    return [{**case, "sql": f"CREATE TABLE {{t}} USING parquet AS {case['sql']}"} for case in found]


def corpus(name: str) -> dict[str, Any]:
    """A file of statements."""
    found: dict[str, Any] = json.loads((CORPORA / f"{name}.json").read_text(encoding="utf-8"))
    return found


def create_tables(spark: Any, tables: Iterable[str]) -> None:
    """Make tables, each told as `database.name AS query`."""
    for table in tables:
        name, _, query = table.partition(" AS ")
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {name.partition('.')[0]}")
        spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")


class Place:
    """The folder of a run, and how names are shortened in it."""

    def __init__(self, folder: Path, warehouse: str) -> None:
        self.folder, self._warehouse = str(folder), warehouse

    def of_urn(self, urn: str) -> str:
        """A URN of ours."""
        platform, name, _ = urn.removeprefix("urn:li:dataset:(urn:li:dataPlatform:").removesuffix(")").split(",")
        return name if platform == "spark" else name.removeprefix(self.folder)

    def of_dataset(self, dataset: Mapping[str, Any]) -> str:
        """A dataset of the agent's."""
        for link in dataset.get("facets", {}).get("symlinks", {}).get("identifiers", ()):
            if link["type"] == "TABLE":
                return str(link["name"]).removeprefix("spark_catalog.")
        return self.of_path(dataset["name"])

    def of_path(self, name: str) -> str:
        """A path, which may be a table's folder."""
        path = re.sub(r"/part-[^/]*", "/part-*", name.removeprefix("file:"))
        if path.startswith(self._warehouse):
            return path.removeprefix(self._warehouse).strip("/").replace(".db/", ".")
        return path.removeprefix(self.folder)


def ours(seen: Iterable[Observation], place: Place) -> Seen:
    """What our listener saw of a statement."""
    found = list(seen)
    return _sorted(
        (place.of_urn(ref.urn) for one in found for ref in one.reads),
        (place.of_urn(ref.urn) for one in found for ref in one.writes),
        {
            f"{place.of_urn(edge.source_urn)}.{edge.source_field} -> {edge.target_field}": str(edge.transformation)
            for one in found
            for edge in one.columns
        },
    )


def agents(events: Iterable[Mapping[str, Any]], place: Place) -> Seen:
    """What the agent saw of a statement, of all its events together."""
    reads, writes = set[str](), set[str]()
    named: dict[tuple[str, str], str] = {}
    columns: dict[str, str] = {}
    for event in events:
        for dataset, into in [*((one, reads) for one in event["inputs"]), *((one, writes) for one in event["outputs"])]:
            named[dataset["namespace"], dataset["name"]] = place.of_dataset(dataset)
            into.add(place.of_dataset(dataset))
        for dataset in event["outputs"]:
            made = columns_of(dataset["facets"].get("columnLineage"), lambda *_: None)  # type: ignore[arg-type,return-value]
            for (source, _, field, target), how in made.items():
                columns[f"{named.get(source) or place.of_path(source[1])}.{field} -> {target}"] = str(how)
    return _sorted(reads, writes, columns)


def _sorted(reads: Iterable[str], writes: Iterable[str], columns: dict[str, str]) -> Seen:
    return {"reads": sorted(set(reads)), "writes": sorted(set(writes)), "columns": dict(sorted(columns.items()))}


def main(out: Path) -> None:
    """Run everything."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        told = folder / "events.jsonl"
        told.touch()
        spark = session("oracle", **settings(told))
        create_tables(spark, [*corpus("queries")["tables"], *corpus("warehouse")["tables"]])
        for statement in corpus("queries")["files"]:
            spark.sql(statement.replace("{dir}", str(folder)))
        warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
        _run_all(spark, Place(folder, warehouse), told, out)
        spark.stop()


def settings(told: Path) -> dict[str, str]:
    """A small session with the agent, which writes its events to a file."""
    return {
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "1",
        # Plans are what is compared: none is run long enough for compiled code to pay.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.jars.packages": JAR,
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(told),
    }


def _run_all(spark: Any, place: Place, told: Path, out: Path) -> None:
    seen: list[Observation] = []
    capture = attach(spark, seen.append)
    with out.open("w", encoding="utf-8") as lines:
        for number, case in enumerate(cases()):
            name = f"shop.made_{number}"

            def run(statement: str, name: str = name) -> None:
                spark.sql(statement.replace("{dir}", place.folder).replace("{t}", name)).collect()

            for statement in case.get("before", ()):
                run(statement)
            capture.drain(PATIENCE_MS)
            seen.clear()
            length = told.stat().st_size
            run(case["sql"])
            capture.drain(PATIENCE_MS)
            events = [json.loads(line) for line in _after(told, length)]
            both = {"ours": ours(seen, place), "agent": agents(events, place)}
            unseen = sorted({str(word) for one in seen for word in one.unseen})
            text = json.dumps({"case": case["name"], "unseen": unseen, **both}).replace(name, "{t}")
            lines.write(text + "\n")
            lines.flush()


def _after(told: Path, length: int) -> list[str]:
    with told.open("rb") as events:
        events.seek(length)
        return events.read().decode().splitlines()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
