"""External edits of instance files are visible in JupyterLab; no name leads out of the folder."""

import asyncio
import json
from pathlib import Path
from typing import Any

from support.instances import FYRE, HELLO, INSTANCES, URN, create_instances
from support.snippets import SPACE, build_snippet, get_snippet_folder, write_instance_file


async def test_broken_ones_are_shown_with_their_reason_repaired_and_removed(api: Any) -> None:
    write_instance_file("torn", '{"display_name": "T')
    write_instance_file("odd", build_snippet("Odd", code=None, tags=[" x"]))
    write_instance_file("lost", build_snippet("Lost") | {"schema_name": "nope"})
    listed = (await api("GET", *INSTANCES, params={"valid": "false"}, answers="instances")).body["instances"]
    assert {one["name"]: one["reason"] for one in listed} == {
        "lost": "SchemaNotFoundError",
        "odd": "ValidationError",
        "torn": "ValueError",
    }
    odd = await api("GET", *INSTANCES, "odd", answers="instance")
    assert (odd.status, odd.body["valid"]) == (200, False)
    assert {one["pointer"] for one in odd.body["problems"]} == {"/metadata", "/metadata/tags/0"}
    torn = (await api("GET", *INSTANCES, "torn", answers="instance")).body
    assert (torn["metadata"], torn["schema_name"], bool(torn["problems"])) == ({}, "{unknown}", True)
    repaired = await api("PUT", *INSTANCES, "torn", body=build_snippet("Repaired"), answers="instance")
    assert (repaired.status, repaired.body["valid"]) == (200, True)
    assert (await api("DELETE", *INSTANCES, "lost", answers="instance-delete-result")).status == 200


async def test_files_valid_in_elyra_are_valid_with_a_warning(api: Any) -> None:
    write_instance_file("years", build_snippet("Years", tags=[2023, "v1"]))
    twice = json.dumps(build_snippet("Twice", tags=["kept"])).replace('"language"', '"language": "R", "language"')
    write_instance_file("twice", twice)
    listed = (await api("GET", *INSTANCES, params={"valid": "true"}, answers="instances")).body["instances"]
    assert {one["name"]: (one["tags"], one["problem"]) for one in listed} == {
        "twice": (["kept"], ""),
        "years": (["v1"], ""),
    }
    years = (await api("GET", *INSTANCES, "years", answers="instance")).body
    assert (years["valid"], years["metadata"]["tags"]) == (True, [2023, "v1"])
    assert [one["pointer"] for one in years["problems"]] == ["/metadata/tags/0"]
    twice = (await api("GET", *INSTANCES, "twice", answers="instance")).body
    assert (twice["valid"], twice["metadata"]["language"]) == (True, "Python")
    assert ["same member twice" in one["message"] for one in twice["problems"]] == [True]
    saved = await api("PUT", *INSTANCES, "twice", body=build_snippet("Once"), answers="instance")
    assert (saved.status, saved.body["problems"]) == (200, [])


UPGRADED = {"runtime_type": "KUBEFLOW_PIPELINES", "auth_type": "DEX_LEGACY", "cos_auth_type": "USER_CREDENTIALS"}


async def test_old_runtime_is_upgraded_on_load_and_saved_later(api: Any) -> None:
    for name in ("kfp-fyre", "other"):
        write_instance_file(name, FYRE, space="runtimes")
    runtimes = ("schemaspaces", "runtimes")
    found = (await api("GET", *runtimes, "instances", "kfp-fyre", answers="instance")).body
    assert (found["valid"], found["metadata"] | UPGRADED) == (True, found["metadata"])
    path = get_snippet_folder("runtimes") / "kfp-fyre.json"
    # Reading changes no file.
    assert json.loads(path.read_text()) == FYRE
    patch = {"metadata": {"description": "The old one"}}
    merge = {"Content-Type": "application/merge-patch+json"}
    edited = await api("PATCH", *runtimes, "instances", "other", body=patch, headers=merge, answers="instance")
    assert (edited.status, edited.body["metadata"] | UPGRADED) == (200, edited.body["metadata"])
    for dry_run in ("true", "false"):
        done = (await api("POST", *runtimes, "migrate", params={"dryRun": dry_run}, answers="migration")).body
        assert done["migrated"] == ["kfp-fyre"]
    kept = json.loads(path.read_text())
    assert kept["metadata"] == FYRE["metadata"] | UPGRADED | {"engine": "Argo"}
    assert (await api("POST", *runtimes, "migrate", answers="migration")).body["migrated"] == []


async def test_external_edit_is_visible_with_its_own_version(api: Any) -> None:
    await create_instances(api, build_snippet())
    path = write_instance_file("hello", build_snippet("By hand"))
    found = await api("GET", *HELLO, answers="instance")
    assert (found.body["display_name"], found.body["version"]) == ("By hand", 2)
    assert (await api("PUT", *HELLO, body=build_snippet("Lost"), headers={"If-Match": '"1"'})).status == 412
    versions = (await api("GET", "entities", URN, "aspects", "instance", "versions", answers="versions")).body
    assert versions["versions"][0]["actor"].startswith("outside:")
    path.unlink()
    assert (await api("GET", *HELLO)).status == 404


ODD_NAMES = [
    "%2e%2e",
    "..%2f..%2fx",
    "a%00b",
    "%2fetc%2fpasswd",
    "a%5cb",
    "CON",
    ".hidden",
    "%20",
    "a%0db",
    "%e2%80%aetxt.exe",
    "%ff%fe",
    "%252e%252e%252f",
    "a" * 300,
    "hello.json",
    "hello%0a",
]


async def test_no_name_leads_out_of_the_folder(
    api: Any, http_server_client: Any, jp_auth_header: Any, jp_base_url: str, jp_data_dir: Path
) -> None:
    await create_instances(api, build_snippet())
    before = files(jp_data_dir)
    assert list(before) == [str(jp_data_dir / "metadata" / SPACE / "hello.json")]
    for name in ODD_NAMES:
        for path in (f"elyra/metadata/{SPACE}/{name}", f"colophon/api/schemaspaces/{SPACE}/instances/{name}"):
            for method, body in (
                ("GET", None),
                ("PUT", json.dumps(build_snippet())),
                ("PATCH", "{}"),
                ("DELETE", None),
            ):
                found = await http_server_client.fetch(
                    jp_base_url + path, method=method, body=body, headers=jp_auth_header, raise_error=False
                )
                assert found.code in (400, 404), (method, path, found.code, found.body)
                assert str(jp_data_dir).encode() not in found.body
    for name in (
        "..",
        "../x",
        "a\x00b",
        "/etc/passwd",
        "a\\b",
        "CON",
        ".hidden",
        " ",
        "a" * 300,
        "hello.json",
        "hello\n",
    ):
        assert (await api("POST", *INSTANCES, body=build_snippet() | {"name": name})).status == 400, name
    assert files(jp_data_dir) == before


def files(folder: Path) -> dict[str, bytes]:
    """All that is kept of instances."""
    found = [path for path in (folder / "metadata").rglob("*") if path.is_file() and ".locks" not in path.parts]
    return {str(path): path.read_bytes() for path in found}


LEFTOVERS = ("schemaspaces", SPACE, "recovery-files")


async def test_recovery_file_is_restored_or_discarded(api: Any) -> None:
    at = get_snippet_folder()
    at.mkdir(parents=True, exist_ok=True)
    (at / "gone.json1700000000.25").write_text(json.dumps(build_snippet("Gone")))
    (at / "torn.json1700000001.5").write_text("{")
    found = (await api("GET", *LEFTOVERS, answers="recovery-files")).body["recoveryFiles"]
    assert [(one["name"], one["missing"], bool(one["problem"])) for one in found] == [
        ("gone", True, False),
        ("torn", True, True),
    ]
    assert found[0]["time"] == 1_700_000_000_250
    back = await api("POST", *LEFTOVERS, "recover", body={"file": found[0]["file"]}, answers="instance")
    assert (back.body["display_name"], back.body["valid"], back.body["version"]) == ("Gone", True, 1)
    history = await api("GET", "entities", "urn:li:instance:(code-snippets,gone)", "aspects", "instance", "versions")
    assert not history.body["versions"][0]["actor"].startswith("outside:")
    again = await api("POST", *LEFTOVERS, "recover", body={"file": found[1]["file"]})
    assert (again.status, (at / found[1]["file"]).exists()) == (400, True)
    for file in (found[0]["file"], "../gone.json1700000000.25", "hello.json"):
        assert (await api("POST", *LEFTOVERS, "recover", body={"file": file})).status == 404
        assert (await api("POST", *LEFTOVERS, "discard", body={"file": file})).status == 404
    left = await api("POST", *LEFTOVERS, "discard", body={"file": found[1]["file"]}, answers="recovery-files")
    assert left.body == {"recoveryFiles": []}
    assert not (at / found[1]["file"]).exists()


async def test_first_request_records_earlier_external_edits(api: Any) -> None:
    at = get_snippet_folder()
    at.mkdir(parents=True, exist_ok=True)
    (at / "early.json").write_text(json.dumps(build_snippet("Early")))

    async def recorded() -> list[Any]:
        return (await api("GET", "changes", params={"type": "instance"})).body["changes"]

    for _ in range(3_000):
        if found := await recorded():
            break
        await asyncio.sleep(0.1)
    assert {one["urn"] for one in found} == {"urn:li:instance:(code-snippets,early)"}
    assert all(one["actor"].startswith("outside:") for one in found)
