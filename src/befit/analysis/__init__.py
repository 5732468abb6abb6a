"""From narrow rows to estimates: only estimates come out."""
