"""Inspect artifacts in a limited process, so that a crafted file can exhaust neither memory nor time of the server."""

import json
import time
from typing import Final

from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.artifacts.inspection import Inspection, inspect_artifact
from jupyter_colophon.core.documents.codec import from_stored_form, to_stored_form
from jupyter_colophon.system.limited_process import LimitedProcess, LimitedProcessError, ProcessLimits, open_channel

_LIMITS: Final = ProcessLimits(memory_bytes=512 * 1024 * 1024, cpu_s=20, file_bytes=0)
_TIMEOUT_S: Final = 60.0


def inspect_artifact_in_process(key: ArtifactKey, content: bytes) -> Inspection:
    """Inspect an artifact in a child process. Raises OSError if it cannot be started."""
    process = LimitedProcess.start(__name__, _LIMITS)
    deadline = time.monotonic() + _TIMEOUT_S
    try:
        process.exchange(json.dumps([key.namespace, key.name, key.version]).encode(), deadline)
        answer = process.exchange(content, deadline)
        return from_stored_form(json.loads(answer), Inspection)
    except LimitedProcessError as error:
        return Inspection("module", (f"it cannot be inspected: {error}",))
    finally:
        process.close()


def main() -> None:
    """Inspect the artifact that the parent sends."""
    channel = open_channel()
    name = channel.receive()
    if name is None:
        return
    channel.send(b"{}")
    content = channel.receive()
    if content is not None:
        inspection = inspect_artifact(ArtifactKey(*json.loads(name)), content)
        channel.send(json.dumps(to_stored_form(inspection)).encode())


if __name__ == "__main__":
    main()
