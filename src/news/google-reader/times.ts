/** Greater numbers are not seconds: they would lie in the year 2286 and later. */
const LONGEST_SECONDS = 9_999_999_999;
const LONGEST_MILLISECONDS = LONGEST_SECONDS * 1000;

/**
 * A time of a client in unix seconds, milliseconds or microseconds, told apart by their digits.
 *
 * @returns unix microseconds; null for none, for 0, and for what is no time
 */
export function timeMicros(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,16}$/.test(text.trim())) {
    return null;
  }
  const number = Number(text);
  if (number === 0) {
    return null;
  }
  if (number <= LONGEST_SECONDS) {
    return number * 1_000_000;
  }
  return number <= LONGEST_MILLISECONDS ? number * 1000 : Math.min(number, Number.MAX_SAFE_INTEGER);
}
