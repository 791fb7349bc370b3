"""Who is responsible for entities: owners, teams, and requests to them."""
