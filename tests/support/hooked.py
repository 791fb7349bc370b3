"""Classes of instances as somebody writes them for a schema: one tells what is done with it, others are wrong."""

from typing import Any

from jupyter_colophon.elyra import Metadata, MetadataManager

#: What was called, in order: the hook, the object's display name, and its `for_update`.
CALLS: list[tuple[str, str, Any]] = []
#: What a hook raises, by its name, each time that it is called.
FAILS: dict[str, Exception] = {}


def forget() -> None:
    """Begin anew."""
    CALLS.clear()
    FAILS.clear()


class Told(Metadata):
    """Tells of each hook, and keeps a member of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.own = kwargs.get("own")

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        return super().to_dict(trim=trim) | ({"own": self.own} if self.own is not None else {})

    def on_load(self, **kwargs: Any) -> None:
        self._told("on_load", kwargs)

    def pre_save(self, **kwargs: Any) -> None:
        self.own = "made before the save"
        self._told("pre_save", kwargs)

    def post_save(self, **kwargs: Any) -> None:
        self._told("post_save", kwargs)

    def pre_delete(self, **kwargs: Any) -> None:
        self._told("pre_delete", kwargs)

    def post_delete(self, **kwargs: Any) -> None:
        self._told("post_delete", kwargs)

    def _told(self, hook: str, options: dict[str, Any]) -> None:
        CALLS.append((hook, self.display_name, options.get("for_update")))
        if hook in FAILS:
            raise FAILS[hook]


class Migrating(Metadata):
    """Migrates itself when it is loaded."""

    def on_load(self, **kwargs: Any) -> None:
        if "size" not in self.metadata:
            self.metadata["size"] = 7
            MetadataManager(schemaspace="things").update(self.name, self, for_migration=True)


class Duck:
    """Inherits nobody's class, and can do what is needed."""

    reason = None

    def __init__(self, **kwargs: Any) -> None:
        self.__dict__.update(kwargs)

    def on_load(self, **kwargs: Any) -> None:
        pass

    pre_save = post_save = pre_delete = post_delete = on_load

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("name", "display_name", "metadata", "schema_name")}

    def prepare_write(self) -> dict[str, Any]:
        return self.to_dict()


class NoInstance:
    """Can do nothing."""

    def __init__(self, **kwargs: Any) -> None:
        pass


class NoArguments:
    """Takes nothing."""
