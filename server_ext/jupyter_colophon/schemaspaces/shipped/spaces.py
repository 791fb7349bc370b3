"""The schemaspaces that we ship: Elyra's with its ids and names (spec INST-13), and our own."""

from typing import Any, ClassVar

from jupyter_colophon.schemaspaces.schema import METADATA_TEST_SCHEMASPACE, METADATA_TEST_SCHEMASPACE_ID, Schemaspace


class ShippedSchemaspace(Schemaspace):
    """One of ours: a subclass says what it is."""

    ID: ClassVar[str]
    NAME: ClassVar[str]
    DISPLAY_NAME: ClassVar[str]
    DESCRIPTION: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(self.ID, self.NAME, self.DISPLAY_NAME, self.DESCRIPTION, **kwargs)


class CodeSnippets(ShippedSchemaspace):
    """Pieces of code to use again."""

    ID = "aa60988f-8f7c-4d09-a243-c54ef9c2f7fb"
    NAME = "code-snippets"
    DISPLAY_NAME = "Code Snippets"
    DESCRIPTION = "Pieces of code to use again"


class RuntimeImages(ShippedSchemaspace):
    """Container images."""

    ID = "119c9740-d73f-48c6-a97a-599d3acaf41d"
    NAME = "runtime-images"
    DISPLAY_NAME = "Runtime Images"
    DESCRIPTION = "Container images that steps of pipelines run in"


class Runtimes(ShippedSchemaspace):
    """Where pipelines run."""

    ID = "130b8e00-de7c-4b32-b553-b4a52824a3b5"
    NAME = "runtimes"
    DISPLAY_NAME = "Runtimes"
    DESCRIPTION = "Where pipelines run, and how one gets in"


class ComponentCatalogs(ShippedSchemaspace):
    """Where components of pipelines are found."""

    ID = "8dc89ca3-4b90-41fd-adb9-9510ad346620"
    NAME = "component-catalogs"
    DISPLAY_NAME = "Component Catalogs"
    DESCRIPTION = "Where components of pipelines are found"


class ComponentRegistries(ShippedSchemaspace):
    """What component catalogs were before: instances can be migrated, and should be."""

    ID = "ae79159a-489d-4656-83a6-1adfbc567c70"
    NAME = "component-registries"
    DISPLAY_NAME = "Component Registries"
    DESCRIPTION = "Where components were found before there were catalogs: migrate them"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deprecated = True


class SavedSearches(ShippedSchemaspace):
    """Searches of the catalog, to be done again."""

    ID = "5d0c3a4e-6b1f-4c27-9a58-2f7be1d90c63"
    NAME = "saved-searches"
    DISPLAY_NAME = "Saved Searches"
    DESCRIPTION = "Searches of the catalog, to be done again"


class Pipelines(ShippedSchemaspace):
    """What is done with data on Spark, stage by stage."""

    ID = "c1b6a3f2-7d54-4f0e-8a0b-6c3f5b0e9d41"
    NAME = "pipelines"
    DISPLAY_NAME = "Pipelines"
    DESCRIPTION = "What is done with data on Spark, stage by stage"


class MetadataTests(ShippedSchemaspace):
    """For tests: there where METADATA_TESTING is set."""

    ID = METADATA_TEST_SCHEMASPACE_ID
    NAME = METADATA_TEST_SCHEMASPACE
    DISPLAY_NAME = METADATA_TEST_SCHEMASPACE
    DESCRIPTION = "For tests of schemas, classes and stores"
