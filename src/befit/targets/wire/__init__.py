"""The wire: HTTP exchange, provider dialects and failure classes shared by the HTTP targets."""
