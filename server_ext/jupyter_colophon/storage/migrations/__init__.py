"""Changes of data, numbered; changes of shape are `TableAdmin.create_or_update`'s (spec STORE-21)."""
