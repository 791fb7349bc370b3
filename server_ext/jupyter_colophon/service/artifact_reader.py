"""Read the artifacts of namespaces, and find their plugins."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.artifacts.artifact import Artifact, ArtifactKey, PluginUse
from jupyter_colophon.core.artifacts.plugin_names import (
    PluginOfArtifact,
    find_plugin_of_artifacts,
    list_newest_plugins,
)
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage import artifacts as rows
from jupyter_colophon.storage.entities.aspects import find_entity_summaries, find_entity_summary
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many artifacts are read at once.
_PAGE: Final = 200
_CURSOR: Final = "artifacts"


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
            visible = self.read_policy.filter_visible(
                tx, principal, page, lambda artifact: (artifact.key.urn, artifact.namespace)
            )
            entities = find_entity_summaries(tx, [artifact.urn for artifact in visible])
            return page, [
                replace(artifact, created_by=entities[artifact.urn].created.actor)
                for artifact in visible
                if artifact.urn in entities
            ]

        page, visible = self.provider.tx_runner.run(read, read_only=True)
        if len(page) < limit or not page:
            return visible, None
        return visible, self.cursors.encode_cursor(_CURSOR, [namespace, page[-1].name, page[-1].version])

    def list_newest_plugins(self, namespace: str, use: PluginUse, principal: Principal) -> list[PluginOfArtifact]:
        """Return the plugins of a namespace by name, each of the version of its artifact that was uploaded last."""
        return list_newest_plugins(self.iterate_artifacts(namespace, principal), use)

    def find_plugin(self, namespace: str, use: PluginUse, name: str, principal: Principal) -> PluginOfArtifact:
        """Return the plugin of a namespace with a name. Raises NotFound."""
        found = find_plugin_of_artifacts(self.iterate_artifacts(namespace, principal), use, name)
        if found is None:
            raise NotFound("plugin", f"{name} in the namespace {namespace}")
        return found

    def iterate_artifacts(self, namespace: str, principal: Principal) -> Iterator[Artifact]:
        """Yield the artifacts of a namespace, in pages. Raises NotFound."""
        cursor: str | None = ""
        while cursor is not None:
            page, cursor = self.list_page(namespace, _PAGE, cursor, principal)
            yield from page

    def _find_readable(self, tx: TableContext, key: ArtifactKey, principal: Principal) -> Artifact:
        artifact, entity = rows.find_artifact(tx, key), find_entity_summary(tx, str(key.urn))
        if artifact is None or entity is None or not self.read_policy.may_see_entity(tx, principal, key.urn):
            raise NotFound("artifact", f"{key.namespace}/{key.name}/{key.version}")
        return replace(artifact, created_by=entity.created.actor)
