"""Instances of schemaspaces: where they are kept, how they are saved, who is told."""
