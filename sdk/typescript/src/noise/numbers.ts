// The functions of addressed noise. They use + - * / and the square root only,
// each rounded on its own, so that every language gets the same bits.
//
// ln and exp follow FreeBSD's e_log.c and e_exp.c, which came with this notice:
//   Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//   Developed at SunPro, a Sun Microsystems, Inc. business.
//   Permission to use, copy, modify, and distribute this software is freely
//   granted, provided that this notice is preserved.

const LN2_HI = 6.9314718036912381649e-1;
const LN2_LO = 1.90821492927058770002e-10;
const view = new DataView(new ArrayBuffer(8));

/** The natural logarithm of a positive normal number. */
export function ln(x: number): number {
  view.setFloat64(0, x);
  const top = view.getUint32(0);
  view.setUint32(0, (top & 0xfffff) | (1022 << 20));
  let m = view.getFloat64(0); // x = m * 2**k, 1/2 <= m < 1
  let k = (top >>> 20) - 1022;
  if (m < Math.SQRT1_2) {
    m *= 2;
    k--;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const s2 = s * s;
  const s4 = s2 * s2;
  const t1 =
    s2 *
    (6.66666666666673513e-1 +
      s4 * (2.857142874366239149e-1 + s4 * (1.818357216161805012e-1 + s4 * 1.479819860511658591e-1)));
  const t2 = s4 * (3.999999999940941908e-1 + s4 * (2.222219843214978396e-1 + s4 * 1.531383769920937332e-1));
  const r = t1 + t2;
  const h = 0.5 * f * f;
  return k * LN2_HI - (h - (s * (h + r) + k * LN2_LO) - f);
}

/** e to the x, for x <= 0. */
export function exp(x: number): number {
  if (x < -700) return 0;
  const n = Math.trunc(1.442695040888963387 * x - 0.5);
  const hi = x - n * LN2_HI;
  const lo = n * LN2_LO;
  const r = hi - lo;
  const t = r * r;
  const c =
    r -
    t *
      (1.66666666666666657415e-1 +
        t *
          (-2.77777777770155933842e-3 +
            t * (6.61375632143793436117e-5 + t * (-1.6533902205465251539e-6 + t * 4.13813679705723846039e-8))));
  const y = 1 - (lo - (r * c) / (2 - c) - hi);
  view.setUint32(0, (n + 1023) << 20);
  view.setUint32(4, 0);
  return y * view.getFloat64(0);
}

/** ln(1 + y), for y >= 0. */
export function log1p(y: number): number {
  const w = 1 + y;
  return w === 1 ? y : (ln(w) * y) / (w - 1);
}

function horner(r: number, coefficients: readonly number[]): number {
  let a = coefficients[0];
  for (let i = 1; i < coefficients.length; i++) a = a * r + coefficients[i];
  return a;
}

// Wichura's algorithm AS 241, PPND16 (Applied Statistics 37, 1988).
const A = [
  2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
  1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.387132872796366608,
];
const B = [
  5.226495278852854561e3, 2.8729085735721942674e4, 3.930789580009271061e4, 2.1213794301586595867e4,
  5.3941960214247511077e3, 6.871870074920579083e2, 4.2313330701600911252e1, 1,
];
const C = [
  7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.4178072517745061177e-1, 1.27045825245236838258,
  3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
];
const D = [
  1.05075007164441684324e-9, 5.475938084995344946e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
  6.8976733498510000455e-1, 1.6763848301838038494, 2.05319162663775882187, 1,
];
const E = [
  2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.2426609473880784386e-3, 2.6532189526576123093e-2,
  2.9656057182850489123e-1, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
];
const F = [
  2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
  1.48753612908506148525e-2, 1.3692988092273580531e-1, 5.9983220655588793769e-1, 1,
];

/** The inverse of the normal distribution function at u in (0, 1). */
export function normal(u: number): number {
  const q = u - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * horner(r, A)) / horner(r, B);
  }
  const r = Math.sqrt(-ln(q < 0 ? u : 1 - u));
  const x = r <= 5 ? horner(r - 1.6, C) / horner(r - 1.6, D) : horner(r - 5, E) / horner(r - 5, F);
  return q < 0 ? -x : x;
}

/** The uniform in (0, 1) of 53 bits. */
export function uniform(k: number): number {
  return k === 0 ? 2 ** -54 : k * 2 ** -53;
}

/** The exponential of mean 1 of a uniform. */
export function exponential(u: number): number {
  return -ln(u);
}

/** The standard Gumbel of a uniform. */
export function gumbel(u: number): number {
  return -ln(-ln(u));
}

/** A whole number from 0 to n-1 of 53 bits; n is at most 2**53. */
export function below(k: number, n: number): number {
  return Math.min(Math.floor(uniform(k) * n), n - 1);
}
