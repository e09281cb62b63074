"""Addressed noise in Python >= 3.10, standard library only; see docs/noise.md.

python3 noise.py vectors.json checks every vector and prints how many.

ln and exp follow FreeBSD's e_log.c and e_exp.c, which came with this notice:
  Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
  Developed at SunPro, a Sun Microsystems, Inc. business.
  Permission to use, copy, modify, and distribute this software is freely
  granted, provided that this notice is preserved.
"""
import json
import math
import struct
import sys
from hashlib import sha256

PRIOR, ABDUCTED = 1, 2
LAST = 2**53 - 1
INF = math.inf

# --- numbers: + - * / and sqrt only -----------------------------------------

LN2_HI, LN2_LO = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def ln(x):
    m, e = math.frexp(x)
    if m < 0.7071067811865476:
        m, e = m * 2, e - 1
    f, k = m - 1, float(e)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (6.666666666666735130e-01 + s4 * (2.857142874366239149e-01
         + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)))
    t2 = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01))
    r = t1 + t2
    h = 0.5 * f * f
    return k * LN2_HI - ((h - (s * (h + r) + k * LN2_LO)) - f)


def exp(x):  # x <= 0
    if x < -700:
        return 0.0
    n = int(1.44269504088896338700e+00 * x - 0.5)
    hi, lo = x - n * LN2_HI, n * LN2_LO
    r = hi - lo
    t = r * r
    c = r - t * (1.66666666666666657415e-01 + t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05
        + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))))
    y = 1 - ((lo - (r * c) / (2 - c)) - hi)
    return math.ldexp(y, n)


def log1p(y):  # y >= 0
    w = 1 + y
    return y if w == 1 else ln(w) * y / (w - 1)


def horner(r, *coefficients):
    a = coefficients[0]
    for c in coefficients[1:]:
        a = a * r + c
    return a


def normal(u):
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * horner(r, 2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                          4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                          1.3314166789178437745e+2, 3.3871328727963666080e+0) / \
            horner(r, 5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
                   2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
                   4.2313330701600911252e+1, 1.0)
    r = math.sqrt(-ln(u if q < 0 else 1 - u))
    if r <= 5:
        r -= 1.6
        x = horner(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                   1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
                   4.63033784615654529590e+0, 1.42343711074968357734e+0) / \
            horner(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                   1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
                   2.05319162663775882187e+0, 1.0)
    else:
        r -= 5
        x = horner(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                   2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
                   5.46378491116411436990e+0, 6.65790464350110377720e+0) / \
            horner(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                   7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                   5.99832206555887937690e-1, 1.0)
    return -x if q < 0 else x


def uniform(k):
    return k * 2.0**-53 if k else 2.0**-54


def exponential(u):
    return -ln(u)


def gumbel(u):
    return -ln(exponential(u))


def below(k, n):
    return min(int(uniform(k) * n), n - 1)


# --- addresses and streams ---------------------------------------------------

def string(s):
    b = s.encode()
    n, length = len(b), bytearray()
    while n >= 0x80:
        length.append(n & 0x7F | 0x80)
        n >>= 7
    length.append(n)
    return bytes(length) + b


def address(domain, at, option=None):
    b = bytes([domain]) + int(at["seed"]).to_bytes(8, "big") + int(at["index"]).to_bytes(8, "big")
    for s in (at["step"], at["call"], at["key"]):
        b += string(s)
    return b if option is None else b + string(option)


def words(b):
    return struct.unpack(">8I", sha256(b).digest())


def join(hi, lo):
    return hi << 21 | lo >> 11


def bits(b):
    w = words(b)
    return join(w[0], w[1])


def philox(c0, c1, c2, c3, k0, k1):
    for _ in range(10):
        p0, p1 = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & 0xFFFFFFFF, p0 >> 32 ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return c0, c1, c2, c3


class Stream:
    def __init__(self, b):
        self.w = words(b)
        self.last = None, None

    def bits(self, i):
        b = i >> 1
        if self.last[0] != b:
            w = self.w
            self.last = b, philox(b & 0xFFFFFFFF, b >> 32, w[4], w[5], w[2], w[3])
        x = self.last[1]
        return join(x[2], x[3]) if i & 1 else join(x[0], x[1])


# --- draws, given an observation of the same address or None -----------------

def first(condition):
    lo, hi = 0, LAST + 1
    while lo < hi:
        mid = (lo + hi) // 2
        lo, hi = (lo, mid) if condition(mid) else (mid + 1, hi)
    return lo


def span(o):
    kind, v = o["kind"], o["value"]
    if kind == "int":
        return first(lambda k: below(k, o["n"]) >= v), first(lambda k: below(k, o["n"]) > v) - 1
    if kind == "bool":
        no = first(lambda k: uniform(k) >= o["p"])
        return (0, no - 1) if v else (no, LAST)
    lo = {"seed": lambda: v,
          "uniform": lambda: first(lambda k: uniform(k) >= v),
          "normal": lambda: first(lambda k: normal(uniform(k)) >= v),
          "exponential": lambda: first(lambda k: exponential(uniform(k)) <= v)}[kind]()
    return min(lo, LAST), min(lo, LAST)


def scalar_bits(at, o):
    if o is None or o["kind"] in ("perm", "categorical", "index"):
        return bits(address(PRIOR, at))
    lo, hi = span(o)
    return lo if lo == hi else lo + below(bits(address(ABDUCTED, at)), hi - lo + 1)


def swaps(p):
    q, at = list(range(len(p))), list(range(len(p)))
    swap = [0] * len(p)
    for i in range(len(p) - 1, 0, -1):
        j = swap[i] = at[p[i]]
        q[i], q[j] = q[j], q[i]
        at[q[i]], at[q[j]] = i, j
    return swap


def perm(at, n, o):
    known = swaps(o["value"]) if o and o["kind"] == "perm" else []
    r, p = Stream(address(PRIOR, at)), list(range(n))
    for i in range(n - 1, 0, -1):
        j = known[i] if i < len(known) else below(r.bits(i), i + 1)
        p[i], p[j] = p[j], p[i]
    return p


def choose(logits, gumbel_of, observed=None, chosen=None):
    """logits, observed: dict from option (name or index) to logit; gumbel_of(domain, option)."""
    if observed is not None:
        top = max(observed.values())
        z, g0 = 0.0, gumbel_of(ABDUCTED, chosen)
        for option in sorted(observed):
            z += exp(observed[option] - top)
        z = ln(z)
    best = None
    for option in sorted(logits):  # by code point, which is UTF-8 byte order; the first of equals stays
        l = logits[option]
        if l == -INF:
            continue
        if observed is None:
            v = l + gumbel_of(PRIOR, option)
        elif option == chosen:
            v = l - observed[option]
        else:
            old = observed.get(option, -INF)
            g = gumbel_of(PRIOR if old == -INF else ABDUCTED, option)
            x = ((top - old) + z) + (g0 - g)
            v = (((l - top) - z) + (g - g0)) - log1p(exp(-x)) if x > 0 else (l - old) - log1p(exp(x))
        if best is None or v > best[0]:
            best = v, option
    return best[1]


def draw(at, ask, o=None):
    kind = ask["kind"]
    if kind in ("categorical", "index"):
        if kind == "categorical":
            def g(domain, option):
                return gumbel(uniform(bits(address(domain, at, option))))
        else:
            streams = {d: Stream(address(d, at)) for d in (PRIOR, ABDUCTED)}

            def g(domain, option):
                return gumbel(uniform(streams[domain].bits(option)))
        if o is None or o["kind"] != kind:
            return choose(table(ask), g)
        return choose(table(ask), g, table(o), o["chosen"])
    if kind == "perm":
        return perm(at, ask.get("n", 0), o)
    f = {"uniform": lambda u: u, "normal": normal, "exponential": exponential}.get(kind)
    if f:
        return float(o["value"]) if o and o["kind"] == kind else f(uniform(scalar_bits(at, o)))
    k = scalar_bits(at, o)
    return {"seed": lambda: k, "int": lambda: below(k, ask["n"]), "bool": lambda: uniform(k) < ask.get("p", 0)}[kind]()


def table(a):
    if "pattern" in a:
        return {i: (7919 * i % 1000) / 100 for i in range(a["pattern"])}
    items = a["logits"].items() if a["kind"] == "categorical" else enumerate(a["logits"])
    return {option: -INF if l == "-inf" else float(l) for option, l in items}


# --- checking ----------------------------------------------------------------

def hexbits(x):
    return struct.pack(">d", x).hex()


def show(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return hexbits(v)
    return ",".join(map(str, v)) if isinstance(v, list) else str(v)


def main(path):
    with open(path, encoding="utf-8") as f:
        vectors = json.load(f)
    checks = 0

    def check(what, got, want):
        nonlocal checks
        checks += 1
        if got != want:
            sys.exit(f"{what}: got {got}, want {want}")

    for v in vectors["addresses"]:
        b = address(PRIOR, v["at"], v.get("option"))
        k = bits(b)
        u = uniform(k)
        check(v, [b.hex(), str(k)] + [hexbits(x) for x in (u, exponential(u), gumbel(u), normal(u))],
              [v[name] for name in ("bytes", "k", "u", "exp", "gumbel", "normal")])
    for name, f in (("ln", ln), ("exp", exp), ("log1p", log1p), ("normal", normal)):
        for v in vectors[name]:
            check(f"{name} {v}", hexbits(f(struct.unpack(">d", bytes.fromhex(v["x"]))[0])), v["y"])
    for v in vectors["philox"]:
        check(v, list(philox(*v["counter"], *v["key"])), v["out"])
    for v in vectors["streams"]:
        check(v, str(Stream(address(PRIOR, v["at"])).bits(v["id"])), v["k"])
    for v in vectors["draws"] + vectors["posterior"]:
        check(v, show(draw(v["at"], v["ask"], v.get("observed"))), v["want"])
    for v in vectors["digest"]:
        h, r = sha256(), Stream(address(PRIOR, v["at"]))
        for i in range(v["n"]):
            u = uniform(r.bits(i))
            h.update(struct.pack(">3d", ln(u), gumbel(u), normal(u)))
        check(v, h.hexdigest(), v["sha256"])
    print("ok", checks)


if __name__ == "__main__":
    main(sys.argv[1])
