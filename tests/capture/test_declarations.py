"""Accesses that cells declare."""

import pytest
from jupyter_colophon import metadata
from jupyter_colophon.core.errors import InvalidName

START = "import pandas as pd\nfrom jupyter_colophon import metadata"


def test_declared_read_of_a_value_is_followed(notebook):
    notebook.run("read", f"{START}\nframe = pd.DataFrame({{'a': [1]}})\nmetadata.reads('./camera.raw', into=frame)")
    notebook.run("write", "frame.head().to_csv('out.csv')")
    assert notebook.list_flows() == {
        ("read", "camera.raw", ""),
        ("read", "camera.raw", "$read.frame"),
        ("write", "$read.frame", "out.csv"),
    }


def test_declared_write_of_a_value_has_its_sources(notebook):
    (notebook.folder / "raw.csv").write_text("a\n1\n")
    notebook.run("copy", f"{START}\nmetadata.writes('./out.bin', value=pd.read_csv('raw.csv'))")
    assert notebook.list_flows() == {("copy", "raw.csv", ""), ("copy", "raw.csv", "out.bin")}


def test_declared_write_without_a_value_has_the_declared_reads_of_its_cell(notebook):
    notebook.run("other", f"{START}\nmetadata.reads('./other.raw')")
    notebook.run("copy", "metadata.reads('./a.raw')\nmetadata.writes('./b.raw', './c.raw')")
    assert notebook.list_flows() == {
        ("other", "other.raw", ""),
        ("copy", "a.raw", ""),
        ("copy", "a.raw", "b.raw"),
        ("copy", "a.raw", "c.raw"),
    }


def test_names_are_paths_urls_datasets_and_urns(notebook):
    (notebook.folder / "here.bin").touch()
    urn = "urn:li:dataset:(urn:li:dataPlatform:postgres,db.public.orders,PROD)"
    names = ["here.bin", "sub/x.bin", "s3://user:secret@bucket/x", "sales.orders", urn]
    notebook.run("read", f"{START}\nmetadata.reads(*{names!r})")
    assert {source for _, source, _ in notebook.list_flows()} == {
        "here.bin",
        "sub/x.bin",
        "bucket/x",
        "sales.orders",
        "db.public.orders",
    }


def test_invalid_name_is_an_error():
    with pytest.raises(InvalidName):
        metadata.reads("urn:li:dataset:broken")


def test_declarations_have_no_effect_without_capture():
    metadata.reads("/data/a.bin")
    metadata.writes("/data/b.bin")
