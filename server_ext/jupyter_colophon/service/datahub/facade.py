"""The services for DataHub's API in one object."""

from dataclasses import dataclass

from jupyter_colophon.service.datahub.aspects import AspectReader
from jupyter_colophon.service.datahub.ingestions import Ingestions
from jupyter_colophon.service.datahub.relationships import RelationshipReader
from jupyter_colophon.service.datahub.search import EntityFinder
from jupyter_colophon.service.datahub.timeseries import TimeseriesReader
from jupyter_colophon.service.datahub.trace import WriteTracer


@dataclass(frozen=True, slots=True)
class DataHub:
    """The services for DataHub's API, composed in `composition.py`."""

    reader: AspectReader
    finder: EntityFinder
    tracer: WriteTracer
    relater: RelationshipReader
    timeseries: TimeseriesReader
    ingestions: Ingestions
