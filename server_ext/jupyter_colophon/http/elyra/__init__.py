"""The Elyra door: `/elyra/…` as Elyra's clients know it (spec INST-1)."""
