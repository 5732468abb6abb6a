"""Sample files and what is done to them."""
