"""The change feed, the inbox, bulk loads, and followers of the change log."""
