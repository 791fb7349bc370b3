"""Start Spark for a command."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import InvalidConfiguration


def start_spark_session(name: str, settings: Mapping[str, str]) -> Any:
    """Start a Spark session on this machine. Raises InvalidConfiguration if that fails."""
    try:
        from jupyter_colophon.spark.session import get_session

        return get_session(name, **settings)
    except ImportError as error:
        raise InvalidConfiguration("PySpark is not installed: pip install jupyter-colophon[spark]") from error
    except RuntimeError as error:
        # Java is missing or does not start; the message explains what to do.
        raise InvalidConfiguration(str(error)) from error
