"""The data source class, which Spark calls first."""

from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceWriter

from jupyter_colophon.spark.source.options import InvalidOption, SourceOptions
from jupyter_colophon.spark.source.tables import TABLES
from jupyter_colophon.spark.source.user_errors import hide_traceback


class ColophonSource(DataSource):
    """`format("colophon")`. Spark calls it in Python workers; errors are reported without a traceback."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "colophon"

    @hide_traceback()
    def schema(self) -> str:
        """Return the columns of the table in the option `table`."""
        return TABLES[self._read_options().table].schema

    @hide_traceback()
    def reader(self, schema: Any) -> DataSourceReader:
        """Return a reader; with `pushdown`, the server evaluates Spark's filters where it can."""
        from jupyter_colophon.spark.source import reading

        options = self._read_options()
        return (reading.PushdownReader if options.get_flag("pushdown") else reading.TableReader)(options, schema)

    @hide_traceback()
    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        """Return a writer for proposals."""
        from jupyter_colophon.spark.source.writing import LoadWriter

        if overwrite:
            raise InvalidOption("proposals can only be appended: write with mode('append')")
        return LoadWriter(SourceOptions.from_options({**self.options, "table": "proposals"}), schema)

    @hide_traceback()
    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        """Return a stream of the change log."""
        from jupyter_colophon.spark.source.stream_factory import create_stream_reader

        return create_stream_reader(self._read_options(), schema)

    def _read_options(self) -> SourceOptions:
        options = SourceOptions.from_options(self.options)
        if options.table not in TABLES:
            raise InvalidOption(f"the option table must be one of {', '.join(sorted(TABLES))}, not {options.table!r}")
        return options
