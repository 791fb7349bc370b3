"""Frames that leave Spark are followed into what pandas writes."""

from support.captured_notebook import run_captured_notebook


def test_frame_from_spark_is_followed_into_a_file(spark, tmp_path):
    spark.sql("CREATE OR REPLACE TEMP VIEW unused AS SELECT 1 AS a")
    spark.range(3).selectExpr("id", "id * 2 AS twice").write.mode("overwrite").parquet(f"{tmp_path}/numbers")
    with run_captured_notebook(tmp_path) as notebook:
        notebook.variables["spark"] = spark
        read = notebook.run(
            "read", f"frame = spark.read.parquet('{tmp_path}/numbers').selectExpr('twice + 1 AS more').toPandas()"
        )
        assert read.error is None, read.error
        notebook.run("write", f"frame.to_csv('{tmp_path}/out.csv', index=False)")
        assert {flow for flow in notebook.list_flows() if flow[2]} == {
            ("read", "numbers", "$read.frame"),
            ("write", "$read.frame", "out.csv"),
        }
        assert ("numbers.twice", "$read.frame.more", "transformation") in notebook.list_columns()
