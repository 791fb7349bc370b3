"""Calls of threads and tasks belong to the cell that started them."""

import threading

from jupyter_colophon.capture.origins import Origin
from support.waiting import wait_for

START = "import threading\nimport pandas as pd\nfrom concurrent.futures import ThreadPoolExecutor\nfrom multiprocessing.pool import ThreadPool"


def write(number):
    return f"pd.DataFrame({{'a': [{number}]}}).to_csv('{number}.csv')"


def test_thread_belongs_to_the_cell_that_started_it(notebook):
    notebook.variables["go"] = threading.Event()
    notebook.run(
        "start", f"{START}\nthread = threading.Thread(target=lambda: (go.wait(30), {write(1)}))\nthread.start()"
    )
    notebook.run("later", "go.set()\nthread.join()")
    assert notebook.list_flows() == {("start", "", "1.csv")}


def test_work_of_an_executor_belongs_to_the_cell_that_submitted_it(notebook):
    notebook.variables["go"] = threading.Event()
    notebook.run("first", f"{START}\npool = ThreadPoolExecutor(1)\npool.submit(lambda: {write(1)}).result()")
    notebook.run("second", f"late = pool.submit(lambda: (go.wait(30), {write(2)}))")
    notebook.run("third", f"go.set()\nlate.result()\nlist(pool.map(lambda number: {write(3)}, [0]))\npool.shutdown()")
    assert notebook.list_flows() == {("first", "", "1.csv"), ("second", "", "2.csv"), ("third", "", "3.csv")}


def test_pool_of_an_earlier_cell_works_for_the_cell_that_runs(notebook):
    notebook.run("first", f"{START}\npool = ThreadPool(1)\npool.map(lambda number: {write(1)}, [0])")
    notebook.run("second", f"pool.map(lambda number: {write(2)}, [0])\npool.close()\npool.join()")
    assert notebook.list_flows() == {("first", "", "1.csv"), ("second", "", "2.csv")}


def test_subclass_of_a_thread_runs_as_before(notebook):
    code = "class Counting(threading.Thread):\n    def run(self):\n        self.count = 1\nthread = Counting(daemon=True)\nthread.start()\nthread.join()"
    assert notebook.run("run", f"{START}\n{code}").error is None
    assert notebook.variables["thread"].count == 1


def test_values_of_all_threads_wait_until_what_computes_values_is_observed(notebook):
    origins, events, values = notebook.capture.context.origins, [], (threading.Event(), threading.Event())

    def follow(value):
        origins.set_origin(value, Origin(None, 0, ()))
        events.append("followed")

    def observe():
        other = threading.Thread(target=follow, args=values[1:])
        other.start()
        # It cannot end before this function does.
        other.join(0.2)
        events.append("observed")

    origins.call_before_values(observe)
    follow(values[0])
    wait_for(lambda: len(events), lambda count: count == 3)
    assert events[0] == "observed"
    assert events.count("observed") == 1
