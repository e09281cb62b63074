"""The noise is the specification's, to the last bit: the shared test vectors."""

import json
import math
import struct
from hashlib import sha256
from pathlib import Path

import pytest
from agentblame.noise import Noise, NoiseError
from agentblame.noise import numbers
from agentblame.noise.address import Stream, bits, leb128, philox, prefix

VECTORS = json.loads((Path(__file__).parents[3] / "noise/testdata/vectors.json").read_text())


def hexbits(x):
    return struct.pack(">d", x).hex()


def address(at, option=None):
    b = prefix(1, int(at["seed"]), int(at["index"]), at["step"], at["call"]) + leb128(at["key"])
    return b if option is None else b + leb128(option)


def noise(at, observed=None):
    given = [] if observed is None else [{"key": at["key"], **observed}]
    return Noise(int(at["seed"]), int(at["index"]), at["step"], at["call"], given)


def ask(n, at, a):
    key, kind = at["key"], a["kind"]
    pattern = [(7919 * i % 1000) / 100 for i in range(a.get("pattern", 0))]
    if kind == "categorical":
        return n.categorical(key, a["logits"])
    if kind == "index":
        return n.index(key, pattern or a["logits"])
    if kind in ("int", "perm"):
        return getattr(n, kind)(key, a.get("n", 0))
    if kind == "bool":
        return n.bool(key, a.get("p", 0))
    return getattr(n, kind)(key)


def show(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return hexbits(v)
    return ",".join(map(str, v)) if isinstance(v, list) else str(v)


def test_addresses():
    for v in VECTORS["addresses"]:
        b = address(v["at"], v.get("option"))
        k = bits(b)
        u = numbers.uniform(k)
        got = [b.hex(), str(k)] + [
            hexbits(x) for x in (u, numbers.exponential(u), numbers.gumbel(u), numbers.normal(u))
        ]
        assert got == [v[name] for name in ("bytes", "k", "u", "exp", "gumbel", "normal")]


@pytest.mark.parametrize("name", ["ln", "exp", "log1p", "normal"])
def test_functions(name):
    for v in VECTORS[name]:
        x = struct.unpack(">d", bytes.fromhex(v["x"]))[0]
        assert hexbits(getattr(numbers, name)(x)) == v["y"], v


def test_streams():
    for v in VECTORS["philox"]:
        assert list(philox(*v["counter"], *v["key"])) == v["out"]
    for v in VECTORS["streams"]:
        assert str(Stream(address(v["at"])).bits(v["id"])) == v["k"]
    for v in VECTORS["digest"]:
        h, stream = sha256(), Stream(address(v["at"]))
        for i in range(v["n"]):
            u = numbers.uniform(stream.bits(i))
            h.update(struct.pack(">3d", numbers.ln(u), numbers.gumbel(u), numbers.normal(u)))
        assert h.hexdigest() == v["sha256"]


@pytest.mark.parametrize("rows", ["draws", "posterior"])
def test_draws(rows):
    for v in VECTORS[rows]:
        n = noise(v["at"], pattern(v.get("observed")))
        assert show(ask(n, v["at"], v["ask"])) == v["want"], v


def pattern(observed):
    """An observation with its pattern of logits written out."""
    if observed and "pattern" in observed:
        return {**observed, "logits": [(7919 * i % 1000) / 100 for i in range(observed["pattern"])]}
    return observed


def test_a_draw_explains_itself():
    """What a run has drawn, observed, is drawn again in every world."""
    for seed in range(20):
        first = Noise(seed, 0, "s", "1")
        values = everything(first)
        for world in range(5):
            again = Noise(seed + 100, world, "s", "1", json.loads(json.dumps(first.draws)))
            assert everything(again) == values
            assert again.draws == first.draws


def everything(n):
    return [
        n.categorical("c", {"a": 0.3, "b": -math.inf, "c": 1}),
        n.index("i", [0, 1, 2, -math.inf]),
        n.uniform(),
        n.normal(),
        n.exponential(),
        n.int("n", 7),
        n.bool("b", 0.4),
        n.perm("p", 6),
        n.seed(),
    ]


def test_keys_may_be_left_out():
    a, b = Noise(7), Noise(7)
    assert a.categorical({"x": 0, "y": 0}) == b.categorical("categorical", {"x": 0, "y": 0})
    assert a.int(1000) == b.int("int", 1000)
    assert a.perm(9) == b.perm("perm", 9)
    assert a.draws == b.draws


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (lambda n: (n.uniform("k"), n.normal("k")), "used twice"),
        (lambda n: n.categorical("k", {}), "no option"),
        (lambda n: n.categorical("k", {"a": math.nan}), "is nan"),
        (lambda n: n.categorical("k", {"a": math.inf}), "is inf"),
        (lambda n: n.categorical("k", {1: 0.0}), "no string"),
        (lambda n: n.index("k", [-math.inf]), "no option"),
        (lambda n: n.int("k", 0), "from 1"),
        (lambda n: n.int("k", 2**31), "from 1"),
        (lambda n: n.int("k", 2.5), "whole number"),
        (lambda n: n.perm("k", -1), "from 0"),
        (lambda n: n.bool("k", 1.5), "from 0 to 1"),
        (lambda n: n.uniform("\ud800"), "Unicode"),
        (lambda n: n.categorical("k"), "what to draw from"),
    ],
)
def test_misuse(draw, why):
    with pytest.raises(NoiseError, match=why):
        draw(Noise())


@pytest.mark.parametrize(
    "observed",
    [
        {"key": "k", "kind": "categorical", "logits": {"a": "-inf", "b": 0}, "chosen": "a"},
        {"key": "k", "kind": "int", "n": 3, "value": 3},
        {"key": "k", "kind": "bool", "p": 0, "value": True},
        {"key": "k", "kind": "perm", "value": [0, 0]},
        {"key": "k", "kind": "gamma", "value": 1},
    ],
)
def test_impossible_observations(observed):
    with pytest.raises(NoiseError):
        Noise(observed=[observed])
