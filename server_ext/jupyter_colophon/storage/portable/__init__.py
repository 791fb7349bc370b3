"""What a provider leaves out, on structured tables alone (spec STORE-15)."""
