/** A hash of 32 bits of a text. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return mixed(hash);
}

/** A hash of 32 bits of numbers in their order. */
export function hashOfRun(codes: Uint32Array, from: number, length: number, seed = 0): number {
  let hash = 0x9747b28c ^ seed;
  for (let at = from; at < from + length; at += 1) {
    hash = mixed(Math.imul(hash, 31) ^ ((codes[at] ?? 0) >>> 3));
  }
  return hash >>> 0;
}

/** A key of an index: what it is of, with 64 bits of it. */
export function keyOf(kind: string, high: number, low: number): bigint {
  const seeded = mixed(high ^ hashOf(kind));
  return BigInt.asIntN(64, (BigInt(seeded) << 32n) | BigInt(low >>> 0));
}

function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
