"""Print where the CPU time of a search over REST goes, by stage (`stages.py`), for a rare, a middling and a common word.

`python bench/search_costs.py FOLDER SIZE` uses the SQLite store of SIZE entities in a folder of `run.py --stores`, or fills
it. Words are chosen by their number of matches in a catalog of a million: about 35, 1,500, and more than 10,000. The trivial
POST is the minimum of a request.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import corpus
import stores
from costs import print_cost_table
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage.secret import read_or_create_store_key
from serving import Client, start_server

REQUESTS, _MILLION = 40, 1_000_000
_EXTENSIONS = ("jupyter_colophon", "trivial", "stages")
#: The ranks of words in a catalog of a million; ranks in a smaller one, with as many matches, are smaller.
_RARE, _MIDDLING = range(20_000, 40_000, 1_000), range(400, 800, 20)


def main() -> None:
    """Measure the kinds of requests, and print a table."""
    folder, size = Path(sys.argv[1]), int(sys.argv[2])
    stores.keep_and_use(folder)
    catalog = stores.open_filled_catalog(size)
    # Otherwise a thread of the server would seal the changes meanwhile.
    seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), lambda: int(time.time() * 1e3))
    catalog.close()
    options = (f"--Colophon.storage_options={{'path': '{folder.resolve()}/filled{size}.db'}}",)
    with start_server(*_EXTENSIONS, options=options, known=_EXTENSIONS) as server, server.open_client() as client:
        print_cost_table(server, client, _list_requests(client, size), REQUESTS)


def _list_requests(client: Client, size: int) -> dict[str, Callable[[int], object]]:
    return {
        "trivial POST": lambda _: client.request("POST", "/trivial", {"q": "a"}),
        "rare": _search_words(client, [rank * size // _MILLION for rank in _RARE]),
        "middling": _search_words(client, [rank * size // _MILLION for rank in _MIDDLING]),
        "common": _search_words(client, range(0, 10, 2)),
    }


def _search_words(client: Client, ranks: Sequence[int]) -> Callable[[int], object]:
    words = list(map(corpus.get_word, ranks))
    return lambda number: client.request("GET", f"/colophon/api/search?limit=20&q={words[number % len(words)]}")


if __name__ == "__main__":
    main()
