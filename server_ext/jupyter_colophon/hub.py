"""For `jupyterhub_config.py`: run the shared service of the catalog beside a hub (docs/how-to/run-a-shared-service.md).

Only the standard library is imported: the hub loads this module.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

READ_SCOPE: Final = "custom:colophon:read"
WRITE_SCOPE: Final = "custom:colophon:write"
ADMIN_SCOPE: Final = "custom:colophon:admin"
#: The scopes of tokens for the catalog, with descriptions for the hub's pages; each contains the one before.
CUSTOM_SCOPES: Final[Mapping[str, Mapping[str, Any]]] = {
    READ_SCOPE: {"description": "Read and search the shared catalog."},
    WRITE_SCOPE: {
        "description": "Describe data in the shared catalog, and record runs and lineage.",
        "subscopes": [READ_SCOPE],
    },
    ADMIN_SCOPE: {
        "description": "Everything in the shared catalog, deletion included.",
        "subscopes": [WRITE_SCOPE],
    },
}

#: The scopes that the hub gives to the token of a single-user server by default.
_SERVER_SCOPES: Final = ("users:activity!user", "access:servers!server")


def configure_service(
    c: Any,
    *,
    url: str = "http://127.0.0.1:10101",
    name: str = "colophon",
    readers: Iterable[str] = (),
    writers: Iterable[str] | None = None,
    admins: Iterable[str] = (),
    arguments: Iterable[str] = (),
    environment: Mapping[str, str] | None = None,
    command: Iterable[str] | None = None,
    service_url: str = "",
) -> None:
    """Add the catalog's service to the configuration `c` of a hub, and let single-user servers use it.

    Call it after `c.JupyterHub.base_url` is set. `url` is where the service listens. Members of the hub's groups
    `readers`, `writers` and `admins` get the custom scope of that name; without `writers`, every user may write.
    `arguments` are further arguments of `jupyter colophon serve`, and `environment` the variables of its process.
    With `command=()` the hub starts no process, because the service runs elsewhere. `service_url` is the URL of the
    service as seen by single-user servers, if they do not reach it at `url`.
    """
    prefix = _get_base_url(c) + f"services/{name}/"
    access = f"access:services!service={name}"
    # Lists and dictionaries that the configuration has not set yet accept these calls too.
    c.JupyterHub.services.append(_build_service(url, name, arguments, environment, command))
    c.JupyterHub.custom_scopes.update({scope: dict(definition) for scope, definition in CUSTOM_SCOPES.items()})
    groups = {"reader": (READ_SCOPE, readers), "writer": (WRITE_SCOPE, writers or ()), "admin": (ADMIN_SCOPE, admins)}
    for kind, (scope, members) in groups.items():
        if named := sorted(members):
            role = {"name": f"{name}-{kind}", "scopes": [access, scope], "groups": named}
            c.JupyterHub.load_roles.append(role)
    if writers is None:
        # The role that the hub gives to every user.
        c.JupyterHub.load_roles.append({"name": "user", "scopes": ["self", access, WRITE_SCOPE]})
    # What the token of a single-user server may do, as far as its user may: post activity, and use the catalog.
    own = c.Spawner.get("server_token_scopes", _SERVER_SCOPES)
    c.Spawner.server_token_scopes = [*own, access, READ_SCOPE, WRITE_SCOPE, ADMIN_SCOPE]
    c.Spawner.environment.update({"COLOPHON_SERVICE_URL": service_url or url.rstrip("/") + prefix})


def _build_service(
    url: str,
    name: str,
    arguments: Iterable[str],
    environment: Mapping[str, str] | None,
    command: Iterable[str] | None,
) -> dict[str, Any]:
    # Tokens of browsers that sign in have no more scopes than these, as far as their user has them.
    service: dict[str, Any] = {
        "name": name,
        "url": url,
        "oauth_client_allowed_scopes": list(CUSTOM_SCOPES),
        "oauth_no_confirm": True,
    }
    words = [sys.executable, "-m", "jupyter_colophon.cli", "serve", "--hub"] if command is None else list(command)
    if words:
        service |= {"command": [*words, *arguments], "environment": dict(environment or {})}
    return service


def _get_base_url(c: Any) -> str:
    base = str(c.JupyterHub.get("base_url", "/")).strip("/")
    return f"/{base}/" if base else "/"
