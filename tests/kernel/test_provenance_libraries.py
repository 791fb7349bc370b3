"""Attribution of what libraries read and write to the cells of a notebook, through a kernel and a server."""

import pytest
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, make_cell_program_urn
from live import run_live_kernel
from support.waiting import wait_for


@pytest.fixture(scope="module")
def pandas_kernel(server):
    with run_live_kernel(server, "pandas.ipynb") as running:
        assert running.run("import pandas as pd", "import").succeeded
        yield running


def wait_until_reported(kernel):
    """Wait until all reports of the kernel have reached the server."""
    wait_for(lambda: kernel.run("%metadata keys nothing", "settle").text, lambda text: "not reached" not in text)


def test_chain_of_cells_is_lineage(pandas_kernel, catalog, tmp_path):
    (tmp_path / "raw.csv").write_text("a,b\n1,2\n")
    pandas_kernel.run(f"raw = pd.read_csv('{tmp_path}/raw.csv')", "read")
    pandas_kernel.run("clean = raw.dropna()", "clean")
    pandas_kernel.run(f"clean.to_csv('{tmp_path}/clean.csv', index=False)", "write")
    wait_until_reported(pandas_kernel)
    target = f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path}/clean.csv,PROD)"
    nodes = {node["urn"] for node in catalog.read_lineage(target, direction="upstream", levels=10)["nodes"]}
    assert f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path}/raw.csv,PROD)" in nodes
    variables = [urn for urn in nodes if "dataPlatform:notebook" in urn]
    assert sorted(urn.rpartition("#")[2] for urn in variables) == ["clean,PROD)", "raw,PROD)"]
    hits = [hit["urn"] for hit in catalog.search("clean")["hits"]]
    assert target in hits
    assert not set(variables) & set(hits)
    assert not set(variables) & {entity["urn"] for entity in catalog.list_entities(limit=500)["entities"]}
    programs = {
        str(make_cell_program_urn(DEFAULT_NAMESPACE, "pandas.ipynb", cell)) for cell in ("read", "clean", "write")
    }
    assert programs <= nodes


def test_cell_declares_what_it_reads_and_writes(pandas_kernel, catalog, tmp_path):
    source, target = (str(tmp_path / name) for name in ("camera.raw", "frames.bin"))
    outcome = pandas_kernel.run(f"%%metadata --reads {source} --writes {target} --tag declared\npass", "declare")
    assert outcome.succeeded
    assert "declared" in outcome.text
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{target},PROD)"
    nodes = {node["urn"] for node in catalog.read_lineage(urn, direction="upstream", levels=5)["nodes"]}
    assert f"urn:li:dataset:(urn:li:dataPlatform:file,{source},PROD)" in nodes
    refused = pandas_kernel.run("%%metadata --reads urn:li:dataset:broken\nran = True", "refused")
    assert not refused.succeeded
    assert "'broken' is not a valid dataset URN" in refused.text
    assert not pandas_kernel.run("ran", "look").succeeded


def test_task_belongs_to_the_cell_that_created_it(pandas_kernel, catalog, tmp_path):
    code = (
        "import asyncio\n"
        "async def write_later():\n"
        "    await go.wait()\n"
        f"    pd.DataFrame({{'a': [1]}}).to_csv('{tmp_path}/task.csv')\n"
        "go = asyncio.Event()\n"
        "task = asyncio.create_task(write_later())"
    )
    assert pandas_kernel.run(code, "create-task").succeeded
    assert pandas_kernel.run("go.set()\nawait task", "await-task").succeeded
    wait_until_reported(pandas_kernel)
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path}/task.csv,PROD)"
    (run,) = catalog.list_runs(data=urn)["runs"]
    assert run["program"] == str(make_cell_program_urn(DEFAULT_NAMESPACE, "pandas.ipynb", "create-task"))


def test_library_that_is_excluded_is_not_captured(pandas_kernel, catalog, tmp_path):
    pandas_kernel.run("import os\nos.environ['COLOPHON_CAPTURE'] = '-pandas'\n%reload_ext jupyter_colophon", "off")
    pandas_kernel.run(f"pd.DataFrame({{'a': [1]}}).to_csv('{tmp_path}/uncaptured.csv')", "uncaptured")
    pandas_kernel.run("del os.environ['COLOPHON_CAPTURE']\n%reload_ext jupyter_colophon", "on")
    assert "pandas" in pandas_kernel.run("%metadata health", "health").text
    pandas_kernel.run(f"pd.DataFrame({{'a': [1]}}).to_csv('{tmp_path}/captured.csv')", "captured")
    wait_until_reported(pandas_kernel)
    names = ("captured.csv", "uncaptured.csv")
    urns = [f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path}/{name},PROD)" for name in names]
    assert [len(catalog.list_runs(data=urn)["runs"]) for urn in urns] == [1, 0]


def test_lineage_that_only_names_connect_is_marked(pandas_kernel, catalog, tmp_path):
    (tmp_path / "raw.csv").write_text("a\n1\n")
    pandas_kernel.run(
        f"raw = pd.read_csv('{tmp_path}/raw.csv')\nrows = raw.to_dict('records')\npd.DataFrame(rows).to_csv('{tmp_path}/rows.csv')\n"
        f"pd.read_csv('{tmp_path}/raw.csv').to_csv('{tmp_path}/copy.csv')",
        "rows",
    )
    wait_until_reported(pandas_kernel)
    components = {}
    for name in ("rows.csv", "copy.csv"):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{tmp_path}/{name},PROD)"
        edges = catalog.read_lineage(urn, direction="upstream", levels=1)["edges"]
        components[name] = [edge["components"] for edge in edges if edge["target"] == urn]
    assert components == {"rows.csv": [["inferred by name"]], "copy.csv": [[]]}


def test_cells_whose_variables_are_set_again_are_stale(pandas_kernel, catalog, tmp_path):
    (tmp_path / "raw.csv").write_text("a,b\n1,2\n")
    cells = {
        "in": f"frame = pd.read_csv('{tmp_path}/raw.csv')",
        "half": "kept = frame.dropna()",
        "out": f"kept.to_csv('{tmp_path}/kept.csv')",
    }

    def list_stale(*ran):
        for cell in ran:
            assert pandas_kernel.run(cells[cell], cell).succeeded
        wait_until_reported(pandas_kernel)
        states = catalog.list_cell_states({"notebook": "pandas.ipynb", "cells": list(cells)})["cells"]
        return {
            state["cell"]: [
                (change["data"].rpartition("/")[2].removesuffix(",PROD)"), change["reason"])
                for change in state["changes"]
            ]
            for state in states
            if state["state"] == "stale"
        }

    assert list_stale("in", "half", "out") == {}
    assert list_stale("in") == {
        "half": [("pandas.ipynb#in#frame", "written")],
        "out": [("pandas.ipynb#half#kept", "stale")],
    }
    assert list_stale("half") == {"out": [("pandas.ipynb#half#kept", "written")]}
    assert list_stale("out") == {}
    assert list_stale("half", "out") == {}


def test_confidential_column_in_another_file_has_one_warning(pandas_kernel, tmp_path):
    source, target = tmp_path / "people.csv", tmp_path / "mails.parquet"
    source.write_text("email,city\na@b,Ulm\n")
    pandas_kernel.run(f"%metadata tag {source} confidential --field email", "tag")
    pandas_kernel.run(f"people = pd.read_csv('{source}')", "people")
    pandas_kernel.run("mails = people.rename(columns={'email': 'mail'})", "mails")
    write = f"mails.to_parquet('{target}')"
    texts = [pandas_kernel.run(write, "write-mails").text]
    wait_for(lambda: texts.append(pandas_kernel.run(write, "write-mails").text) or texts, lambda found: any(found))
    texts += [pandas_kernel.run(write, "write-mails").text for _ in range(2)]
    (warning,) = [line for text in texts for line in text.splitlines() if "confidential" in line]
    assert f"the column mail of {target} has values of email of {source}" in warning
    command = f"%metadata tag {target} confidential --field mail"
    assert f"{command}, or" in warning
    assert pandas_kernel.run(command, "tag-mails").succeeded
    marked = tmp_path / "marked.parquet"
    pandas_kernel.run(f"%metadata tag {marked} confidential --field mail", "tag-marked")
    pandas_kernel.run(f"mails.to_parquet('{marked}')\nmails[['city']].to_csv('{tmp_path}/cities.csv')", "write-marked")
    wait_until_reported(pandas_kernel)
    assert "confidential" not in pandas_kernel.run("pass", "after").text


def test_profile_of_a_written_frame_has_no_values_that_may_be_confidential(pandas_kernel, catalog, tmp_path):
    source, target = tmp_path / "salaries.csv", tmp_path / "raised.parquet"
    source.write_text("salary,age,town\n10,41,Ulm\n20,,Bern\n")
    pandas_kernel.run(f"%metadata tag {source} confidential --field salary", "tag-salary")
    pandas_kernel.run(f"%metadata tag {target} confidential --field secret", "tag-secret")
    pandas_kernel.run(
        f"import os\nos.environ['COLOPHON_WRITE_PROFILES'] = '1'\n%reload_ext jupyter_colophon\nstaff = pd.read_csv('{source}')",
        "staff",
    )
    code = "raised = staff.assign(raised=staff['salary'] * 2, secret=7, own=staff['age'] + 1).rename(columns={'salary': 'paid'})"
    pandas_kernel.run(code, "raised")
    assert pandas_kernel.run(f"raised.to_parquet('{target}')", "write-raised").succeeded
    pandas_kernel.run("del os.environ['COLOPHON_WRITE_PROFILES']\n%reload_ext jupyter_colophon", "no-profiles")
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{target},PROD)"
    (profile,) = wait_for(lambda: catalog.list_timeseries_values(urn, "datasetProfile")["values"], bool)
    assert (profile["value"]["rowCount"], profile["value"]["columnCount"]) == (2, 6)
    fields = {each["fieldPath"]: each for each in profile["value"]["fieldProfiles"]}
    assert {name: (each.get("min"), each.get("max")) for name, each in fields.items()} == {
        "paid": (None, None),
        "age": ("41.0", "41.0"),
        "town": (None, None),
        "raised": (None, None),
        "secret": (None, None),
        "own": ("42.0", "42.0"),
    }
    assert (fields["age"]["nullCount"], fields["age"]["nullProportion"], fields["paid"]["uniqueCount"]) == (1, 0.5, 2)
