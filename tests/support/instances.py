"""Paths of instances below the native API, and instances created there."""

from typing import Any

from support.snippets import SPACE

BASE = ("schemaspaces", SPACE)
INSTANCES = (*BASE, "instances")
HELLO = (*INSTANCES, "hello")
URN = "urn:li:instance:(code-snippets,hello)"
#: The example in the documentation of the Metadata Service, as Elyra 2 wrote it.
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


async def create_instances(api: Any, *documents: dict[str, Any]) -> list[Any]:
    """Create instances and return the responses."""
    return [(await api("POST", *INSTANCES, body=document, answers="instance")).body for document in documents]
