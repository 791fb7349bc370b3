"""A real JupyterHub: three users in two groups, an admin, and one service on PostgreSQL."""

import json
from collections.abc import Iterator

import pytest
from faults.size import IS_FULL
from support.hub import Hub, find_free_port, is_answered
from support.packages import build_python_path
from support.postgres import create_empty_store
from support.system_apps import install_example

#: Each group has a namespace. Alice has that of her notebooks, and `default`, where her program is.
POLICY = {
    "rules": [
        {"role": "contributor", "to": ["group:red"], "on": {"namespace": ["red"]}},
        {"role": "contributor", "to": ["group:blue"], "on": {"namespace": ["blue"]}},
        {"role": "contributor", "to": ["user:alice"], "on": {"namespace": ["user_alice", "default"]}},
    ]
}


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    (folder / "policies").mkdir()
    (folder / "policies" / "teams.json").write_text(json.dumps(POLICY))
    with create_empty_store() as store:
        options = [f"--Colophon.storage_options={name}={value}" for name, value in store.options.items()]
        service = {
            "url": f"http://127.0.0.1:{find_free_port()}",
            "writers": ["red", "blue"],
            "admins": ["platform"],
            "arguments": [
                "--allow-root",
                "--storage-provider=postgresql",
                *options,
                f"--Colophon.policy_folder={folder / 'policies'}",
                "--Colophon.admins=group:platform",
                "--HubIdentityProvider.cache_seconds=1",
            ],
            "environment": {"PYTHONPATH": build_python_path(folder / "site", install_example(folder / "site"))},
        }
        groups = {"red": ["alice", "carol"], "blue": ["bob"], "platform": ["grace"]}
        running = Hub(folder, groups, service)
        running.start()
        try:
            yield running
        finally:
            running.stop()


@pytest.fixture(scope="session")
def tokens(hub: Hub) -> dict[str, str]:
    """The token of each user. Their single-user servers are started together; that of carol only in the full size."""
    users = ["alice", "bob", "carol"] if IS_FULL else ["alice", "bob"]
    for user in users:
        hub.start_server(user)
    grace, _ = hub.create_token("grace")
    admin = hub.connect_to_service(grace)
    hub.wait_until(lambda: is_answered(admin))
    for namespace in ("red", "blue"):
        admin.write_aspect(f"urn:li:namespace:{namespace}", "status", {"removed": False})
    return {user: hub.create_token(user)[0] for user in ("alice", "bob", "carol")}
