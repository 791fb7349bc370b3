"""A notebook of one user that attacks another, in a real hub: by the attacker's server, the victim's, and the service."""

import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.core.identity.names import make_cell_program_urn
from support.hostile_notebook import SECRET, Target, run_attacks
from support.hub import Hub, needs_hub

pytestmark = needs_hub
TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,red.secrets,PROD)"
#: A run that goes on.
BEGIN = """
import os
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
catalog = Operations(Transport(ServerAddress(os.environ["COLOPHON_URL"], os.environ["COLOPHON_TOKEN"])))
run = catalog.start_run({"program": %r, "runId": "3b9d4f2e-8a43-4f5e-9f11-0d2f6c1f5a10", "start": "2026-11-20T12:00:00Z"})
catalog.record_accesses(run["urn"], {"accesses": [{"data": %r, "mode": "write"}]})
print(run["urn"])
"""


def test_a_hostile_notebook_achieves_nothing(hub: Hub, tokens: dict[str, str]) -> None:
    alice = hub.connect("alice", tokens["alice"])
    value = {"properties": {"note": SECRET}, "tags": [SECRET]}
    proposal = {"urn": TABLE, "aspect": "businessMetadata", "operation": "upsert", "value": value}
    alice.submit_proposals({"proposals": [proposal]})
    owned = hub.open_notebook("alice", tokens["alice"], "owned.ipynb")
    program = str(make_cell_program_urn("user_alice", "owned.ipynb", "c1"))
    run = owned.run(BEGIN % (program, TABLE), "c1").text.strip()
    target = Target("alice", "red", TABLE, run, owned.id, f"{hub.url}user/alice/", f"{hub.url}services/colophon/")
    before = read_state(alice, target)
    hostile = hub.open_notebook("bob", tokens["bob"], "hostile.ipynb")
    assert run_attacks(hostile, target, tokens["bob"]) == []
    hostile.close()
    hub.wait_until(lambda: not alice.read_health()["inbox"]["pending"])
    assert read_state(alice, target) == before
    owned.close()


def test_the_servers_credentials_are_not_in_the_notebook(hub: Hub, tokens: dict[str, str]) -> None:
    kernel = hub.open_notebook("bob", tokens["bob"], "looks.ipynb")
    environment = kernel.run("import os; print(*os.environ.items(), sep='\\n')", "c1").text
    kernel.close()
    assert "COLOPHON_TOKEN" in environment
    for name in ("JUPYTERHUB_API_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_COOKIE_SECRET", "COLOPHON_SERVICE_TOKEN"):
        assert name not in environment


def test_a_revoked_group_ends_access_within_its_bound(hub: Hub, tokens: dict[str, str]) -> None:
    bob = hub.connect_to_service(hub.create_token("bob")[0])
    with pytest.raises(RequestFailed):
        bob.read_entity(TABLE)
    hub.call("POST", "groups/red/users", {"users": ["bob"]})
    hub.wait_until(lambda: _may_read(bob))
    hub.call("DELETE", "groups/red/users", {"users": ["bob"]})
    # The hub's answers are used for a second here, and for at most 30 in any configuration.
    hub.wait_until(lambda: not _may_read(bob))


def _may_read(catalog: Operations) -> bool:
    try:
        catalog.read_entity(TABLE)
    except RequestFailed:
        return False
    return True


def read_state(catalog: Operations, target: Target) -> list[object]:
    """Return everything that an attack could have changed."""
    return [
        catalog.read_entity(target.dataset),
        catalog.read_run(target.run),
        catalog.read_changes(urn=target.dataset, limit=500)["changes"],
    ]
