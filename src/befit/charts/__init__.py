"""Dataclass in, accessible SVG out. No chart library, no clock, deterministic."""
