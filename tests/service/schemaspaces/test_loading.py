"""Loading what packages register; a failing registration affects only itself (spec SEC-17)."""

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from jupyter_colophon.core.errors import SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.spaces import Schemaspaces
from support.packages import install_things
from support.strangers import ID, OTHER_ID, Entry, OtherSpace, Owner, Provider, Space, schema, spaces, thing


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(15_000):
        if condition():
            return
        Event().wait(0.02)
    raise AssertionError("it did not come")


def list_reasons(of: Schemaspaces) -> dict[str, str]:
    return {one.name: one.reason for one in of.list_problems()}


def test_schemaspace_is_found_by_name_and_id_case_insensitively() -> None:
    of = spaces(Provider(schema()))
    for name in ("things", "THINGS", ID, ID.upper()):
        assert (of.get_space(name).name, of.get_space(name).key, of.get_space(name).id) == ("Things", "things", ID)
        assert of.get_schema(name, "thing")["schemaspace"] == "Things"
    assert of.list_names() == ["things"]


def test_missing_schemaspace_has_elyra_message() -> None:
    of = spaces(Provider(schema()))
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
    class Old(OtherSpace):
        is_deprecated = True

    of = spaces(Provider(schema(), schema("old", deprecated=True)), also=[Entry("old", Old)])
    assert of.list_names() == ["things"]
    assert of.list_names(deprecated=True) == ["things", "others"]
    assert list(of.get_space("things").schemas) == ["thing"]
    assert list(of.get_space("things").deprecated_schemas) == ["old"]
    assert of.get_schema("things", "old")["deprecated"]
    assert of.find_failure("things", "old", thing() | {"schema_name": "old"}) is None


@pytest.mark.parametrize(
    ("loads", "reason"),
    [
        (ImportError("no module named x"), "ImportError: no module named x"),
        (SystemExit(3), "SystemExit: 3"),
        (RecursionError(), "RecursionError"),
        (lambda parent: 1 // 0, "ZeroDivisionError: integer division or modulo by zero"),
        (object(), "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _"),
        (
            type("Nameless", (Space,), {"name": "a b"}),
            "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _",
        ),
        (
            type("Rootless", (Space,), {"name": "../../etc"}),
            "'bad' is not an instance of 'Schemaspace': its name must consist of letters, digits, - and _",
        ),
        (type("Numbered", (Space,), {"name": "ok", "id": "7"}), "its id is not a UUID"),
        (
            type("Copy", (Space,), {"id": OTHER_ID}),
            "the schemaspace 'Things' already has this name or this id, but not both",
        ),
        (
            type("Twin", (Space,), {"name": "twin"}),
            "the schemaspace 'Things' already has this name or this id, but not both",
        ),
    ],
)
def test_failed_schemaspace_is_reported_and_isolated(loads: Any, reason: str) -> None:
    of = spaces(Provider(schema()), also=[Entry("bad", loads), Entry("others", OtherSpace)])
    assert of.list_names() == ["things", "others"]
    (problem,) = of.list_problems()
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
        (Provider(asks=lambda: 1 // 0), "ZeroDivisionError: integer division or modulo by zero"),
        (Provider(asks=lambda: sys.exit("enough")), "SystemExit: enough"),
    ],
)
def test_failed_provider_is_reported_and_isolated(loads: Any, reason: str) -> None:
    of = spaces(loads, Provider(schema()))
    assert list(of.get_space("things").schemas) == ["thing"]
    assert [(one.kind, one.name, one.reason) for one in of.list_problems()] == [("schemas provider", "p0", reason)]


@pytest.mark.parametrize(
    ("document", "name", "reason"),
    [
        (7, "??", "not a JSON object"),
        (schema("bad", {"a": {"enum": {1}}}), "bad", "not a JSON document"),
        (schema("bad", schemaspace=None), "bad", "schemaspace, schemaspace_id and name are required"),
        (
            schema("bad", schemaspace_id=OTHER_ID),
            "bad",
            f"Schema 'bad' references a schemaspace '{OTHER_ID}' that is not loaded!",
        ),
        (schema("bad", schemaspace="nope"), "bad", "Schema 'bad' references a schemaspace 'nope' that is not loaded!"),
        (schema("Bad"), "Bad", "/name: "),
        (schema("bad") | {"properties": {"metadata": {}}}, "bad", "/properties: "),
        (schema("bad") | {"properties": {"schema_name": {}, "display_name": {}}}, "bad", "/properties: "),
        (schema("bad") | {"properties": None}, "bad", "/properties: "),
        (schema("bad", description="x" * 81), "bad", "/description: "),
        (schema("bad", metadata_class_name=7), "bad", "/metadata_class_name: "),
        (schema("bad", deprecated="yes"), "bad", "/deprecated: "),
        (schema("bad", schemaspace_id="7"), "bad", "Schema 'bad' references a schemaspace '7' that is not loaded!"),
        (schema("bad", **{"$schema": "http://169.254.169.254/"}), "bad", "/$schema: "),
        (schema("bad", {"a": {"$ref": "http://127.0.0.1/"}}), "bad", "/properties/metadata/properties/a/$ref: "),
        (schema("bad", {"a": {"pattern": "(?<=x)"}}), "bad", "/properties/metadata/properties/a/pattern: "),
    ],
)
def test_invalid_schema_is_reported_and_isolated(document: Any, name: str, reason: str) -> None:
    of = spaces(Provider(document, schema()))
    assert list(of.get_space("things").schemas) == ["thing"]
    ((key, found),) = list_reasons(of).items()
    assert key == f"p0/{name}"
    assert found.startswith(reason)


def test_schema_with_mismatched_name_and_id_is_rejected() -> None:
    of = spaces(Provider(schema(schemaspace="others")), also=[Entry("others", OtherSpace)])
    assert list_reasons(of) == {"p0/thing": f"schemaspace 'others' and id '{ID}' belong to different schemaspaces"}


def test_duplicate_schema_of_second_package_is_reported() -> None:
    first, second = Provider(schema(title="first")), Provider(schema(title="second"))
    of = spaces(first, second)
    assert of.get_schema("things", "thing")["title"] == "first"
    assert list_reasons(of) == {"p1/thing": "'p0' of somebodys-package has a schema of this name"}


@pytest.mark.parametrize("ours_first", [True, False])
def test_package_schema_replaces_our_substitute(ours_first: bool) -> None:
    ours = Entry("ours", Provider(schema(title="ours"), schema("more")), Owner("jupyter_colophon"))
    theirs = Entry("theirs", Provider(schema(title="theirs")), Owner("elyra"))
    of = spaces(*((ours, theirs) if ours_first else (theirs, ours)))
    assert of.get_schema("things", "thing")["title"] == "theirs"
    assert sorted(of.get_space("things").schemas) == ["more", "thing"]
    assert of.list_problems() == []


def test_schemaspace_registered_twice_is_loaded_once() -> None:
    of = spaces(Provider(schema()), also=[Entry("again", Space, Owner("elyra"))])
    assert of.list_names() == ["things"]
    assert of.list_problems() == []


def test_hanging_provider_is_reported_and_added_when_finished() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        return [schema("late")]

    of = spaces(Provider(asks=late), Provider(schema()), timeout_s=2)
    assert list(of.get_space("things").schemas) == ["thing"]
    (problem,) = of.list_problems()
    assert (problem.name, problem.late) == ("p0", True)
    come.set()
    wait_for(lambda: "late" in of.get_space("things").schemas and of.list_problems() == [])


def test_hanging_package_is_waited_for_once() -> None:
    come, slow = Event(), Owner("slow-package")

    def late(name: str) -> Provider:
        return Provider(asks=lambda: [come.wait(60) and schema(name)])

    entries = [Entry(f"slow{at}", late(f"late{at}"), slow) for at in range(3)]
    of = spaces(*entries, Entry("good", Provider(schema())), timeout_s=2)
    assert list(of.get_space("things").schemas) == ["thing"]
    assert list_reasons(of) == {
        "slow0": "no result within 2 s",
        "slow1": "the package has not finished loading",
        "slow2": "the package has not finished loading",
    }
    come.set()
    wait_for(lambda: len(of.get_space("things").schemas) == 4)
    wait_for(lambda: of.list_problems() == [])


def test_late_failure_is_reported() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        raise RuntimeError("late, and in vain")

    of = spaces(Provider(asks=late), timeout_s=2)
    assert list_reasons(of) == {"p0": "no result within 2 s"}
    come.set()
    wait_for(lambda: list_reasons(of) == {"p0": "RuntimeError: late, and in vain"})


def test_late_schemaspace_gets_its_schemas() -> None:
    come = Event()

    def late(parent: Any) -> Space:
        come.wait(60)
        return OtherSpace(parent)

    mine = schema("mine", schemaspace="others", schemaspace_id=OTHER_ID)
    of = spaces(Provider(schema(), mine), also=[Entry("others", late)], timeout_s=2)
    assert of.list_names() == ["things"]
    assert sorted(list_reasons(of)) == ["others", "p0/mine"]
    come.set()
    wait_for(lambda: of.list_problems() == [] and "others" in of.list_names())
    assert list(of.get_space("others").schemas) == ["mine"]


def test_provider_may_query_loaded_schemaspaces_while_loading() -> None:
    def asks() -> list[Any]:
        return [schema("second", title=", ".join(of.get_space("things").schemas))]

    of = spaces(Provider(schema()), Provider(asks=asks), timeout_s=30)
    assert of.get_schema("things", "second")["title"] == "thing"


def test_concurrent_threads_load_once() -> None:
    calls, start, found = [], Barrier(8), []

    def asks() -> list[Any]:
        calls.append(1)
        return [schema()]

    of = spaces(Provider(asks=asks))

    def load() -> None:
        start.wait(60)
        found.append(of.find_failure("things", "thing", thing(size=1)))

    threads = [Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(calls), found) == (1, [None] * 8)


def test_later_changes_of_a_provided_schema_are_ignored() -> None:
    document = schema()
    of = spaces(Provider(document))
    assert of.list_names() == ["things"]
    document["properties"]["metadata"]["properties"]["size"]["type"] = "string"
    assert of.find_failure("things", "thing", thing(size=1)) is None


def test_schemaspace_filter_changes_schemas_before_validation() -> None:
    class Changing(OtherSpace):
        def filter_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
            return schema | {"title": "changed"} if schema["name"] == "good" else {"name": "nonsense"}

    documents = [schema(name, schemaspace="others", schemaspace_id=OTHER_ID) for name in ("good", "bad")]
    of = spaces(Provider(*documents), also=[Entry("others", Changing)])
    assert of.get_schema("others", "good")["title"] == "changed"
    assert list(list_reasons(of)) == ["p0/bad"]


def test_only_allowed_packages_register() -> None:
    allowed = Entry("a", Provider(schema("aa")), Owner("Good_Package"))
    ours = Entry("b", Provider(schema("bb")), Owner("jupyter-colophon"))
    other = Entry("c", Provider(schema("cc")), Owner("bad-package"))
    things = Entry("things", Space, Owner("good.package"))
    of = Schemaspaces(
        schemaspaces=lambda: [things], providers=lambda: [allowed, ours, other], packages=["good-package"]
    )
    assert sorted(of.get_space("things").schemas) == ["aa", "bb"]


def test_test_schemaspace_requires_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METADATA_TESTING", raising=False)
    assert "metadata-tests" not in Schemaspaces().list_names()
    monkeypatch.setenv("METADATA_TESTING", "1")
    assert "metadata-tests" in Schemaspaces().list_names()


def test_refresh_loads_newly_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Schemaspaces()
    assert "things" not in of.list_names(deprecated=True)
    monkeypatch.syspath_prepend(install_things(tmp_path))
    of.refresh()
    assert "things" in of.list_names()
    assert "old-things" in of.list_names(deprecated=True)
    (problem,) = of.list_problems()
    assert (problem.name, problem.distribution, problem.version) == ("broken-things", "things-for-tests", "2.5")
    assert problem.reason == "RuntimeError: the provider is out of order"


def test_refresh_reloads_schemas_from_providers() -> None:
    choices = [["a"], ["a", "b"]]
    of = spaces(Provider(asks=lambda: [schema("thing", {"kind": {"enum": choices.pop(0)}})]))
    assert of.find_failure("things", "thing", thing(kind="b")) is not None
    of.refresh("things")
    assert of.find_failure("things", "thing", thing(kind="b")) is None


def test_refresh_removes_schemas_no_longer_provided() -> None:
    answers = [[schema(), schema("gone")], [schema()]]
    of = spaces(Provider(asks=lambda: answers.pop(0)), Provider(schema("other")))
    assert sorted(of.get_space("things").schemas) == ["gone", "other", "thing"]
    of.refresh()
    assert sorted(of.get_space("things").schemas) == ["other", "thing"]
    with pytest.raises(SchemaNotFound):
        of.get_schema("things", "gone")


def test_failed_refresh_keeps_earlier_schemas() -> None:
    answers: list[Any] = [[schema()], 7, [schema()]]
    of = spaces(Provider(asks=lambda: answers.pop(0)))
    assert of.list_problems() == []
    of.refresh()
    assert list_reasons(of) == {"p0": "TypeError: 'int' object is not iterable"}
    assert of.find_failure("things", "thing", thing(size=1)) is None
    of.refresh()
    assert of.list_problems() == []


def test_load_failure_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    of = spaces(Provider(7), Provider(schema()))
    assert of.list_names() == ["things"]
    of.refresh()
    assert [one.getMessage() for one in caplog.records] == [
        "Error loading schema '??' for SchemasProvider 'p0' - not a JSON object"
    ]


def test_schemaspaces_without_schemas_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert spaces().list_names() == ["things"]
    assert [one.getMessage() for one in caplog.records] == ["The following schemaspaces have no schemas: ['Things']"]
