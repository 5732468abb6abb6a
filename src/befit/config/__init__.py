"""befit.yaml to live objects, with every mistake reported at once, by file, line and key."""
