"""The bundle is generated from the pinned package, and its NOTICE names that package."""

import json
import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[3] / "schemas/datahub"
#: The download is kept in a developer's cache folder.
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jupyter-colophon"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    found = spec_from_file_location("generate", FOLDER / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_model_is_generated_from_the_pinned_package(generator: ModuleType) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    made = generator.generate(generator.download(KEPT))
    assert made == (FOLDER / "model.json").read_text("utf-8")


def test_notice_names_the_package(generator: ModuleType) -> None:
    source = json.loads((FOLDER / "model.json").read_text("utf-8"))["source"]
    assert source["version"] == generator.VERSION
    notice = (FOLDER / "NOTICE").read_text("utf-8")
    assert f"{source['package']} {source['version']}" in notice
    assert "Apache License, Version 2.0" in notice
