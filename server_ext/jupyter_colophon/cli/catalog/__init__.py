"""What the commands on entities share: clients of a store or a server, names, completion."""
