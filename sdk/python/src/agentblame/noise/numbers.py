"""The functions that draws are made of: + - * / and the square root only.

No logarithm of a C library: those differ in the last bit between machines.

``ln`` and ``exp`` follow FreeBSD's e_log.c and e_exp.c, which came with this notice:

    Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
    Developed at SunPro, a Sun Microsystems, Inc. business.
    Permission to use, copy, modify, and distribute this software is freely
    granted, provided that this notice is preserved.
"""

from __future__ import annotations

from math import frexp, ldexp, sqrt

LAST = 2**53 - 1
"""The largest of the 53-bit numbers k that uniforms are made of."""

_LN2_HI = 6.93147180369123816490e-01
_LN2_LO = 1.90821492927058770002e-10


def ln(x: float) -> float:
    """The natural logarithm of a positive normal number; below 1 ulp off."""
    m, e = frexp(x)
    if m < 0.7071067811865476:
        m, e = m * 2, e - 1
    f, k = m - 1, float(e)
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (
        6.666666666666735130e-01
        + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01))
    )
    t2 = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01))
    r = t1 + t2
    h = 0.5 * f * f
    return k * _LN2_HI - ((h - (s * (h + r) + k * _LN2_LO)) - f)


def exp(x: float) -> float:
    """The exponential of a number that isn't positive, minus infinity included."""
    if x < -700:
        return 0.0
    n = int(1.44269504088896338700e00 * x - 0.5)
    hi, lo = x - n * _LN2_HI, n * _LN2_LO
    r = hi - lo
    t = r * r
    c = r - t * (
        1.66666666666666657415e-01
        + t
        * (
            -2.77777777770155933842e-03
            + t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))
        )
    )
    y = 1 - ((lo - (r * c) / (2 - c)) - hi)
    return ldexp(y, n)


def log1p(y: float) -> float:
    """ln(1 + y) for a number that isn't negative."""
    w = 1 + y
    return y if w == 1 else ln(w) * y / (w - 1)


def _horner(r: float, coefficients: tuple[float, ...]) -> float:
    a = coefficients[0]
    for c in coefficients[1:]:
        a = a * r + c
    return a


# Wichura's algorithm AS 241, PPND16 (Applied Statistics 37, 1988).
_A = (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
      1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0)  # fmt: skip
_B = (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
      5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0)  # fmt: skip
_C = (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
      3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0)  # fmt: skip
_D = (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
      6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0)  # fmt: skip
_E = (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
      2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0)  # fmt: skip
_F = (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
      1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0)  # fmt: skip


def normal(u: float) -> float:
    """The standard normal number whose distribution function is u."""
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * _horner(r, _A) / _horner(r, _B)
    r = sqrt(-ln(u if q < 0 else 1 - u))
    if r <= 5:
        x = _horner(r - 1.6, _C) / _horner(r - 1.6, _D)
    else:
        x = _horner(r - 5, _E) / _horner(r - 5, _F)
    return -x if q < 0 else x


def uniform(k: int) -> float:
    """The number in (0, 1) of 53 bits."""
    return k * 2.0**-53 if k else 2.0**-54


def exponential(u: float) -> float:
    """The exponential number of mean 1 of a uniform one."""
    return -ln(u)


def gumbel(u: float) -> float:
    """The standard Gumbel number of a uniform one."""
    return -ln(-ln(u))


def below(k: int, n: int) -> int:
    """The whole number from 0 to n-1 of 53 bits."""
    return min(int(uniform(k) * n), n - 1)
