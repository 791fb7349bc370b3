"""The change log in its public formats, the inbox, bulk loads, and the status of sinks."""
