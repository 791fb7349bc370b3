"""The shipped schemaspaces: Elyra's with its ids and names (spec INST-13), and our own."""

from typing import Any, ClassVar

from jupyter_colophon.schemaspaces.schema import METADATA_TEST_SCHEMASPACE, METADATA_TEST_SCHEMASPACE_ID, Schemaspace


class ShippedSchemaspace(Schemaspace):
    """The base of our schemaspaces: a subclass defines its attributes."""

    ID: ClassVar[str]
    NAME: ClassVar[str]
    DISPLAY_NAME: ClassVar[str]
    DESCRIPTION: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self.ID, self.NAME, self.DISPLAY_NAME, self.DESCRIPTION, **kwargs)


class CodeSnippets(ShippedSchemaspace):
    """Reusable pieces of code."""

    ID = "aa60988f-8f7c-4d09-a243-c54ef9c2f7fb"
    NAME = "code-snippets"
    DISPLAY_NAME = "Code Snippets"
    DESCRIPTION = "Reusable pieces of code"


class RuntimeImages(ShippedSchemaspace):
    """Container images."""

    ID = "119c9740-d73f-48c6-a97a-599d3acaf41d"
    NAME = "runtime-images"
    DISPLAY_NAME = "Runtime Images"
    DESCRIPTION = "Container images for pipeline steps"


class Runtimes(ShippedSchemaspace):
    """Runtimes that run pipelines."""

    ID = "130b8e00-de7c-4b32-b553-b4a52824a3b5"
    NAME = "runtimes"
    DISPLAY_NAME = "Runtimes"
    DESCRIPTION = "Runtimes of pipelines, with their credentials"


class ComponentCatalogs(ShippedSchemaspace):
    """Sources of pipeline components."""

    ID = "8dc89ca3-4b90-41fd-adb9-9510ad346620"
    NAME = "component-catalogs"
    DISPLAY_NAME = "Component Catalogs"
    DESCRIPTION = "Sources of pipeline components"


class ComponentRegistries(ShippedSchemaspace):
    """The predecessor of component catalogs: its instances can and should be migrated."""

    ID = "ae79159a-489d-4656-83a6-1adfbc567c70"
    NAME = "component-registries"
    DISPLAY_NAME = "Component Registries"
    DESCRIPTION = "Deprecated sources of pipeline components: migrate them to component catalogs"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deprecated = True


class SavedSearches(ShippedSchemaspace):
    """Saved searches of the catalog."""

    ID = "5d0c3a4e-6b1f-4c27-9a58-2f7be1d90c63"
    NAME = "saved-searches"
    DISPLAY_NAME = "Saved Searches"
    DESCRIPTION = "Saved searches of the catalog"


class Pipelines(ShippedSchemaspace):
    """Pipelines on Spark, and their schedules."""

    ID = "c1b6a3f2-7d54-4f0e-8a0b-6c3f5b0e9d41"
    NAME = "pipelines"
    DISPLAY_NAME = "Pipelines"
    DESCRIPTION = "Data pipelines on Spark, and their schedules"


class MetadataTests(ShippedSchemaspace):
    """For tests: exists if METADATA_TESTING is set."""

    ID = METADATA_TEST_SCHEMASPACE_ID
    NAME = METADATA_TEST_SCHEMASPACE
    DISPLAY_NAME = METADATA_TEST_SCHEMASPACE
    DESCRIPTION = "For tests of schemas, classes and stores"
