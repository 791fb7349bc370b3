"""The data source and `%metadata` in a notebook with a Spark Connect session.

`make long-connect` runs it. It starts another JVM, which is too slow for `make test`.
"""

from typing import Any

from jupyter_colophon.client.operations import Operations
from live import LiveKernel
from support import servers

catalog, server, kernel = servers.catalog, servers.server, servers.kernel
COUNT = 20
START = """
import os, sys
from jupyter_colophon.spark.java import ensure_java
ensure_java()
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "1").getOrCreate()
print(type(spark).__module__)
"""
WRITE = f"""
urn = "urn:li:dataset:(urn:li:dataPlatform:spark,connected.t{{}},PROD)"
rows = [(urn.format(at), '{{"properties": {{"n": "1"}}, "tags": ["bulk"]}}') for at in range({COUNT})]
frame = spark.createDataFrame([*rows, (urn.format("bad"), "[]")], "urn string, value string")
frame = frame.selectExpr("urn", "'technicalMetadata' AS aspect", "value")
frame.write.format("colophon").options(jobId="connected", badRecordsPath=os.path.abspath("bad")).mode("append").save()
print(os.listdir("bad/connected"))
"""
READ = """
entities = spark.read.format("colophon").options(table="entities", namespace="connected", type="dataset").load()
print(entities.where("name LIKE 't%'").count())
"""
STREAM = """
changes = spark.readStream.format("colophon").options(table="changes", namespace="connected").load()
into = changes.writeStream.format("parquet").options(path="out", checkpointLocation="checkpoint")
assert into.trigger(availableNow=True).start().awaitTermination(300)
print(spark.read.parquet("out").where("aspect = 'technicalMetadata' AND name LIKE 't%'").count())
"""


def last_lines(kernel: LiveKernel, code: str) -> str:
    done = kernel.run(code, "cell")
    assert done.succeeded, done.text
    return done.text


def test_spark_connect_session_reads_writes_and_streams_catalog(kernel: LiveKernel, catalog: Operations) -> None:
    begun = last_lines(kernel, START)
    assert "pyspark.sql.connect.session" in begun
    assert last_lines(kernel, WRITE).count("part-") == 1
    load = catalog.read_load("connected")
    assert [load[name] for name in ("state", "written", "rejected")] == ["committed", COUNT, 1]
    assert last_lines(kernel, READ).splitlines()[-1] == str(COUNT)
    assert last_lines(kernel, STREAM).splitlines()[-1] == str(COUNT)
    assert "by the plans of the client (Spark Connect)" in last_lines(kernel, "%metadata health")
    assert "bulk" in last_lines(kernel, "%metadata show connected.t0")


def test_spark_connect_errors_are_in_first_line(kernel: LiveKernel) -> None:
    requested: dict[str, dict[str, Any]] = {
        "has no option 'colour'": {"colour": "red"},
        "the server does not accept the token": {"token": "no"},
        "the server http://127.0.0.1:9/ did not answer": {"url": "http://127.0.0.1:9", "token": "no"},
    }
    for words, options in requested.items():
        done = kernel.run(f"spark.read.format('colophon').options(**{options!r}).load().count()", "cell")
        first_line = done.text[done.text.index("AnalysisException:") :].splitlines()[0]
        assert words in first_line
