"""An installed third-party package that registers schemaspaces."""

import os
import textwrap
from pathlib import Path

import jupyter_colophon

#: A schemaspace with two schemas, one with a migration, and registrations that cannot be loaded.
THINGS = '''
"""Things, and what is wrong with some of them."""

from jupyter_colophon.elyra.schema import SchemasProvider, Schemaspace


class Things(Schemaspace):
    def __init__(self, *args, **kwargs):
        super().__init__("b7a5c9a0-3a5e-4d6f-8f0e-5a1f6c1d2e3f", "things", "Things", "All kinds of things", **kwargs)


class OldThings(Schemaspace):
    def __init__(self, *args, **kwargs):
        super().__init__("0d1c2b3a-4f5e-4d6f-9a8b-7c6d5e4f3a2b", "old-things", "Old things", "What was", **kwargs)

    @property
    def is_deprecated(self):
        return True


def _schema(name, properties, required, space="things", space_id="b7a5c9a0-3a5e-4d6f-8f0e-5a1f6c1d2e3f"):
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "name": name,
        "schemaspace": space,
        "schemaspace_id": space_id,
        "title": name,
        "properties": {
            "schema_name": {"type": "string", "const": name},
            "display_name": {"type": "string", "minLength": 1},
            "metadata": {"type": "object", "properties": properties, "required": required},
        },
        "required": ["schema_name", "display_name", "metadata"],
    }


class Provider(SchemasProvider):
    def get_schemas(self):
        thing = {
            "size": {"type": "integer", "description": "How large it is"},
            "ratio": {"type": "number", "default": 1.5},
            "tags": {"type": "array", "items": {"type": "string"}},
            "is_new": {"type": "boolean"},
            "password": {"type": "string", "format": "password"},
            "more": {"type": "object"},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "database": {"type": "string"},
        }
        return [
            _schema("thing", thing, ["size"]),
            _schema("other", {"kind": {"type": "string", "enum": ["a", "b"]}}, ["kind"]),
        ]

    def migrate(self, *args, schema_name, schemaspace_name, dry_run=False, **kwargs):
        if schema_name == "other":
            raise RuntimeError("there is no way from here")
        return ["one", "two"]


class OldProvider(SchemasProvider):
    def get_schemas(self):
        return [_schema("old", {}, [], "old-things", "0d1c2b3a-4f5e-4d6f-9a8b-7c6d5e4f3a2b")]


class Broken(SchemasProvider):
    def get_schemas(self):
        raise RuntimeError("the provider is out of order")
'''
_ENTRY_POINTS = """
[metadata.schemaspaces]
things = things:Things
old-things = things:OldThings

[metadata.schemas_providers]
things = things:Provider
old-things = things:OldProvider
broken-things = things:Broken
"""


def build_python_path(*folders: Path) -> str:
    """Return the `PYTHONPATH` of a process that uses these folders and the package under test."""
    return os.pathsep.join(map(str, (*folders, Path(jupyter_colophon.__file__).parents[1])))


def install_things_package(folder: Path) -> Path:
    """Write the package into a folder for `PYTHONPATH`; return the folder."""
    return install_package(folder, "things", THINGS, _ENTRY_POINTS)


def install_package(folder: Path, module: str, source: str, entry_points: str, version: str = "2.5") -> Path:
    """Write a package of one module into a folder for `PYTHONPATH`; return the folder."""
    about = folder / f"{module}_for_tests-{version}.dist-info"
    about.mkdir(parents=True)
    (folder / f"{module}.py").write_text(source.lstrip())
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}-for-tests\nVersion: {version}\n")
    (about / "entry_points.txt").write_text(textwrap.dedent(entry_points).lstrip())
    return folder
