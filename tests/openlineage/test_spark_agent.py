"""OpenLineage's Spark agent in a Spark session, reporting to this server (its jar is a Spark package)."""

import sys
from pathlib import Path
from typing import Any

from jupyter_colophon.client.aspect_edits import read_stored_aspect

PROGRAM = """
import os
from urllib.parse import urlsplit
from jupyter_colophon.spark.session import get_session

at, folder = urlsplit(os.environ["SERVER"]), os.environ["FOLDER"]
agent = {
    "spark.jars.packages": "io.openlineage:openlineage-spark_2.13:1.53.0",
    "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
    "spark.openlineage.namespace": "sparkns",
    "spark.openlineage.transport.type": "http",
    "spark.openlineage.transport.url": f"http://{at.netloc}",
    "spark.openlineage.transport.endpoint": f"{at.path}colophon/openlineage/api/v1/lineage",
    "spark.openlineage.transport.auth.type": "api_key",
    "spark.openlineage.transport.auth.apiKey": os.environ["TOKEN"],
}
small = {"spark.master": "local[1]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "1"}
spark = get_session("oljob", **small, **agent)
spark.range(2).selectExpr("id", "string(id) AS n").write.parquet(f"{folder}/in")
spark.read.parquet(f"{folder}/in").selectExpr("id * 2 AS id2", "upper(n) AS nn").write.parquet(f"{folder}/out")
spark.stop()
"""


def test_what_spark_wrote_is_known_with_runs_and_columns(run_python: Any, catalog: Any, tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    run_python(sys.executable, PROGRAM, PYTHONPATH=":".join(sys.path), **home)
    source, target = (
        f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path.resolve()}/{name},PROD)" for name in ("in", "out")
    )
    found = catalog.read_lineage(target, direction="upstream", columns=True)
    programs = {edge["source"] for edge in found["edges"] if edge["target"] == target}
    [program] = [one for one in programs if "(spark,sparkns,PROD)" in one]
    assert (source, program) in {(edge["source"], edge["target"]) for edge in found["edges"]}
    columns = {(one["sourceField"], one["targetField"]) for one in found["columns"] if one["program"] == program}
    assert columns == {("id", "id2"), ("n", "nn")}
    [run] = catalog.list_runs(program=program)["runs"]
    assert run["status"] == "succeeded"
    assert run["parent"].startswith("urn:li:dataProcessInstance:")
    schema = read_stored_aspect(catalog, target, "schemaMetadata").value
    assert [(one["fieldPath"], one["nativeDataType"]) for one in schema["fields"]] == [
        ("id2", "long"),
        ("nn", "string"),
    ]
