"""An artifact of a namespace: a wheel or a module with plugins (docs/how-to/share-plugins.md)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from jupyter_colophon.core.documents.members import Time
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn, get_custom_key_pairs, make_custom_urn, make_namespace_urn

#: The entity type of artifacts.
ARTIFACT_TYPE: Final = "artifact"
#: Maximum number of bytes of an artifact.
ARTIFACT_BYTES_MAX: Final = 8 * 1024 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")

#: A wheel is imported as it is; a module is one Python file.
ArtifactKind = Literal["wheel", "module"]
#: What uses a plugin: stages of pipelines, or system applications.
PluginUse = Literal["pipeline", "application"]


@dataclass(frozen=True, slots=True)
class DeclaredPlugin:
    """A plugin as the source of an artifact declares it; its code was never executed."""

    use: PluginUse
    type: str
    name: str
    title: str
    description: str
    #: Its class, as `module:Class`.
    value: str
    #: The minimum and maximum number of input stages; None is unlimited.
    inputs: tuple[int, int | None]
    #: The arguments of a run that it reads.
    arguments: tuple[str, ...]
    #: The JSON Schema of its properties.
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ArtifactKey:
    """The version of an artifact. Raises InvalidName for an invalid part."""

    namespace: str
    name: str
    version: str

    def __post_init__(self) -> None:
        """Check the parts."""
        make_namespace_urn(self.namespace)
        if not _NAME.fullmatch(self.name):
            raise InvalidName("artifact", self.name, "use at most 64 letters, digits, _ and -")
        if not _VERSION.fullmatch(self.version):
            raise InvalidName("version", self.version, "use at most 64 letters, digits, and . + _ -")

    @property
    def urn(self) -> Urn:
        """Return the URN of the entity."""
        return make_custom_urn(
            ARTIFACT_TYPE, (("namespace", self.namespace), ("artifact", self.name), ("version", self.version))
        )

    @property
    def module(self) -> str:
        """Return the name by which a single module is imported."""
        return self.name.replace("-", "_")

    @classmethod
    def from_urn(cls, urn: Urn) -> "ArtifactKey | None":
        """Return the artifact of a URN; None for any other entity."""
        if urn.type != "custom" or urn.parts[0] != ARTIFACT_TYPE:
            return None
        pairs = dict(get_custom_key_pairs(urn))
        try:
            return cls(pairs["namespace"], pairs["artifact"], pairs["version"])
        except (InvalidName, KeyError):
            return None


@dataclass(frozen=True, slots=True)
class Artifact:
    """An uploaded artifact. Its content never changes."""

    namespace: str
    name: str
    version: str
    urn: str
    kind: ArtifactKind
    sha256: str
    size: int
    created: Time
    plugins: tuple[DeclaredPlugin, ...]
    #: The user who uploaded it: that of its entity, which an erasure replaces. Empty in its own row.
    created_by: str = ""

    @property
    def key(self) -> ArtifactKey:
        """Return its namespace, name and version."""
        return ArtifactKey(self.namespace, self.name, self.version)

    @property
    def file_name(self) -> str:
        """Return the name of the file that Python imports it from."""
        return make_file_name(self.key, self.kind)


def make_file_name(key: ArtifactKey, kind: ArtifactKind) -> str:
    """Return the name of the file of an artifact that Python can import."""
    if kind == "module":
        return f"{key.module}.py"
    return f"{key.module}-{key.version.replace('-', '_')}-py3-none-any.whl"
