"""The schemaspaces that we ship: Elyra's, written anew (elyra.md, "What we build", 5), and our own. Registered as anybody's are."""
