"""Package a pipeline for `spark-submit`: the pipeline, our code, artifacts, and optionally a snapshot of metadata."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.client.programs.reading import MetadataSnapshot
from jupyter_colophon.client.programs.running import prefetch
from jupyter_colophon.pipelines.check import PreparedPipeline
from jupyter_colophon.pipelines.pipeline_code import CODE_SUFFIX, PipelineCode

#: The part of our code that a driver needs; it depends only on Python and PySpark.
_CODE = ("__init__.py", "metadata.py", "capture", "client", "core", "pipelines", "spark", "system", "wrangling")
_SUFFIXES = {".py", ".java"}
_MAIN = '''\
"""Runs the pipeline beside it: spark-submit --py-files colophon.zip --files FILES main.py NAME=VALUE ..."""

from jupyter_colophon.pipelines.spark_submit_main import main

main(__file__)
'''


def create_package(
    prepared: PreparedPipeline,
    document: Mapping[str, Any],
    folder: Path,
    code: PipelineCode,
    *,
    with_snapshot: bool = False,
) -> list[str]:
    """Create the folder and return the names of its files. Raises OSError; MetadataUnavailable before anything is created.

    `code` are the classes of artifacts that the pipeline names. With `with_snapshot` the metadata that plugins declare is read now and packaged, so that the run needs no server
    (spec CAPTURE-7). Entities named by arguments are those of the current arguments.
    """
    read = _read_plugin_metadata(prepared) if with_snapshot else None
    folder.mkdir(parents=True)
    texts = {"main.py": _MAIN, "pipeline.json": json.dumps({**document, "name": prepared.pipeline.name}, indent=2)}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    _zip_our_code(folder / "colophon.zip")
    if code.classes:
        code.save(folder)
    if read is not None:
        read.save(folder / "snapshot.json")
    return sorted(path.name for path in folder.iterdir())


def create_package_archive(
    prepared: PreparedPipeline, document: Mapping[str, Any], code: PipelineCode
) -> tuple[bytes, list[str]]:
    """Return a package without a snapshot as a zip file, and the names of its files. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix="colophon-package-") as root:
        folder = Path(root) / prepared.pipeline.name
        names = create_package(prepared, document, folder, code)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.write(folder / name, f"{folder.name}/{name}")
        return buffer.getvalue(), names


def format_submit_command(folder: Path, files: Iterable[str]) -> str:
    """Return the command that runs the package in a folder."""
    data_files = ",".join(str(folder / name) for name in files if name.endswith((".json", CODE_SUFFIX)))
    return f"spark-submit --py-files {folder / 'colophon.zip'} --files {data_files} {folder / 'main.py'} [NAME=VALUE …]"


def _read_plugin_metadata(prepared: PreparedPipeline) -> MetadataSnapshot:
    namespace = prepared.pipeline.namespace
    entities = {
        entity.urn: entity for plugin in prepared.plugins.values() for entity in plugin.list_entities(namespace)
    }
    return prefetch(entities.values(), fields=True)


def _zip_our_code(path: Path) -> None:
    root = Path(__file__).parents[1]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _CODE:
            place = root / name
            for file in sorted(place.rglob("*.*")) if place.is_dir() else [place]:
                if file.suffix in _SUFFIXES:
                    archive.write(file, f"{root.name}/{file.relative_to(root)}")
