"""Start kernels with our URL and a token of their own (spec CAPTURE-1, SEC-16).

The server's own credentials never reach them: Jupyter starts kernels with the server's whole environment.
"""

import asyncio
import os
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_server.auth.identity import User
from jupyter_server.serverapp import ServerApp

from jupyter_colophon.http.forwarding.shared_catalog import TOKEN_VARIABLE
from jupyter_colophon.http.request_user import get_request_user
from jupyter_colophon.http.state import SETTING, ServerState, find_actor_name

NAME = "colophon-provisioner"
#: The variables with credentials of the server itself: Jupyter's, JupyterHub's (JPY_…: of its versions before 0.8),
#: libpq's password of the catalog, and the token of the shared service. `c.Colophon.kernel_env_passthrough` names those that kernels keep (docs/settings.md).
SERVER_VARIABLES: Final = frozenset(
    {
        "JUPYTER_TOKEN",
        "JUPYTERHUB_API_TOKEN",
        "JUPYTERHUB_CRYPT_KEY",
        "JUPYTERHUB_COOKIE_SECRET",
        "JPY_API_TOKEN",
        "JPY_COOKIE_SECRET",
        "CONFIGPROXY_AUTH_TOKEN",
        "PGPASSWORD",
        TOKEN_VARIABLE,
    }
)
#: How long the shutdown of a kernel waits for the record of the end of its runs, while the store is slow.
RECORD_TIMEOUT_S: Final = 30.0


class ColophonProvisioner(LocalProvisioner):
    """Starts a kernel as Jupyter does, with five variables more and the server's credentials less."""

    #: Whether the kernel was registered and has a token.
    _is_registered = False
    #: The record of the end of its runs, which is written in the background; None if there is nothing to wait for.
    _end_record: "Future[None] | None" = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Add our variables to the kernel's environment; called again for a restart, with a new token."""
        prepared = await super().pre_launch(**kwargs)
        server = _find_server(self.parent)
        if server is not None:
            environment = prepared.get("env") or os.environ.copy()
            prepared["env"] = _build_kernel_environment(environment, server, str(self.kernel_id))
            self._is_registered = True
        return prepared

    async def poll(self) -> int | None:
        """Return the exit code of an ended kernel, also if `cleanup` is not called, as after too many restarts."""
        has_process = self.has_process
        code: int | None = await super().poll()
        if has_process and code is not None:
            self._record_end_and_revoke_token()
        return code

    async def cleanup(self, restart: bool = False) -> None:
        """Record the kernel's unfinished runs as killed, and revoke its token; a restarted kernel gets a new one.

        A server that stops waits for its kernels, and no longer writes once its process ends: so this waits for the record.
        """
        self._record_end_and_revoke_token()
        server = _find_server(self.parent)
        if server is not None and not restart:
            _get_server_state(server).kernel_notebooks.remove_kernel(str(self.kernel_id))
        await super().cleanup(restart)
        if self._end_record is not None and not restart:
            await asyncio.wait([asyncio.wrap_future(self._end_record)], timeout=RECORD_TIMEOUT_S)

    def _record_end_and_revoke_token(self) -> None:
        server, kernel = _find_server(self.parent), str(self.kernel_id)
        if server is not None and self._is_registered:
            self._is_registered = False
            self._end_record = _get_server_state(server).record_kernel_end_in_background(kernel)
            _get_server_state(server).tokens.revoke_token_and_close_connections(kernel)


def install_default_provisioner(server: ServerApp) -> None:
    """Make our provisioner the default, unless the server's owner chose another one."""
    factory = KernelProvisionerFactory.instance(parent=server)
    if factory.default_provisioner_name == "local-provisioner":
        factory.default_provisioner_name = NAME


def _build_kernel_environment(environment: dict[str, str], server: ServerApp, kernel: str) -> dict[str, str]:
    state, user = _get_server_state(server), get_request_user()
    name = find_actor_name(server.identity_provider, user)
    variables = {
        "COLOPHON_URL": server.connection_url,
        "COLOPHON_TOKEN": state.register_kernel_and_issue_token(kernel, user, name),
        "COLOPHON_KERNEL": kernel,
        "COLOPHON_NAMESPACE": state.notebook_namespace,
        # A server that was started in a notebook has the variables of its kernel.
        "COLOPHON_KERNEL_PROCESS": "",
    }
    session = environment.get("JPY_SESSION_NAME")
    if session:
        path = _make_path_relative_to_root(session, server.root_dir)
        variables["COLOPHON_NOTEBOOK"] = state.kernel_notebooks.record_start(kernel, path)
    if not state.settings.capture:
        variables["COLOPHON_CAPTURE"] = "0"
    elif state.settings.uncaptured_libraries:
        variables["COLOPHON_CAPTURE"] = ",".join(f"-{name}" for name in state.settings.uncaptured_libraries)
    if state.settings.record_cell_source:
        variables["COLOPHON_CELL_SOURCE"] = "1"
    if not state.settings.confidential_warnings:
        variables["COLOPHON_CONFIDENTIAL_WARNINGS"] = "0"
    if state.settings.write_profiles:
        variables["COLOPHON_WRITE_PROFILES"] = "1"
    return drop_server_credentials(environment, state.settings.kernel_env_passthrough) | variables


def drop_server_credentials(environment: Mapping[str, str], kept_names: Collection[str]) -> dict[str, str]:
    """Return an environment without the server's own credentials, except those that `kept_names` has.

    A variable that a kernel's specification sets to another value than the server's is not the server's.
    """
    own = {name: os.environ.get(name) for name in SERVER_VARIABLES.difference(kept_names)}
    return {name: value for name, value in environment.items() if name not in own or own[name] != value}


def issue_token_of_pipeline(server: ServerApp, process_id: str, name: str) -> tuple[dict[str, str], Callable[[], None]]:
    """Return the environment of a pipeline's process, with a token of its user, and a function that revokes the token."""
    state = _get_server_state(server)
    tokens, holder = state.tokens, f"run:{process_id}"
    token = tokens.issue_token_and_revoke_earlier(holder, User(name), name)
    variables = {"COLOPHON_URL": server.connection_url, "COLOPHON_TOKEN": token}
    environment = drop_server_credentials(os.environ, state.settings.kernel_env_passthrough)
    return environment | variables, lambda: tokens.revoke_token_and_close_connections(holder)


def _make_path_relative_to_root(session: str, root: str) -> str:
    """Return a notebook's path relative to the server's root, with slashes; only the name if it is elsewhere."""
    path = Path(session)
    try:
        return path.resolve().relative_to(Path(root).resolve()).as_posix()
    except ValueError:
        return path.name


def _find_server(parent: Any) -> ServerApp | None:
    while parent is not None and not isinstance(parent, ServerApp):
        parent = parent.parent
    return parent


def _get_server_state(server: ServerApp) -> ServerState:
    state: ServerState = server.web_app.settings[SETTING]
    return state
