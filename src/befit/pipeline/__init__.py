"""The stages in order, one file per stage, nothing else."""
