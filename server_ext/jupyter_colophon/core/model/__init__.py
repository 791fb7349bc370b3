"""The metadata model: entity types, aspects, proposals, validators, and what each aspect contributes to search."""
