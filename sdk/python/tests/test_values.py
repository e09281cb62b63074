"""Values: what is written as JSON, what isn't, and what is read back."""

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import random
import uuid
from collections import OrderedDict, namedtuple
from typing import Annotated, Any, NamedTuple, Optional, TypedDict, Union

import pytest
from agentblame import DecodingError, EncodingError
from agentblame.decode import decoder
from agentblame.values import encode


class Color(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: float
    at: Optional[datetime.date] = None


@dataclasses.dataclass
class Tree:
    name: str
    children: "list[Tree]" = dataclasses.field(default_factory=list)


class Pair(NamedTuple):
    a: int
    when: datetime.datetime


class Record(TypedDict, total=False):
    id: uuid.UUID
    points: list[Point]


class Model:
    """Stands for a Pydantic model."""

    def __init__(self, n):
        self.n = n

    def model_dump(self, mode):
        assert mode == "json"
        return {"n": self.n}

    @classmethod
    def model_validate(cls, v):
        return cls(int(v["n"]))

    def __eq__(self, other):
        return self.n == other.n


class Array:
    """Stands for a NumPy array."""

    dtype = "float64"

    def __init__(self, *values):
        self.values = values

    def tolist(self):
        return list(self.values)


UTC = datetime.timezone.utc
WHEN = datetime.datetime(2026, 1, 31, 12, 30, tzinfo=UTC)
ID = uuid.UUID(int=7)

WRITTEN = [
    ("text é 😀", "text é 😀"),
    (0.1, 0.1),
    (2**70, 2**70),
    (True, True),
    (None, None),
    ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
    ((1, (2, 3)), [1, [2, 3]]),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    (b"\x00\xff", {"$bytes": "AP8="}),
    (WHEN, "2026-01-31T12:30:00+00:00"),
    (datetime.date(2026, 1, 31), "2026-01-31"),
    (datetime.time(12, 30), "12:30:00"),
    (datetime.timedelta(minutes=2), 120.0),
    (decimal.Decimal("1.10"), "1.10"),
    (ID, str(ID)),
    (pathlib.PurePosixPath("a/b"), "a/b"),
    (Color.RED, "red"),
    (Color.PAIR, [1, 2]),
    (Level.LOW, 1),
    (Point(1.5, datetime.date(2026, 1, 2)), {"x": 1.5, "at": "2026-01-02"}),
    (Tree("r", [Tree("c")]), {"name": "r", "children": [{"name": "c", "children": []}]}),
    (Pair(1, WHEN), {"a": 1, "when": "2026-01-31T12:30:00+00:00"}),
    (Model(3), {"n": 3}),
    ([Array(1.0, 2.0)], [[1.0, 2.0]]),
    (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    ({Color.RED: 1}, {"red": 1}),
]


@pytest.mark.parametrize(("value", "want"), WRITTEN, ids=lambda v: str(v)[:30])
def test_written(value, want):
    assert json.loads(encode(value, "the output")) == want


CYCLE: list = []
CYCLE.append({"again": CYCLE})
LOOP = Tree("loop")
LOOP.children.append(LOOP)
DEEP: Any = []
for _ in range(2000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (math.nan, "the output of step s can't be written as JSON: the value is nan"),
        ({"a": [1, {"b c": math.inf}]}, r"at .a\[1\]\['b c'\], the value is inf"),
        (Point(math.nan), "at .x, the value is nan"),
        (Array(1.0, math.nan), r"at \[1\], the value is nan"),
        (decimal.Decimal("NaN"), "the value is NaN"),
        ({1: 2}, "a key is 1, which is no string"),
        ({"x": {None: 2}}, "at .x, a key is None"),
        ({"red": 1, Color.RED: 2}, "two keys are 'red'"),
        (CYCLE, r"at \[0\].again, the value contains itself"),
        (LOOP, "contains itself"),
        (DEEP, "more than 200 levels"),
        ("\ud800", "half a surrogate pair"),
        (object(), "the value is a builtins.object"),
        ([1, print], r"at \[1\], the value is a builtins.builtin_function"),
        ({"t": Point}, "at .t, the value is the class Point"),
        ((i for i in range(3)), "the value is a builtins.generator"),
        (1j, "the value is a builtins.complex"),
    ],
    ids=lambda v: str(v)[:20] if isinstance(v, str) else None,
)
def test_refused(value, why):
    with pytest.raises(EncodingError, match=why):
        encode(value, "the output of step s")


READ = [
    (Point, Point(1.5, datetime.date(2026, 1, 2))),
    (Point, Point(2.0)),
    (Tree, Tree("r", [Tree("a"), Tree("b", [Tree("c")])])),
    (Pair, Pair(1, WHEN)),
    (list[Point], [Point(1.0), Point(2.0)]),
    (dict[str, Point], {"p": Point(1.0)}),
    (tuple[int, Point], (1, Point(2.0))),
    (tuple[Point, ...], (Point(2.0),)),
    (set[int], {1, 2}),
    (frozenset, frozenset({"a"})),
    (Optional[Point], None),
    (Optional[Point], Point(1.0)),
    (Union[int, Point], 3),
    (Point | None, Point(1.0)),
    (Annotated[Point, "noted"], Point(1.0)),
    (Record, {"id": ID, "points": [Point(1.0)]}),
    (Record, {}),
    (Color, Color.RED),
    (Level, Level.LOW),
    (datetime.datetime, WHEN),
    (datetime.time, datetime.time(1, 2)),
    (datetime.timedelta, datetime.timedelta(seconds=3)),
    (decimal.Decimal, decimal.Decimal("1.10")),
    (pathlib.Path, pathlib.Path("a/b")),
    (bytes, b"\x00\xff"),
    (Model, Model(3)),
    (dict, {"a": 1}),
    (Any, [1, "a"]),
    (str, "a"),
]


@pytest.mark.parametrize(("hint", "value"), READ, ids=str)
def test_read_back(hint, value):
    read = decoder(hint)
    got = json.loads(encode(value, "it"))
    got = got if read is None else read(got)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("hint", "value", "why"),
    [
        (Point, 3, "3 is no Point"),
        (Point, {"y": 1}, "is no Point"),
        (list[Point], [{"x": 1}, "a"], r"at \[1\]: 'a' is no Point"),
        (Record, {"points": [{"x": 1, "at": "soon"}]}, r"at .points: at \[0\]: at .at: 'soon' is no date"),
        (Color, "blue", "'blue' is no Color"),
        (datetime.datetime, 7, "7 is no datetime"),
    ],
)
def test_unreadable(hint, value, why):
    with pytest.raises(DecodingError, match=why):
        decoder(hint)(value)


def test_random_values_survive():
    """What is written is read back as it was, whatever it is made of."""
    rng = random.Random(7)
    named = namedtuple("named", "a b")
    for _ in range(500):
        value = arbitrary(rng, 4, named)
        text = encode(value, "it")
        assert json.loads(text) == plain(value)
        assert encode(json.loads(text), "it") == text


def arbitrary(rng, depth, named):
    def more():
        return arbitrary(rng, depth - 1, named)

    leaves = [
        lambda: rng.choice(["", "a", "é", "\u2028", '"\\', "\x00"]),
        lambda: rng.choice([0, -1, 2**63, 0.5, -1e300, 5e-324]),
        lambda: rng.choice([True, False, None]),
    ]
    branches = [
        lambda: [more() for _ in range(rng.randrange(4))],
        lambda: tuple(more() for _ in range(rng.randrange(4))),
        lambda: {rng.choice("abcdef") * rng.randrange(1, 3): more() for _ in range(rng.randrange(4))},
        lambda: named(more(), more()),
        lambda: Tree("t", [more()]),
    ]
    return rng.choice(leaves + (branches if depth else []))()


def plain(v):
    """The rules of the page, written down another way."""
    if isinstance(v, Tree):
        return {"name": v.name, "children": plain(v.children)}
    if hasattr(v, "_fields"):
        return {f: plain(getattr(v, f)) for f in v._fields}
    if isinstance(v, (list, tuple)):
        return [plain(e) for e in v]
    if isinstance(v, dict):
        return {k: plain(e) for k, e in v.items()}
    return v


def test_real_packages():
    """The same with the packages themselves, where they are installed."""
    pydantic = pytest.importorskip("pydantic")
    numpy = pytest.importorskip("numpy")

    class Document(pydantic.BaseModel):
        id: uuid.UUID
        when: datetime.datetime

    document = Document(id=ID, when=WHEN)
    assert decoder(list[Document])(json.loads(encode([document], "it"))) == [document]
    with pytest.raises(DecodingError):
        decoder(Document)({"id": "x"})
    assert (
        encode({"a": numpy.arange(3), "b": numpy.float32(0.5), "c": numpy.bool_(True)}, "it")
        == '{"a":[0,1,2],"b":0.5,"c":true}'
    )
    with pytest.raises(EncodingError, match=r"at \[1\], the value is nan"):
        encode(numpy.array([1.0, numpy.nan]), "it")
