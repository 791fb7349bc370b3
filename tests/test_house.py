"""Project rules that no linter checks."""

import ast
import json
import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import get_args

import generate
import jsonschema_rs
import pytest
from generators.markdown import create_anchor
from jupyter_colophon import apps, metadata, testing
from jupyter_colophon.core import errors
from jupyter_colophon.operations import problems
from jupyter_colophon.operations.datahub.api import DATAHUB
from jupyter_colophon.operations.elyra.api import ELYRA
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE
from jupyter_colophon.operations.operation import DecidedBy
from jupyter_colophon.operations.v3.api import V3

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "server_ext" / "jupyter_colophon"
SOURCES = sorted(PACKAGE.rglob("*.py"))
SCHEMAS = sorted(path for path in (ROOT / "schemas").rglob("*.json") if path.parent.name != "datahub")
#: Files that may be longer than 600 lines, each with its reason.
LONG_FILES = {"operations.py": "generated: one method per operation of the native API"}
LINES_MAX, FUNCTION_LINES_MAX = 600, 45


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_every_error_has_a_status() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    for kind in kinds:
        if kind is not errors.MetadataError:
            assert any(above in problems.TABLE for above in kind.__mro__), kind


def test_glossary_terms_are_used_in_the_code() -> None:
    words = re.findall(r"^\*\*([a-z -]+)\*\*", (ROOT / "GLOSSARY.md").read_text(), re.MULTILINE)
    code = "\n".join(path.read_text().lower() for path in SOURCES)
    assert len(words) > 20
    assert [word for word in words if word not in code] == []


def test_operation_ids_are_unique() -> None:
    ids = [one.id for one in (*NATIVE.operations, *DATAHUB.operations)]
    assert len(ids) == len(set(ids)) > 20
    assert [name for name in ids if not re.fullmatch("[a-z]+([A-Z][a-z]+)*", name)] == []


def test_only_these_operations_are_decided_by_no_rule() -> None:
    """Every other operation asks for each entity or instance, for an admin, or for the sender."""
    operations = [one for api in (NATIVE, DATAHUB, V3, OPENLINEAGE, ELYRA) for one in api.operations]
    assert {one.id for one in operations if one.decided_by == "public"} == {
        *("readHealth", "readMetrics", "listEntityTypes", "readEntityType", "listSchemaspaces", "readSchema"),
        *("checkSchema", "readOpenApi", "readConfig", "listSpecifications", "askGraphql"),
        *("readDataHubOpenApi", "v3ReadOpenApi", "readOpenLineageOpenApi", "listSchemaspaceNames", "readSchemaspace"),
        *("listSchemas", "readSchemaDocument", "readElyraYaml"),
    }
    assert {one.decided_by for one in operations} == set(get_args(DecidedBy))


def test_only_these_modules_pass_no_access_policy() -> None:
    """They act as the program itself, or listen to all changes; `assistants call operations` holds for MCP."""

    def find_users(word: str) -> set[str]:
        return {path.name for path in SOURCES if re.search(word, path.read_text())}

    assert find_users(r"\bINTERNAL\b(?! = )") - {"access.py"} == {
        *(
            "composition.py",
            "erasure.py",
            "namespaces.py",
            "renamespace.py",
            "reviews.py",
            "scheduler.py",
            "system_apps.py",
        ),
    }
    # Trials and previews of changes that wait for review, which are rolled back, act so, too.
    assert find_users(r"internal=True") == {
        *("access.py", "erasure.py", "final_status.py", "reviews.py", "state.py", "write_path.py"),
    }
    assert find_users(r"feed\.register_listener\(") == {
        *("background.py", "change_hub.py", "in_process.py", "lineage_listeners.py", "relay.py", "scheduler.py"),
    }


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_schemas_have_an_id_and_valid_examples(path: Path) -> None:
    known = {one["$id"]: one for one in map(json.loads, (other.read_text() for other in SCHEMAS))}
    document = json.loads(path.read_text())
    assert document["$id"].startswith("urn:jupyter-colophon:")
    if path.name == "registry.json":
        return
    registry = jsonschema_rs.Registry(list(known.items()))
    validator = jsonschema_rs.Draft202012Validator(document, registry=registry)
    assert document["examples"]
    for example in document["examples"]:
        validator.validate(example)


def test_generated_files_are_current() -> None:
    assert list(generate.find_stale_files()) == []


def test_few_modules_inherit_tornado_handlers() -> None:
    base = re.compile(r"^class \w+\(.*\b(?:RequestHandler|APIHandler|JupyterHandler|WebSocketHandler)\b", re.MULTILINE)
    assert {path.name for path in SOURCES if base.search(path.read_text())} == {
        "pages.py",
        "request_body.py",
        "websocket.py",
    }


def test_only_commits_append_to_the_change_log() -> None:
    appending = re.compile(r"log\.(lock_and_)?append_changes\(")
    writers = [path.name for path in SOURCES if appending.search(path.read_text())]
    # A restored catalog has the log of its backup.
    assert sorted(writers) == ["archive_replay.py", "backups.py", "commit.py"]


def test_only_stores_and_connections_to_databases_import_their_drivers() -> None:
    driver = re.compile(r"^\s*(import|from) (sqlite3|psycopg)", re.MULTILINE)
    using = [path for path in SOURCES if driver.search(path.read_text())]
    assert {path.name for path in using if path.parent.name not in ("postgresql", "sqlite")} == {
        "postgresql_reader.py",
        "sqlite_reader.py",
        # Its connections are subclasses of those that programs open.
        "sqlite3_adapter.py",
    }


def test_files_and_functions_have_limited_length() -> None:
    long = []
    for path in SOURCES:
        text = path.read_text()
        if text.count("\n") > LINES_MAX and path.name not in LONG_FILES:
            long.append(path.name)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > FUNCTION_LINES_MAX and path.name not in LONG_FILES:
                    long.append(f"{path.name}:{node.name} has {lines} lines")
    assert long == []


def test_module_names_are_specific() -> None:
    vague = {"utils", "helpers", "common", "misc", "manager"}
    # Elyra's own names of modules stay as its users know them.
    assert [path for path in SOURCES if path.stem in vague and path.parent.name != "elyra"] == []


def test_no_skipped_tests_or_open_tasks_remain() -> None:
    marks = re.compile(
        "|".join(["TO" + "DO", "FIX" + "ME", r"pytest\." + "skip", r"mark\." + "xfail", r"test\." + "skip"])
    )
    files = _tracked("*.py", "*.ts", "*.tsx", "*.css", "Makefile")
    assert [path for path in files if marks.search(path.read_text())] == []


def test_lock_files_contain_no_registry_hosts() -> None:
    for path in _tracked("*yarn.lock", "*package-lock.json"):
        assert not re.search(r"https?://(?!opencollective|github|paulmillr|tidelift|www\.patreon)", path.read_text()), (
            path
        )


def test_tests_cited_by_requirements_exist() -> None:
    text = (ROOT / "docs/spec/requirements.md").read_text()
    for place, test in re.findall(r"`([a-z0-9_-]+(?:/[a-z0-9_.-]+)+)(?:::(\w+))?`", text):
        path = ROOT / place if place.startswith("ui-tests/") else ROOT / "tests" / place
        assert path.exists(), place
        assert not test or f"def {test}(" in path.read_text(), test


def _rules() -> list[str]:
    return [
        rule
        for path in sorted((ROOT / "docs/spec").glob("*.md"))
        for rule in re.findall(r"^\* \*\*([A-Z]+-\d+)\*\* ", path.read_text(), re.MULTILINE)
    ]


def _cited(pattern: str) -> set[tuple[str, str]]:
    """Return (file, match) for each match in code and tests."""
    files = _tracked(
        "*.py", "*.ts", "*.tsx", "*.c", "*.java", "*.css", "*.mjs", "*.mts", "*.toml", "*.json", "Makefile"
    )
    return {
        (str(path.relative_to(ROOT)), found)
        for path in files
        if path.parent.name != "datahub" and path.name != "yarn.lock"
        for found in re.findall(pattern, path.read_text())
    }


def test_rule_ids_of_the_specification_are_unique() -> None:
    rules = _rules()
    assert len(rules) > 100
    assert [rule for rule in rules if rules.count(rule) > 1] == []


def test_cited_rules_exist() -> None:
    rules = set(_rules())
    areas = "|".join(sorted({rule.split("-")[0] for rule in rules}))
    cited = _cited(rf"(?<![\w-])(?:{areas})-\d+\b")
    assert len(cited) > 100
    assert {(file, rule) for file, rule in cited if rule not in rules} == set()
    lists = _cited(rf"\bspec\s+((?:{areas})-\d+(?:,\s+(?:{areas})-\d+)*)")
    assert cited == {(file, rule) for file, listed in lists for rule in re.split(r",\s+", listed)}


def test_documents_named_in_code_exist() -> None:
    documents = _cited(r"[A-Za-z0-9_./-]*\w\.md\b")
    assert len(documents) > 20
    assert {(file, name) for file, name in documents if not (ROOT / name).is_file()} == set()
    decisions = {int(path.name[:4]) for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    assert {(file, one) for file, one in _cited(r"\bdecision (\d+)\b") if int(one) not in decisions} == set()
    assert _cited(r"\bseed \d{3}\b|\((?:rule|promise)s? \d[^)]*\)") == set()


def test_links_between_documents_resolve() -> None:
    # Fragments of the change log become a part of CHANGELOG.md.
    links = [
        (ROOT if path.parent.name == "changelog.d" else path.parent, target)
        for path in _tracked("*.md")
        for target in re.findall(r"(?<!\\)\]\(([^)\s#]+)(?:#[^)\s]*)?\)", re.sub(r"`[^`\n]*`", "", path.read_text()))
        if ":" not in target
    ]
    assert len(links) > 50
    assert [target for folder, target in links if not (folder / target).exists()] == []


def test_python_reference_documents_every_public_name() -> None:
    page = (ROOT / "docs/reference/python.md").read_text()
    directive = r"^\.\. (?:auto|py:)(?:class|exception|function):: "
    for module, names in (
        ("metadata", metadata.__all__),
        ("apps", apps.__all__),
        ("testing", [name for name, value in vars(testing).items() if is_class_of(value, testing)]),
    ):
        documented = re.findall(rf"{directive}jupyter_colophon\.{module}\.(\w+)", page, re.MULTILINE)
        assert sorted(documented) == sorted(names)


def is_class_of(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def test_sections_named_in_code_exist() -> None:
    missing = set()
    for file, name in _cited(r"docs/[a-z0-9/-]+\.md#[a-z0-9-]+"):
        page, _, section = name.partition("#")
        headings = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(), re.MULTILINE)
        if section not in map(create_anchor, headings):
            missing.add((file, name))
    assert missing == set()


def test_style_sheets_define_each_class_once() -> None:
    rule = re.compile(r"^\.(jp-Colophon-[\w-]+) ?\{", re.MULTILINE)
    sheets: dict[str, set[str]] = {}
    for path in (ROOT / "labextension/style").glob("*.css"):
        for name in rule.findall(path.read_text()):
            sheets.setdefault(name, set()).add(path.name)
    assert {name: sorted(places) for name, places in sheets.items() if len(places) > 1} == {}
