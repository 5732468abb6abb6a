"""From evidence and policy to a decision: pure functions, no clock, no files, no calls."""
