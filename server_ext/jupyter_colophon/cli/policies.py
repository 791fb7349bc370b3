"""`jupyter colophon policies list|show|set|delete|check`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_policies
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidInstance
from jupyter_colophon.core.policies.policy import POLICY_ASPECT, make_policy_urn
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS = ("policy", "rules", "to", "problem")
_VERBS = (
    ("list", "List the access policies of the catalog and of the folder of files.", ""),
    ("show", "Print the rules of an access policy as JSON.", "sales-team"),
    ("set", "Store an access policy from a file; it replaces one with this name.", "sales-team sales.yaml"),
    ("delete", "Delete a stored access policy; its history is kept.", "sales-team"),
    ("check", "Check files of access policies; no catalog is needed. Exits with 1 if one is invalid.", "policies/"),
)


class _Fault(NamedTuple):
    """What is wrong in a file. `line` is 0 if it is unknown."""

    file: str
    line: int
    pointer: str
    message: str

    def format(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.pointer}: {self.message}" if self.pointer else f"{place}: {self.message}"


class PoliciesCommand(CatalogCommand):
    """Manage access policies."""

    description = "List, show, store, delete and check access policies."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            if verb == "check":
                subparser.add_argument(
                    "path", metavar="PATH", nargs="?", help="A file, or a folder. Default: c.Colophon.policy_folder."
                )
                continue
            super().add_arguments(subparser)
            if verb != "list":
                help_of_name = "The name of the policy" + (", or the path of its file." if verb == "show" else ".")
                set_completer(subparser.add_argument("name", metavar="NAME", help=help_of_name), complete_policies)
            if verb == "set":
                subparser.add_argument("file", metavar="FILE", help="The file: YAML, TOML or JSON.")

    def run(self) -> int:
        """Run the subcommand."""
        run = {
            "list": self._list,
            "show": self._show,
            "set": self._set,
            "delete": self._delete,
            "check": self._check,
        }
        return run[self.args.verb]()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_policies()
        rows = [
            (
                policy["name"] if policy["origin"] == "catalog" else policy["policy"],
                policy["rules"] if policy["enabled"] else f"{policy['rules']} (disabled)",
                ", ".join(policy["to"]),
                policy["problem"],
            )
            for policy in document["policies"]
        ]
        self.print_result(document, str(build_table_page(rows, *_COLUMNS, empty="No policies.")))
        return EXIT_OK

    def _show(self) -> int:
        name = self.args.name
        with self.connect_to_catalog() as client:
            content = client.read_policy(name if Path(name).is_absolute() else make_policy_urn(name))
        self.print_result(content, json.dumps(content["document"], ensure_ascii=False, indent=2))
        return EXIT_OK

    def _set(self) -> int:
        # Loaded by the commands that read files.
        from jupyter_colophon.service.policy_files import read_policy_file

        document = read_policy_file(Path(self.args.file)).document
        with self.connect_to_catalog() as client:
            result = client.write_aspect(make_policy_urn(self.args.name), POLICY_ASPECT, document)
            warnings = client.check_policy({"document": document})["warnings"]
        lines = [f"Access policy {self.args.name} stored, version {result['version']}."]
        lines += [f"{warning['pointer']}: {warning['message']}" for warning in warnings]
        self.print_result(result | {"warnings": warnings}, "\n".join(lines))
        return EXIT_OK

    def _delete(self) -> int:
        with self.connect_to_catalog() as client:
            result = client.delete_entity(make_policy_urn(self.args.name))
        self.print_result(result, f"Access policy {self.args.name} deleted.")
        return EXIT_OK

    def _check(self) -> int:
        chosen = self.args.path or self.settings.policy_folder
        if not chosen:
            raise InvalidConfiguration("name a file or a folder, or set c.Colophon.policy_folder")
        paths = list(_list_files(Path(chosen).expanduser()))
        faults = [fault for path in paths for fault in _find_faults(path)]
        document = {"ok": not faults, "files": len(paths), "faults": [fault._asdict() for fault in faults]}
        text = "\n".join(fault.format() for fault in faults) or f"{len(paths)} access policies are valid."
        self.print_result(document, text)
        return EXIT_FAILED if faults else EXIT_OK


def _list_files(path: Path) -> Iterator[Path]:
    from jupyter_colophon.service.policy_files import list_policy_paths

    if path.is_dir():
        yield from list_policy_paths(path)
    else:
        yield path


def _find_faults(path: Path) -> Iterator[_Fault]:
    """Yield everything that is wrong in a file."""
    from jupyter_colophon.service.policy_files import read_policy_file
    from jupyter_colophon.service.policy_source import find_policy_problems

    try:
        file = read_policy_file(path)
    except InvalidInstance as error:
        yield from (_Fault(str(path), 0, problem.pointer, problem.message) for problem in error.problems)
        return
    for problem in find_policy_problems(file.document):
        yield _Fault(str(path), file.find_line(problem.pointer), problem.pointer, problem.message)
