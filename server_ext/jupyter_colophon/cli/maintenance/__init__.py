"""Commands that check, repair, back up and shrink a store."""
