"""The schemaspaces that we ship: Elyra's, written anew (elyra.md, "What we build", 5). Registered as anybody's are."""
