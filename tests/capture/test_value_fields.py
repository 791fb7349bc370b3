"""The datasets and fields that frames in memory came from."""

import pytest
from jupyter_colophon import metadata


def test_fields_of_a_frame_are_those_of_its_files(notebook):
    (notebook.folder / "raw.csv").write_text("a,b,c\n1,2,3\n")
    notebook.run("read", "import pandas as pd\nraw = pd.read_csv('raw.csv')")
    notebook.run(
        "clean",
        "clean = raw[raw['c'] > 0][['a', 'b']].rename(columns={'a': 'x'})\nclean['sum'] = clean['x'] + clean['b']",
    )
    frame = notebook.variables["clean"]
    urn = f"urn:li:dataset:(urn:li:dataPlatform:file,{notebook.folder}/raw.csv,PROD)"
    fields = {
        name: sorted(entity.urn.rpartition(",")[2].strip(")") for entity in those)
        for name, those in metadata.fields_of(frame).items()
    }
    assert fields == {"x": ["a"], "b": ["b"], "sum": ["a", "b"]}
    assert [entity.urn for entity in metadata.sources_of(frame)] == [urn]


def test_fields_are_followed_through_sql(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    notebook.run("read", "import duckdb\nframe = duckdb.sql(\"SELECT a AS x, b + 1 AS y FROM 'raw.csv'\").df()")
    fields = metadata.fields_of(notebook.variables["frame"])
    assert {name: [entity.urn.rpartition(",")[2] for entity in those] for name, those in fields.items()} == {
        "x": ["a)"],
        "y": ["b)"],
    }


def test_frame_without_lineage_is_refused(notebook):
    notebook.run("make", "import pandas as pd\nmade = pd.DataFrame({'a': [1]})")
    with pytest.raises(TypeError, match="has no known lineage"):
        metadata.fields_of(notebook.variables["made"])
    with pytest.raises(TypeError, match="is not a DataFrame"):
        metadata.fields_of([1])
