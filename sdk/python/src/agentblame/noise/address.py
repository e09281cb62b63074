"""Addresses of draws and what is computed from them: bits and streams of bits."""

from __future__ import annotations

from hashlib import sha256
from struct import Struct

PRIOR = 1
"""The domain of the world's own noise."""
ABDUCTED = 2
"""The domain of noise that completes an observation."""

_WORDS = Struct(">8I")
_TWO_WORDS = Struct(">2I")


def leb128(text: str) -> bytes:
    """A string with its length in bytes before it, as unsigned LEB128."""
    b = text.encode()
    n = len(b)
    if n < 0x80:
        return bytes((n,)) + b
    length = bytearray()
    while n >= 0x80:
        length.append(n & 0x7F | 0x80)
        n >>= 7
    length.append(n)
    return bytes(length) + b


def prefix(domain: int, seed: int, world: int, step: str, iteration: str) -> bytes:
    """What the addresses of all draws of a step run begin with."""
    head = bytes((domain,)) + seed.to_bytes(8, "big") + world.to_bytes(8, "big")
    return head + leb128(step) + leb128(iteration)


def bits(address: bytes) -> int:
    """The 53 bits of an address' own uniform number."""
    hi, lo = _TWO_WORDS.unpack_from(sha256(address).digest())
    return hi << 21 | lo >> 11


def philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
    """Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) of a counter and a key."""
    for _ in range(10):
        p, q = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = q >> 32 ^ c1 ^ k0, q & 0xFFFFFFFF, p >> 32 ^ c3 ^ k1, p & 0xFFFFFFFF
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return c0, c1, c2, c3


class Stream:
    """The numbered uniform numbers of an address, each to be had without the others."""

    __slots__ = ("_block", "_out", "_words")

    def __init__(self, address: bytes) -> None:
        self._words = _WORDS.unpack(sha256(address).digest())
        self._block = -1
        self._out = (0, 0, 0, 0)

    def bits(self, i: int) -> int:
        """The 53 bits of number i."""
        block = i >> 1
        if block != self._block:
            w = self._words
            self._out = philox(block & 0xFFFFFFFF, block >> 32, w[4], w[5], w[2], w[3])
            self._block = block
        x = self._out
        return x[2] << 21 | x[3] >> 11 if i & 1 else x[0] << 21 | x[1] >> 11
