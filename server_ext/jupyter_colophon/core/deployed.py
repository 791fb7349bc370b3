"""What is asked to be known of an entity when it is deployed (catalog.md 3.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.core.annotation import Annotation


@dataclass(frozen=True, slots=True)
class Deployed:
    """What is asked to be known of an entity. `facts` are SYSTEM properties; `labels` SYSTEM tags; `said` USER metadata."""

    facts: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    said: Annotation = field(default_factory=Annotation)
    #: What the source itself has set, such as its format.
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The text of a schema, Avro as JSON or anything else; None where nothing is said of it.
    schema: str | None = None
