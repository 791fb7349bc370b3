"""The registry from its files: what we ship, and the user's `entity-registry.yml` over it (docs/registry.md)."""

import json
import logging
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration, Problem, shown
from jupyter_colophon.core.model.datahub_model import model_of
from jupyter_colophon.core.model.registry import Model, Registry
from jupyter_colophon.core.model.registry_extension import ExtensionContext, Overlay, overlaid
from jupyter_colophon.core.model.validators import Check
from jupyter_colophon.core.package_data import load_documents, schemas_dir

#: Where packages register checks of what is proposed.
GROUP: Final = "jupyter_colophon.aspect_validators"
#: Types with a door of their own, which knows all that they have.
_CLOSED: Final = frozenset({"instance"})
_MAX_BYTES: Final = 1024 * 1024
_log = logging.getLogger("jupyter_colophon.registry")


def load_registry(overlay: Path | None = None) -> Registry:
    """The entity registry. DataHub's part of it, and what the file adds, are read when somebody asks for them."""
    shipped, aspects = _shipped("registry.json"), load_documents("aspects")
    if overlay is None:
        return Registry.from_documents(shipped, aspects, _model)
    read = cache(partial(_told, overlay))
    return Registry.from_documents(shipped, aspects, lambda: read().model, lambda: read().rules)


def readable(file: Path | None) -> Path | None:
    """The file, for who must not go on without what it adds. Raises InvalidConfiguration where it cannot be read at all."""
    if file is not None:
        try:
            _parsed(file)
        except InvalidConfiguration as error:
            raise InvalidConfiguration(f"entity_registry {file}: {error.detail}") from error
    return file


def load_overlay(file: Path) -> Overlay:
    """The model with this file over it, and what is wrong with the file."""
    shipped, aspects = _shipped("registry.json"), load_documents("aspects")
    own = {name for name, document in aspects.items() if not document.get("colophon", {}).get("widens")}
    types = {one["type"]: "" if one["type"] in _CLOSED else one["keyAspect"] for one in shipped["entities"]}
    context = ExtensionContext(types, own, partial(_schema, file.parent), _check)
    try:
        return overlaid(_model(), _parsed(file), context)
    except InvalidConfiguration as error:
        return Overlay(_model(), faults=[Problem("", error.detail)])


def _told(file: Path) -> Overlay:
    found = load_overlay(file)
    for one in found.faults:
        _log.error("%s: left out: %s %s", file, one.pointer, one.message)
    for one in found.warnings:
        _log.warning("%s: %s %s", file, one.pointer, one.message)
    return found


def _model() -> Model:
    return model_of(_shipped("datahub/model.json"))


def _shipped(name: str) -> Any:
    return json.loads((schemas_dir() / name).read_text("utf-8"))


def _parsed(file: Path) -> Any:
    # Most catalogs have no such file, and need none of this.
    import yaml

    try:
        return yaml.safe_load(_read(file))  # type: ignore[no-untyped-call]  # its types are a package of their own
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise InvalidConfiguration(f"it is no YAML{place}") from error
    except RecursionError:
        raise InvalidConfiguration("it is nested too deeply") from None


def _schema(folder: Path, name: str) -> Any:
    """The JSON document of this name in the folder; None where there is none. Raises InvalidConfiguration."""
    if Path(name).name != name:
        raise InvalidConfiguration(f"{shown(name)} is not the name of a file beside the registry")
    if not (folder / name).is_file():
        return None
    try:
        return json.loads(_read(folder / name))
    except (ValueError, RecursionError) as error:
        raise InvalidConfiguration(f"{shown(name)} is no JSON") from error


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidConfiguration(f"{shown(file.name)} is larger than {_MAX_BYTES} bytes")
        return file.read_text("utf-8")
    except OSError as error:
        raise InvalidConfiguration(
            f"{shown(file.name)} cannot be read ({error.strerror or type(error).__name__})"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidConfiguration(f"{shown(file.name)} is not UTF-8") from error


def _check(name: str) -> Check:
    """The check that a package registered. Raises InvalidConfiguration."""
    for point in entry_points(group=GROUP, name=name):
        try:
            found: Callable[..., Any] = point.load()
        except Exception as error:
            raise InvalidConfiguration(f"the rule {shown(name)} cannot be loaded ({type(error).__name__})") from error
        if callable(found):
            return found
        raise InvalidConfiguration(f"the rule {shown(name)} cannot be called")
    raise InvalidConfiguration(f"no package has a rule {shown(name)} ({GROUP})")
