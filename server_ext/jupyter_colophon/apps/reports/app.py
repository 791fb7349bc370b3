"""The tables, handlers, listeners and schedules of the application."""

from typing import Final

from jupyter_colophon.apps import NamespaceDeleted, ProgramStatusChanged, SystemApp, SystemAppConfigurer
from jupyter_colophon.apps.reports import definitions, generated, queries
from jupyter_colophon.apps.reports.earlier_runs import summarize_earlier_runs
from jupyter_colophon.apps.reports.listeners import NamespaceListener, RunListener
from jupyter_colophon.apps.reports.tables import DEFINITIONS, PROGRESS, REPORTS, RESULTS, RUNS, SUMMARIES

_ROOT: Final = "/v1/reports"
_DEFINITIONS: Final = _ROOT + "/definitions"
_DEFINITION: Final = _DEFINITIONS + "/{definition}"
_REPORT: Final = _DEFINITION + "/reports/{number}"
#: The time limit of reading runs, in seconds.
_READING_S: Final = 240.0


class Reports(SystemApp):
    """Reports on the runs of programs of all namespaces."""

    def configure(self, configurer: SystemAppConfigurer) -> None:
        """Declare the tables, the handlers, the listeners and the schedules."""
        for table in (RUNS, SUMMARIES, PROGRESS, DEFINITIONS, REPORTS, RESULTS):
            configurer.create_table(table)
        configurer.add_event_listener(RunListener(), types=(ProgramStatusChanged,), start="beginning")
        configurer.add_event_listener(NamespaceListener(), types=(NamespaceDeleted,))
        configurer.schedule("PT1M", generated.generate_due_reports, name="reports", timeout_s=_READING_S)
        configurer.schedule("PT1M", summarize_earlier_runs, name="summaries", timeout_s=_READING_S)
        # They change nothing.
        for path, handler in (("/query", queries.query_report), ("/runs", queries.query_runs)):
            configurer.add_handler("POST", _ROOT + path, handler, permission="read", timeout_s=_READING_S)
        _add_handlers_of_definitions(configurer)
        configurer.add_panel(
            "reports", "Reports", "jupyter_colophon/apps/reports/web/panel.js", icon="ui-components:list"
        )


def _add_handlers_of_definitions(configurer: SystemAppConfigurer) -> None:
    configurer.add_handler("GET", _DEFINITIONS, definitions.list_definitions)
    configurer.add_handler("POST", _DEFINITIONS, definitions.create_definition, permission="annotate")
    configurer.add_handler("GET", _DEFINITION, definitions.get_definition)
    configurer.add_handler("PUT", _DEFINITION, definitions.put_definition, permission="annotate")
    configurer.add_handler("DELETE", _DEFINITION, definitions.delete_definition, permission="annotate")
    configurer.add_handler(
        "POST", _DEFINITION + "/run", generated.run_definition, permission="annotate", timeout_s=_READING_S
    )
    configurer.add_handler("GET", _DEFINITION + "/reports", generated.list_reports)
    configurer.add_handler("GET", _REPORT, generated.get_report)
    configurer.add_handler("DELETE", _REPORT, generated.delete_report, permission="annotate")
