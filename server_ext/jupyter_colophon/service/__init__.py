"""What can be asked of the catalog; synchronous, no transport."""
