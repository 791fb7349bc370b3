"""What a worker process does: it answers one call after the other, until its server closes the channel."""

import os
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.handler_call import HandlerCall
from jupyter_colophon.apps.service import Handler, ServiceRequest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.apps.workers.frames import ChannelClosed, Frame, receive_frame, send_frame
from jupyter_colophon.apps.workers.messages import decode_principal, decode_request, encode_error, encode_response
from jupyter_colophon.core.errors import MetadataError, SystemAppFailed

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9


def end_with_server() -> None:
    """End this process when its server ends, also while a handler hangs. Standard input is empty from now on."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    pipe = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)

    def wait_for_end() -> None:
        os.read(pipe, 1)
        os._exit(1)

    threading.Thread(target=wait_for_end, name="colophon-server-end", daemon=True).start()


def limit_memory(most: int) -> None:
    """Let allocations beyond this many bytes of address space fail; 0 for no limit."""
    if most:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def answer_calls(channel: socket.socket, start: Mapping[str, Any], apps: SystemApps) -> None:
    """Load the application, and answer calls until the channel is closed."""
    try:
        routes = apps.load_for_worker(start["app"], start["version"], start["service"])
    except MetadataError as error:
        send_frame(channel, Frame({"type": "failed", "problem": error.detail}))
        return
    send_frame(channel, Frame({"type": "ready"}))
    try:
        while True:
            frame = receive_frame(channel)
            if frame.header["type"] == "ping":
                send_frame(channel, Frame({"type": "pong", "jobs": apps.jobs.count()}))
                continue
            route = routes[frame.header["method"], tuple(frame.header["segments"])]
            route = replace(route, handler=_remove_limit_after_memory_error(route.handler))
            call = apps.build_call(
                start["app"],
                route,
                decode_request(frame),
                decode_principal(frame.header["principal"]),
                time.monotonic() + frame.header["seconds"],
            )
            answer = _run_call(call)
            send_frame(channel, answer)
            if answer.header.get("ends"):
                return
    except ChannelClosed:
        return


def _remove_limit_after_memory_error(handler: Handler) -> Handler:
    """Let what follows a MemoryError have memory: its log record, the answer, and the end of the process."""

    def call_handler(context: ServiceContext, request: ServiceRequest) -> Any:
        try:
            return handler(context, request)
        except MemoryError:
            import resource

            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            raise

    return call_handler


def _run_call(call: HandlerCall) -> Frame:
    try:
        return encode_response(call.run_handler())
    except MetadataError as error:
        frame = encode_error(error)
        # What is left of the memory may not suffice for the next call.
        has_no_memory = isinstance(error, SystemAppFailed) and isinstance(error.__cause__, MemoryError)
        return Frame({**frame.header, "ends": True}, frame.body) if has_no_memory else frame
