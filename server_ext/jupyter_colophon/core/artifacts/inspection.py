"""Inspect the content of an artifact: its kind, and the plugins that its source declares. No code of it is executed."""

from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.artifacts.artifact import ArtifactKey, ArtifactKind, DeclaredPlugin
from jupyter_colophon.core.artifacts.declarations import (
    InvalidDeclaration,
    find_repeated_plugins,
    read_plugin,
    read_plugins_of_module,
)
from jupyter_colophon.core.artifacts.source_modules import SourceModule, SourceTree, UnknownClass
from jupyter_colophon.core.artifacts.wheel import APPLICATION_GROUP, PIPELINE_GROUP, InvalidWheel, Wheel

_ZIP: Final = b"PK\x03\x04"
_PLUGINS_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of an inspection: what is wrong, or the kind, the description and the plugins."""

    kind: ArtifactKind
    problems: tuple[str, ...] = ()
    description: str = ""
    plugins: tuple[DeclaredPlugin, ...] = ()


def inspect_artifact(key: ArtifactKey, content: bytes) -> Inspection:
    """Inspect an artifact. It may take much memory and time, so untrusted content is inspected in a limited process."""
    kind: ArtifactKind = "wheel" if content.startswith(_ZIP) else "module"
    try:
        description, plugins = _read_wheel(key, content) if kind == "wheel" else _read_module(key, content)
    except (InvalidWheel, InvalidDeclaration) as error:
        return Inspection(kind, (str(error),))
    except UnknownClass as error:
        return Inspection(kind, (f"the class {error} is not defined in the artifact",))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        return Inspection(kind, (f"it does not compile: {type(error).__name__}{line}",))
    if not plugins:
        where = (
            f"an entry point of the group {PIPELINE_GROUP} or {APPLICATION_GROUP}"
            if kind == "wheel"
            else "a public class with a base class of plugins, such as DirectivePlugin or TransformPlugin"
        )
        return Inspection(kind, (f"it has no plugin: it needs {where}",))
    if len(plugins) > _PLUGINS_MAX:
        return Inspection(kind, (f"it has more than {_PLUGINS_MAX} plugins",))
    problems = tuple(problem.message for problem in find_repeated_plugins(plugins))
    return Inspection(kind, problems, description, tuple(plugins))


def _read_wheel(key: ArtifactKey, content: bytes) -> tuple[str, list[DeclaredPlugin]]:
    wheel = Wheel(content)
    wheel.check(key)
    tree, plugins = SourceTree(wheel.load_module), []
    for use, module, name in wheel.list_plugins():
        plugin = read_plugin(tree, tree.find_class(module, name), f"{module}:{name}")
        if plugin.use != use:
            raise InvalidDeclaration(f"{plugin.value} is a plugin of the group of {plugin.use} plugins")
        plugins.append(plugin)
    return wheel.description, plugins


def _read_module(key: ArtifactKey, content: bytes) -> tuple[str, list[DeclaredPlugin]]:
    if not key.module.isidentifier():
        raise InvalidDeclaration(f"the name {key.name!r} is not a name of a module: it must begin with a letter")
    module = SourceModule.parse(key.module, content)
    tree = SourceTree(lambda name: None)
    version = tree.read_constant(module, "__version__")
    if version is not None and version != key.version:
        raise InvalidDeclaration(f"its __version__ is {version!r}, and not {key.version!r}")
    return "", list(read_plugins_of_module(module))
