"""Load the entity registry from the shipped files, extended by the user's `entity-registry.yml` (docs/registry.md)."""

import json
import logging
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration, Problem, quote_and_truncate_text
from jupyter_colophon.core.model.datahub_model import parse_datahub_model
from jupyter_colophon.core.model.registry import DataHubModel, Registry
from jupyter_colophon.core.model.registry_extension import ExtensionContext, RegistryExtension, extend_datahub_model
from jupyter_colophon.core.model.validators import Check
from jupyter_colophon.core.package_data import find_schemas_dir, load_schema_documents
from jupyter_colophon.system.entry_points import find_entry_points

#: The entry point group of aspect validators.
GROUP: Final = "jupyter_colophon.aspect_validators"
#: Types that are managed by their own API and cannot be extended.
_CLOSED: Final = frozenset({"instance"})
_MAX_BYTES: Final = 1024 * 1024
_log = logging.getLogger("jupyter_colophon.registry")


def load_entity_registry(overlay: Path | None = None) -> Registry:
    """Return the entity registry; DataHub's part and the extension file are loaded on first use."""
    shipped, aspects = _load_shipped_schema_file("registry.json"), load_schema_documents("aspects")
    if overlay is None:
        return Registry.from_documents(shipped, aspects, _load_datahub_model)
    read = cache(partial(_load_extension_and_log_problems, overlay))
    return Registry.from_documents(shipped, aspects, lambda: read().model, lambda: read().validators)


def require_readable_extension_file(file: Path | None) -> Path | None:
    """Return the file if it can be read and parsed; otherwise raise InvalidConfiguration."""
    if file is not None:
        try:
            _parse_yaml_file(file)
        except InvalidConfiguration as error:
            raise InvalidConfiguration(f"entity_registry {file}: {error.detail}") from error
    return file


def load_registry_extension(file: Path) -> RegistryExtension:
    """Return the model extended by a file, with the problems of that file."""
    shipped, aspects = _load_shipped_schema_file("registry.json"), load_schema_documents("aspects")
    own = {name for name, document in aspects.items() if not document.get("colophon", {}).get("widens")}
    types = {entity["type"]: "" if entity["type"] in _CLOSED else entity["keyAspect"] for entity in shipped["entities"]}
    context = ExtensionContext(types, own, partial(_read_schema_file, file.parent), _load_validator_of_package)
    try:
        return extend_datahub_model(_load_datahub_model(), _parse_yaml_file(file), context)
    except InvalidConfiguration as error:
        return RegistryExtension(_load_datahub_model(), problems=[Problem("", error.detail)])


def _load_extension_and_log_problems(file: Path) -> RegistryExtension:
    overlay = load_registry_extension(file)
    for problem in overlay.problems:
        _log.error("%s: an entry of the registry extension is ignored: %s %s", file, problem.pointer, problem.message)
    for problem in overlay.warnings:
        _log.warning("%s: %s %s", file, problem.pointer, problem.message)
    return overlay


@cache
def _load_datahub_model() -> DataHubModel:
    return parse_datahub_model(_load_shipped_schema_file("datahub/model.json"))


def _load_shipped_schema_file(name: str) -> Any:
    return json.loads((find_schemas_dir() / name).read_text("utf-8"))


def _parse_yaml_file(file: Path) -> Any:
    # Imported late: most catalogs have no such file.
    import yaml

    try:
        return yaml.safe_load(_read_text_file(file))  # type: ignore[no-untyped-call]  # its stubs are a separate package
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise InvalidConfiguration(f"not valid YAML{place}") from error
    except RecursionError:
        raise InvalidConfiguration("nested too deeply") from None


def _read_schema_file(folder: Path, name: str) -> Any:
    """Return the JSON document with this file name in the folder; None if it is missing. Raises InvalidConfiguration."""
    if Path(name).name != name:
        raise InvalidConfiguration(
            f"{quote_and_truncate_text(name)} is not the name of a file in the folder of the registry"
        )
    if not (folder / name).is_file():
        return None
    try:
        return json.loads(_read_text_file(folder / name))
    except (ValueError, RecursionError) as error:
        raise InvalidConfiguration(f"{quote_and_truncate_text(name)} is not valid JSON") from error


def _read_text_file(file: Path) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidConfiguration(f"{quote_and_truncate_text(file.name)} is larger than {_MAX_BYTES} bytes")
        return file.read_text("utf-8")
    except OSError as error:
        raise InvalidConfiguration(
            f"{quote_and_truncate_text(file.name)} cannot be read ({error.strerror or type(error).__name__})"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidConfiguration(f"{quote_and_truncate_text(file.name)} is not UTF-8") from error


def _load_validator_of_package(name: str) -> Check:
    """Return the validator that a package registered. Raises InvalidConfiguration."""
    for point in find_entry_points(GROUP, name):
        try:
            validator: Callable[..., Any] = point.load()
        except Exception as error:
            raise InvalidConfiguration(
                f"the validator {quote_and_truncate_text(name)} cannot be loaded ({type(error).__name__})"
            ) from error
        if callable(validator):
            return validator
        raise InvalidConfiguration(f"the validator {quote_and_truncate_text(name)} is not callable")
    raise InvalidConfiguration(
        f"no installed package has a validator {quote_and_truncate_text(name)} (entry point group {GROUP})"
    )
