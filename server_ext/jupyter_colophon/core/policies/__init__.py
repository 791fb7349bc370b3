"""Access policies: who may do what, as rules that are compiled once."""
