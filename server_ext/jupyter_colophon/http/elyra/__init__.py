"""The Elyra door: `/elyra/…` as Elyra's clients know it (elyra.md 1)."""
