"""Loading what packages register; a failing registration affects only itself (spec SEC-17)."""

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from jupyter_colophon.core.errors import SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.spaces import SchemaspaceRegistry
from support.packages import install_things_package
from support.third_party_packages import (
    ID,
    OTHER_ID,
    EntryPointDistribution,
    FakeEntryPoint,
    GivenSchemasProvider,
    OtherPlainSchemaspace,
    PlainSchemaspace,
    build_thing_document,
    build_thing_schema,
    load_things_schemaspace,
)


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(15_000):
        if condition():
            return
        Event().wait(0.02)
    raise AssertionError("it did not come")


def list_reasons(of: SchemaspaceRegistry) -> dict[str, str]:
    return {one.name: one.reason for one in of.list_loading_problems()}


def test_schemaspace_is_found_by_name_and_id_case_insensitively() -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema()))
    for name in ("things", "THINGS", ID, ID.upper()):
        assert (of.get_space(name).name, of.get_space(name).key, of.get_space(name).id) == ("Things", "things", ID)
        assert of.get_schema(name, "thing")["schemaspace"] == "Things"
    assert of.list_names() == ["things"]


def test_missing_schemaspace_has_elyra_message() -> None:
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema()))
    with pytest.raises(SchemaspaceNotFound) as unknown:
        of.get_space("nope")
    assert (
        str(unknown.value)
        == "The schemaspace name or id 'nope' is not in the list of valid schemaspaces: '['things']'!"
    )
    assert isinstance(unknown.value, ValueError)
    with pytest.raises(SchemaNotFound) as absent:
        of.get_schema("things", "nope")
    assert str(absent.value) == "No such schema named 'nope' was found in the things schemaspace."


def test_deprecated_schemaspace_is_not_listed_but_found() -> None:
    class Old(OtherPlainSchemaspace):
        is_deprecated = True

    of = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema(), build_thing_schema("old", deprecated=True)),
        also=[FakeEntryPoint("old", Old)],
    )
    assert of.list_names() == ["things"]
    assert of.list_names(deprecated=True) == ["things", "others"]
    assert list(of.get_space("things").schemas) == ["thing"]
    assert list(of.get_space("things").deprecated_schemas) == ["old"]
    assert of.get_schema("things", "old")["deprecated"]
    assert of.find_validation_failure("things", "old", build_thing_document() | {"schema_name": "old"}) is None


@pytest.mark.parametrize(
    ("loads", "reason"),
    [
        (ImportError("no module named x"), "ImportError: no module named x"),
        (SystemExit(3), "SystemExit: 3"),
        (RecursionError(), "RecursionError"),
        (lambda parent: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (object(), "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _"),
        (
            type("Nameless", (PlainSchemaspace,), {"name": "a b"}),
            "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _",
        ),
        (
            type("Rootless", (PlainSchemaspace,), {"name": "../../etc"}),
            "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _",
        ),
        (type("Numbered", (PlainSchemaspace,), {"name": "ok", "id": "7"}), "its id is not a UUID"),
        (
            type("Copy", (PlainSchemaspace,), {"id": OTHER_ID}),
            "the schemaspace 'Things' already has this name or this id, but not both",
        ),
        (
            type("Twin", (PlainSchemaspace,), {"name": "twin"}),
            "the schemaspace 'Things' already has this name or this id, but not both",
        ),
    ],
)
def test_failed_schemaspace_is_reported_and_isolated(loads: Any, reason: str) -> None:
    of = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema()),
        also=[FakeEntryPoint("bad", loads), FakeEntryPoint("others", OtherPlainSchemaspace)],
    )
    assert of.list_names() == ["things", "others"]
    (problem,) = of.list_loading_problems()
    assert (problem.kind, problem.name, problem.reason) == ("schemaspace", "bad", reason)
    assert (problem.value, problem.distribution, problem.version) == (
        "somebodys_package:bad",
        "somebodys-package",
        "1.0",
    )


@pytest.mark.parametrize(
    ("loads", "reason"),
    [
        (ImportError("no module named x"), "ImportError: no module named x"),
        (
            object,
            "SchemasProvider instance 'p0' is not an instance of 'SchemasProvider'! "
            "It has no get_schemas, migrate, get_validator",
        ),
        (GivenSchemasProvider(asks=lambda: 1 // 0), "ZeroDivisionError: integer division or modulo by zero"),
        (GivenSchemasProvider(asks=lambda: sys.exit("enough")), "SystemExit: enough"),
    ],
)
def test_failed_provider_is_reported_and_isolated(loads: Any, reason: str) -> None:
    of = load_things_schemaspace(loads, GivenSchemasProvider(build_thing_schema()))
    assert list(of.get_space("things").schemas) == ["thing"]
    assert [(one.kind, one.name, one.reason) for one in of.list_loading_problems()] == [
        ("schemas provider", "p0", reason)
    ]


@pytest.mark.parametrize(
    ("document", "name", "reason"),
    [
        (7, "??", "not a JSON object"),
        (build_thing_schema("bad", {"a": {"enum": {1}}}), "bad", "not a JSON document"),
        (build_thing_schema("bad", schemaspace=None), "bad", "schemaspace, schemaspace_id and name are required"),
        (
            build_thing_schema("bad", schemaspace_id=OTHER_ID),
            "bad",
            f"Schema 'bad' references a schemaspace '{OTHER_ID}' that is not loaded!",
        ),
        (
            build_thing_schema("bad", schemaspace="nope"),
            "bad",
            "Schema 'bad' references a schemaspace 'nope' that is not loaded!",
        ),
        (build_thing_schema("Bad"), "Bad", "/name: "),
        (build_thing_schema("bad") | {"properties": {"metadata": {}}}, "bad", "/properties: "),
        (build_thing_schema("bad") | {"properties": {"schema_name": {}, "display_name": {}}}, "bad", "/properties: "),
        (build_thing_schema("bad") | {"properties": None}, "bad", "/properties: "),
        (build_thing_schema("bad", description="x" * 81), "bad", "/description: "),
        (build_thing_schema("bad", metadata_class_name=7), "bad", "/metadata_class_name: "),
        (build_thing_schema("bad", deprecated="yes"), "bad", "/deprecated: "),
        (
            build_thing_schema("bad", schemaspace_id="7"),
            "bad",
            "Schema 'bad' references a schemaspace '7' that is not loaded!",
        ),
        (build_thing_schema("bad", **{"$schema": "http://169.254.169.254/"}), "bad", "/$schema: "),
        (
            build_thing_schema("bad", {"a": {"$ref": "http://127.0.0.1/"}}),
            "bad",
            "/properties/metadata/properties/a/$ref: ",
        ),
        (build_thing_schema("bad", {"a": {"pattern": "(?<=x)"}}), "bad", "/properties/metadata/properties/a/pattern: "),
    ],
)
def test_invalid_schema_is_reported_and_isolated(document: Any, name: str, reason: str) -> None:
    of = load_things_schemaspace(GivenSchemasProvider(document, build_thing_schema()))
    assert list(of.get_space("things").schemas) == ["thing"]
    ((key, found),) = list_reasons(of).items()
    assert key == f"p0/{name}"
    assert found.startswith(reason)


def test_schema_with_mismatched_name_and_id_is_rejected() -> None:
    of = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema(schemaspace="others")),
        also=[FakeEntryPoint("others", OtherPlainSchemaspace)],
    )
    assert list_reasons(of) == {"p0/thing": f"schemaspace 'others' and id '{ID}' belong to different schemaspaces"}


def test_duplicate_schema_of_second_package_is_reported() -> None:
    first, second = (
        GivenSchemasProvider(build_thing_schema(title="first")),
        GivenSchemasProvider(build_thing_schema(title="second")),
    )
    of = load_things_schemaspace(first, second)
    assert of.get_schema("things", "thing")["title"] == "first"
    assert list_reasons(of) == {"p1/thing": "'p0' of somebodys-package has a schema of this name"}


@pytest.mark.parametrize("ours_first", [True, False])
def test_package_schema_replaces_our_substitute(ours_first: bool) -> None:
    ours = FakeEntryPoint(
        "ours",
        GivenSchemasProvider(build_thing_schema(title="ours"), build_thing_schema("more")),
        EntryPointDistribution("jupyter_colophon"),
    )
    theirs = FakeEntryPoint(
        "theirs", GivenSchemasProvider(build_thing_schema(title="theirs")), EntryPointDistribution("elyra")
    )
    of = load_things_schemaspace(*((ours, theirs) if ours_first else (theirs, ours)))
    assert of.get_schema("things", "thing")["title"] == "theirs"
    assert sorted(of.get_space("things").schemas) == ["more", "thing"]
    assert of.list_loading_problems() == []


def test_schemaspace_registered_twice_is_loaded_once() -> None:
    of = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema()),
        also=[FakeEntryPoint("again", PlainSchemaspace, EntryPointDistribution("elyra"))],
    )
    assert of.list_names() == ["things"]
    assert of.list_loading_problems() == []


def test_hanging_provider_is_reported_and_added_when_finished() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        return [build_thing_schema("late")]

    # The rest of a distribution that has timed out is not waited for: the other provider has another one.
    slow = FakeEntryPoint("slow", GivenSchemasProvider(asks=late), EntryPointDistribution("slow-package"))
    of = load_things_schemaspace(slow, GivenSchemasProvider(build_thing_schema()), timeout_s=2)
    assert list(of.get_space("things").schemas) == ["thing"]
    (problem,) = of.list_loading_problems()
    assert (problem.name, problem.late) == ("slow", True)
    come.set()
    wait_for(lambda: "late" in of.get_space("things").schemas and of.list_loading_problems() == [])


def test_hanging_package_is_waited_for_once() -> None:
    come, slow = Event(), EntryPointDistribution("slow-package")

    def late(name: str) -> GivenSchemasProvider:
        return GivenSchemasProvider(asks=lambda: [come.wait(60) and build_thing_schema(name)])

    entries = [FakeEntryPoint(f"slow{at}", late(f"late{at}"), slow) for at in range(3)]
    of = load_things_schemaspace(
        *entries, FakeEntryPoint("good", GivenSchemasProvider(build_thing_schema())), timeout_s=2
    )
    assert list(of.get_space("things").schemas) == ["thing"]
    assert list_reasons(of) == {
        "slow0": "no result within 2 s",
        "slow1": "the package is still loading: try again later",
        "slow2": "the package is still loading: try again later",
    }
    come.set()
    wait_for(lambda: len(of.get_space("things").schemas) == 4)
    wait_for(lambda: of.list_loading_problems() == [])


def test_late_failure_is_reported() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        raise RuntimeError("late, and in vain")

    of = load_things_schemaspace(GivenSchemasProvider(asks=late), timeout_s=2)
    assert list_reasons(of) == {"p0": "no result within 2 s"}
    come.set()
    wait_for(lambda: list_reasons(of) == {"p0": "RuntimeError: late, and in vain"})


def test_late_schemaspace_gets_its_schemas() -> None:
    come = Event()

    def late(parent: Any) -> PlainSchemaspace:
        come.wait(60)
        return OtherPlainSchemaspace(parent)

    mine = build_thing_schema("mine", schemaspace="others", schemaspace_id=OTHER_ID)
    # The rest of a distribution that has timed out is not waited for: the provider has another one.
    others = FakeEntryPoint("others", late, EntryPointDistribution("slow-package"))
    of = load_things_schemaspace(GivenSchemasProvider(build_thing_schema(), mine), also=[others], timeout_s=2)
    assert of.list_names() == ["things"]
    assert sorted(list_reasons(of)) == ["others", "p0/mine"]
    come.set()
    wait_for(lambda: of.list_loading_problems() == [] and "others" in of.list_names())
    assert list(of.get_space("others").schemas) == ["mine"]


def test_provider_may_query_loaded_schemaspaces_while_loading() -> None:
    def asks() -> list[Any]:
        return [build_thing_schema("second", title=", ".join(of.get_space("things").schemas))]

    of = load_things_schemaspace(
        GivenSchemasProvider(build_thing_schema()), GivenSchemasProvider(asks=asks), timeout_s=30
    )
    assert of.get_schema("things", "second")["title"] == "thing"


def test_concurrent_threads_load_once() -> None:
    calls, start, found = [], Barrier(8), []

    def asks() -> list[Any]:
        calls.append(1)
        return [build_thing_schema()]

    of = load_things_schemaspace(GivenSchemasProvider(asks=asks))

    def load() -> None:
        start.wait(60)
        found.append(of.find_validation_failure("things", "thing", build_thing_document(size=1)))

    threads = [Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(calls), found) == (1, [None] * 8)


def test_later_changes_of_a_provided_schema_are_ignored() -> None:
    document = build_thing_schema()
    of = load_things_schemaspace(GivenSchemasProvider(document))
    assert of.list_names() == ["things"]
    document["properties"]["metadata"]["properties"]["size"]["type"] = "string"
    assert of.find_validation_failure("things", "thing", build_thing_document(size=1)) is None


def test_schemaspace_filter_changes_schemas_before_validation() -> None:
    class Changing(OtherPlainSchemaspace):
        def filter_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
            return schema | {"title": "changed"} if schema["name"] == "good" else {"name": "nonsense"}

    documents = [build_thing_schema(name, schemaspace="others", schemaspace_id=OTHER_ID) for name in ("good", "bad")]
    of = load_things_schemaspace(GivenSchemasProvider(*documents), also=[FakeEntryPoint("others", Changing)])
    assert of.get_schema("others", "good")["title"] == "changed"
    assert list(list_reasons(of)) == ["p0/bad"]


def test_only_allowed_packages_register() -> None:
    allowed = FakeEntryPoint(
        "a", GivenSchemasProvider(build_thing_schema("aa")), EntryPointDistribution("Good_Package")
    )
    ours = FakeEntryPoint(
        "b", GivenSchemasProvider(build_thing_schema("bb")), EntryPointDistribution("jupyter-colophon")
    )
    other = FakeEntryPoint("c", GivenSchemasProvider(build_thing_schema("cc")), EntryPointDistribution("bad-package"))
    things = FakeEntryPoint("things", PlainSchemaspace, EntryPointDistribution("good.package"))
    of = SchemaspaceRegistry(
        schemaspaces=lambda: [things], providers=lambda: [allowed, ours, other], packages=["good-package"]
    )
    assert sorted(of.get_space("things").schemas) == ["aa", "bb"]


def test_test_schemaspace_requires_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METADATA_TESTING", raising=False)
    assert "metadata-tests" not in SchemaspaceRegistry().list_names()
    monkeypatch.setenv("METADATA_TESTING", "1")
    assert "metadata-tests" in SchemaspaceRegistry().list_names()


def test_refresh_loads_newly_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = SchemaspaceRegistry()
    assert "things" not in of.list_names(deprecated=True)
    monkeypatch.syspath_prepend(install_things_package(tmp_path))
    of.reload_schemas()
    assert "things" in of.list_names()
    assert "old-things" in of.list_names(deprecated=True)
    (problem,) = of.list_loading_problems()
    assert (problem.name, problem.distribution, problem.version) == ("broken-things", "things-for-tests", "2.5")
    assert problem.reason == "RuntimeError: the provider is out of order"


def test_refresh_reloads_schemas_from_providers() -> None:
    choices = [["a"], ["a", "b"]]
    of = load_things_schemaspace(
        GivenSchemasProvider(asks=lambda: [build_thing_schema("thing", {"kind": {"enum": choices.pop(0)}})])
    )
    assert of.find_validation_failure("things", "thing", build_thing_document(kind="b")) is not None
    of.reload_schemas("things")
    assert of.find_validation_failure("things", "thing", build_thing_document(kind="b")) is None


def test_refresh_removes_schemas_no_longer_provided() -> None:
    answers = [[build_thing_schema(), build_thing_schema("gone")], [build_thing_schema()]]
    of = load_things_schemaspace(
        GivenSchemasProvider(asks=lambda: answers.pop(0)), GivenSchemasProvider(build_thing_schema("other"))
    )
    assert sorted(of.get_space("things").schemas) == ["gone", "other", "thing"]
    of.reload_schemas()
    assert sorted(of.get_space("things").schemas) == ["other", "thing"]
    with pytest.raises(SchemaNotFound):
        of.get_schema("things", "gone")


def test_failed_refresh_keeps_earlier_schemas() -> None:
    answers: list[Any] = [[build_thing_schema()], 7, [build_thing_schema()]]
    of = load_things_schemaspace(GivenSchemasProvider(asks=lambda: answers.pop(0)))
    assert of.list_loading_problems() == []
    of.reload_schemas()
    assert list_reasons(of) == {"p0": "TypeError: 'int' object is not iterable"}
    assert of.find_validation_failure("things", "thing", build_thing_document(size=1)) is None
    of.reload_schemas()
    assert of.list_loading_problems() == []


def test_load_failure_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    of = load_things_schemaspace(GivenSchemasProvider(7), GivenSchemasProvider(build_thing_schema()))
    assert of.list_names() == ["things"]
    of.reload_schemas()
    assert [one.getMessage() for one in caplog.records] == [
        "Error loading schema '??' for SchemasProvider 'p0' - not a JSON object"
    ]


def test_schemaspaces_without_schemas_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert load_things_schemaspace().list_names() == ["things"]
    assert [one.getMessage() for one in caplog.records] == ["The following schemaspaces have no schemas: ['Things']"]
