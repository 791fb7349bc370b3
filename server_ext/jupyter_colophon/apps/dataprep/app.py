"""The tables, handlers and panel of the application."""

from jupyter_colophon.apps import SystemApp, SystemAppConfigurer
from jupyter_colophon.apps.dataprep import cells, connections, insights, pipelines, recipes, secrets, workspaces
from jupyter_colophon.apps.dataprep.tables import CONNECTIONS, RECIPES, SAMPLES, WORKSPACES

_CONTEXT = "/v2/contexts/{context}"
_CONNECTION = _CONTEXT + "/connections/{connection}"
_WORKSPACE = _CONTEXT + "/workspaces/{workspace}"
#: The time limit of reading a file, in seconds.
_READING_S = 120.0


class Dataprep(SystemApp):
    """Prepares data of any namespace."""

    def configure(self, configurer: SystemAppConfigurer) -> None:
        """Declare the tables, the handlers and the panel."""
        for table in (CONNECTIONS, WORKSPACES, SAMPLES, RECIPES):
            configurer.create_table(table)
        _add_handlers_of_connections(configurer)
        _add_handlers_of_workspaces(configurer)
        configurer.add_panel(
            "dataprep",
            "Prepare data",
            "jupyter_colophon/apps/dataprep/web/panel.js",
            icon="ui-components:table-rows",
            contexts=True,
        )


def _add_handlers_of_connections(configurer: SystemAppConfigurer) -> None:
    configurer.add_handler("GET", _CONTEXT + "/connections", connections.list_connections)
    configurer.add_handler("GET", _CONNECTION, connections.get_connection)
    configurer.add_handler("PUT", _CONNECTION, connections.put_connection)
    configurer.add_handler("DELETE", _CONNECTION, connections.delete_connection)
    configurer.add_handler("GET", _CONNECTION + "/browse", connections.list_entries_of_connection, timeout_s=_READING_S)
    configurer.add_handler("POST", _CONTEXT + "/connections/test", connections.test_connection, timeout_s=_READING_S)
    configurer.add_handler("GET", _CONTEXT + "/secrets", secrets.list_secrets)
    configurer.add_handler("PUT", _CONTEXT + "/secrets/{secret}", secrets.put_secret)
    # It changes nothing.
    configurer.add_handler(
        "POST", _CONNECTION + "/sample", connections.sample_connection, permission="read", timeout_s=_READING_S
    )


def _add_handlers_of_workspaces(configurer: SystemAppConfigurer) -> None:
    configurer.add_handler("GET", _CONTEXT + "/directives", insights.list_directives)
    configurer.add_handler("GET", _CONTEXT + "/workspaces", workspaces.list_workspaces)
    configurer.add_handler("POST", _CONTEXT + "/workspaces", workspaces.create_workspace, timeout_s=_READING_S)
    configurer.add_handler("GET", _WORKSPACE, workspaces.get_workspace)
    configurer.add_handler("PUT", _WORKSPACE, workspaces.rename_workspace)
    configurer.add_handler("DELETE", _WORKSPACE, workspaces.delete_workspace)
    configurer.add_handler("GET", _WORKSPACE + "/rows", recipes.read_rows)
    configurer.add_handler("POST", _WORKSPACE + "/directives", recipes.append_directives)
    configurer.add_handler("PUT", _WORKSPACE + "/directives", recipes.replace_directives)
    configurer.add_handler("POST", _WORKSPACE + "/undo", recipes.undo_change)
    configurer.add_handler("POST", _WORKSPACE + "/redo", recipes.redo_change)
    configurer.add_handler("GET", _WORKSPACE + "/columns", insights.profile_workspace)
    configurer.add_handler("GET", _WORKSPACE + "/columns/{column}/suggestions", insights.suggest_for_column)
    configurer.add_handler(
        "POST", _WORKSPACE + "/columns/{column}/examples", insights.find_by_example, permission="read"
    )
    configurer.add_handler("GET", _WORKSPACE + "/cell", cells.get_cell)
    configurer.add_handler("GET", _WORKSPACE + "/pipeline", pipelines.get_pipeline)
