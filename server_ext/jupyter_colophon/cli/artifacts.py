"""`jupyter colophon artifacts list|upload|show|delete`."""

import re
from functools import partial
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.rendering.page import build_table_page

_VERBS = (
    ("list", "List the artifacts of a namespace with their plugins.", "shop"),
    ("upload", "Upload a wheel or a module with plugins.", "shop dist/shop_tools-1.0-py3-none-any.whl"),
    ("show", "Show the plugins of an artifact.", "shop shop-tools 1.0"),
    ("delete", "Delete a version of an artifact.", "shop shop-tools 1.0"),
)
_COLUMNS = ("artifact", "version", "kind", "plugins")
#: The name of a wheel: distribution, version and tags.
_WHEEL: Final = re.compile(r"([A-Za-z0-9_.]+)-([A-Za-z0-9_.+]+)(?:-[0-9][^-]*)?-[^-]+-[^-]+-[^-]+\.whl")


class ArtifactsCommand(CatalogCommand):
    """Manage artifacts of namespaces."""

    description = "List, upload, show and delete artifacts: files with plugins of a namespace."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            namespace = subparser.add_argument("namespace", metavar="NAMESPACE", help="The namespace.")
            set_completer(namespace, complete_namespaces)
            if verb == "upload":
                subparser.add_argument("file", metavar="FILE", help="A pure Python wheel, or a module (.py).")
                subparser.add_argument(
                    "--name", default="", help="The name of the artifact. Default: that in the name of the file."
                )
                subparser.add_argument(
                    "--artifact-version",
                    default="",
                    metavar="VERSION",
                    help="Its version. Default: that in the name of a wheel.",
                )
            elif verb != "list":
                subparser.add_argument("name", metavar="NAME", help="The name of the artifact.")
                subparser.add_argument("version", metavar="VERSION", help="Its version.")

    def run(self) -> int:
        """Run the subcommand."""
        return {"list": self._list, "upload": self._upload, "show": self._show, "delete": self._delete}[
            self.args.verb
        ]()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            artifacts = read_all_pages(partial(client.list_artifacts, self.args.namespace), "artifacts")
        rows = [
            (item["name"], item["version"], item["kind"], ", ".join(plugin["name"] for plugin in item["plugins"]))
            for item in artifacts
        ]
        self.print_result({"artifacts": artifacts}, str(build_table_page(rows, *_COLUMNS, empty="No artifacts.")))
        return EXIT_OK

    def _upload(self) -> int:
        path = Path(self.args.file)
        name, version = self._choose_name_and_version(path)
        content = path.read_bytes()
        with self.connect_to_catalog() as client:
            artifact = client.upload_artifact(self.args.namespace, name, version, content)
        plugins = ", ".join(plugin["name"] for plugin in artifact["plugins"])
        self.print_result(artifact, f"Artifact {name} {version} uploaded, with the plugins {plugins}.")
        return EXIT_OK

    def _choose_name_and_version(self, path: Path) -> tuple[str, str]:
        """Return the name and version of the options, or of the file's name. Raises InvalidConfiguration."""
        match = _WHEEL.fullmatch(path.name)
        name = self.args.name or (match[1].replace(".", "-") if match else path.stem)
        version = self.args.artifact_version or (match[2] if match else "")
        if not version:
            raise InvalidConfiguration(f"--artifact-version: the name of {path.name} contains no version")
        return name, version

    def _show(self) -> int:
        with self.connect_to_catalog() as client:
            artifact = client.read_artifact(self.args.namespace, self.args.name, self.args.version)
        self.print_result(artifact, _render_plugins(artifact))
        return EXIT_OK

    def _delete(self) -> int:
        with self.connect_to_catalog() as client:
            artifact = client.delete_artifact(self.args.namespace, self.args.name, self.args.version)
        self.print_result(artifact, f"Artifact {self.args.name} {self.args.version} deleted.")
        return EXIT_OK


def _render_plugins(artifact: dict[str, Any]) -> str:
    columns = ("use", "type", "name", "description")
    rows = [tuple(plugin[column] for column in columns) for plugin in artifact["plugins"]]
    return str(build_table_page(rows, *columns, empty="No plugins."))
