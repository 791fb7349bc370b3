"""Upgrade instances of older versions of Elyra to its current schemas, as Elyra's own classes do on load (spec INST-13).

Reading changes no file. An upgraded instance is stored with its next save, or by `migrate`.
"""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.schemaspaces.metadata import InstanceMetadata

_RUNTIME_TYPES = {"kfp": "KUBEFLOW_PIPELINES", "airflow": "APACHE_AIRFLOW"}


class UpgradedInstance(InstanceMetadata):
    """A runtime configuration or a component catalog; one of an older version is upgraded when it is loaded."""

    def on_load(self, **kwargs: Any) -> None:
        """Upgrade the metadata of this object."""
        upgrade_in_place(self.schema_name, self.metadata)

    def pre_save(self, **kwargs: Any) -> None:
        """Upgrade before an update, so that current defaults do not replace the meaning of an old instance."""
        if kwargs.get("for_update"):
            upgrade_in_place(self.schema_name, self.metadata)


def upgrade_in_place(schema_name: Any, metadata: Any) -> bool:
    """Upgrade the metadata of an instance in place; return whether anything changed."""
    if not isinstance(metadata, dict):
        return False
    before = dict(metadata)
    if schema_name in _RUNTIME_TYPES:
        # Elyra below 3.3, 3.4 and 3.5 wrote these without `runtime_type`, authentication types and `git_type`.
        metadata.setdefault("runtime_type", _RUNTIME_TYPES[schema_name])
        _set_authentication_type(schema_name, metadata)
    elif "runtime" in metadata and "runtime_type" not in metadata:
        # Component catalogs of Elyra 3.2 named the runtime.
        runtime = metadata["runtime"]
        if isinstance(runtime, str) and runtime in _RUNTIME_TYPES:
            metadata["runtime_type"] = _RUNTIME_TYPES[metadata.pop("runtime")]
    return metadata != before


def is_outdated(document: Mapping[str, Any] | None, schema_name: str) -> bool:
    """Return whether a stored document of this schema would be upgraded."""
    if document is None or document.get("schema_name") != schema_name:
        return False
    metadata = document.get("metadata")
    return isinstance(metadata, Mapping) and upgrade_in_place(schema_name, dict(metadata))


def _set_authentication_type(schema_name: str, metadata: dict[str, Any]) -> None:
    if schema_name == "kfp" and metadata.get("auth_type") is None:
        has_login = _has_value(metadata, "api_username") and _has_value(metadata, "api_password")
        metadata["auth_type"] = "DEX_LEGACY" if has_login else "NO_AUTHENTICATION"
    if schema_name == "airflow" and metadata.get("git_type") is None:
        metadata["git_type"] = "GITHUB"
    has_login = _has_value(metadata, "cos_username") and _has_value(metadata, "cos_password")
    if metadata.get("cos_auth_type") is None and has_login:
        has_secret = _has_value(metadata, "cos_secret")
        metadata["cos_auth_type"] = "KUBERNETES_SECRET" if has_secret else "USER_CREDENTIALS"


def _has_value(metadata: Mapping[str, Any], key: str) -> bool:
    """Return whether a member has a value: text that is not blank, or a reference to a secret."""
    value = metadata.get(key)
    return bool(value.strip() if isinstance(value, str) else value)
