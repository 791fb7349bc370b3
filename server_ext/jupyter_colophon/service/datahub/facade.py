"""What DataHub's routes ask of a catalog, in one place."""

from dataclasses import dataclass

from jupyter_colophon.service.datahub.aspects import AspectReader
from jupyter_colophon.service.datahub.ingestions import Ingestions
from jupyter_colophon.service.datahub.relationships import Relater
from jupyter_colophon.service.datahub.search import Finder
from jupyter_colophon.service.datahub.timeseries import TimeseriesReader
from jupyter_colophon.service.datahub.trace import Tracer


@dataclass(frozen=True, slots=True)
class DataHub:
    """Composed in `composition.py`."""

    reader: AspectReader
    finder: Finder
    tracer: Tracer
    relater: Relater
    timeseries: TimeseriesReader
    ingestions: Ingestions
