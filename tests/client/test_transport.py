"""The transport against servers that behave as servers do on a bad day."""

import json
import socket
import threading

import pytest
from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.client.transport import ServerAddress, Transport
from support.misbehaving_server import RecordingHandler, start_recording_server

TOKEN = "CANARY-7f3a"


def fine(stranger: RecordingHandler) -> None:
    stranger.send_reply(200, b'{"fine": true}', ETag='"3"')


def test_a_request_carries_prefix_query_token_and_json():
    with start_recording_server(fine) as server:
        answer = Transport(ServerAddress(server.url, TOKEN)).request(
            "PUT", "/x", query={"a": "b c", "n": None, "t": True}, body={"k": 1}
        )
        ((method, path, headers, body, _),) = server.requested
    assert (method, path) == ("PUT", "/base/colophon/api/x?a=b+c&t=true")
    assert headers["Authorization"] == f"token {TOKEN}"
    assert json.loads(body) == {"k": 1}
    assert (answer.status, answer.body, answer.headers["etag"]) == (200, {"fine": True}, '"3"')


def test_one_connection_serves_many_requests():
    with start_recording_server(fine) as server:
        transport = Transport(ServerAddress(server.url))
        for _ in range(5):
            transport.request("GET", "/x")
        transport.close()
        assert len({address for *_, address in server.requested}) == 1


def test_a_connection_that_the_server_closed_meanwhile_is_replaced():
    def once(stranger: RecordingHandler) -> None:
        stranger.send_reply(200, b"{}")
        stranger.close_connection = True

    with start_recording_server(once) as server:
        transport = Transport(ServerAddress(server.url))
        assert [transport.request("GET", "/x").status for _ in range(3)] == [200, 200, 200]
        transport.close()


def lost(stranger: RecordingHandler) -> None:
    """The first request is read, and never answered."""
    if len(stranger.server.requested) == 1:
        stranger.close_without_reply()
    else:
        fine(stranger)


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_write_with_lost_answer_is_retried_with_the_same_key(method):
    with start_recording_server(lost) as server:
        assert Transport(ServerAddress(server.url)).request(method, "/x", body={"k": 1}).status == 200
        first, again = server.requested
    assert first[:2] == again[:2]
    assert first[3] == again[3]
    assert first[2]["Idempotency-Key"] == again[2]["Idempotency-Key"]


def test_write_is_retried_only_once():
    with start_recording_server(RecordingHandler.close_without_reply) as server:
        with pytest.raises(ServerUnavailable):
            Transport(ServerAddress(server.url)).request("PUT", "/x", body={})
        assert len(server.requested) == 2


def test_each_write_has_its_own_key_and_reads_have_none():
    with start_recording_server(fine) as server:
        transport = Transport(ServerAddress(server.url))
        for method in ("GET", "PUT", "PUT"):
            transport.request(method, "/x")
        transport.close()
        keys = [headers.get("Idempotency-Key") for _, _, headers, *_ in server.requested]
    assert keys[0] is None
    assert len(set(keys)) == 3


@pytest.mark.parametrize(("pause", "requested"), [({"Retry-After": "0"}, 2), ({"Retry-After": "60"}, 1), ({}, 1)])
def test_retry_after_is_honoured_within_the_deadline(pause, requested):
    with start_recording_server(lambda stranger: stranger.send_reply(503, b'{"detail": "busy"}', **pause)) as server:
        with pytest.raises(RequestFailed, match="busy"):
            Transport(ServerAddress(server.url)).request("POST", "/x", body={})
        assert len(server.requested) == requested


def test_refused_connection_raises_server_unavailable():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    with pytest.raises(ServerUnavailable, match=f"127.0.0.1:{port}"):
        Transport(ServerAddress(f"http://127.0.0.1:{port}/", TOKEN)).request("GET", "/x")


def test_a_server_that_never_answers_is_given_up_in_time():
    release = threading.Event()
    with start_recording_server(lambda _: release.wait(30)) as server:
        with pytest.raises(ServerUnavailable, match="timed out"):
            Transport(ServerAddress(server.url), timeout_s=0.2).request("GET", "/x")
        release.set()


def test_slow_answer_times_out():
    release = threading.Event()

    def drip(stranger: RecordingHandler) -> None:
        stranger.send_response(200)
        stranger.send_header("Content-Length", "1000000")
        stranger.end_headers()
        while not release.wait(0.02):
            stranger.wfile.write(b" " * 100)

    with start_recording_server(drip) as server:
        with pytest.raises(ServerUnavailable):
            Transport(ServerAddress(server.url), timeout_s=0.3).request("GET", "/x")
        release.set()


def test_a_problem_is_refused_with_its_words_and_places():
    problem = {
        "type": "t",
        "title": "T",
        "status": 400,
        "detail": "not valid",
        "errors": [{"pointer": "/tags/0", "message": "no"}],
    }
    with (
        start_recording_server(lambda stranger: stranger.send_reply(400, json.dumps(problem).encode())) as server,
        pytest.raises(RequestFailed) as caught,
    ):
        Transport(ServerAddress(server.url, TOKEN)).request("GET", "/x")
    assert (caught.value.status, caught.value.problem, caught.value.is_temporary) == (400, problem, False)
    assert str(caught.value) == "not valid; /tags/0: no"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (302, b"", "does not accept the token"),
        (403, b'{"message": "Forbidden"}', "does not accept the token"),
        (403, b'{"type": "t", "detail": "_xsrf argument missing from POST"}', "does not accept the token"),
        (403, b'{"type": "t", "detail": ""}', "does not accept the token"),
        (403, b'{"type": "urn:jupyter-colophon:problem:forbidden", "detail": "x"}', "does not accept the token"),
        (403, b'{"type": "t", "detail": "you may not delete this"}', "you may not delete this"),
        (500, b"", "answered 500"),
    ],
)
def test_answers_of_others_are_refused_in_plain_words(status, body, words):
    with (
        start_recording_server(lambda stranger: stranger.send_reply(status, body, Location="/login")) as server,
        pytest.raises(RequestFailed, match=words),
    ):
        Transport(ServerAddress(server.url, TOKEN)).request("GET", "/x")


def test_token_is_not_sent_to_redirect_targets():
    with (
        start_recording_server(fine) as other,
        start_recording_server(lambda stranger: stranger.send_reply(302, b"", Location=other.url)) as server,
    ):
        with pytest.raises(RequestFailed):
            Transport(ServerAddress(server.url, TOKEN)).request("GET", "/x")
        assert other.requested == []


def test_an_answer_that_is_no_json_is_no_catalog():
    with (
        start_recording_server(lambda stranger: stranger.send_reply(200, b"<html>")) as server,
        pytest.raises(ServerUnavailable, match="not from the catalog"),
    ):
        Transport(ServerAddress(server.url)).request("GET", "/x")


def test_a_server_without_the_extension_is_no_catalog():
    with (
        start_recording_server(lambda stranger: stranger.send_reply(404, b"<html>")) as server,
        pytest.raises(ServerUnavailable, match="extension is not enabled"),
    ):
        Transport(ServerAddress(server.url)).request("GET", "/x")


def test_neither_errors_nor_values_show_the_token():
    server = ServerAddress("http://user:CANARY-pass@127.0.0.1:9/?token=CANARY-query", TOKEN)
    with pytest.raises(ServerUnavailable) as caught:
        Transport(server).request("GET", "/x")
    assert "CANARY" not in f"{caught.value}{server!r}"


def test_a_base_path_of_any_characters_is_encoded_once():
    assert (
        ServerAddress("http://h/user/ä b").url
        == "http://h/user/%C3%A4%20b/"
        == ServerAddress("http://h/user/%C3%A4%20b/").url
    )


def test_a_token_that_no_header_can_hold_is_refused_unseen():
    for token in ("CANARY\n", "CANÄRY"):
        with pytest.raises(ValueError, match="invalid characters"):
            ServerAddress("http://h/", token)


@pytest.mark.parametrize("url", ["ftp://host/", "host:8888", "", "http:///x"])
def test_invalid_server_url_is_refused(url):
    with pytest.raises(ValueError, match="not the URL"):
        ServerAddress(url)
