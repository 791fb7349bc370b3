"""Report errors of users in one line.

Spark shows the complete traceback of a failed Python worker. A worker with this setting in its environment shows only the
error; it exits afterwards, so that other errors keep their tracebacks.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from jupyter_colophon.client.problems import ClientError

_SPARKS_SETTING: Final = "SPARK_HIDE_TRACEBACK"


class UserError(ValueError):
    """An error that the user can fix; the message explains how."""


@contextmanager
def hide_traceback() -> Iterator[None]:
    """Report errors in the user's options or data, and responses of the server to them, without a traceback."""
    try:
        yield
    except (UserError, ClientError) as error:
        os.environ[_SPARKS_SETTING] = "1"
        # Omit the qualified class name, which does not help users.
        raise ValueError(str(error)) from None
