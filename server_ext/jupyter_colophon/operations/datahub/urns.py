"""URNs at the end of paths, as DataHub's clients send them, and lists of aspects' names in parameters."""

import re
from typing import Final
from urllib.parse import unquote

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.request import OperationRequest

PREFIX: Final = "/colophon/datahub"
_UNENCODED: Final = "urn:li:"
_LIST: Final = re.compile(r"List\((.*)\)")


def parse_path_urn(request: OperationRequest, path: str) -> Urn:
    """Return the URN behind a path below our prefix, such as `/aspects/`. Raises InvalidName."""
    return parse_encoded_urn(request.raw_path.removeprefix(PREFIX + path))


def parse_encoded_urn(path: str) -> Urn:
    """Return the URN that the end of a path is, percent-encoded as it was sent. Raises InvalidName.

    Some clients encode a whole URN. Others send it unchanged: its own escapes are part of it, and only characters that no path may
    hold was encoded, which a URN's own grammar takes as well.
    """
    if path.startswith(_UNENCODED):
        return Urn.parse(path)
    try:
        return Urn.parse(unquote(path, errors="strict"))
    except UnicodeDecodeError:
        raise InvalidName("URN", path, "it is not percent-encoded UTF-8") from None


def parse_name_list(text: str) -> frozenset[str] | None:
    """Return the names in `List(a,b)` or `a,b`; None, which means all, if there are none."""
    listed = _LIST.fullmatch(text)
    names = (listed.group(1) if listed else text).split(",")
    return frozenset(name.strip() for name in names if name.strip()) or None
