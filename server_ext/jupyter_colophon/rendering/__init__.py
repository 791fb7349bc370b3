"""Render documents of the REST API as tables, trees and lineage: text for terminals, HTML and SVG for notebooks."""
