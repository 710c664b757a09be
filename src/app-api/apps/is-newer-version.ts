const VERSION = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/;

/** Longest version that is worth a comparison; far longer ones are somebody's mischief. */
const LONGEST_VERSION = 32;

/**
 * Whether `version` comes after `known` by the rules of semantic versioning, for any count of
 * numbers. What does not look like a version is never newer.
 */
export function isNewerVersion(version: string, known: string): boolean {
  const [newer, older] = [parse(version), parse(known)];
  if (newer === null || older === null) {
    return false;
  }
  const order = compareLists(newer.numbers, older.numbers, '0');
  return order === 0 ? comesAfter(newer.preRelease, older.preRelease) : order > 0;
}

function parse(version: string): { numbers: string[]; preRelease: string[] } | null {
  const [, numbers, preRelease] =
    version.length > LONGEST_VERSION ? [] : (VERSION.exec(version) ?? []);
  return numbers === undefined
    ? null
    : { numbers: numbers.split('.'), preRelease: preRelease?.split('.') ?? [] };
}

/** A version without a pre-release part comes after those with one. */
function comesAfter(preRelease: readonly string[], known: readonly string[]): boolean {
  if (preRelease.length === 0 || known.length === 0) {
    return known.length > preRelease.length;
  }
  return compareLists(preRelease, known, '') > 0;
}

function compareLists(left: readonly string[], right: readonly string[], missing: string): number {
  const length = Math.max(left.length, right.length);
  for (let place = 0; place < length; place += 1) {
    const order = compareParts(left[place] ?? missing, right[place] ?? missing);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}

/** Numbers by value and before words; words by their letters; nothing before everything. */
function compareParts(left: string, right: string): number {
  const numeric = [left, right].map((part) => /^\d+$/.test(part));
  if (numeric[0] && numeric[1]) {
    return Number(left) - Number(right);
  }
  if (left === '' || right === '' || numeric[0] === numeric[1]) {
    return left < right ? -1 : Number(left > right);
  }
  return numeric[0] ? -1 : 1;
}
