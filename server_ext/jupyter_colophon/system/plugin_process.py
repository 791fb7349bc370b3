"""The process of plugins: it imports their artifacts, creates them, and calls their methods.

It is here, and not with applications, so that starting it imports little.
"""

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.system.limited_process import Channel, open_channel

_MESSAGE_MAX: Final = 500


def main() -> None:
    """Answer the messages of the parent until it ends."""
    channel = open_channel()
    plugins: dict[int, Any] = {}
    while (message := channel.receive()) is not None:
        document = json.loads(message)
        try:
            number, result = document["number"], None
            if "create" in document:
                plugins[number] = _create_plugin(document["create"])
            else:
                result = _call_method(plugins[number], document["method"], document["argument"])
            answer = _encode_result(result, channel)
        except BaseException as error:  # noqa: BLE001  code of the plugin may raise anything
            answer = _encode_error(error)
        channel.send(answer)


class _Refused(Exception):
    """What is wrong with a call, in words for its caller."""


def _create_plugin(document: Mapping[str, Any]) -> Any:
    path = Path(document["file"])
    entry = str(path.parent if path.suffix == ".py" else path)
    if entry in sys.path:
        sys.path.remove(entry)
    sys.path.insert(0, entry)
    _forget_other_artifacts(document["module"].partition(".")[0], path.parent)
    return getattr(importlib.import_module(document["module"]), document["class"])(document["properties"])


def _forget_other_artifacts(package: str, folder: Path) -> None:
    """Forget a package that was imported from another artifact, such as another version; its plugins keep it."""
    file = str(getattr(sys.modules.get(package), "__file__", "") or "")
    if file.startswith(str(folder.parent)) and not file.startswith(str(folder)):
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]


def _call_method(plugin: Any, method: str, argument: Any) -> Any:
    function = None if method.startswith("_") else getattr(type(plugin), method, None)
    if not callable(function):
        raise _Refused(f"it has no method {method}")
    return function(plugin, argument)


def _encode_result(result: Any, channel: Channel) -> bytes:
    try:
        answer = json.dumps({"result": result}, allow_nan=False).encode()
    except Exception as error:
        raise _Refused(f"it returned a value that is not JSON ({type(error).__name__})") from error
    if len(answer) > channel.limits.answer_bytes:
        raise _Refused(f"it returned more than {channel.limits.answer_bytes:,} bytes")
    return answer


def _encode_error(error: BaseException) -> bytes:
    try:
        text = str(error)[:_MESSAGE_MAX]
    except Exception:  # noqa: BLE001  its class belongs to the plugin
        text = ""
    reason = text if isinstance(error, _Refused) else f"it raised {type(error).__name__}: {text}".removesuffix(": ")
    return json.dumps({"error": reason}).encode()


if __name__ == "__main__":
    main()
