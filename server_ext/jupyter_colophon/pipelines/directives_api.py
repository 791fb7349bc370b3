"""`metadata.load_directives(…)`, for recipes in notebooks (docs/how-to/write-a-directive.md)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.current_connection import send_pending_and_get_api

if TYPE_CHECKING:
    from jupyter_colophon.wrangling.directive import Directive


def load_directives(namespace: str, *names: str) -> "Mapping[str, type[Directive]]":
    """Return directives of the artifacts of a namespace, for `apply_recipe_to_dataframe(…, directives=…)`.

    A name is `artifact/version/name`, or `artifact/name` for the version that was uploaded last. The code of the artifact
    runs in this process, and on Spark's executors. Raises LookupError for a name that was not found, and ClientError.
    """
    from jupyter_colophon.pipelines.artifact_plugins import (
        create_pipeline_code,
        find_directives,
        list_artifacts,
        read_content,
    )
    from jupyter_colophon.pipelines.pipeline_code import DIRECTIVE

    catalog = send_pending_and_get_api().catalog
    found = find_directives(list_artifacts(catalog, namespace), names)
    if missing := [name for name in names if name not in found]:
        msg = f"the directive {missing[0]} was not found in the namespace {namespace}"
        raise LookupError(msg)
    named = {(DIRECTIVE, name): item for name, item in found.items()}
    return create_pipeline_code(named, lambda artifact: read_content(catalog, artifact)).get_directives()
