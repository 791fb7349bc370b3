"""Which columns there are, and what they are called."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Transform, absent
from jupyter_colophon.pipelines.plugins import shapes


class Projection(Transform):
    """Keeps, drops, renames and converts columns, in this order."""

    name = "projection"
    title = "Projection"
    description = "Keep or drop columns, then rename and convert them"
    properties = {
        "keep": shapes.texts("Keep", "These columns, in this order; all where none is named", minItems=1),
        "drop": shapes.texts("Drop", "Without these"),
        "rename": shapes.words("Rename", "New names by old ones"),
        "convert": shapes.words("Convert", "Types by names, as Spark SQL writes them: DECIMAL(10,2)"),
    }

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Columns that do not come in, or are not there any more."""
        (known,) = inputs or (None,)
        yield from absent("/keep", self.settings.get("keep", ()), known)
        yield from absent("/drop", self.settings.get("drop", ()), known)
        yield from absent("/rename", self._rename, self._kept(known))
        yield from absent("/convert", self.settings.get("convert", ()), self.columns(inputs))
        if (made := self.columns(inputs)) is not None and len({one.lower() for one in made}) < len(made):
            yield Problem("/rename", "two columns would have one name")

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those that are kept, under their new names."""
        (known,) = inputs or (None,)
        kept = self._kept(known)
        new = {old.lower(): name for old, name in self._rename.items()}
        return None if kept is None else tuple(new.get(one.lower(), one) for one in kept)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The columns."""
        (data,) = inputs.values()
        if self.settings.get("keep"):
            data = data.select(*self.settings["keep"])
        data = data.drop(*self.settings.get("drop", ())).withColumnsRenamed(self._rename)
        types = self.settings.get("convert", {})
        return data.withColumns({name: data[name].cast(type_) for name, type_ in types.items()}) if types else data

    @property
    def _rename(self) -> dict[str, str]:
        return dict(self.settings.get("rename", {}))

    def _kept(self, known: Columns) -> Columns:
        kept = tuple(self.settings["keep"]) if self.settings.get("keep") else known
        gone = {name.lower() for name in self.settings.get("drop", ())}
        return None if kept is None else tuple(one for one in kept if one.lower() not in gone)


PLUGINS = (Projection,)
