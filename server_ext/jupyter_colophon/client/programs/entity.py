"""Entities as programs name them: by a short name, or by pairs of a key and a value."""

from collections.abc import Iterable
from dataclasses import dataclass

from jupyter_colophon.core.cdap.names import make_v3_path, parse_v3_path
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, IdentityRules, Urn, parse_dataset_name
from jupyter_colophon.core.identity.urn import PREFIX

#: Programs assume the default platform (Spark, PROD); if the server is configured otherwise, use exact URNs.
_IDENTITY = IdentityRules()


@dataclass(frozen=True, slots=True)
class MetadataEntity:
    """An entity with metadata. It need not exist in the catalog yet."""

    urn: str

    @classmethod
    def parse(cls, urn: str) -> "MetadataEntity":
        """Return the entity with this URN. Raises InvalidName."""
        return cls(str(Urn.parse(urn)))

    @classmethod
    def of_dataset(cls, name: str, namespace: str | None = None) -> "MetadataEntity":
        """Return a dataset by name: `orders` of a namespace, `sales.orders`, an absolute path, or a URN. Raises InvalidName.

        A simple name without a namespace is in the namespace `default`.
        """
        if name.startswith(PREFIX):
            return cls.parse(name)
        if namespace is not None:
            return cls(str(_IDENTITY.make_home_dataset_urn(namespace, name)))
        if "." in name or name.startswith("/"):
            return cls(str(parse_dataset_name(name, _IDENTITY)))
        return cls(str(_IDENTITY.make_home_dataset_urn(DEFAULT_NAMESPACE, name)))

    @classmethod
    def dataset(cls, name: str, namespace: str | None = None) -> "MetadataEntity":
        """Return `of_dataset(name, namespace)`."""
        return cls.of_dataset(name, namespace)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], type: str | None = None) -> "MetadataEntity":
        """Return the entity identified by key-value pairs, such as `[("namespace", "sales"), ("jar", "a.jar")]`.

        Its type is `type`, or else the last key; known keys give an entity of that kind. Raises InvalidName.
        """
        return cls(str(parse_v3_path([word for pair in pairs for word in pair], _IDENTITY, type)))

    def append(self, key: str, value: str) -> "MetadataEntity":
        """Return a part of the entity: `append("field", "empName")` of a dataset, or any other key. Raises InvalidName."""
        path = make_v3_path(Urn.parse(self.urn), _IDENTITY)
        return MetadataEntity(str(parse_v3_path([*path.segments, key, value], _IDENTITY)))

    @property
    def parent(self) -> "MetadataEntity":
        """Return the dataset of a field; any other entity itself."""
        return MetadataEntity(Urn.parse(self.urn).parts[0]) if self.type == "schemaField" else self

    @property
    def path(self) -> str:
        """Return the path of a field in its dataset; empty for any other entity."""
        return Urn.parse(self.urn).parts[1] if self.type == "schemaField" else ""

    @property
    def type(self) -> str:
        """Return the type of the entity in the catalog: `dataset`, `schemaField`, `custom`, …"""
        return Urn.parse(self.urn).type

    def __str__(self) -> str:
        return self.urn


def resolve_entity(named: MetadataEntity | str, namespace: str | None = None) -> MetadataEntity:
    """Return the entity itself, or the dataset of this name."""
    return (
        named
        if isinstance(named, MetadataEntity)
        else MetadataEntity.of_dataset(named, _choose_namespace(named, namespace))
    )


def _choose_namespace(name: str, namespace: str | None) -> str | None:
    """Return the namespace for a simple name; None for a qualified one."""
    return None if "." in name or name.startswith((PREFIX, "/")) else namespace
