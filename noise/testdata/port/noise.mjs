// Addressed noise in JavaScript (Node >= 18, no dependencies); see docs/noise.md.
//
// node noise.mjs vectors.json checks every vector and prints how many.
//
// ln and exp follow FreeBSD's e_log.c and e_exp.c, which came with this notice:
//   Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//   Developed at SunPro, a Sun Microsystems, Inc. business.
//   Permission to use, copy, modify, and distribute this software is freely
//   granted, provided that this notice is preserved.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const PRIOR = 1, ABDUCTED = 2;
const LAST = 2 ** 53 - 1;
const sha256 = (b) => createHash("sha256").update(b).digest();

// --- numbers: + - * / and sqrt only -----------------------------------------

const LN2_HI = 6.93147180369123816490e-01, LN2_LO = 1.90821492927058770002e-10;
const view = new DataView(new ArrayBuffer(8));

export function ln(x) {
  view.setFloat64(0, x);
  const top = view.getUint32(0);
  view.setUint32(0, (top & 0xfffff) | (1022 << 20));
  let m = view.getFloat64(0), k = (top >>> 20) - 1022; // x = m * 2**k, 1/2 <= m < 1
  if (m < Math.SQRT1_2) {
    m *= 2;
    k--;
  }
  const f = m - 1;
  const s = f / (2 + f);
  const s2 = s * s, s4 = s2 * s2;
  const t1 = s2 * (6.666666666666735130e-01 + s4 * (2.857142874366239149e-01 +
    s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
  const t2 = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
  const r = t1 + t2, h = 0.5 * f * f;
  return k * LN2_HI - ((h - (s * (h + r) + k * LN2_LO)) - f);
}

export function exp(x) { // x <= 0
  if (x < -700) return 0;
  const n = Math.trunc(1.44269504088896338700e+00 * x - 0.5);
  const hi = x - n * LN2_HI, lo = n * LN2_LO;
  const r = hi - lo, t = r * r;
  const c = r - t * (1.66666666666666657415e-01 + t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 +
    t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const y = 1 - ((lo - (r * c) / (2 - c)) - hi);
  view.setUint32(0, (n + 1023) << 20);
  view.setUint32(4, 0);
  return y * view.getFloat64(0);
}

export function log1p(y) { // y >= 0
  const w = 1 + y;
  return w === 1 ? y : ln(w) * y / (w - 1);
}

const horner = (r, ...coefficients) => coefficients.reduce((a, c) => a * r + c);

export function normal(u) {
  const q = u - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return q * horner(r, 2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
      4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
      1.3314166789178437745e+2, 3.3871328727963666080e+0) /
      horner(r, 5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4,
        2.1213794301586595867e+4, 5.3941960214247511077e+3, 6.8718700749205790830e+2,
        4.2313330701600911252e+1, 1);
  }
  let r = Math.sqrt(-ln(q < 0 ? u : 1 - u)), x;
  if (r <= 5) {
    r -= 1.6;
    x = horner(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
      1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
      4.63033784615654529590e+0, 1.42343711074968357734e+0) /
      horner(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
        1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
        2.05319162663775882187e+0, 1);
  } else {
    r -= 5;
    x = horner(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
      2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
      5.46378491116411436990e+0, 6.65790464350110377720e+0) /
      horner(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
        7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
        5.99832206555887937690e-1, 1);
  }
  return q < 0 ? -x : x;
}

export const uniform = (k) => (k === 0 ? 2 ** -54 : k * 2 ** -53);
export const exponential = (u) => -ln(u);
export const gumbel = (u) => -ln(exponential(u));
const below = (k, n) => Math.min(Math.floor(uniform(k) * n), n - 1);

// --- addresses and streams ---------------------------------------------------

function string(s) {
  const b = Buffer.from(s, "utf8"), length = [];
  let n = b.length;
  for (; n >= 0x80; n >>>= 7) length.push((n & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...length, n]), b]);
}

export function address(domain, at, option) {
  const head = Buffer.alloc(17);
  head[0] = domain;
  head.writeBigUInt64BE(BigInt(at.seed), 1);
  head.writeBigUInt64BE(BigInt(at.index), 9);
  const names = [at.step, at.call, at.key];
  if (option !== undefined) names.push(option);
  return Buffer.concat([head, ...names.map(string)]);
}

const join = (hi, lo) => hi * 2 ** 21 + (lo >>> 11);

function bits(b) {
  const d = sha256(b);
  return join(d.readUInt32BE(0), d.readUInt32BE(4));
}

// high is the upper half of a 32 x 32 bit product, from 16-bit digits.
function high(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const mid = a1 * b0 + (Math.imul(a0, b0) >>> 16); // < 2**32
  const low = a0 * b1 + (mid & 0xffff); // < 2**32
  return (a1 * b1 + (mid >>> 16) + Math.floor(low / 65536)) >>> 0;
}

export function philox(c0, c1, c2, c3, k0, k1) {
  for (let i = 0; i < 10; i++) {
    const h0 = high(c0, 0xd2511f53), h1 = high(c2, 0xcd9e8d57);
    const l0 = Math.imul(c0, 0xd2511f53), l1 = Math.imul(c2, 0xcd9e8d57);
    [c0, c1, c2, c3] = [h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0];
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
}

class Stream {
  constructor(b) {
    const d = sha256(b);
    this.w = [2, 3, 4, 5].map((i) => d.readUInt32BE(4 * i));
  }
  bits(i) {
    const b = Math.floor(i / 2), w = this.w;
    if (this.block !== b) {
      this.block = b;
      this.x = philox(b >>> 0, Math.floor(b / 2 ** 32), w[2], w[3], w[0], w[1]);
    }
    return i % 2 === 0 ? join(this.x[0], this.x[1]) : join(this.x[2], this.x[3]);
  }
}

// --- draws, given an observation of the same address or undefined ------------

function first(condition) {
  let lo = 0, hi = LAST + 1;
  while (lo < hi) {
    const mid = lo + Math.floor((hi - lo) / 2);
    if (condition(mid)) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

function span(o) {
  const v = o.value;
  if (o.kind === "int") return [first((k) => below(k, o.n) >= v), first((k) => below(k, o.n) > v) - 1];
  if (o.kind === "bool") {
    const no = first((k) => uniform(k) >= o.p);
    return v ? [0, no - 1] : [no, LAST];
  }
  const lo = {
    seed: () => v,
    uniform: () => first((k) => uniform(k) >= v),
    normal: () => first((k) => normal(uniform(k)) >= v),
    exponential: () => first((k) => exponential(uniform(k)) <= v),
  }[o.kind]();
  return [Math.min(lo, LAST), Math.min(lo, LAST)];
}

function scalarBits(at, o) {
  if (!o || ["perm", "categorical", "index"].includes(o.kind)) return bits(address(PRIOR, at));
  const [lo, hi] = span(o);
  return lo === hi ? lo : lo + below(bits(address(ABDUCTED, at)), hi - lo + 1);
}

function swaps(p) {
  const q = p.map((_, i) => i), at = p.map((_, i) => i), swap = p.map(() => 0);
  for (let i = p.length - 1; i > 0; i--) {
    const j = (swap[i] = at[p[i]]);
    [q[i], q[j]] = [q[j], q[i]];
    at[q[i]] = i;
    at[q[j]] = j;
  }
  return swap;
}

function perm(at, n, o) {
  const known = o && o.kind === "perm" ? swaps(o.value) : [];
  const r = new Stream(address(PRIOR, at)), p = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = i < known.length ? known[i] : below(r.bits(i), i + 1);
    [p[i], p[j]] = [p[j], p[i]];
  }
  return p;
}

// choose takes maps from option (name or index) to logit in ascending order of
// the options, so that the first of equals stays.
function choose(logits, gumbelOf, observed, chosen) {
  let top, z = 0, g0;
  if (observed) {
    top = [...observed.values()].reduce((a, b) => Math.max(a, b));
    for (const l of observed.values()) z += exp(l - top);
    z = ln(z);
    g0 = gumbelOf(ABDUCTED, chosen);
  }
  let best, at;
  for (const [option, l] of logits) {
    if (l === -Infinity) continue;
    let v;
    if (!observed) v = l + gumbelOf(PRIOR, option);
    else if (option === chosen) v = l - observed.get(option);
    else {
      const old = observed.get(option) ?? -Infinity;
      const g = gumbelOf(old === -Infinity ? PRIOR : ABDUCTED, option);
      const x = ((top - old) + z) + (g0 - g);
      v = x > 0 ? (((l - top) - z) + (g - g0)) - log1p(exp(-x)) : (l - old) - log1p(exp(x));
    }
    if (best === undefined || v > best) [best, at] = [v, option];
  }
  return at;
}

export function draw(at, ask, o) {
  const { kind } = ask;
  if (kind === "categorical" || kind === "index") {
    let g = (domain, option) => gumbel(uniform(bits(address(domain, at, option))));
    if (kind === "index") {
      const streams = [PRIOR, ABDUCTED].map((d) => new Stream(address(d, at)));
      g = (domain, option) => gumbel(uniform(streams[domain - 1].bits(option)));
    }
    return o && o.kind === kind ? choose(table(ask), g, table(o), o.chosen) : choose(table(ask), g);
  }
  if (kind === "perm") return perm(at, ask.n ?? 0, o);
  const f = { uniform: (u) => u, normal, exponential }[kind];
  if (f) return { float: o && o.kind === kind ? o.value : f(uniform(scalarBits(at, o))) };
  const k = scalarBits(at, o);
  return { seed: () => k, int: () => below(k, ask.n), bool: () => uniform(k) < (ask.p ?? 0) }[kind]();
}

function table(a) {
  const logit = (l) => (l === "-inf" ? -Infinity : l);
  if (a.pattern) return new Map(Array.from({ length: a.pattern }, (_, i) => [i, ((7919 * i) % 1000) / 100]));
  if (a.kind === "index") return new Map(a.logits.map((l, i) => [i, logit(l)]));
  const byBytes = (x, y) => Buffer.compare(Buffer.from(x[0]), Buffer.from(y[0])); // not UTF-16 order
  return new Map(Object.entries(a.logits).sort(byBytes).map(([option, l]) => [option, logit(l)]));
}

// --- checking ----------------------------------------------------------------

function hexBits(...xs) {
  const b = Buffer.alloc(8 * xs.length);
  xs.forEach((x, i) => b.writeDoubleBE(x, 8 * i));
  return b.toString("hex");
}

const show = (v) => (v.float === undefined ? String(v) : hexBits(v.float));

function main(path) {
  const vectors = JSON.parse(readFileSync(path, "utf8"));
  let checks = 0;
  const check = (what, got, want) => {
    checks++;
    if (String(got) === String(want)) return;
    console.error(`${JSON.stringify(what)}: got ${got}, want ${want}`);
    process.exit(1);
  };
  for (const v of vectors.addresses) {
    const b = address(PRIOR, v.at, v.option), k = bits(b), u = uniform(k);
    check(v, [b.toString("hex"), k, ...[u, exponential(u), gumbel(u), normal(u)].map((x) => hexBits(x))],
      [v.bytes, v.k, v.u, v.exp, v.gumbel, v.normal]);
  }
  for (const [name, f] of Object.entries({ ln, exp, log1p, normal })) {
    for (const v of vectors[name]) check([name, v], hexBits(f(Buffer.from(v.x, "hex").readDoubleBE())), v.y);
  }
  for (const v of vectors.philox) check(v, philox(...v.counter, ...v.key), v.out);
  for (const v of vectors.streams) check(v, new Stream(address(PRIOR, v.at)).bits(v.id), v.k);
  for (const v of [...vectors.draws, ...vectors.posterior]) check(v, show(draw(v.at, v.ask, v.observed)), v.want);
  for (const v of vectors.digest) {
    const h = createHash("sha256"), r = new Stream(address(PRIOR, v.at));
    for (let i = 0; i < v.n; i++) {
      const u = uniform(r.bits(i));
      h.update(hexBits(ln(u), gumbel(u), normal(u)), "hex");
    }
    check(v, h.digest("hex"), v.sha256);
  }
  console.log("ok", checks);
}

main(process.argv[2]);
