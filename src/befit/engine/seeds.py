"""Seeds: each repeat of each sample gets its own, derived from the seed of the run.

The candidate is not in it: all candidates answer the same sample with the same
seed. With `fixed`, every repeat is the same call, so stability is then "not
measured" (never 1.0).
"""

from __future__ import annotations

import hashlib
from typing import Literal

FIXED_SEED = 0


def request_seed(seed: int | Literal["fixed"], *, sample_id: str, repeat: int) -> int:
    """Return the seed of one request: 0 to 2**31 - 1, which every provider takes."""
    if seed == "fixed":
        return FIXED_SEED
    text = f"{seed}\x1f{sample_id}\x1f{repeat}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest()) & 0x7FFFFFFF
