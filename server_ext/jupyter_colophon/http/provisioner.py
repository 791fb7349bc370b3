"""How kernels that this server starts get our URL and a token of their own (spark.md, decision 6; security.md B2.13).

The server's own token never reaches them: sessions start kernels with the server's whole environment.
"""

import getpass
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_server.auth.identity import User
from jupyter_server.base.call_context import CallContext
from jupyter_server.serverapp import ServerApp

from jupyter_colophon.http.door import SETTING, Door, actor

NAME = "colophon-provisioner"
#: The variable that holds the server's own token, where it was given by one.
SERVER_TOKEN = "JUPYTER_TOKEN"  # noqa: S105  # the variable's name


class ColophonProvisioner(LocalProvisioner):
    """Starts a kernel as Jupyter does, with five variables more and the server's secrets less."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Add our variables to the kernel's environment; called again for a restart, with a new token."""
        prepared = await super().pre_launch(**kwargs)
        server = _server(self.parent)
        if server is not None:
            environment = prepared.get("env") or os.environ.copy()
            prepared["env"] = _environment(environment, server, str(self.kernel_id))
        return prepared

    async def cleanup(self, restart: bool = False) -> None:
        """The kernel is gone: what it left running was killed; and take its token back."""
        server = _server(self.parent)
        if server is not None:
            _door(server).end_kernel(str(self.kernel_id))
            if not restart:
                _door(server).tokens.revoke(str(self.kernel_id))
        await super().cleanup(restart)


def install(server: ServerApp) -> None:
    """Use our provisioner for kernels that name none, unless the server's owner chose another one."""
    factory = KernelProvisionerFactory.instance(parent=server)
    if factory.default_provisioner_name == "local-provisioner":
        factory.default_provisioner_name = NAME


def _environment(environment: dict[str, str], server: ServerApp, kernel: str) -> dict[str, str]:
    door, user = _door(server), _user()
    name = actor(server.identity_provider, user)
    given = {
        "COLOPHON_URL": server.connection_url,
        "COLOPHON_TOKEN": door.begin_kernel(kernel, user, name),
        "COLOPHON_KERNEL": kernel,
        "COLOPHON_NAMESPACE": door.identity.notebook_namespace,
    }
    session = environment.get("JPY_SESSION_NAME")
    if session:
        given["COLOPHON_NOTEBOOK"] = _below_root(session, server.root_dir)
    return without_secrets(environment) | given


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the server's own token: for what the server starts."""
    return {key: value for key, value in environment.items() if key != SERVER_TOKEN}


def signed(server: ServerApp, run_id: str, name: str) -> tuple[dict[str, str], Callable[[], None]]:
    """The environment of a run that this server starts, with a token for whose it is; and what takes that back."""
    tokens, holder = _door(server).tokens, f"run:{run_id}"
    token = tokens.issue(holder, User(name), name)
    given = {"COLOPHON_URL": server.connection_url, "COLOPHON_TOKEN": token}
    return without_secrets(os.environ) | given, lambda: tokens.revoke(holder)


def _below_root(session: str, root: str) -> str:
    """A notebook's path below the server's root, with slashes; the name alone where it is elsewhere."""
    path = Path(session)
    try:
        return path.resolve().relative_to(Path(root).resolve()).as_posix()
    except ValueError:
        return path.name


def _server(parent: Any) -> ServerApp | None:
    while parent is not None and not isinstance(parent, ServerApp):
        parent = parent.parent
    return parent


def _door(server: ServerApp) -> Door:
    door: Door = server.web_app.settings[SETTING]
    return door


def _user() -> User:
    """Who asked for the kernel: the user of the request that is being answered; the account's owner without one."""
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    user = getattr(handler, "current_user", None)
    return user if isinstance(user, User) else User(getpass.getuser())
