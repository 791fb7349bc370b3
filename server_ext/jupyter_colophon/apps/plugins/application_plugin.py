"""The base class of plugins that system applications call."""

from collections.abc import Mapping
from typing import Any, ClassVar


class ApplicationPlugin:
    """Base class of the plugins of a namespace for system applications.

    `type` is a word that an application chooses, such as `directive`. Its public methods take a JSON value and return
    one. `properties` of the class are JSON Schemas; those of an object are the values, which satisfy them.
    """

    type: ClassVar[str]
    name: ClassVar[str]
    title: ClassVar[str] = ""
    description: ClassVar[str] = ""
    properties: Mapping[str, Any] = {}
    required: ClassVar[tuple[str, ...]] = ()

    def __init__(self, properties: Mapping[str, Any]) -> None:
        self.properties = properties
