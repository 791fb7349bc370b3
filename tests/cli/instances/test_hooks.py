"""Errors of a schema's class, as the command line prints them."""

from pathlib import Path

import pytest
from support.commands import Commands
from support.packages import build_python_path, install_package

_MOODY = """
from jupyter_colophon.elyra.metadata import Metadata
from jupyter_colophon.elyra.schema import SchemasProvider, Schemaspace

ID = "5f0b6c0e-21b5-4f0c-9a51-6f3f0d1c7a11"


class Moods(Schemaspace):
    def __init__(self, *args, **kwargs):
        super().__init__(ID, "moods", "Moods", "What refuses", **kwargs)


class Moody(Metadata):
    def pre_save(self, **kwargs):
        kind = {"runtime": RuntimeError, "value": ValueError}[self.metadata["raises"]]
        raise kind("the moon is full")


class Provider(SchemasProvider):
    def get_schemas(self):
        return [
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "name": "mood",
                "schemaspace": "moods",
                "schemaspace_id": ID,
                "title": "mood",
                "metadata_class_name": "moody.Moody",
                "properties": {
                    "schema_name": {"type": "string", "const": "mood"},
                    "display_name": {"type": "string"},
                    "metadata": {"type": "object", "properties": {"raises": {"type": "string"}}},
                },
                "required": ["schema_name", "display_name", "metadata"],
            }
        ]
"""
_ENTRY_POINTS = """
[metadata.schemaspaces]
moods = moody:Moods

[metadata.schemas_providers]
moods = moody:Provider
"""


@pytest.mark.parametrize(
    ("raises", "message"), [("runtime", "RuntimeError: the moon is full"), ("value", "the moon is full")]
)
def test_hook_error_message_is_printed(tmp_path: Path, raises: str, message: str) -> None:
    folder = install_package(tmp_path / "packages", "moody", _MOODY, _ENTRY_POINTS)
    commands = Commands(tmp_path, tmp_path / "none.db", environment={"PYTHONPATH": build_python_path(folder)})
    done = commands.run("metadata", "create", "moods", "--display_name=Dark", f"--raises={raises}")
    assert (done.status, done.out.endswith(f": pre_save of instance 'dark' failed: {message}\n")) == (1, True), done.out
