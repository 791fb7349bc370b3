"""The change feed, the inbox, bulk loads, and what follows the change log."""
