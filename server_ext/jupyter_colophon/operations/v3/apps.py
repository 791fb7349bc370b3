"""The services of system applications: `…/namespaces/system/apps/{app}/services/{service}/methods/…`, or `…/spark/…`."""

from typing import Any, Final

from jupyter_colophon.apps.handler_call import EncodedResponse
from jupyter_colophon.apps.service import JSON, ServiceKind, ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall
from jupyter_colophon.core.errors import (
    AlreadyExists,
    BadRequest,
    InvalidName,
    MethodNotAllowed,
    NotFound,
    PluginFailed,
    SystemAppFailed,
    SystemAppStopped,
    SystemAppTimeout,
    SystemAppUnavailable,
    TooLarge,
)
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest, PendingAnswer
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3.paths import split_path

_SPARK_PATH: Final = "/namespaces/system/apps/{app}/spark/{service}/methods/{method}"
_PATH: Final = "/namespaces/system/apps/{app}/services/{service}/methods/{method}"
#: The number of segments before those that the application defines.
_SEGMENTS_BEFORE: Final = 7
_DOCUMENT: Final = {"description": "The document that the application returns."}
_ANSWERS: Final = {200: _DOCUMENT, 201: _DOCUMENT, 202: _DOCUMENT, 204: {"description": "No document."}}
_BODY: Final[dict[str, Any]] = {"application/json": {}, "*/*": {}}
_ERRORS: Final = (
    AlreadyExists,
    BadRequest,
    InvalidName,
    MethodNotAllowed,
    NotFound,
    PluginFailed,
    SystemAppFailed,
    SystemAppStopped,
    SystemAppTimeout,
    SystemAppUnavailable,
    TooLarge,
)


@declare_operation("v3GetAppMethod", f"GET {_PATH}", decided_by="entities", answers=_ANSWERS, errors=_ERRORS)
def get_app_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application that reads."""
    return _call_app(services, request, "GET")


@declare_operation(
    "v3PostAppMethod",
    f"POST {_PATH}",
    decided_by="entities",
    body=_BODY,
    body_required=False,
    raw_body=True,
    answers=_ANSWERS,
    errors=_ERRORS,
)
def post_app_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application by POST."""
    return _call_app(services, request, "POST")


@declare_operation(
    "v3PutAppMethod",
    f"PUT {_PATH}",
    decided_by="entities",
    body=_BODY,
    body_required=False,
    raw_body=True,
    answers=_ANSWERS,
    errors=_ERRORS,
)
def put_app_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application by PUT."""
    return _call_app(services, request, "PUT")


@declare_operation("v3DeleteAppMethod", f"DELETE {_PATH}", decided_by="entities", answers=_ANSWERS, errors=_ERRORS)
def delete_app_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application by DELETE."""
    return _call_app(services, request, "DELETE")


@declare_operation("v3GetSparkMethod", f"GET {_SPARK_PATH}", decided_by="entities", answers=_ANSWERS, errors=_ERRORS)
def get_spark_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application with Spark that reads."""
    return _call_app(services, request, "GET", "spark")


@declare_operation(
    "v3PostSparkMethod",
    f"POST {_SPARK_PATH}",
    decided_by="entities",
    body=_BODY,
    body_required=False,
    raw_body=True,
    answers=_ANSWERS,
    errors=_ERRORS,
)
def post_spark_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application with Spark by POST."""
    return _call_app(services, request, "POST", "spark")


@declare_operation(
    "v3PutSparkMethod",
    f"PUT {_SPARK_PATH}",
    decided_by="entities",
    body=_BODY,
    body_required=False,
    raw_body=True,
    answers=_ANSWERS,
    errors=_ERRORS,
)
def put_spark_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application with Spark by PUT."""
    return _call_app(services, request, "PUT", "spark")


@declare_operation(
    "v3DeleteSparkMethod", f"DELETE {_SPARK_PATH}", decided_by="entities", answers=_ANSWERS, errors=_ERRORS
)
def delete_spark_method(services: ProcessServices, request: OperationRequest) -> PendingAnswer:
    """Call a method of a system application with Spark by DELETE."""
    return _call_app(services, request, "DELETE", "spark")


def _call_app(
    services: ProcessServices, request: OperationRequest, method: str, kind: ServiceKind = "service"
) -> PendingAnswer:
    """Authorize a call, and run its handler on a thread or in a worker process of the application."""
    apps = services.get_system_apps()
    received = ReceivedAppCall(
        request.path["app"],
        request.path["service"],
        split_path(request)[_SEGMENTS_BEFORE:],
        ServiceRequest(
            method, {}, request.query, request.content_type, request.body or b"", request.headers.get("accept", "")
        ),
        request.principal,
        kind,
    )
    call = apps.prepare_call(received)
    return PendingAnswer(apps.submit_call(call, _create_answer), call.route.timeout_s, call.log_and_create_timeout)


def _create_answer(response: EncodedResponse) -> OperationAnswer:
    headers = {} if response.media_type == JSON else {"Content-Type": f"{response.media_type}; charset=UTF-8"}
    return OperationAnswer(response.body, response.status, headers=headers)
