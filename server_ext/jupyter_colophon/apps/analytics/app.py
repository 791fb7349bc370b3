"""The tables and handlers of the application."""

from typing import Final

from jupyter_colophon.apps import SystemApp, SystemAppConfigurer
from jupyter_colophon.apps.analytics import algorithms, experiments, models, predictions, splits
from jupyter_colophon.apps.analytics.tables import EXPERIMENTS, MODELS, PREDICTIONS, SPLITS

_CONTEXT: Final = "/v2/contexts/{context}"
_EXPERIMENT: Final = _CONTEXT + "/experiments/{experiment}"
_SPLIT: Final = _EXPERIMENT + "/splits/{split}"
_MODEL: Final = _EXPERIMENT + "/models/{model}"
_PREDICTION: Final = _MODEL + "/predictions/{prediction}"
#: The service with Spark. As CDAP's, it has all methods; those without Spark are also those of the service `service`.
SPARK_SERVICE: Final = "ModelManagerService"
#: The time limit of reading the first rows of data, in seconds.
_READING_S: Final = 60.0


class Analytics(SystemApp):
    """Splits data, and trains, compares and applies models, of any namespace."""

    def configure(self, configurer: SystemAppConfigurer) -> None:
        """Declare the tables, the handlers and the panel."""
        for table in (EXPERIMENTS, SPLITS, MODELS, PREDICTIONS):
            configurer.create_table(table)
        configurer.add_alias("ModelManagementApp")
        _add_handlers_without_spark(configurer, "service")
        _add_handlers_with_spark(configurer)
        configurer.add_panel(
            "analytics",
            "Train models",
            "jupyter_colophon/apps/analytics/web/panel.js",
            icon="ui-components:list",
            contexts=True,
        )


def _add_handlers_without_spark(configurer: SystemAppConfigurer, service: str) -> None:
    def add(method: str, path: str, handler: object, timeout_s: float = 30.0) -> None:
        kind = "spark" if service == SPARK_SERVICE else "service"
        # What is deleted is deleted in the catalog too.
        permission = "delete" if method == "DELETE" else None
        configurer.add_handler(
            method,  # type: ignore[arg-type]
            path,
            handler,  # type: ignore[arg-type]
            service=service,
            kind=kind,  # type: ignore[arg-type]
            permission=permission,  # type: ignore[arg-type]
            timeout_s=timeout_s,
        )

    add("POST", _CONTEXT + "/inspect", experiments.inspect_source, _READING_S)
    add("GET", _CONTEXT + "/algorithms", algorithms.list_algorithms)
    add("GET", _CONTEXT + "/experiments", experiments.list_experiments)
    add("GET", _EXPERIMENT, experiments.get_experiment)
    add("PUT", _EXPERIMENT, experiments.put_experiment, _READING_S)
    add("DELETE", _EXPERIMENT, experiments.delete_experiment)
    add("GET", _EXPERIMENT + "/splits", splits.list_splits)
    add("GET", _SPLIT, splits.get_split)
    add("DELETE", _SPLIT, splits.delete_split)
    add("GET", _EXPERIMENT + "/models", models.list_models)
    add("GET", _MODEL, models.get_model)
    add("DELETE", _MODEL, models.delete_model)
    add("GET", _MODEL + "/predictions", predictions.list_predictions)
    add("GET", _PREDICTION, predictions.get_prediction)
    add("DELETE", _PREDICTION, predictions.delete_prediction)


def _add_handlers_with_spark(configurer: SystemAppConfigurer) -> None:
    _add_handlers_without_spark(configurer, SPARK_SERVICE)
    for path, handler in (
        (_EXPERIMENT + "/splits", splits.create_split),
        (_EXPERIMENT + "/models", models.create_model),
        (_MODEL + "/apply", predictions.apply_model),
    ):
        configurer.add_handler("POST", path, handler, service=SPARK_SERVICE, kind="spark", timeout_s=_READING_S)
