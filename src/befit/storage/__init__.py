"""One workspace file (SQLite), or PostgreSQL for teams, through the same statements."""
