"""Files of a release agree on the version and the requirements."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
VERSION = json.loads((ROOT / "package.json").read_text())["version"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture
def recipe() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "conda-recipe/recipe.yaml").read_text()))


def test_version_is_the_same_everywhere(recipe: dict[str, Any]) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (recipe["context"]["version"], str(citation["version"])) == (VERSION, VERSION)
    assert re.search(
        rf"^## {re.escape(VERSION)} \({citation['date-released']}\)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert citation["license"] == PROJECT["license"]


def test_conda_recipe_has_the_requirements_of_the_project(recipe: dict[str, Any]) -> None:
    required = [re.sub(r"(?<=[\w])(?=[<>=])", " ", requirement) for requirement in PROJECT["dependencies"]]
    python, *others = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    assert sorted(others) == sorted(required)


def test_notices_list_all_bundled_libraries() -> None:
    notice = (ROOT / "NOTICE").read_text()
    assert (ROOT / "schemas/datahub/NOTICE").read_text().split(" ")[0] in notice
    for name in json.loads((ROOT / "package.json").read_text())["dependencies"]:
        if not name.startswith(("@jupyterlab/", "@lumino/")):
            assert re.search(rf"(?<![\w/@-]){re.escape(name)}(?![\w/-])", notice), name
