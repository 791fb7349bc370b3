"""Attribution of Spark reads and writes to cells, in two notebooks in parallel."""

import hashlib
import json
import re
import threading

import pytest
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn, make_home_dataset_urn
from live import run_live_kernel

CELLS = 40

START = """
from jupyter_colophon.spark.session import get_session
spark = get_session("test", **{{"spark.sql.shuffle.partitions": "1", "spark.driver.memory": "512m", "spark.master": "local[1]"}})
spark.sql("CREATE DATABASE IF NOT EXISTS {0}")
print("ready")
"""


@pytest.fixture(scope="module")
def notebooks(server):
    """Open two notebooks with a Spark session each; yield the kernels by their database."""
    (server.root / "folder").mkdir()
    with run_live_kernel(server, "one.ipynb") as one, run_live_kernel(server, "folder/two.ipynb") as two:
        kernels = {"prov_one": one, "prov_two": two}
        begun = {database: kernel.begin(START.format(database), "start") for database, kernel in kernels.items()}
        for database, kernel in kernels.items():
            assert kernel.finish(begun[database]).text.endswith("ready\n")
        yield kernels


PATHS = {"prov_one": "one.ipynb", "prov_two": "folder/two.ipynb"}


def program(database, cell_id):
    return str(make_cell_program_urn(DEFAULT_NAMESPACE, PATHS[database], cell_id))


def urn(database, table):
    return str(make_home_dataset_urn(database, table))


def reported(kernel):
    """Wait until all reports of the kernel have reached the server."""
    for _ in range(10):
        outcome = kernel.run("%metadata keys nothing", "settle")
        if "not reached" not in outcome.text:
            return
    pytest.fail(outcome.text)


def writers(catalog, urn):
    """Return the runs that wrote a dataset."""
    runs = catalog.list_runs(data=urn)["runs"]
    return [run for run in runs if (urn, "write") in {(access["data"], access["mode"]) for access in run["accesses"]}]


def test_concurrent_writes_are_attributed_to_their_cells(notebooks, catalog):
    begun = []
    for number in range(CELLS):
        for database, kernel in notebooks.items():
            code = f"spark.range({number}).write.mode('overwrite').saveAsTable('{database}.t{number}')"
            begun.append((kernel, kernel.begin(code, f"write-{number}")))
    outcomes = [kernel.finish(request) for kernel, request in begun]
    assert all(outcome.succeeded for outcome in outcomes)
    # A cell prints a message if something could not be recorded.
    assert [outcome.text for outcome in outcomes if "record" in outcome.text] == []
    for kernel in notebooks.values():
        reported(kernel)
        assert "not recorded" not in kernel.run("%metadata health", "health").text
    for database in notebooks:
        credited = {
            number: [run["program"] for run in writers(catalog, urn(database, f"t{number}"))] for number in range(CELLS)
        }
        assert credited == {number: [program(database, f"write-{number}")] for number in range(CELLS)}
        runs = [catalog.list_runs(program=program(database, f"write-{number}"))["runs"] for number in range(CELLS)]
        assert [[run["status"] for run in one] for one in runs] == [["succeeded"]] * CELLS
        assert len({run["parent"] for (run,) in runs}) == 1


def test_repeated_cell_has_one_run_per_execution(notebooks, catalog):
    kernel = notebooks["prov_one"]
    counts = [
        kernel.run("spark.range(2).write.mode('overwrite').saveAsTable('prov_one.again')", "again").execution_count
        for _ in range(3)
    ]
    reported(kernel)
    runs = catalog.list_runs(program=program("prov_one", "again"))["runs"]
    assert sorted(run["facts"]["executionCount"] for run in runs) == counts


def test_cell_failing_after_write_has_failed_run(notebooks, catalog):
    kernel = notebooks["prov_one"]
    assert not kernel.run("spark.range(2).write.saveAsTable('prov_one.half')\n1 / 0", "half").succeeded
    reported(kernel)
    (run,) = catalog.list_runs(program=program("prov_one", "half"))["runs"]
    assert run["status"] == "failed"
    assert [(access["data"], access["mode"]) for access in run["accesses"]] == [(urn("prov_one", "half"), "write")]


def test_failed_write_records_input_and_intended_output(notebooks, catalog):
    kernel = notebooks["prov_one"]
    kernel.run("spark.range(2).write.saveAsTable('prov_one.input')", "input")
    code = "spark.table('prov_one.input').selectExpr('raise_error(\"x\") AS id').write.saveAsTable('prov_one.never')"
    assert not kernel.run(code, "never").succeeded
    reported(kernel)
    (run,) = catalog.list_runs(program=program("prov_one", "never"))["runs"]
    assert run["status"] == "failed"
    assert [(access["data"], access["mode"]) for access in run["accesses"]] == [(urn("prov_one", "input"), "read")]
    assert run["intendedOutputs"] == [urn("prov_one", "never")]
    assert "USER_RAISED_EXCEPTION" in run["facts"]["error"]
    edges = catalog.read_lineage(urn("prov_one", "input"), direction="downstream", levels=5)["edges"]
    assert {edge["target"] for edge in edges} == {run["program"]}


def test_count_beside_write_is_not_its_source(notebooks, catalog):
    kernel = notebooks["prov_one"]
    kernel.run("for name in ('dept', 'raw'): spark.range(2).write.saveAsTable(f'prov_one.{name}')", "sources")
    kernel.run(
        "spark.table('prov_one.raw').createOrReplaceTempView('seen'); kept = spark.table('seen').cache()", "view"
    )
    code = (
        "spark.table('prov_one.dept').count()\n"
        "kept.write.saveAsTable('prov_one.emp')\n"
        "spark.table('prov_one.emp').write.saveAsTable('prov_one.report')"
    )
    assert kernel.run(code, "three").succeeded
    reported(kernel)

    def upstream(table):
        nodes = catalog.read_lineage(urn("prov_one", table), direction="upstream", levels=5)["nodes"]
        return {node["name"] for node in nodes if node["type"] == "dataset"} - {table}

    assert (upstream("emp"), upstream("report"), upstream("dept")) == ({"raw"}, {"raw", "emp"}, set())


def test_failed_pipeline_shows_stages_and_fails_cell(notebooks, tmp_path):
    kernel = notebooks["prov_one"]
    stages = [
        {"name": "a", "type": "source", "plugin": "table", "properties": {"name": "prov_one.nosuch"}},
        {"name": "b", "type": "sink", "plugin": "file", "properties": {"path": str(tmp_path / "b")}},
    ]
    metadata = {"namespace": "default", "stages": stages, "connections": [{"from": "a", "to": "b"}]}
    (tmp_path / "broken.json").write_text(json.dumps({"name": "broken", "metadata": metadata}), "utf-8")
    outcome = kernel.run(f"%metadata pipeline run {tmp_path}/broken.json", "broken")
    assert not outcome.succeeded
    assert re.search(r"a\s+failed", outcome.text), outcome.text
    assert "%metadata: the run failed: AnalysisException: [TABLE_OR_VIEW_NOT_FOUND]" in outcome.text
    assert "SQLQueryContextLogger" not in outcome.text
    kernel.run("from jupyter_colophon import metadata", "api")
    api = kernel.run(f"metadata.pipeline('run', '{tmp_path}/broken.json').document['status']", "api")
    assert (api.succeeded, "'failed'" in api.text) == (True, True), api.text


def test_reads_and_writes_become_column_lineage(notebooks, catalog):
    kernel = notebooks["prov_two"]
    kernel.run("spark.sql('SELECT id AS x, id * 2 AS y FROM range(3)').write.saveAsTable('prov_two.source')", "source")
    kernel.run("spark.table('prov_two.source').select('x').write.saveAsTable('prov_two.target')", "copy")
    reported(kernel)
    graph = catalog.read_lineage(urn("prov_two", "target"), direction="upstream", levels=1, columns=True)
    cell = program("prov_two", "copy")
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} >= {
        (urn("prov_two", "source"), cell),
        (cell, urn("prov_two", "target")),
    }
    assert [
        (edge["sourceField"], edge["targetField"], edge["transformation"])
        for edge in graph["columns"]
        if edge["program"] == cell
    ] == [("x", "x", "identity")]


def test_cell_magic_describes_only_datasets_written_by_body(notebooks, catalog):
    kernel = notebooks["prov_one"]
    code = (
        "%%metadata --tag reviewed --set 'owner=the ops team'\n"
        "for name in ('first', 'second'):\n"
        "    spark.table('prov_one.t3').write.mode('overwrite').saveAsTable(f'prov_one.{name}')\n"
    )
    outcome = kernel.run(code, "reviewed")
    assert outcome.succeeded
    assert outcome.text.splitlines() == [
        f"prov_one.{name}: reviewed, owner=the ops team" for name in ("first", "second")
    ]
    for table, words in (("first", ["reviewed"]), ("second", ["reviewed"]), ("t3", [])):
        assert read_stored_aspect(catalog, urn("prov_one", table), "businessMetadata").value.get("tags", []) == words
    (run,) = catalog.list_runs(program=program("prov_one", "reviewed"))["runs"]
    assert run["facts"]["sourceHash"] == f"sha256:{hashlib.sha256(code.encode()).hexdigest()}"
    assert "source" not in run["facts"]


def test_cell_magic_sets_step_name_and_owner(notebooks, catalog):
    kernel = notebooks["prov_one"]
    code = (
        "%%metadata --name 'Clean the orders' --owner ops --describe 'Orders without doubles'\n"
        "spark.table('prov_one.t3').write.mode('overwrite').saveAsTable('prov_one.clean')"
    )
    outcome = kernel.run(code, "step")
    assert outcome.text.splitlines() == [
        "step Clean the orders",
        "prov_one.clean: owner=ops, description=Orders without doubles",
    ]
    metadata = read_stored_aspect(catalog, urn("prov_one", "clean"), "businessMetadata").value
    assert metadata["properties"] == {"owner": "ops", "description": "Orders without doubles"}
    (run,) = catalog.list_runs(program=program("prov_one", "step"))["runs"]
    assert run["facts"]["step"] == "Clean the orders"
    nodes = catalog.read_lineage(urn("prov_one", "clean"))["nodes"]
    assert [node["title"] for node in nodes if "title" in node] == ["Clean the orders"]
    assert "written by Clean the orders (one.ipynb#step)" in kernel.run("%metadata lineage prov_one.clean", "c").text


def test_magic_command_sees_previous_cell_writes(notebooks):
    kernel = notebooks["prov_one"]
    writing = kernel.begin("spark.range(2).write.saveAsTable('prov_one.fresh')", "fresh")
    showing = kernel.begin("%metadata show prov_one.fresh", "show")
    assert kernel.finish(writing).succeeded
    assert "one.ipynb#fresh" in kernel.finish(showing).text


def test_crawl_reads_are_not_attributed_to_cell(notebooks, catalog, tmp_path):
    place = tmp_path.resolve() / "days.csv"
    place.write_text("a\n1\n", "utf-8")
    kernel = notebooks["prov_one"]
    calls = f"from jupyter_colophon import metadata\nmetadata.crawl('{place}', force=True)"
    reads = f"_ = spark.read.csv('{place}').collect()"
    for cell, code in (("crawls", f"%metadata crawl {place}"), ("calls", calls), ("reads", reads)):
        assert kernel.run(code, cell).succeeded
    reported(kernel)
    runs = catalog.list_runs(data=f"urn:li:dataset:(urn:li:dataPlatform:file,{place},PROD)")["runs"]
    programs = {run["program"] for run in runs}
    cells = [cell for cell in ("crawls", "calls", "reads") if program("prov_one", cell) in programs]
    assert cells == ["reads"]


def test_interrupted_crawl_fails_cell_and_resumes_next_time(server, notebooks, catalog, tmp_path):
    kernel, folder, pause = notebooks["prov_one"], tmp_path.resolve(), threading.Event()
    for at in range(15):  # Enough files that some are left even if the interrupt arrives late.
        (folder / f"{at}.csv").write_text(f"a\n{at}\n", "utf-8")
    first = f"urn:li:dataset:(urn:li:dataPlatform:file,{folder}/0.csv,PROD)"
    crawling = kernel.begin(f"%metadata crawl {folder}", "crawls")
    while read_stored_aspect(catalog, first, "crawl").version < 0:
        pause.wait(0.05)
    server.call("POST", f"api/kernels/{kernel.id}/interrupt")
    stopped = kernel.finish(crawling)
    *_, message = stopped.text.strip().splitlines()
    assert not stopped.succeeded
    assert re.search(
        r"UsageError: %metadata: the crawl was stopped; \d+ new; \d+ remaining for the next crawl", message
    ), stopped.text
    goes_on = kernel.run(f"%metadata crawl {folder}", "crawls")
    assert goes_on.succeeded
    assert re.search(r"\d+ new, \d+ same", goes_on.text), goes_on.text


def test_awaiting_cell_is_recorded(notebooks, catalog):
    kernel = notebooks["prov_two"]
    code = "import asyncio\nawait asyncio.sleep(0.01)\nspark.range(2).write.saveAsTable('prov_two.awaited')"
    assert kernel.run(code, "awaits").succeeded
    reported(kernel)
    assert [run["program"] for run in writers(catalog, urn("prov_two", "awaited"))] == [program("prov_two", "awaits")]


def test_nested_run_cell_is_attributed_to_outer_cell(notebooks, catalog):
    kernel = notebooks["prov_two"]
    code = "get_ipython().run_cell('')\nget_ipython().run_cell(\"spark.range(2).write.saveAsTable('prov_two.nested')\")\nspark.range(1).write.saveAsTable('prov_two.after')"
    assert kernel.run(code, "nests").succeeded
    reported(kernel)
    for table in ("nested", "after"):
        assert [run["program"] for run in writers(catalog, urn("prov_two", table))] == [program("prov_two", "nests")]


def test_cell_loading_extension_is_attributed_its_writes(notebooks, catalog):
    kernel = notebooks["prov_two"]
    assert kernel.run("%unload_ext jupyter_colophon", "unloads").succeeded
    code = (
        "%load_ext jupyter_colophon\nget_ipython().run_cell('1')\nspark.range(2).write.saveAsTable('prov_two.loading')"
    )
    assert kernel.run(code, "loads").succeeded
    assert kernel.run("spark.range(2).write.saveAsTable('prov_two.loaded')", "after-load").succeeded
    reported(kernel)
    for table, cell in (("loading", "loads"), ("loaded", "after-load")):
        (run,) = writers(catalog, urn("prov_two", table))
        assert (run["program"], run["status"]) == (program("prov_two", cell), "succeeded")


UNLOADED = """
%unload_ext jupyter_colophon
spark.range(2).write.mode('overwrite').saveAsTable('prov_one.not_captured')
print(len(spark._jsparkSession.listenerManager().listListeners()), len(spark.streams._jsqm.listListeners()))
from pyspark.core.rdd import RDD
print(hasattr(RDD.collect, '__wrapped__'))
"""

OFF = """
import os
os.environ['COLOPHON_CAPTURE'] = '0'
%load_ext jupyter_colophon
spark.range(2).write.mode('overwrite').saveAsTable('prov_one.not_captured')
%metadata health
"""

ON_AGAIN = """
del os.environ['COLOPHON_CAPTURE']
%reload_ext jupyter_colophon
"""


def test_unloading_and_environment_disable_capture(notebooks, catalog):
    kernel = notebooks["prov_one"]
    unloaded = kernel.run(UNLOADED, "unloaded")
    assert (unloaded.succeeded, unloaded.text.splitlines()) == (True, ["0 0", "False"])
    off = kernel.run(OFF, "off")
    assert (off.succeeded, re.search(r"capture\s+off\b", off.text) is not None) == (True, True), off.text
    assert kernel.run(ON_AGAIN, "on").succeeded
    assert kernel.run("spark.range(2).write.mode('overwrite').saveAsTable('prov_one.captured')", "captured").succeeded
    reported(kernel)
    assert [run["program"] for run in writers(catalog, urn("prov_one", "captured"))] == [
        program("prov_one", "captured")
    ]
    for cell in ("unloaded", "off", "on"):
        assert catalog.list_runs(program=program("prov_one", cell))["runs"] == []


def test_renamed_table_keeps_tags_lineage_and_history(notebooks, catalog):
    kernel, old, new = notebooks["prov_one"], urn("prov_one", "draft"), urn("prov_one", "orders")
    assert kernel.run("spark.range(3).write.saveAsTable('prov_one.source')", "source").succeeded
    make = "spark.table('prov_one.source').write.saveAsTable('prov_one.draft')"
    assert kernel.run(make, "make").succeeded
    reported(kernel)
    catalog.write_aspect(old, "businessMetadata", {"properties": {"owner": "ops"}, "tags": ["gold"]})
    assert kernel.run("spark.sql('ALTER TABLE prov_one.draft RENAME TO prov_one.orders')", "rename").succeeded
    reported(kernel)
    assert find_entity(catalog, old) is None
    aspects = find_entity(catalog, new)["aspects"]
    assert aspects["businessMetadata"]["value"]["tags"] == ["gold"]
    properties = aspects["technicalMetadata"]["value"]["properties"]
    assert (properties["format"], properties["location"].rpartition("/")[2]) == ("parquet", "orders")
    assert program("prov_one", "make") in {run["program"] for run in writers(catalog, new)}
    graph = catalog.read_lineage(new, direction="upstream", levels=5)
    assert {node["name"] for node in graph["nodes"] if node["type"] == "dataset"} == {"source", "orders"}
    (run,) = catalog.list_runs(program=program("prov_one", "rename"))["runs"]
    assert run["facts"]["renamed"] == f"{old} → {new}"
