"""JSON documents: parsing, patches, differences, and JSON Schema validation."""
