import { createHash } from "node:crypto";

import { uniform } from "./numbers.js";

/** The domain of a world's own noise. */
export const PRIOR = 1;
/** The domain of noise that completes an observation. */
export const ABDUCTED = 2;

/** Where the noise of one run of a step is: all but a draw's key and option. */
export interface Place {
  /** The world's seed, a 64-bit number. */
  readonly seed: bigint;
  /** The world's index, a 64-bit number. */
  readonly world: bigint;
  /** The step's name. */
  readonly step: string;
  /** The number of the call, or its name. */
  readonly iteration: string;
}

/** Appends a string to an address: its length in unsigned LEB128 and its UTF-8 bytes. */
function part(s: string): Buffer {
  const text = Buffer.from(s, "utf8");
  const length: number[] = [];
  let n = text.length;
  for (; n >= 0x80; n >>>= 7) length.push((n & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([...length, n]), text]);
}

/** An address up to its key, without its domain, to be made once a step run. */
export function prefix(at: Place): Buffer {
  const world = Buffer.alloc(16);
  world.writeBigUInt64BE(at.seed, 0);
  world.writeBigUInt64BE(at.world, 8);
  return Buffer.concat([world, part(at.step), part(at.iteration)]);
}

/** The address of a key's draw, and of an option of it. */
export function address(domain: number, place: Buffer, key: string, option?: string): Buffer {
  const parts = [Buffer.from([domain]), place, part(key)];
  if (option !== undefined) parts.push(part(option));
  return Buffer.concat(parts);
}

/** The SHA-256 of an address. */
export function digest(address: Buffer): Buffer {
  return createHash("sha256").update(address).digest();
}

function join(hi: number, lo: number): number {
  return hi * 2 ** 21 + (lo >>> 11);
}

/** The 53 bits of an address's own uniform. */
export function bits(address: Buffer): number {
  const d = digest(address);
  return join(d.readUInt32BE(0), d.readUInt32BE(4));
}

/** The upper half of a 32 x 32 bit product, from 16-bit digits. */
function high(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const mid = a1 * b0 + (Math.imul(a0, b0) >>> 16); // < 2**32
  const low = a0 * b1 + (mid & 0xffff); // < 2**32
  return (a1 * b1 + (mid >>> 16) + Math.floor(low / 65536)) >>> 0;
}

/** Four words. */
export type Words = readonly [number, number, number, number];

/** Philox4x32-10 of a counter of four words and a key of two (Salmon et al., SC 2011). */
export function philox([c0, c1, c2, c3]: Words, k0: number, k1: number): Words {
  for (let i = 0; i < 10; i++) {
    const h0 = high(c0, 0xd2511f53);
    const h1 = high(c2, 0xcd9e8d57);
    const l0 = Math.imul(c0, 0xd2511f53);
    const l1 = Math.imul(c2, 0xcd9e8d57);
    c0 = h1 ^ c1 ^ k0;
    c1 = l1;
    c2 = h0 ^ c3 ^ k1;
    c3 = l0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
}

/** The uniforms of an address, numbered from 0, each to be had without the others. */
export class Stream {
  readonly #words: Words;
  #block = -1;
  #value: Words = [0, 0, 0, 0];

  constructor(address: Buffer) {
    const d = digest(address);
    this.#words = [d.readUInt32BE(8), d.readUInt32BE(12), d.readUInt32BE(16), d.readUInt32BE(20)];
  }

  /** The 53 bits of uniform i. */
  bits(i: number): number {
    const block = Math.floor(i / 2);
    if (block !== this.#block) {
      const w = this.#words;
      this.#block = block;
      this.#value = philox([block >>> 0, Math.floor(block / 2 ** 32), w[2], w[3]], w[0], w[1]);
    }
    const x = this.#value;
    return i % 2 === 0 ? join(x[0], x[1]) : join(x[2], x[3]);
  }

  /** Uniform i. */
  uniform(i: number): number {
    return uniform(this.bits(i));
  }
}
