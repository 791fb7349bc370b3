"""Access policies in a folder of files, which may be a work tree of Git: one policy a file, in YAML, TOML or JSON."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import InvalidInstance, MetadataError, Problem
from jupyter_colophon.core.policies.policy import Rule, parse_policy

_SUFFIXES: Final = frozenset({".yaml", ".yml", ".toml", ".json"})
_MAX_BYTES: Final = 4 * 1024 * 1024
_FILES_MAX: Final = 1_000
_TOML_RULE: Final = re.compile(r"^\s*\[\[\s*rules\s*\]\]", re.MULTILINE)
_JSON_RULES: Final = re.compile(r'"rules"\s*:\s*\[')
_RULE_POINTER: Final = re.compile(r"/rules/(\d+)")
_JSON_ITEM: Final = re.compile(r"[\s,]*(?P<item>\{)")
#: The modification time and the size of a file.
_Stamp = tuple[int, int]


@dataclass(slots=True)
class PolicyFolder:
    """The policies of a folder. A file that cannot be used keeps the rules of its last usable state."""

    folder: Path
    schema: Schema
    #: The rules of each file, and a sentence for each file that cannot be used, by the file's path.
    policies: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    _stamps: Mapping[str, _Stamp] | None = None
    _has_read: bool = False

    def has_unknown_policy(self) -> bool:
        """Return whether a file, or the folder, has a problem and could never be used before."""
        return any(
            name not in self.policies for name in self.problems if name != str(self.folder) or not self._has_read
        )

    def read_changed_files(self) -> bool:
        """Read the files that have changed since the last call; return whether any has."""
        try:
            stamps = dict(_list_policy_files(self.folder))
        except OSError as error:
            # The last policies stay; without any, nothing is granted.
            problems = {str(self.folder): f"the folder cannot be read ({error.strerror})"}
            has_changed, self.problems, self._stamps = problems != self.problems, problems, None
            return has_changed
        if stamps == self._stamps:
            return False
        before = self._stamps or {}
        self.problems = {
            path: problem
            for path, problem in self.problems.items()
            if path in stamps and stamps[path] == before.get(path)
        }
        self.policies = {path: rules for path, rules in self.policies.items() if path in stamps}
        for path, stamp in stamps.items():
            if stamp != before.get(path):
                self._read_file(path)
        self._stamps, self._has_read = stamps, True
        return True

    def _read_file(self, path: str) -> None:
        try:
            self.policies[path] = read_policy_file(Path(path)).parse_rules(self.schema)
        except MetadataError as error:
            self.problems[path] = describe_first_problem(error)


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The document of a policy in a file, which may be invalid, and the line of each of its rules."""

    path: Path
    document: Any
    lines: Sequence[int]

    def find_line(self, pointer: str) -> int:
        """Return the line of the rule that a pointer into the document is in; 0 if it is in none."""
        found = _RULE_POINTER.match(pointer)
        index = int(found[1]) if found is not None else len(self.lines)
        return self.lines[index] if index < len(self.lines) else 0

    def parse_rules(self, schema: Schema) -> tuple[Rule, ...]:
        """Return the rules with their lines. Raises InvalidInstance."""
        return tuple(
            replace(rule, line=self.find_line(f"/rules/{rule.index}"))
            for rule in parse_policy(str(self.path), self.document, schema)
        )


def read_policy_file(path: Path) -> PolicyFile:
    """Read a file. Raises InvalidInstance if it cannot be read or parsed."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"the file is larger than {_MAX_BYTES} bytes")
        document, lines = _parse_policy_text(path.suffix.lower(), path.read_text("utf-8"))
    except OSError as error:
        raise _create_file_error(path, f"the file cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise _create_file_error(path, str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    return PolicyFile(path, document, lines)


def _create_file_error(path: Path, message: str) -> InvalidInstance:
    return InvalidInstance(str(path), (Problem("", message),))


def describe_first_problem(error: MetadataError) -> str:
    """Return a sentence with the first problem of a policy, and where it is."""
    return describe_problem(error.problems[0]) if error.problems else error.detail


def describe_problem(problem: Problem) -> str:
    """Return a sentence with a problem of a policy, and where it is."""
    return f"{problem.pointer}: {problem.message}" if problem.pointer else problem.message


def list_policy_paths(folder: Path) -> list[Path]:
    """Return the files of a folder that are policies, by name. Raises OSError."""
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    if len(paths) > _FILES_MAX:
        raise OSError(0, f"more than {_FILES_MAX} files")
    return paths


def _list_policy_files(folder: Path) -> Iterator[tuple[str, _Stamp]]:
    for path in list_policy_paths(folder):
        status = path.stat()
        yield str(path), (status.st_mtime_ns, status.st_size)


def _parse_policy_text(suffix: str, text: str) -> tuple[Any, list[int]]:
    """Return the document of a file, and the line of each rule. Raises ValueError."""
    if suffix == ".toml":
        return tomllib.loads(text), [text.count("\n", 0, found.end()) + 1 for found in _TOML_RULE.finditer(text)]
    if suffix == ".json":
        return json.loads(text), _list_lines_of_json_rules(text)
    # Imported late: most servers have no such file.
    import yaml

    loader = _create_yaml_loader()(text)
    try:
        root = loader.get_single_node()
        return None if root is None else loader.construct_document(root), _list_lines_of_yaml_rules(root)
    except yaml.YAMLError as error:
        raise ValueError(f"not valid YAML: {str(error).splitlines()[0]}") from error
    finally:
        loader.dispose()


@cache
def _create_yaml_loader() -> Any:
    """Return a safe loader of YAML 1.2's booleans: in YAML 1.1, the key `on` is a boolean."""
    import yaml

    class PolicyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads documents of plain values, with libyaml if it is installed."""

    boolean = "tag:yaml.org,2002:bool"
    PolicyLoader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != boolean]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    PolicyLoader.add_implicit_resolver(boolean, re.compile("^(?:true|false)$"), list("tf"))
    return PolicyLoader


def _list_lines_of_yaml_rules(root: Any) -> list[int]:
    for key, value in root.value if getattr(root, "id", "") == "mapping" else ():
        if key.value == "rules" and isinstance(value.value, list):
            return [item.start_mark.line + 1 for item in value.value]
    return []


def _list_lines_of_json_rules(text: str) -> list[int]:
    """Return the line of each item of the list `rules`, which is the first list after the first such text."""
    found = _JSON_RULES.search(text)
    if found is None:
        return []
    lines, at, line, decode = [], found.end(), text.count("\n", 0, found.end()) + 1, json.JSONDecoder().raw_decode
    while (item := _JSON_ITEM.match(text, at)) is not None:
        line += text.count("\n", at, item.start("item"))
        lines.append(line)
        _, end = decode(text, item.start("item"))
        line += text.count("\n", item.start("item"), end)
        at = end
    return lines
