/*
 * Items are named by a number of 64 bits: 10^15 plus the item's id. It always has 16 decimal digits, so
 * that clients that pad the hexadecimal form to the length of the decimal one (Readrops) find the same
 * item, and 13 hexadecimal digits, so that the long form begins with zeros and the two are told apart.
 */
const BASE = 1_000_000_000_000_000n;

const LONG_PREFIX = 'tag:google.com,2005:reader/item/';
const HEX_DIGITS = 16;

/** Id in lists: 16 decimal digits. */
export function decimalItemId(itemId: number): string {
  return String(BASE + BigInt(itemId));
}

/** Id in contents: `tag:google.com,2005:reader/item/00038d7ea4c68001`. */
export function longItemId(itemId: number): string {
  return LONG_PREFIX + (BASE + BigInt(itemId)).toString(16).padStart(HEX_DIGITS, '0');
}

/**
 * Reads an id in any form that clients send: decimal; the long form, padded or not; or its hexadecimal
 * digits alone. All digits without a leading zero are decimal.
 *
 * @returns null if it is no item of this service
 */
export function itemIdOf(text: string): number | null {
  const given = text.trim();
  if (/^[1-9]\d{0,18}$/.test(given)) {
    return belowBase(BigInt(given));
  }
  const hex = given.slice(given.lastIndexOf('/') + 1);
  return /^[0-9a-f]{1,16}$/i.test(hex) ? belowBase(BigInt(`0x${hex}`)) : null;
}

/** Distinct valid ids; others are ignored. */
export function itemIdsOf(texts: readonly string[]): number[] {
  const ids = texts.flatMap((text) => itemIdOf(text) ?? []);
  return [...new Set(ids)];
}

function belowBase(number: bigint): number | null {
  const itemId = number - BASE;
  return itemId > 0n && itemId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(itemId) : null;
}
