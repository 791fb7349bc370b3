"""What packages register, as the Elyra API shows it: letters, deprecated schemas, classes, changes."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_colophon.elyra import SchemaManager
from support import hook_classes
from support.third_party_packages import (
    ID,
    FakeEntryPoint,
    GivenSchemasProvider,
    build_thing_schema,
    register_schemaspace,
)

STORE_NAMES = ["sqlite"]
THINGS = ("metadata", "things")


class Choosing(GivenSchemasProvider):
    """A provider whose schema depends on what there is to choose from."""

    def __init__(self, *choices: str) -> None:
        super().__init__(asks=lambda: [build_thing_schema("choice", {"kind": {"enum": self.choices}})])
        self.choices = list(choices)


@pytest.fixture
def choosing() -> Choosing:
    return Choosing("a", "b")


@pytest.fixture(autouse=True)
def things(choosing: Choosing, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`Things` with two schemas, a deprecated one, one with a class, one that changes; and a provider that is broken."""
    good = GivenSchemasProvider(
        build_thing_schema(),
        build_thing_schema("old", deprecated=True),
        build_thing_schema("hooked", metadata_class_name="support.hook_classes.HookRecordingMetadata"),
    )
    broken = GivenSchemasProvider(asks=lambda: 1 // 0)
    entries = [FakeEntryPoint("good", good), FakeEntryPoint("broken", broken), FakeEntryPoint("choosing", choosing)]
    register_schemaspace(monkeypatch, *entries)
    hook_classes.clear_recorded_hooks()
    yield
    hook_classes.clear_recorded_hooks()
    SchemaManager.clear_instance()


def a(schema_name: str, **metadata: Any) -> dict[str, Any]:
    return {"name": "it", "display_name": "It", "schema_name": schema_name, "metadata": metadata}


async def test_schemaspace_is_listed_in_lower_case_and_read_by_name(elyra: Any) -> None:
    assert "things" in (await elyra("GET", "schemaspace")).body["schemaspaces"]
    reported = (await elyra("GET", "schemaspace", "THINGS")).body
    assert (reported["name"], reported["id"]) == ("Things", ID)
    assert (await elyra("GET", "metadata", "Things")).body == {"Things": []}


async def test_deprecated_schema_is_not_listed_but_readable(elyra: Any) -> None:
    listed = (await elyra("GET", "schema", "things")).body["things"]
    assert sorted(one["name"] for one in listed) == ["choice", "hooked", "thing"]
    assert (await elyra("GET", "schema", "things", "old")).body["deprecated"]
    assert (await elyra("POST", *THINGS, body=a("old"))).status == 201


async def test_class_additions_are_shown_and_refused_saves_undone(elyra: Any) -> None:
    made = await elyra("POST", *THINGS, body=a("hooked"))
    assert (made.status, made.body) == (201, a("hooked") | {"own": "made before the save"})
    assert (await elyra("GET", *THINGS, "it")).body == made.body
    for raised, status in ((ValueError("not today"), 400), (PermissionError("not today"), 403)):
        await _refuse_each_hook(elyra, made.body, raised, status)
    # The operating system's own may name a path, which is for the log alone.
    hook_classes.FAILS["pre_save"] = PermissionError(13, "Permission denied", "/var/secret")
    refused = await elyra("PUT", *THINGS, "it", body=a("hooked", size=1))
    assert (refused.status, "/var/secret" in refused.body["message"]) == (400, False)


async def _refuse_each_hook(elyra: Any, made: Any, raised: Exception, status: int) -> None:
    for hook, method, path, body in (
        ("pre_save", "PUT", (*THINGS, "it"), a("hooked", size=1)),
        ("post_save", "PUT", (*THINGS, "it"), a("hooked", size=1)),
        ("post_save", "POST", THINGS, a("hooked") | {"name": "other"}),
        ("pre_delete", "DELETE", (*THINGS, "it"), None),
        ("post_delete", "DELETE", (*THINGS, "it"), None),
    ):
        hook_classes.FAILS[hook] = raised
        refused = await elyra(method, *path, body=body)
        assert (refused.status, "not today" in refused.body["message"]) == (status, True), hook
        hook_classes.clear_recorded_hooks()
        assert (await elyra("GET", *THINGS)).body["things"] == [made], hook


async def test_a_broken_provider_is_named_and_harms_no_other(api: Any, elyra: Any) -> None:
    (problem,) = (await api("GET", "health", answers="health")).body["schemaspaces"]["problems"]
    assert (problem["source"], problem["distribution"]) == ("broken", "somebodys-package")
    assert "division" in problem["reason"]
    assert (await elyra("POST", *THINGS, body=a("thing", size=1))).status == 201


async def test_changed_provider_is_reloaded_without_losing_instances(elyra: Any, choosing: Choosing) -> None:
    made = (await elyra("POST", *THINGS, body=a("choice", kind="a"))).body

    async def reason(expected: str | None) -> None:
        for _ in range(6_000):
            (found,) = (await elyra("GET", *THINGS, params={"include_invalid": "true"})).body["things"]
            if found.get("reason") == expected:
                break
            await asyncio.sleep(0.05)
        assert found == made | ({"reason": expected} if expected else {})

    choosing.choices.remove("a")
    choosing.notify_changed()
    await reason("ValidationError")
    assert (await elyra("GET", *THINGS)).body == {"things": []}
    refused = await elyra("GET", *THINGS, "it")
    assert (refused.status, "'a' is not one of ['b']" in refused.body["message"]) == (400, True)
    choosing.choices.append("a")
    choosing.notify_changed()
    await reason(None)
    assert (await elyra("GET", *THINGS, "it")).body == made
