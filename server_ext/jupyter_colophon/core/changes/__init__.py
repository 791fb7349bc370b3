"""The change log in its announced forms, the inbox, bulk loads, and the status of sinks."""
