"""Classes of instances that a schema may name: one records its hooks, others are invalid."""

from typing import Any

from jupyter_colophon.elyra import Metadata, MetadataManager

#: The calls in order: hook, display name, and `for_update`.
CALLS: list[tuple[str, str, Any]] = []
#: The exception that a hook raises in each call, by the hook's name.
FAILS: dict[str, Exception] = {}


def clear_recorded_hooks() -> None:
    """Clear all recordings."""
    CALLS.clear()
    FAILS.clear()


class HookRecordingMetadata(Metadata):
    """Record each hook, and store an additional member."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.own = kwargs.get("own")

    def to_dict(self, trim: bool = False) -> dict[str, Any]:
        return super().to_dict(trim=trim) | ({"own": self.own} if self.own is not None else {})

    def on_load(self, **kwargs: Any) -> None:
        self._record("on_load", kwargs)

    def pre_save(self, **kwargs: Any) -> None:
        self.own = "made before the save"
        self._record("pre_save", kwargs)

    def post_save(self, **kwargs: Any) -> None:
        self._record("post_save", kwargs)

    def pre_delete(self, **kwargs: Any) -> None:
        self._record("pre_delete", kwargs)

    def post_delete(self, **kwargs: Any) -> None:
        self._record("post_delete", kwargs)

    def _record(self, hook: str, options: dict[str, Any]) -> None:
        CALLS.append((hook, self.display_name, options.get("for_update")))
        if hook in FAILS:
            raise FAILS[hook]


class MigratingMetadata(Metadata):
    """Migrate the instance when it is loaded."""

    def on_load(self, **kwargs: Any) -> None:
        if "size" not in self.metadata:
            self.metadata["size"] = 7
            MetadataManager(schemaspace="things").update(self.name, self, for_migration=True)


class MetadataWithoutBaseClass:
    """Implement the methods without inheriting from a class."""

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


class ClassWithoutMethods:
    """Implement no method."""

    def __init__(self, **kwargs: Any) -> None:
        pass


class ClassWithoutArguments:
    """Accept no argument."""
