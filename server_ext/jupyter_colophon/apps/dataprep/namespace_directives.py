"""The directives of the artifacts of a namespace (docs/how-to/write-a-directive.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.apps import PluginDetails, PluginFailed, PluginInstance, ProcessLimits, ServiceContext
from jupyter_colophon.wrangling.declared_directive import declare_directive
from jupyter_colophon.wrangling.directive_index import DIRECTIVES, list_names_of_plugin
from jupyter_colophon.wrangling.recipe import list_unknown_directives

_TYPE: Final = "directive"
#: The limits of the process with the directives of a recipe, and of each batch of rows in seconds.
_LIMITS: Final = ProcessLimits(memory_bytes=2**30, cpu_s=15, answer_bytes=16 * 2**20)
_BATCH_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class NamespaceDirective:
    """A directive of an artifact. `name` is that in recipes, `full_name` is `artifact/version/name`."""

    name: str
    details: PluginDetails

    @property
    def full_name(self) -> str:
        """Return the name with the version."""
        return self.details.name

    def describe_for_worker(self) -> dict[str, Any]:
        """Return the declaration."""
        return {
            "full_name": self.details.name,
            "description": self.details.description,
            "schema": self.details.schema,
        }

    def describe_for_users(self) -> dict[str, str]:
        """Return the documentation."""
        declared = declare_directive(**self.describe_for_worker())
        artifact, version, _ = self.details.name.split("/")
        return {
            "name": self.name,
            "usage": declared.format_usage().replace(declared.name, self.name, 1),
            "description": declared.description,
            "artifact": f"{artifact} {version}",
        }


def complete_namespace_directives(context: ServiceContext, prefix: str) -> list[dict[str, str]]:
    """Return the directives of the namespace whose names begin with a prefix."""
    return [
        directive.describe_for_users()
        for directive in _list_directives(context)
        if directive.name.lower().startswith(prefix)
    ]


def find_used_directives(context: ServiceContext, recipe: str) -> list[NamespaceDirective]:
    """Return the directives of the namespace that a recipe names."""
    names = {*list_unknown_directives(recipe)}
    # Most recipes have built-in directives only, and need no artifacts.
    directives = _list_directives(context) if names else ()
    return [directive for directive in directives if not names.isdisjoint(list_names_of_plugin(directive.full_name))]


def _list_directives(context: ServiceContext) -> list[NamespaceDirective]:
    """Return the directives that the caller may read, in the newest versions of their artifacts."""
    found = context.run_as(context.principal).admin.list_plugins(context.namespace, _TYPE)
    short = [list_names_of_plugin(details.name)[0] for details in found]
    directives = []
    for details in found:
        name, with_artifact = list_names_of_plugin(details.name)
        is_unique = short.count(name) == 1 and name not in DIRECTIVES
        directives.append(NamespaceDirective(name if is_unique else with_artifact, details))
    return directives


@dataclass(slots=True)
class DirectiveCalls:
    """Runs the directives of one recipe in a limited process, in batches of rows."""

    context: ServiceContext
    _plugins: Sequence[PluginInstance] = field(default_factory=list)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the process that applies the recipe. Raises NotFound, BadRequest."""
        if "open" in question:
            self._plugins = self.context.run_as(self.context.principal).instantiate_plugins(
                self.context.namespace,
                [(opened["plugin"], opened["properties"]) for opened in question["open"]],
                _LIMITS,
            )
            return {}
        try:
            plugin = self._plugins[question["number"]]
            return {"result": plugin.call("apply_to_batch", question["rows"], timeout_s=_BATCH_S)}
        except PluginFailed as error:
            return {"error": error.reason}
