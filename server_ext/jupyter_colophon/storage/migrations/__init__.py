"""Numbered migrations of data; changes of table specs are left to `TableAdmin.create_or_update` (spec STORE-21)."""
