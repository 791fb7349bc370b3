"""What the commands on entities ask of: a store on this machine, or a server."""
