"""Convert pipelines and plugins from and to documents of files, instances and the API."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import InvalidInstance, MalformedBody, Problem, TooLarge
from jupyter_colophon.core.identity.instance_names import generate_instance_name, require_instance_name
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.pipelines.check import PipelineCheck
from jupyter_colophon.pipelines.plugin_registry import PluginRegistry

Document = Mapping[str, Any]


def read_pipeline_file(path: Path) -> tuple[str, Document]:
    """Read a pipeline from a file in the format of an instance; its name is `name`, or that of the file.

    Raises OSError, InvalidInstance, InvalidName.
    """
    try:
        document = parse_json(path.read_bytes(), "it")
    except (MalformedBody, TooLarge) as error:
        raise InvalidInstance(str(path), (Problem("", error.detail),)) from None
    if not isinstance(document, dict):
        raise InvalidInstance(str(path), (Problem("", "it is not a JSON object"),))
    name = require_instance_name(str(document.pop("name", generate_instance_name(path.stem))))
    return name, document


def parse_file_path(named: str) -> Path | None:
    """Return the path if the argument is a file and not a name: it ends in .json, or contains a folder."""
    return Path(named).expanduser() if named.endswith(".json") or os.sep in named else None


def to_pipeline_document(instance: Instance) -> Document:
    """Return the document of an instance, valid or not."""
    return {
        "display_name": instance.display_name,
        "schema_name": instance.schema_name,
        "metadata": dict(instance.metadata),
    }


def build_plugins_document(registry: PluginRegistry) -> dict[str, Any]:
    """Return the plugins as `pipeline-plugins.json`."""
    return {
        "plugins": [
            {
                "type": plugin.type,
                "name": name,
                "title": plugin.title,
                "description": plugin.description,
                "inputs": list(plugin.takes),
                "schema": plugin.get_schema(),
            }
            for name, plugin in registry.list_all()
        ],
        "problems": [{"plugin": name, "reason": reason} for name, reason in sorted(registry.problems.items())],
    }


def build_check_document(check: PipelineCheck) -> dict[str, Any]:
    """Return a check as `pipeline-check-result.json`."""
    prepared = check.prepared
    return {
        "valid": prepared is not None,
        "order": [] if prepared is None else [stage.name for stage in prepared.order],
        "arguments": sorted(check.arguments),
        "columns": [
            {"stage": name, "columns": list(columns)} for name, columns in check.columns.items() if columns is not None
        ],
        "problems": [{"pointer": problem.pointer, "message": problem.message} for problem in check.problems],
    }
