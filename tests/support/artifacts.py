"""Artifacts for tests: a module and wheels, with plugins that work and plugins whose code fails."""

import io
import zipfile
from collections.abc import Mapping

#: A module with a plugin for pipelines and plugins for applications.
TOOLS = '''
"""Tools of a namespace."""

from jupyter_colophon.apps import ApplicationPlugin
from jupyter_colophon.pipelines.plugin import TransformPlugin

__version__ = "1.0"
COLUMN = {"title": "Column", "type": "string"}


class Upper(TransformPlugin):
    """A column in capitals."""

    name = "upper"
    title = "Upper case"
    properties = {"column": COLUMN}
    required = ("column",)

    def get_columns(self, inputs):
        return inputs[0]

    def apply(self, context, inputs):
        from pyspark.sql import functions

        (data,) = inputs.values()
        column = self.settings["column"]
        return data.withColumn(column, functions.upper(column))


class _Directive(ApplicationPlugin):
    type = "directive"


class Repeat(_Directive):
    name = "repeat"
    description = "A text, several times"
    properties = {"times": {"type": "integer", "minimum": 1, "maximum": 9}}
    required = ("times",)

    def run(self, argument):
        return {"text": argument["text"] * self.properties["times"]}

    def _secret(self, argument):
        return "hidden"


class Rogue(_Directive):
    """Does everything wrong."""

    name = "rogue"

    def fail(self, argument):
        raise ValueError("CANARY")

    def hang(self, argument):
        import time

        while True:
            time.sleep(1)

    def spin(self, argument):
        while True:
            pass

    def exit(self, argument):
        import os

        os._exit(3)

    def leave(self, argument):
        raise SystemExit(3)

    def allocate(self, argument):
        return len(bytearray(argument))

    def flood(self, argument):
        return "x" * argument

    def rubbish(self, argument):
        return object()

    def print(self, argument):
        import os

        print("noise" * 1000)
        os.write(1, b"noise" * 1000)
        return "quiet"

    def environment(self, argument):
        import os

        return sorted(os.environ)

    def process(self, argument):
        import os

        return os.getpid()
'''


def build_wheel(
    files: Mapping[str, str | bytes],
    entry_points: str = "",
    *,
    name: str = "shop_tools",
    version: str = "1.0",
    pure: str = "true",
    tag: str = "py3-none-any",
) -> bytes:
    """Return a wheel with these files."""
    info = f"{name}-{version}.dist-info"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: Tools\n"
        )
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: {pure}\nTag: {tag}\n")
        if entry_points:
            archive.writestr(f"{info}/entry_points.txt", entry_points)
    return content.getvalue()
