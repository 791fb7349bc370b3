"""What each word after `%metadata` is: how it is asked, and what it does. A new one is a `Command` in `table.py`, and a page in `display/pages.py`."""
