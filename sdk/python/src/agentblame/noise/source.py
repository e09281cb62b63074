"""The noise of one run of a step."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from .address import ABDUCTED, PRIOR, Stream, bits, leb128, prefix
from .draw import Draw, NoiseError, check_count, check_probability, json_logit, logits_of, observation
from .numbers import below, exponential, gumbel, normal, uniform
from .posterior import choose, choose_given, span, swaps

_TOP = 2**64


class Noise:
    """The noise of one run of a step: each method draws under a key.

    A key names the draw within the run and may be used once. It comes first, as in
    ``noise.int("attempts", 5)``. Without one the draw's kind is its key, as in
    ``noise.uniform()``.

    :param seed: the world's seed, of 64 bits
    :param world: the number of the world, of 64 bits
    :param step: the step's name
    :param iteration: the number of the call as a string, or its name
    :param observed: draws that the noise must explain, in their JSON form
    """

    __slots__ = ("_given", "_prefixes", "_used", "draws", "iteration", "seed_", "step", "world")

    def __init__(
        self, seed: int = 0, world: int = 0, step: str = "", iteration: str = "1", observed: Iterable[Draw] = ()
    ) -> None:
        self.seed_, self.world = int(seed), int(world)
        if not (0 <= self.seed_ < _TOP and 0 <= self.world < _TOP):
            raise NoiseError("seed and world are numbers of 64 bits")
        self.step, self.iteration = step, iteration
        self.draws: list[Draw] = []
        """What has been drawn, in its JSON form."""
        self._used: set[str] = set()
        self._prefixes: dict[int, bytes] = {}
        self._given: dict[str, Draw] = {}
        for draw in observed or ():
            if draw["key"] in self._given:
                raise NoiseError(f"draw {draw['key']!r} was observed twice")
            self._given[draw["key"]] = observation(draw)

    @classmethod
    def fresh(cls, step: str = "", iteration: str = "1") -> Noise:
        """The noise of a world that nobody has seen before."""
        return cls(secrets.randbits(53), 0, step, iteration)

    def __repr__(self) -> str:
        return f"Noise(seed={self.seed_}, world={self.world}, step={self.step!r}, iteration={self.iteration!r})"

    @overload
    def categorical(self, key: str, logits: Mapping[str, float]) -> str: ...
    @overload
    def categorical(self, key: Mapping[str, float], logits: None = None) -> str: ...
    def categorical(self, key: Any, logits: Any = None) -> str:
        """One of named options, with the probabilities softmax(logits) (Gumbel-max)."""
        key, logits = _keyed("categorical", key, logits)
        if type(logits) is not dict and not isinstance(logits, Mapping):
            raise NoiseError(f"draw {key!r}: the logits are a {type(logits).__name__}; they must be a dict")
        for option in logits:
            if not isinstance(option, str):
                raise NoiseError(f"draw {key!r}: the option {option!r} is no string")
        table = logits_of(logits, key)
        self._claim(key)
        heads: dict[Any, bytes] = {}

        def gumbels(domain: int, option: str) -> float:
            head = heads.get(domain)
            if head is None:
                head = heads[domain] = self._address(domain, key)
            return gumbel(uniform(bits(head + leb128(option))))

        chosen = self._choice(key, "categorical", table, gumbels)
        self.draws.append({
            "key": key, "kind": "categorical",
            "logits": {o: json_logit(v) for o, v in table.items()}, "chosen": chosen,
        })  # fmt: skip
        return chosen

    @overload
    def index(self, key: str, logits: Sequence[float]) -> int: ...
    @overload
    def index(self, key: Sequence[float], logits: None = None) -> int: ...
    def index(self, key: Any, logits: Any = None) -> int:
        """The number of one of many options, with the probabilities softmax(logits)."""
        key, logits = _keyed("index", key, logits)
        table = logits_of(dict(enumerate(logits)), key)
        self._claim(key)
        streams: dict[Any, Stream] = {}

        def gumbels(domain: int, option: int) -> float:
            stream = streams.get(domain)
            if stream is None:
                stream = streams[domain] = Stream(self._address(domain, key))
            return gumbel(uniform(stream.bits(option)))

        chosen = self._choice(key, "index", table, gumbels)
        self.draws.append({
            "key": key, "kind": "index", "logits": [json_logit(v) for v in table.values()], "chosen": chosen,
        })  # fmt: skip
        return chosen

    def uniform(self, key: str = "uniform") -> float:
        """A number from the open interval (0, 1)."""
        return self._number(key, "uniform", lambda u: u)

    def normal(self, key: str = "normal") -> float:
        """A standard normal number."""
        return self._number(key, "normal", normal)

    def exponential(self, key: str = "exponential") -> float:
        """An exponential number of mean 1."""
        return self._number(key, "exponential", exponential)

    @overload
    def int(self, key: str, n: int) -> int: ...  # type: ignore[valid-type]
    @overload
    def int(self, key: int, n: None = None) -> int: ...  # type: ignore[valid-type]
    def int(self, key: Any, n: Any = None) -> Any:
        """A whole number from 0 to n-1."""
        key, n = _keyed("int", key, n)
        n = check_count(n, key, 1)
        self._claim(key)
        value = below(self._bits(key), n)
        self.draws.append({"key": key, "kind": "int", "n": n, "value": value})
        return value

    @overload
    def bool(self, key: str, p: float) -> bool: ...  # type: ignore[valid-type]
    @overload
    def bool(self, key: float, p: None = None) -> bool: ...  # type: ignore[valid-type]
    def bool(self, key: Any, p: Any = None) -> Any:
        """True with probability p."""
        key, p = _keyed("bool", key, p)
        p = check_probability(p, key)
        self._claim(key)
        value = uniform(self._bits(key)) < p
        self.draws.append({"key": key, "kind": "bool", "p": p, "value": value})
        return value

    @overload
    def perm(self, key: str, n: int) -> list: ...  # type: ignore[valid-type]
    @overload
    def perm(self, key: int, n: None = None) -> list: ...  # type: ignore[valid-type]
    def perm(self, key: Any, n: Any = None) -> list:
        """A permutation of 0 to n-1."""
        key, n = _keyed("perm", key, n)
        n = check_count(n, key, 0)
        self._claim(key)
        given = self._given.get(key)
        known = swaps(given["value"]) if given and given["kind"] == "perm" else []
        stream, out = Stream(self._address(PRIOR, key)), list(range(n))
        for i in range(n - 1, 0, -1):
            j = known[i] if i < len(known) else below(stream.bits(i), i + 1)
            out[i], out[j] = out[j], out[i]
        self.draws.append({"key": key, "kind": "perm", "value": list(out)})
        return out

    def seed(self, key: str = "seed") -> Any:
        """A seed below 2**53, for somebody else's generator or model."""
        self._claim(key)
        value = self._bits(key)
        self.draws.append({"key": key, "kind": "seed", "value": value})
        return value

    def _claim(self, key: Any) -> None:
        """Marks a key as used. Every draw starts here."""
        if not isinstance(key, str):
            raise NoiseError(f"the key {key!r} of a draw is no string")
        if key in self._used:
            raise NoiseError(f"draw {key!r}: used twice in one step run: both draws would be the same noise")
        try:
            key.encode()
        except UnicodeEncodeError:
            raise NoiseError(f"draw {key!r}: not valid Unicode") from None
        self._used.add(key)

    def _address(self, domain: Any, key: str) -> bytes:
        head = self._prefixes.get(domain)
        if head is None:
            head = prefix(domain, self.seed_, self.world, self.step, self.iteration)
            self._prefixes[domain] = head
        return head + leb128(key)

    def _bits(self, key: str) -> Any:
        """The 53 bits of a scalar draw."""
        given = self._given.get(key)
        if given is None or given["kind"] in ("perm", "categorical", "index"):
            return bits(self._address(PRIOR, key))
        lo, hi = span(given)
        return lo if lo == hi else lo + below(bits(self._address(ABDUCTED, key)), hi - lo + 1)

    def _number(self, key: str, kind: str, of: Any) -> float:
        self._claim(key)
        given = self._given.get(key)
        # What was observed is repeated as it was logged.
        value = float(given["value"]) if given and given["kind"] == kind else of(uniform(self._bits(key)))
        self.draws.append({"key": key, "kind": kind, "value": value})
        return value

    def _choice(self, key: str, kind: str, table: dict[Any, float], gumbels: Any) -> Any:
        given = self._given.get(key)
        if given is None or given["kind"] != kind:
            return choose(table, gumbels)
        return choose_given(table, gumbels, given["logits"], given["chosen"])


def _keyed(kind: str, key: Any, value: Any) -> tuple[str, Any]:
    """The key and the parameter of a draw, of which the key may be left out."""
    if value is not None:
        return key, value
    if isinstance(key, str):
        raise NoiseError(f"draw {key!r}: {kind} needs what to draw from")
    return kind, key
