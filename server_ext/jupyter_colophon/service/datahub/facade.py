"""The services for DataHub's API in one object."""

from dataclasses import dataclass

from jupyter_colophon.service.datahub.aspects import AspectReader
from jupyter_colophon.service.datahub.ingestions import IngestionRuns
from jupyter_colophon.service.datahub.relationships import RelationshipReader
from jupyter_colophon.service.datahub.search import DataHubEntityFinder
from jupyter_colophon.service.datahub.timeseries import TimeseriesReader
from jupyter_colophon.service.datahub.trace import WriteTracer


@dataclass(frozen=True, slots=True)
class DataHubServices:
    """The services for DataHub's API, composed in `composition.py`."""

    reader: AspectReader
    finder: DataHubEntityFinder
    tracer: WriteTracer
    relationships: RelationshipReader
    timeseries: TimeseriesReader
    ingestions: IngestionRuns
