"""Generated test packs, each from a seed: the same seed gives the same items."""
