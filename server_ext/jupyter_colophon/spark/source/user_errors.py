"""What users did wrong is told to them in one line.

Spark shows users the whole traceback of the Python worker that failed, ours as anybody's. A worker that has this in its
environment tells no more than the error itself; it ends then, so that no other error is told so.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from jupyter_colophon.client.problems import ClientError

_SPARKS_SETTING: Final = "SPARK_HIDE_TRACEBACK"


class Mistake(ValueError):
    """Something that the user can put right; the words say what and how."""


@contextmanager
def told_plainly() -> Iterator[None]:
    """Whatever is about the user's words, or the server's answer to them, is told without where it was raised."""
    try:
        yield
    except (Mistake, ClientError) as error:
        os.environ[_SPARKS_SETTING] = "1"
        # The name of a class of ours, with its module, says less than the words.
        raise ValueError(str(error)) from None
