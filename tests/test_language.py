"""Hold the language of the project: names begin with verbs, words are standard, a class name has one meaning."""

import ast
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "server_ext" / "jupyter_colophon"
RULES = tomllib.loads((ROOT / "tests" / "language.toml").read_text())
#: Words of an identifier, whether snake_case or camelCase.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TYPESCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_MARKDOWN_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


def _list_files(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and not set(path.parts) & set(RULES["generated"])]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _split_words(identifier: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(identifier)]


PYTHON = _list_files("*.py")
SOURCES = [path for path in PYTHON if path.is_relative_to(PACKAGE)]
TYPESCRIPT = _list_files("*.ts", "*.tsx")


class PythonFile(NamedTuple):
    """What the rules read of a module. `functions` are those that are neither attributes nor special methods."""

    functions: list[str]
    classes: list[str]
    identifiers: set[str]
    prose: list[str]


@cache
def _read_python(path: Path) -> PythonFile:
    text = path.read_text()
    file = PythonFile([], [], {path.stem}, re.findall(r"(?:^|\s)#:? .*", text))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                file.identifiers.add(node.name)
                if not (node.name.startswith("__") or _is_attribute(node)):
                    file.functions.append(node.name)
            case ast.ClassDef():
                file.identifiers.add(node.name)
                file.classes.append(node.name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                file.identifiers.add(name)
            case ast.Constant(value=str()) if " " in str(node.value).strip():
                file.prose.append(str(node.value))
    return file


def _is_attribute(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a decorator makes an attribute of the function: a property, its setter, or a trait's default."""
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any("property" in name or name.endswith(".setter") or name.startswith("default(") for name in names)


def test_functions_begin_with_a_verb_or_are_predicates() -> None:
    rules = RULES["functions"]
    verbs, allowed = {*rules["verbs"], *rules["predicates"]}, {*rules["called_by_frameworks"], *rules["public"]}
    wrong = [
        f"{_name(path)}: {function}"
        for path in SOURCES
        for function in _read_python(path).functions
        if function not in allowed and _split_words(function)[:1] and _split_words(function)[0] not in verbs
    ]
    assert wrong == []


def test_every_listed_verb_is_used() -> None:
    functions = {function for path in SOURCES for function in _read_python(path).functions}
    used, rules = {word for function in functions for word in _split_words(function)[:1]}, RULES["functions"]
    assert [word for word in (*rules["verbs"], *rules["predicates"]) if word not in used] == []
    assert [name for name in (*rules["called_by_frameworks"], *rules["public"]) if name not in functions] == []


def test_a_class_name_is_defined_once_in_the_package() -> None:
    names = Counter(name for path in SOURCES for name in _read_python(path).classes)
    assert [name for name, count in names.items() if count > 1] == []


def test_test_names_are_short() -> None:
    long = [
        f"{_name(path)}: {function}"
        for path in PYTHON
        if path.is_relative_to(ROOT / "tests")
        for function in _read_python(path).functions
        if function.startswith("test_") and function.count("_") > RULES["tests"]["words"]
    ]
    assert long == []


def _python_prose(path: Path) -> Iterator[str]:
    """Yield comments, and strings of two words or more, docstrings included."""
    yield from _read_python(path).prose


def _typescript_prose(path: Path) -> Iterator[str]:
    text = path.read_text()
    yield from _TYPESCRIPT_COMMENT.findall(text)
    yield from re.findall(r"'([^'\n]* [^'\n]*)'", _TYPESCRIPT_COMMENT.sub("", text))


def _markdown_prose(path: Path) -> Iterator[str]:
    yield from _MARKDOWN_CODE.sub("", path.read_text()).splitlines()


def _json_prose(path: Path) -> Iterator[str]:
    yield from re.findall(r'"(?:title|description)": "((?:[^"\\]|\\.)*)"', path.read_text())


PROSE: dict[str, Callable[[Path], Iterator[str]]] = {
    ".py": _python_prose,
    ".ts": _typescript_prose,
    ".tsx": _typescript_prose,
    ".md": _markdown_prose,
    ".json": _json_prose,
    ".java": _typescript_prose,
}


@pytest.mark.parametrize("path", [ROOT / name for name in RULES["prose"]["paths"]], ids=_name)
def test_prose_has_no_private_words(path: Path) -> None:
    pattern = re.compile(rf"(?i)(?<![\w'-])(?:{'|'.join(RULES['prose']['banned'])})(?![\w-])")
    allowed = [re.compile(text) for text in RULES["prose"]["allowed"].values()]
    files = [file for file in _list_files(_name(path)) if file.suffix in PROSE]
    assert files
    wrong = [
        f"{_name(file)}: {found.group()!r} in {line.strip()[:120]!r}"
        for file in files
        for text in PROSE[file.suffix](file)
        for line in text.splitlines()
        if (found := pattern.search(line)) and not any(one.search(line) for one in allowed)
    ]
    assert wrong == []


def test_identifiers_have_no_private_words() -> None:
    banned, allowed = set(RULES["identifiers"]["banned"]), set(RULES["identifiers"]["allowed"])
    wrong = {
        f"{_name(path)}: {identifier}"
        for path in PYTHON
        for identifier in _read_python(path).identifiers
        if identifier not in allowed and banned & set(_split_words(identifier))
    }
    assert sorted(wrong) == []


def test_typescript_identifiers_have_no_private_words() -> None:
    banned, allowed = set(RULES["identifiers"]["banned"]), set(RULES["identifiers"]["allowed"])
    wrong = {
        f"{_name(path)}: {identifier}"
        for path in TYPESCRIPT
        for identifier in re.findall(
            r"\b(?:const|let|function|class|interface|type|get|async)\s+(\w+)", path.read_text()
        )
        if identifier not in allowed and banned & set(_split_words(identifier))
    }
    assert sorted(wrong) == []
