"""A DAG of Airflow: a table from another one by SQL, files that a task names itself, and a task that fails."""

import datetime
import sys

from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, Asset

REVENUE = "insert into public.revenue select customer_id, sum(amount) from public.orders group by customer_id"

with DAG("shop", start_date=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), schedule=None) as dag:
    revenue = SQLExecuteQueryOperator(task_id="revenue", conn_id="shop", sql=REVENUE)
    report = BashOperator(
        task_id="report",
        bash_command="true",
        inlets=[Asset("postgres://localhost:5432/postgres/public/revenue")],
        outlets=[Asset("file:///data/report.csv")],
    )
    broken = BashOperator(task_id="broken", bash_command="exit 1")
    revenue >> report >> broken

if __name__ == "__main__":
    sys.exit(dag.test().state == "success")
