"""What packages register is taken in; what is wrong with it harms only itself (spec SEC-17)."""

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest
from jupyter_colophon.core.errors import SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.spaces import Spaces
from support.packages import install_things
from support.strangers import ID, OTHER_ID, Entry, OtherSpace, Owner, Provider, Space, schema, spaces, thing


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(15_000):
        if condition():
            return
        Event().wait(0.02)
    raise AssertionError("it did not come")


def told(of: Spaces) -> dict[str, str]:
    return {one.name: one.reason for one in of.problems()}


def test_a_schemaspace_is_found_by_its_name_and_id_in_letters_of_either_case() -> None:
    of = spaces(Provider(schema()))
    for name in ("things", "THINGS", ID, ID.upper()):
        assert (of.space(name).name, of.space(name).key, of.space(name).id) == ("Things", "things", ID)
        assert of.schema(name, "thing")["schemaspace"] == "Things"
    assert of.names() == ["things"]


def test_what_is_not_there_is_told_in_the_words_of_elyra() -> None:
    of = spaces(Provider(schema()))
    with pytest.raises(SchemaspaceNotFound) as unknown:
        of.space("nope")
    assert (
        str(unknown.value)
        == "The schemaspace name or id 'nope' is not in the list of valid schemaspaces: '['things']'!"
    )
    assert isinstance(unknown.value, ValueError)
    with pytest.raises(SchemaNotFound) as absent:
        of.schema("things", "nope")
    assert str(absent.value) == "No such schema named 'nope' was found in the things schemaspace."


def test_lists_leave_out_what_is_deprecated_and_it_is_found_by_its_name() -> None:
    class Old(OtherSpace):
        is_deprecated = True

    of = spaces(Provider(schema(), schema("old", deprecated=True)), also=[Entry("old", Old)])
    assert of.names() == ["things"]
    assert of.names(deprecated=True) == ["things", "others"]
    assert list(of.space("things").schemas) == ["thing"]
    assert list(of.space("things").deprecated_schemas) == ["old"]
    assert of.schema("things", "old")["deprecated"]
    assert of.find_fault("things", "old", thing() | {"schema_name": "old"}) is None


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
def test_a_schemaspace_that_does_not_load_is_told_and_harms_no_other(loads: Any, reason: str) -> None:
    of = spaces(Provider(schema()), also=[Entry("bad", loads), Entry("others", OtherSpace)])
    assert of.names() == ["things", "others"]
    (problem,) = of.problems()
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
def test_a_provider_that_fails_is_told_and_harms_no_other(loads: Any, reason: str) -> None:
    of = spaces(loads, Provider(schema()))
    assert list(of.space("things").schemas) == ["thing"]
    assert [(one.kind, one.name, one.reason) for one in of.problems()] == [("schemas provider", "p0", reason)]


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
def test_a_schema_that_cannot_be_used_is_told_and_harms_no_other(document: Any, name: str, reason: str) -> None:
    of = spaces(Provider(document, schema()))
    assert list(of.space("things").schemas) == ["thing"]
    ((key, found),) = told(of).items()
    assert key == f"p0/{name}"
    assert found.startswith(reason)


def test_a_name_and_an_id_of_different_schemaspaces_make_no_schema() -> None:
    of = spaces(Provider(schema(schemaspace="others")), also=[Entry("others", OtherSpace)])
    assert told(of) == {"p0/thing": f"schemaspace 'others' and id '{ID}' belong to different schemaspaces"}


def test_of_two_packages_with_one_schema_the_first_stays_and_the_second_is_told() -> None:
    first, second = Provider(schema(title="first")), Provider(schema(title="second"))
    of = spaces(first, second)
    assert of.schema("things", "thing")["title"] == "first"
    assert told(of) == {"p1/thing": "'p0' of somebodys-package has a schema of this name"}


@pytest.mark.parametrize("ours_first", [True, False])
def test_a_schema_of_ours_makes_room_for_the_one_that_it_stands_in_for(ours_first: bool) -> None:
    ours = Entry("ours", Provider(schema(title="ours"), schema("more")), Owner("jupyter_colophon"))
    theirs = Entry("theirs", Provider(schema(title="theirs")), Owner("elyra"))
    of = spaces(*((ours, theirs) if ours_first else (theirs, ours)))
    assert of.schema("things", "thing")["title"] == "theirs"
    assert sorted(of.space("things").schemas) == ["more", "thing"]
    assert of.problems() == []


def test_a_schemaspace_that_is_registered_twice_is_one() -> None:
    of = spaces(Provider(schema()), also=[Entry("again", Space, Owner("elyra"))])
    assert of.names() == ["things"]
    assert of.problems() == []


def test_a_provider_that_hangs_is_told_and_taken_in_when_it_comes() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        return [schema("late")]

    of = spaces(Provider(asks=late), Provider(schema()), timeout_s=2)
    assert list(of.space("things").schemas) == ["thing"]
    (problem,) = of.problems()
    assert (problem.name, problem.late) == ("p0", True)
    come.set()
    wait_for(lambda: "late" in of.space("things").schemas and of.problems() == [])


def test_a_package_that_hangs_is_waited_for_once() -> None:
    come, slow = Event(), Owner("slow-package")

    def late(name: str) -> Provider:
        return Provider(asks=lambda: [come.wait(60) and schema(name)])

    entries = [Entry(f"slow{at}", late(f"late{at}"), slow) for at in range(3)]
    of = spaces(*entries, Entry("good", Provider(schema())), timeout_s=2)
    assert list(of.space("things").schemas) == ["thing"]
    assert told(of) == {
        "slow0": "no result within 2 s",
        "slow1": "its package has not finished loading",
        "slow2": "its package has not finished loading",
    }
    come.set()
    wait_for(lambda: len(of.space("things").schemas) == 4)
    wait_for(lambda: of.problems() == [])


def test_what_fails_late_is_told_as_what_fails_in_time() -> None:
    come = Event()

    def late() -> list[Any]:
        come.wait(60)
        raise RuntimeError("late, and in vain")

    of = spaces(Provider(asks=late), timeout_s=2)
    assert told(of) == {"p0": "no result within 2 s"}
    come.set()
    wait_for(lambda: told(of) == {"p0": "RuntimeError: late, and in vain"})


def test_the_schemas_of_a_schemaspace_that_comes_late_come_with_it() -> None:
    come = Event()

    def late(parent: Any) -> Space:
        come.wait(60)
        return OtherSpace(parent)

    mine = schema("mine", schemaspace="others", schemaspace_id=OTHER_ID)
    of = spaces(Provider(schema(), mine), also=[Entry("others", late)], timeout_s=2)
    assert of.names() == ["things"]
    assert sorted(told(of)) == ["others", "p0/mine"]
    come.set()
    wait_for(lambda: of.problems() == [] and "others" in of.names())
    assert list(of.space("others").schemas) == ["mine"]


def test_a_provider_may_ask_for_what_is_loaded_while_it_is_loaded_itself() -> None:
    def asks() -> list[Any]:
        return [schema("second", title=", ".join(of.space("things").schemas))]

    of = spaces(Provider(schema()), Provider(asks=asks), timeout_s=30)
    assert of.schema("things", "second")["title"] == "thing"


def test_many_threads_at_once_load_everything_once() -> None:
    asked, start, found = [], Barrier(8), []

    def asks() -> list[Any]:
        asked.append(1)
        return [schema()]

    of = spaces(Provider(asks=asks))

    def ask() -> None:
        start.wait(60)
        found.append(of.find_fault("things", "thing", thing(size=1)))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(asked), found) == (1, [None] * 8)


def test_what_a_package_does_to_its_schema_later_changes_nothing_here() -> None:
    document = schema()
    of = spaces(Provider(document))
    assert of.names() == ["things"]
    document["properties"]["metadata"]["properties"]["size"]["type"] = "string"
    assert of.find_fault("things", "thing", thing(size=1)) is None


def test_a_schemaspace_may_change_schemas_before_they_are_looked_at() -> None:
    class Changing(OtherSpace):
        def filter_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
            return schema | {"title": "changed"} if schema["name"] == "good" else {"name": "nonsense"}

    documents = [schema(name, schemaspace="others", schemaspace_id=OTHER_ID) for name in ("good", "bad")]
    of = spaces(Provider(*documents), also=[Entry("others", Changing)])
    assert of.schema("others", "good")["title"] == "changed"
    assert list(told(of)) == ["p0/bad"]


def test_only_packages_that_are_allowed_register_anything() -> None:
    allowed = Entry("a", Provider(schema("aa")), Owner("Good_Package"))
    ours = Entry("b", Provider(schema("bb")), Owner("jupyter-colophon"))
    other = Entry("c", Provider(schema("cc")), Owner("bad-package"))
    things = Entry("things", Space, Owner("good.package"))
    of = Spaces(schemaspaces=lambda: [things], providers=lambda: [allowed, ours, other], packages=["good-package"])
    assert sorted(of.space("things").schemas) == ["aa", "bb"]


def test_the_schemaspace_for_tests_is_there_while_a_variable_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METADATA_TESTING", raising=False)
    assert "metadata-tests" not in Spaces().names()
    monkeypatch.setenv("METADATA_TESTING", "1")
    assert "metadata-tests" in Spaces().names()


def test_what_is_installed_later_is_there_after_a_refresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = Spaces()
    assert "things" not in of.names(deprecated=True)
    monkeypatch.syspath_prepend(install_things(tmp_path))
    of.refresh()
    assert "things" in of.names()
    assert "old-things" in of.names(deprecated=True)
    (problem,) = of.problems()
    assert (problem.name, problem.distribution, problem.version) == ("broken-things", "things-for-tests", "2.5")
    assert problem.reason == "RuntimeError: the provider is out of order"


def test_a_refresh_asks_providers_for_their_schemas_anew() -> None:
    choices = [["a"], ["a", "b"]]
    of = spaces(Provider(asks=lambda: [schema("thing", {"kind": {"enum": choices.pop(0)}})]))
    assert of.find_fault("things", "thing", thing(kind="b")) is not None
    of.refresh("things")
    assert of.find_fault("things", "thing", thing(kind="b")) is None


def test_a_refresh_takes_away_what_is_provided_no_more() -> None:
    answers = [[schema(), schema("gone")], [schema()]]
    of = spaces(Provider(asks=lambda: answers.pop(0)), Provider(schema("other")))
    assert sorted(of.space("things").schemas) == ["gone", "other", "thing"]
    of.refresh()
    assert sorted(of.space("things").schemas) == ["other", "thing"]
    with pytest.raises(SchemaNotFound):
        of.schema("things", "gone")


def test_a_provider_that_fails_at_a_refresh_leaves_what_it_provided() -> None:
    answers: list[Any] = [[schema()], 7, [schema()]]
    of = spaces(Provider(asks=lambda: answers.pop(0)))
    assert of.problems() == []
    of.refresh()
    assert told(of) == {"p0": "TypeError: 'int' object is not iterable"}
    assert of.find_fault("things", "thing", thing(size=1)) is None
    of.refresh()
    assert of.problems() == []


def test_what_is_not_loaded_is_told_in_the_log_once(caplog: pytest.LogCaptureFixture) -> None:
    of = spaces(Provider(7), Provider(schema()))
    assert of.names() == ["things"]
    of.refresh()
    assert [one.getMessage() for one in caplog.records] == [
        "Error loading schema '??' for SchemasProvider 'p0' - not a JSON object"
    ]


def test_schemaspaces_without_schemas_are_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert spaces().names() == ["things"]
    assert [one.getMessage() for one in caplog.records] == ["The following schemaspaces have no schemas: ['Things']"]
