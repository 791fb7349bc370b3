"""openlineage-python with this server: its transports, and its settings below a base URL."""

from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.absence import find_entity

#: Each way to configure our address; docs/openlineage.md shows these.
SETTINGS = {
    "a trailing slash": '{"type": "http", "url": SERVER + "colophon/openlineage/", "auth": AUTH}',
    "an endpoint": '{"type": "http", "url": HOST, "endpoint": PATH + "colophon/openlineage/api/v1/lineage", "auth": AUTH}',
    "the GMS": '{"type": "http", "url": SERVER + "colophon/datahub/openapi/openlineage/", "auth": AUTH}',
    "gzip": '{"type": "http", "url": SERVER + "colophon/openlineage/", "auth": AUTH, "compression": "gzip"}',
    "async_http": '{"type": "async_http", "url": SERVER + "colophon/openlineage/", "auth": AUTH}',
}
PROGRAM = """
import os, sys
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import *
from openlineage.client.facet_v2 import *
from openlineage.client.generated.column_lineage_dataset import *
from openlineage.client.generated.schema_dataset import *
from openlineage.client.uuid import generate_new_uuid
from urllib.parse import urlsplit

SERVER = os.environ["SERVER"]
HOST, PATH = "http://" + urlsplit(SERVER).netloc, urlsplit(SERVER).path
AUTH = {"type": "api_key", "apiKey": os.environ["TOKEN"]}
client = OpenLineageClient(config={"transport": SETTINGS})
name, run, job = os.environ["NAME"], Run(str(generate_new_uuid())), Job("etl", os.environ["NAME"])
made_of = [InputField("postgres://db:5432", name + ".s.in", "a", [Transformation("DIRECT", "AGGREGATION")])]
source = InputDataset("postgres://db:5432", name + ".s.in", facets={"schema": SchemaDatasetFacet([SchemaDatasetFacetFields("a", "INT")])})
target = OutputDataset("s3://lake", name, facets={"columnLineage": ColumnLineageDatasetFacet({"b": Fields(made_of)})})
for state, time in ((RunState.START, "0"), (RunState.RUNNING, "1"), (RunState.COMPLETE, "2")):
    client.emit(RunEvent(eventTime=f"2026-01-01T00:00:0{time}Z", eventType=state, run=run, job=job, producer="https://x/p",
        inputs=[source] if time == "0" else [], outputs=[target] if time == "2" else []))
client.emit(JobEvent(eventTime="2026-01-01T00:00:00Z", job=Job("etl", name + "2"), producer="https://x/p"))
client.emit(DatasetEvent(eventTime="2026-01-01T00:00:00Z", dataset=StaticDataset("file", "/" + name), producer="https://x/p"))
client.close(30)
print(run.runId)
"""


@pytest.mark.parametrize("how", SETTINGS)
def test_the_client_reports_of_runs_jobs_and_datasets(
    how: str, client_python: Path, run_python: Any, catalog: Any
) -> None:
    name = f"n{list(SETTINGS).index(how)}"
    reported = run_python(client_python, PROGRAM.replace("SETTINGS", SETTINGS[how]), NAME=name)
    run = catalog.read_run(f"urn:li:dataProcessInstance:{reported.split()[-1]}")
    assert (run["status"], run["start"], run["end"]) == (
        "succeeded",
        "2026-01-01T00:00:00.000Z",
        "2026-01-01T00:00:02.000Z",
    )
    lake = f"urn:li:dataset:(urn:li:dataPlatform:s3,lake/{name},PROD)"
    found = catalog.read_lineage(lake, direction="upstream", columns=True)
    assert [(one["sourceField"], one["targetField"], one["transformation"]) for one in found["columns"]] == [
        ("a", "b", "aggregation")
    ]
    assert find_entity(catalog, f"urn:li:dataset:(urn:li:dataPlatform:file,/{name},PROD)")["urn"]
    assert find_entity(catalog, f"urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),{name}2)")["urn"]
