"""How answers look: one page of blocks, rendered as plain text and as HTML; lineage also as a drawing."""
