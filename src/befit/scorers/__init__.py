"""One file per kind of judgement; pure and synchronous."""
