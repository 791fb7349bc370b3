"""The schemaspaces that we ship: Elyra's, written anew, and our own. Registered as anybody's are."""
