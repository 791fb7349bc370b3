"""Read a target of dbt's `profiles.yml`. Of its templates only `env_var` is evaluated, and only in settings that name a server or a file."""

import re
from collections.abc import Mapping
from typing import Any, Final

import yaml

from jupyter_colophon.core.dbt.connections import UnknownConnection
from jupyter_colophon.core.quality.imported import get_mapping_or_empty

_TEMPLATE: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_ENV_VAR: Final = re.compile(
    r"""\{\{-?\s*env_var\(\s*(['"])(?P<name>\w+)\1\s*(?:,\s*(['"])(?P<default>[^'"]*)\3\s*)?\)\s*(?:\|\s*\w+\s*)*-?\}\}"""
)


def select_target(
    text: str, profile: str, target: str, environment: Mapping[str, str]
) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the settings of a target in the text of `profiles.yml`.

    Without a profile it is the only one there is; without a target, that of the profile. Raises UnknownConnection.
    """
    try:
        profiles = yaml.safe_load(text)  # type: ignore[no-untyped-call]  # it has no types
    except (yaml.YAMLError, RecursionError):
        raise UnknownConnection("is not YAML") from None
    named = {
        name: entry
        for name, entry in get_mapping_or_empty(profiles).items()
        if get_mapping_or_empty(entry).get("outputs")
    }
    if not profile and len(named) == 1:
        profile = str(next(iter(named)))
    if profile not in named:
        raise UnknownConnection(f"has no profile {profile!r}" if profile else "has several profiles: choose one")
    entry = named[profile]
    target = target or render_template(str(entry.get("target") or "default"), environment)
    settings = get_mapping_or_empty(entry["outputs"]).get(target)
    if not isinstance(settings, Mapping):
        raise UnknownConnection(f"has no target {target!r} in the profile {profile!r}")
    return target, settings


def render_template(text: str, environment: Mapping[str, str]) -> str:
    """Return a text with the values of `env_var`. Raises UnknownConnection for other templates, and without a value."""

    def find_value(match: re.Match[str]) -> str:
        value = environment.get(match["name"], match["default"])
        if value is None:
            raise UnknownConnection(f"needs the environment variable {match['name']}")
        return value

    rendered = _ENV_VAR.sub(find_value, text)
    if template := _TEMPLATE.search(rendered):
        raise UnknownConnection(f"has a template that only dbt evaluates: {' '.join(template[0].split())[:100]}")
    return rendered
