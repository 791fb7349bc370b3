"""The commands of `%metadata`. A new one needs a `Command` in `command_table.py` and a page in `rendering/renderers.py`."""
