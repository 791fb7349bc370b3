"""The REST API of Elyra's metadata service, as Elyra's clients know it (spec INST-1)."""
