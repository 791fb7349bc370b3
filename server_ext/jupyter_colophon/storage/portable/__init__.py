"""The features that a provider does not implement, built on structured tables (spec STORE-15)."""
