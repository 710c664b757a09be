import { randomBytes } from 'node:crypto';

let lastMilliseconds = 0;
let count = 0;

/**
 * A UUIDv7 that sorts after all earlier ones of this process. Jobs inserted in one transaction have
 * the same timestamp, so only the id keeps their order.
 */
export function timeOrderedId(nowMilliseconds = Date.now()): string {
  if (nowMilliseconds > lastMilliseconds) {
    lastMilliseconds = nowMilliseconds;
    count = 0;
  } else if (++count > 0xfff) {
    lastMilliseconds++;
    count = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMilliseconds, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
