"""What `configure_service` adds to the configuration of a hub, and whom the headers of a forwarded request name."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.identity.names import is_valid_namespace_name
from jupyter_colophon.core.identity.user_namespace import make_user_namespace
from jupyter_colophon.http.forwarding.caller_headers import build_caller_headers, restrict_principal
from jupyter_colophon.hub import configure_service
from traitlets.config import Config

UNIT = Path(__file__).parents[3] / "examples" / "service" / "jupyter-colophon.service"


def test_what_is_configured_stays() -> None:
    c = Config()
    c.JupyterHub.base_url = "/hubs/one/"
    c.JupyterHub.services = [{"name": "cull"}]
    c.Spawner.environment = {"A": "b"}
    configure_service(c, writers=["etl"], admins=["platform"], arguments=["--processes=2"])
    assert [service["name"] for service in c.JupyterHub.services] == ["cull", "colophon"]
    assert c.JupyterHub.services[1]["command"][-2:] == ["--hub", "--processes=2"]
    assert c.Spawner.environment == {
        "A": "b",
        "COLOPHON_SERVICE_URL": "http://127.0.0.1:10101/hubs/one/services/colophon/",
    }
    assert "users:activity!user" in c.Spawner.server_token_scopes
    assert "access:services!service=colophon" in c.Spawner.server_token_scopes


def test_a_service_elsewhere_is_not_started() -> None:
    c = Config()
    c.JupyterHub.services = []
    configure_service(c, url="http://colophon:10101", command=())
    assert "command" not in c.JupyterHub.services[0]


def test_headers_take_rights_away_only() -> None:
    user, kernel = Principal("ada", scopes=frozenset({"read", "emit"})), Principal("ada", "k1", KERNEL_ACTIONS)
    found = restrict_principal(user, build_caller_headers(kernel))
    assert (found.user, found.via, found.scopes) == ("ada", "k1", {"read", "emit"})
    assert restrict_principal(user, {"Colophon-Scopes": "admin read nonsense"}).scopes == {"read"}
    assert restrict_principal(user, {"Colophon-Kernel": "service:robot"}).scopes == set()
    assert restrict_principal(user, {}) == user


@given(st.sets(st.text(min_size=1, max_size=8), min_size=2, max_size=2))
def test_no_two_users_have_one_namespace(users: set[str]) -> None:
    one, other = users
    assert make_user_namespace(one) != make_user_namespace(other)
    assert is_valid_namespace_name(make_user_namespace(one))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_the_unit_file_is_valid(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    # The program must exist.
    unit.write_text(UNIT.read_text().replace("/opt/colophon/bin/jupyter", "/bin/true"))
    found = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    assert (found.returncode, [line for line in found.stderr.splitlines() if UNIT.name in line]) == (0, [])
