"""A real server in a separate process, and kernels of it. A conftest imports the fixtures that its tests use."""

import uuid

import pytest
from live import run_live_kernel, run_live_server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with run_live_server(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="session")
def catalog(server):
    """Connect to the catalog as the server's owner."""
    connection = server.create_client()
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def kernel(server):
    with run_live_kernel(server, f"live-{uuid.uuid4().hex[:8]}.ipynb") as running:
        yield running


@pytest.fixture
def database(catalog):
    """Create a namespace that no other test uses, with the table `t`."""
    name = f"db_{uuid.uuid4().hex[:12]}"
    value = {"properties": {"format": "parquet"}}
    urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,{name}.t,PROD)"
    catalog.submit_proposals(
        {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "patch", "value": value}]}
    )
    return name


@pytest.fixture
def known(server, tmp_path, monkeypatch):
    """Set the environment of a program that the server started."""
    monkeypatch.setenv("COLOPHON_URL", server.url)
    monkeypatch.setenv("COLOPHON_TOKEN", server.token)
    monkeypatch.setenv("COLOPHON_OUTBOX", str(tmp_path / "outbox"))
