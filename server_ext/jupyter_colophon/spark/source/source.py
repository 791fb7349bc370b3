"""The data source itself: what Spark asks first."""

from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceWriter

from jupyter_colophon.spark.source.options import Options, WrongOption
from jupyter_colophon.spark.source.tables import TABLES
from jupyter_colophon.spark.source.user_errors import told_plainly


class ColophonSource(DataSource):
    """`format("colophon")`. Spark calls it in Python workers; what fails here is told to the user in its words."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "colophon"

    @told_plainly()
    def schema(self) -> str:
        """The columns of the table that `table` names."""
        return TABLES[self._options().table].schema

    @told_plainly()
    def reader(self, schema: Any) -> DataSourceReader:
        """A read; with `pushdown`, Spark's filters become the server's where it has them."""
        from jupyter_colophon.spark.source import reading

        options = self._options()
        return (reading.PushingReader if options.flag("pushdown") else reading.TableReader)(options)

    @told_plainly()
    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        """A bulk write of proposals."""
        from jupyter_colophon.spark.source.writing import LoadWriter

        if overwrite:
            raise WrongOption("proposals are added to a catalog: write with mode('append')")
        return LoadWriter(Options.of({**self.options, "table": "proposals"}), schema)

    @told_plainly()
    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        """The change log as a stream."""
        from jupyter_colophon.spark.source.stream_factory import reader

        return reader(self._options())

    def _options(self) -> Options:
        options = Options.of(self.options)
        if options.table not in TABLES:
            raise WrongOption(f"the option table is one of {', '.join(sorted(TABLES))}, not {options.table!r}")
        return options
