"""What a provider leaves out, on structured tables alone (architecture.md, Storage; catalog.md 9.3)."""
