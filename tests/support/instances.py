"""Where JupyterLab asks for instances: paths below the native API, and instances made there."""

from typing import Any

from support.snippets import SPACE

BASE = ("schemaspaces", SPACE)
INSTANCES = (*BASE, "instances")
HELLO = (*INSTANCES, "hello")
URN = "urn:li:instance:(code-snippets,hello)"
#: The example of the Metadata Service's own documentation, as Elyra 2 wrote it.
FYRE = {
    "display_name": "Kubeflow Pipeline - Fyre",
    "schema_name": "kfp",
    "metadata": {
        "api_endpoint": "http://weakish1.fyre.ibm.com:32488/pipeline",
        "api_username": "username@email.com",
        "api_password": "mypassword",
        "cos_endpoint": "http://weakish1.fyre.ibm.com:30427",
        "cos_username": "minio",
        "cos_password": "minio123",
        "cos_bucket": "test-bucket",
        "tags": ["kfp", "v1.1"],
    },
}


async def made(api: Any, *documents: dict[str, Any]) -> list[Any]:
    """The answers to their creation."""
    return [(await api("POST", *INSTANCES, body=one, answers="instance")).body for one in documents]
