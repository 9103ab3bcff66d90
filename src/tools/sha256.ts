/** SHA-256 for pages without `crypto.subtle`, that is, without HTTPS. Only such pages load it. */

/** Computes SHA-256 as in FIPS 180-4. */
export function sha256Bytes(message: Uint8Array): Uint8Array {
  const { constants, initial } = primes();
  const state = Uint32Array.from(initial);
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(padded.length - 4, message.length << 3);

  const words = new Uint32Array(64);
  const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        words[i] = view.getUint32(block + i * 4);
        continue;
      }
      const [a, b] = [words[i - 15]!, words[i - 2]!];
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
  }

  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(i * 4, word));
  return new Uint8Array(out.buffer);
}

/** Returns the constants of SHA-256: the fractions of the cube roots and square roots of the first primes. */
function primes(): { constants: number[]; initial: number[] } {
  const found: number[] = [];
  for (let candidate = 2; found.length < 64; candidate++) if (found.every((prime) => candidate % prime)) found.push(candidate);
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) >>> 0;
  return {
    constants: found.map((prime) => fraction(Math.cbrt(prime))),
    initial: found.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  };
}
