"""The native API as a client sees it, on a real server."""

import threading
import urllib.request
import uuid

import pytest
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import (
    StoredAspect,
    edit_aspect_with_retries,
    read_stored_aspect,
    write_stored_aspect,
)
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import ServerAddress, Transport
from support.misbehaving_server import start_recording_server

BUSINESS = "businessMetadata"


def urn(database, table="t"):
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{database}.{table},PROD)"


def words(*tags, **properties):
    return {"tags": list(tags), "properties": properties}


def test_user_and_health_are_read(catalog):
    assert set(catalog.read_me()["scopes"]) == {"read", "annotate", "emit", "admin"}
    assert catalog.read_health()["status"] == "ok"


def test_absent_entity_is_none_and_absent_aspect_version_minus_one(catalog, database):
    assert find_entity(catalog, urn(database, "none")) is None
    assert (
        read_stored_aspect(catalog, urn(database, "none"), BUSINESS)
        == read_stored_aspect(catalog, urn(database), BUSINESS)
        == StoredAspect({}, -1)
    )


def test_failed_condition_writes_nothing(catalog, database):
    assert write_stored_aspect(catalog, urn(database), BUSINESS, words("a"), -1)["version"] == 1
    assert write_stored_aspect(catalog, urn(database), BUSINESS, words("b"), 1)["version"] == 2
    for stale in (-1, 1):
        with pytest.raises(RequestFailed) as caught:
            write_stored_aspect(catalog, urn(database), BUSINESS, words("c"), stale)
        assert caught.value.status == 412
    assert read_stored_aspect(catalog, urn(database), BUSINESS) == StoredAspect(words("b"), 2)


def test_concurrent_edits_are_all_kept(server, catalog, database):
    def edit(name):
        mine = server.create_client()
        for number in range(5):
            edit_aspect_with_retries(
                mine,
                urn(database),
                BUSINESS,
                lambda value: words(*value.get("tags", []), f"{name}-{number}"),  # noqa: B023
            )
        mine.close()

    threads = [threading.Thread(target=edit, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tags = read_stored_aspect(catalog, urn(database), BUSINESS).value["tags"]
    assert sorted(tags) == sorted(f"{name}-{number}" for name in "abcd" for number in range(5))


def test_an_edit_that_the_server_refuses_is_not_tried_again(catalog, database):
    calls = []

    def edit(_):
        calls.append(1)
        return words("not a tag" * 10, **{"tags": "x"})

    with pytest.raises(RequestFailed) as caught:
        edit_aspect_with_retries(catalog, urn(database), BUSINESS, edit)
    assert caught.value.status == 400
    assert len(calls) == 1


def test_written_metadata_is_found_by_search_keys_and_values(catalog, database):
    catalog.write_aspect(urn(database), BUSINESS, words("t1", **{f"key-{database}": "some value"}))
    (hit,) = catalog.search(f"key-{database}:some*")["hits"]
    assert hit["urn"] == urn(database)
    assert [row["key"] for row in catalog.list_keys(prefix=f"key-{database}")["keys"]] == [f"key-{database}"]
    assert [row["value"] for row in catalog.list_values(f"key-{database}")["values"]] == ["some value"]
    assert [entity["urn"] for entity in catalog.list_entities(type="dataset", namespace=database)["entities"]] == [
        urn(database)
    ]


def test_repeated_run_and_accesses_are_recorded_once(catalog, database):
    program = f"urn:li:dataJob:(urn:li:dataFlow:(colophon,notebook,default),cells.{database}.ipynb#c)"
    start = {"program": program, "runId": str(uuid.uuid4()), "start": "2026-11-20T12:00:00.000Z"}
    touched = {"accesses": [{"data": urn(database), "mode": "read"}, {"data": urn(database, "u"), "mode": "write"}]}
    first, again = catalog.start_run(start), catalog.start_run(start)
    assert first["urn"] == again["urn"]
    for _ in range(2):
        catalog.record_accesses(first["urn"], touched)
    catalog.update_run(first["urn"], {"status": "succeeded", "end": "2026-11-20T12:00:01.000Z"})
    run = catalog.read_run(first["urn"])
    assert (run["status"], len(run["accesses"])) == ("succeeded", 2)
    assert [other["urn"] for other in catalog.list_runs(program=program)["runs"]] == [first["urn"]]
    graph = catalog.read_lineage(urn(database, "u"), direction="upstream", levels=1)
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} == {
        (urn(database), program),
        (program, urn(database, "u")),
    }


def test_names_with_special_characters_round_trip(catalog, database):
    strange = f"urn:li:dataset:(urn:li:dataPlatform:file,/{database}/ä ö?#&=+%2C%25;/x.csv,PROD)"
    catalog.submit_proposals(
        {
            "proposals": [
                {
                    "urn": strange,
                    "aspect": "technicalMetadata",
                    "operation": "patch",
                    "value": {"properties": {"a": "b"}},
                }
            ]
        }
    )
    catalog.write_aspect(strange, BUSINESS, words("x"))
    found = find_entity(catalog, strange)
    assert found["urn"] == strange
    assert set(found["aspects"]) >= {BUSINESS, "technicalMetadata"}


def test_async_batch_failures_are_replayed_or_discarded(catalog, database):
    wish = {"urn": urn(database), "aspect": BUSINESS, "operation": "upsert", "value": words("a")}
    first, second = (
        _settled(catalog, catalog.submit_proposals({"proposals": [wish | {"ifVersion": at}]}, async_=True))
        for at in (1, 5)
    )
    assert (first["state"], first["problem"]["status"]) == ("rejected", 412)
    letters = catalog.list_dead_letters(kind="proposals")["deadLetters"]
    assert [one["id"] for one in letters[:2]] == [second["deadLetter"], first["deadLetter"]]
    catalog.write_aspect(urn(database), BUSINESS, words("b"))
    assert [one["version"] for one in catalog.replay_dead_letter(first["deadLetter"])["results"]] == [2]
    assert catalog.delete_dead_letter(second["deadLetter"]) == {"id": second["deadLetter"]}
    assert catalog.read_inbox_entry(first["id"])["state"] == "applied"
    with pytest.raises(RequestFailed) as caught:
        catalog.replay_dead_letter(second["deadLetter"])
    assert caught.value.status == 404


def test_write_with_lost_answer_is_applied_once(server, catalog, database):
    def forward(stranger):
        method, path, headers, body, _ = stranger.server.requested[-1]
        passed_on = {"Authorization": f"token {server.token}", "Idempotency-Key": headers["Idempotency-Key"]}
        request = urllib.request.Request(
            server.url + path.removeprefix("/base/"), body, passed_on | {"If-None-Match": "*"}, method=method
        )
        with urllib.request.urlopen(request, timeout=120) as response:
            if len(stranger.server.requested) == 1:
                stranger.close_without_reply()
            else:
                stranger.send_reply(response.status, response.read())

    with start_recording_server(forward) as way:
        mine = Operations(Transport(ServerAddress(way.url, server.token)))
        assert write_stored_aspect(mine, urn(database), BUSINESS, words("a"), -1)["version"] == 1
        mine.close()
        assert len(way.requested) == 2
    assert read_stored_aspect(catalog, urn(database), BUSINESS) == StoredAspect(words("a"), 1)


def _settled(catalog, entry):
    pause = threading.Event()
    while entry["state"] == "pending":
        pause.wait(0.01)
        entry = catalog.read_inbox_entry(entry["id"])
    return entry
