"""The headers by which a single-user server states who sent a request that it forwards.

They can only take rights away from the holder of the token, so that the service can accept them from everyone.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.service_token import is_service_account

#: The id of the kernel or the pipeline's run that sent the request.
KERNEL_HEADER: Final = "Colophon-Kernel"
#: The scopes that the sender has, in addition to what the token grants.
SCOPES_HEADER: Final = "Colophon-Scopes"
_KERNEL_ID: Final = re.compile(r"(?:run:)?[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


def build_caller_headers(principal: Principal) -> dict[str, str]:
    """Return the headers for a request of a principal."""
    headers = {SCOPES_HEADER: " ".join(sorted(principal.scopes))}
    return headers if principal.via is None else headers | {KERNEL_HEADER: principal.via}


def restrict_principal(principal: Principal, headers: Mapping[str, str]) -> Principal:
    """Return the principal of a token with what the headers leave of it; nothing if they are not understood."""
    scopes, kernel = headers.get(SCOPES_HEADER), headers.get(KERNEL_HEADER)
    if scopes is not None:
        principal = replace(principal, scopes=principal.scopes.intersection(scopes.split()))
    if kernel is None or is_service_account(principal):
        return principal
    if _KERNEL_ID.fullmatch(kernel) is None:
        return replace(principal, scopes=frozenset())
    return replace(principal, via=kernel)
