"""A server that is killed between its 202 and the write (spec PROMISE-1)."""

import threading
import uuid

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.identity.names import make_home_dataset_urn
from live import LiveServer
from support.catalog import build_metadata_value


def test_entries_accepted_before_a_kill_are_applied_once(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    server, sent = LiveServer(root, tmp_path), {}
    server.start()
    try:
        catalog = server.create_client()
        for _ in range(30):
            urn = str(make_home_dataset_urn("sales", f"t{uuid.uuid4().hex}"))
            wish = {"urn": urn, "aspect": "technicalMetadata", "operation": "create", "value": build_metadata_value()}
            sent[urn] = catalog.submit_proposals({"proposals": [wish]}, async_=True)["id"]
        server.kill()
        catalog.close()
        server.start()
        catalog, pause = server.create_client(), threading.Event()
        for urn, entry in sent.items():
            while (found := catalog.read_inbox_entry(entry))["state"] == "pending":
                pause.wait(0.01)
            assert (found["state"], found["results"][0]["version"]) == ("applied", 1)
            assert read_stored_aspect(catalog, urn, "technicalMetadata").version == 1
        assert catalog.list_dead_letters()["deadLetters"] == []
        catalog.close()
    finally:
        server.stop()
