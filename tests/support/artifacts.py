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


class _Tool(ApplicationPlugin):
    type = "tool"


class Repeat(_Tool):
    name = "repeat"
    description = "A text, several times"
    properties = {"times": {"type": "integer", "minimum": 1, "maximum": 9}}
    required = ("times",)

    def run(self, argument):
        return {"text": argument["text"] * self.properties["times"]}

    def _secret(self, argument):
        return "hidden"


class Rogue(_Tool):
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


#: A module with directives: one that works, and one whose code fails in every way.
DIRECTIVES = '''
"""Directives of a shop."""

import os
import re
import time

from jupyter_colophon.wrangling import DirectivePlugin

COLUMN = {"type": "string", "format": "column"}


class HideDigits(DirectivePlugin):
    """Replaces the digits of a text, but for the last ones."""

    name = "hide-digits"
    properties = {"column": COLUMN, "kept": {"type": "integer", "minimum": 0, "maximum": 9, "default": 0}}
    required = ("column",)

    def change_row(self, row):
        column, kept = self.arguments["column"], self.arguments["kept"]
        if not re.search(r"\\d", row[column]):
            raise ValueError(f"{row[column]} has no digit")
        end = len(row[column]) - kept
        row[column] = re.sub(r"\\d", "#", row[column][:end]) + row[column][end:]
        return row


class Rogue(DirectivePlugin):
    """Does everything wrong."""

    name = "rogue"
    properties = {"how": {"enum": ["prepare", "hang", "exit", "flood", "allocate", "rubbish", "twice", "none", "process"]}}
    required = ("how",)

    def prepare(self):
        if self.arguments["how"] == "prepare":
            raise LookupError("CANARY")

    def change_row(self, row):
        match self.arguments["how"]:
            case "hang":
                time.sleep(600)
            case "exit":
                os._exit(3)
            case "flood":
                row["text"] = "x" * 20_000_000
            case "allocate":
                row["size"] = len(bytearray(4_000_000_000))
            case "rubbish":
                return 7
            case "twice":
                return [row, row]
            case "none":
                return None
            case "process":
                row["process"] = os.getpid()
        return row
'''
