"""Convert pipelines and plugins from and to documents of files, instances and the API."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import InvalidInstance, MalformedBody, Problem, TooLarge
from jupyter_colophon.core.identity.instance_names import normalized, require_instance_name
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.pipelines.check import Prepared
from jupyter_colophon.pipelines.plugin_registry import Plugins

Document = Mapping[str, Any]


def read(path: Path) -> tuple[str, Document]:
    """Read a pipeline from a file in the format of an instance; its name is `name`, or that of the file.

    Raises OSError, InvalidInstance, InvalidName.
    """
    try:
        document = parse(path.read_bytes(), "it")
    except (MalformedBody, TooLarge) as error:
        raise InvalidInstance(str(path), (Problem("", error.detail),)) from None
    if not isinstance(document, dict):
        raise InvalidInstance(str(path), (Problem("", "it is not a JSON object"),))
    name = require_instance_name(str(document.pop("name", normalized(path.stem))))
    return name, document


def in_file(named: str) -> Path | None:
    """Return the path if the argument is a file and not a name: it ends in .json, or contains a folder."""
    return Path(named).expanduser() if named.endswith(".json") or os.sep in named else None


def document_of(instance: Instance) -> Document:
    """Return the document of an instance, valid or not."""
    return {
        "display_name": instance.display_name,
        "schema_name": instance.schema_name,
        "metadata": dict(instance.metadata),
    }


def plugins(found: Plugins) -> dict[str, Any]:
    """Return the plugins as `pipeline-plugins.json`."""
    return {
        "plugins": [
            {
                "type": one.type,
                "name": one.name,
                "title": one.title,
                "description": one.description,
                "inputs": list(one.takes),
                "schema": one.schema(),
            }
            for one in found.all()
        ],
        "problems": [{"plugin": name, "reason": reason} for name, reason in sorted(found.problems.items())],
    }


def valid(prepared: Prepared) -> dict[str, Any]:
    """Return `pipeline-checked.json` of a valid pipeline."""
    return {"valid": True, "order": [one.name for one in prepared.order], "problems": []}


def refused(error: InvalidInstance) -> dict[str, Any]:
    """Return `pipeline-checked.json` of an invalid pipeline."""
    problems = [{"pointer": one.pointer, "message": one.message} for one in error.problems]
    return {"valid": False, "order": [], "problems": problems}
