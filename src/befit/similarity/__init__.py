"""How alike two answers are: exact, normalised, edit distance, embedding."""
