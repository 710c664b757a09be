const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

const SINES = Array.from({ length: 64 }, (_, n) => Math.floor(Math.abs(Math.sin(n + 1)) * 2 ** 32));

/**
 * MD5 of a text in hex. The API names the pictures of feeds by it, and the browser's own hashes
 * leave it out; it protects nothing here.
 *
 * @see RFC 1321
 */
export function md5(text: string): string {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  const message = padded(new TextEncoder().encode(text));
  for (let at = 0; at < message.byteLength; at += 64) {
    addBlock(state, message, at);
  }
  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((word, n) => digest.setUint32(n * 4, word, true));
  return [...new Uint8Array(digest.buffer)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function padded(bytes: Uint8Array): DataView {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const message = new Uint8Array(length);
  message.set(bytes);
  message[bytes.length] = 0x80;
  const view = new DataView(message.buffer);
  view.setUint32(length - 8, bytes.length * 8, true);
  return view;
}

function addBlock(state: number[], message: DataView, at: number): void {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  for (let n = 0; n < 64; n += 1) {
    const round = n >> 4;
    const mixed = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round] ?? 0;
    const word = [n, 5 * n + 1, 3 * n + 5, 7 * n][round] ?? 0;
    const sum = (a + mixed + (SINES[n] ?? 0) + message.getUint32(at + (word % 16) * 4, true)) | 0;
    const by = SHIFTS[round]?.[n % 4] ?? 0;
    [a, d, c, b] = [d, c, b, (b + ((sum << by) | (sum >>> (32 - by)))) | 0];
  }
  [a, b, c, d].forEach((word, n) => (state[n] = ((state[n] ?? 0) + word) | 0));
}
