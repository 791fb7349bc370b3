"""The part of the write path inside the transaction. Only `service/write_path.py` imports it."""
