"""Read the artifacts of namespaces, and find their plugins."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.artifacts.artifact import Artifact, ArtifactKey, DeclaredPlugin, PluginUse
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage import artifacts as rows
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many artifacts are read at once.
_PAGE: Final = 200
_CURSOR: Final = "artifacts"


@dataclass(frozen=True, slots=True)
class PluginOfArtifact:
    """A plugin, and the artifact that has it."""

    artifact: Artifact
    plugin: DeclaredPlugin

    @property
    def name(self) -> str:
        """Return the name that refers to it in its namespace, in the newest version of its artifact."""
        return f"{self.artifact.name}/{self.plugin.name}"


@dataclass(frozen=True, slots=True)
class ArtifactReader:
    """Reads artifacts. All methods raise NotFound for what the principal may not read."""

    provider: StorageProvider
    read_policy: ReadPolicy
    cursors: CursorCodec

    def read(self, key: ArtifactKey, principal: Principal) -> Artifact:
        """Return an artifact. Raises NotFound."""
        return self.provider.tx_runner.run(lambda tx: self._find_readable(tx, key, principal), read_only=True)

    def read_with_content(self, key: ArtifactKey, principal: Principal) -> tuple[Artifact, bytes]:
        """Return an artifact and its content. Raises NotFound, StorageError."""

        def read(tx: TableContext) -> tuple[Artifact, bytes]:
            artifact = self._find_readable(tx, key, principal)
            return artifact, rows.read_content(tx, artifact.sha256)

        return self.provider.tx_runner.run(read, read_only=True)

    def list_page(
        self, namespace: str, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[Artifact], str | None]:
        """Return artifacts of a namespace by name and version, and the next cursor. Raises NotFound."""
        after: tuple[str, ...] = ()
        if cursor:
            of_namespace, *position = self.cursors.decode_cursor(_CURSOR, cursor)
            after = tuple(position) if of_namespace == namespace else ()

        def read(tx: TableContext) -> tuple[list[Artifact], list[Artifact]]:
            urn = make_namespace_urn(namespace)
            if not self.read_policy.may_see_entity(tx, principal, urn) or find_entity_summary(tx, str(urn)) is None:
                raise NotFound("namespace", namespace)
            page = rows.list_artifacts(tx, namespace, after, limit)
            return page, self.read_policy.filter_visible(
                tx, principal, page, lambda artifact: (artifact.key.urn, artifact.namespace)
            )

        page, visible = self.provider.tx_runner.run(read, read_only=True)
        if len(page) < limit or not page:
            return visible, None
        return visible, self.cursors.encode_cursor(_CURSOR, [namespace, page[-1].name, page[-1].version])

    def list_newest_plugins(self, namespace: str, use: PluginUse, principal: Principal) -> list[PluginOfArtifact]:
        """Return the plugins of a namespace by name, each of the version of its artifact that was uploaded last."""
        newest: dict[tuple[str, str], PluginOfArtifact] = {}
        for item in self._iterate_plugins(namespace, use, principal):
            newest[item.plugin.type, item.name] = item
        return [newest[key] for key in sorted(newest)]

    def find_plugin(
        self, namespace: str, use: PluginUse, name: str, principal: Principal, type_: str = ""
    ) -> PluginOfArtifact:
        """Return the plugin `artifact/plugin`, of the version that was uploaded last, or `artifact/version/plugin`.

        Without a type, that of any type. Raises NotFound.
        """
        artifact, *version, plugin = name.split("/") if name.count("/") in (1, 2) else ("", "")
        found = [
            item
            for item in self._iterate_plugins(namespace, use, principal)
            if (item.artifact.name, item.plugin.name) == (artifact, plugin)
            and version in ([], [item.artifact.version])
            and type_ in ("", item.plugin.type)
        ]
        if not found:
            raise NotFound("plugin", f"{name} in the namespace {namespace}")
        return found[-1]

    def _iterate_plugins(self, namespace: str, use: PluginUse, principal: Principal) -> Iterator[PluginOfArtifact]:
        """Yield the plugins of a namespace in the order of their upload."""
        artifacts = sorted(self._iterate_artifacts(namespace, principal), key=lambda artifact: artifact.created)
        for artifact in artifacts:
            yield from (PluginOfArtifact(artifact, plugin) for plugin in artifact.plugins if plugin.use == use)

    def _iterate_artifacts(self, namespace: str, principal: Principal) -> Iterator[Artifact]:
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self.list_page(namespace, _PAGE, cursor, principal)
            yield from page

    def _find_readable(self, tx: TableContext, key: ArtifactKey, principal: Principal) -> Artifact:
        artifact = rows.find_artifact(tx, key)
        if (
            artifact is None
            or find_entity_summary(tx, str(key.urn)) is None
            or not self.read_policy.may_see_entity(tx, principal, key.urn)
        ):
            raise NotFound("artifact", f"{key.namespace}/{key.name}/{key.version}")
        return artifact
