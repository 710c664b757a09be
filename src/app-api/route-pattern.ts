const MAX_PATTERN_LENGTH = 512;
/** Each of them may multiply the work of a match by the length of the path. */
const MAX_QUANTIFIERS = 8;

/**
 * Why a pattern for paths cannot be taken; null when it can. Patterns run for every request that
 * passes through the gateway, so one whose matching could take exponential time is refused, and so
 * are the parts of the language whose cost cannot be seen: look-around and back references.
 */
export function faultOfRoutePattern(pattern: string): string | null {
  if (pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
    return `must have 1 to ${MAX_PATTERN_LENGTH} characters`;
  }
  return isRegularExpression(pattern) ? faultOfStructure(pattern) : 'is not a regular expression';
}

function isRegularExpression(pattern: string): boolean {
  try {
    return RegExp(pattern, 'i') instanceof RegExp;
  } catch {
    return false;
  }
}

/** What was seen inside a group so far. */
interface Group {
  /** Whether a text may match it in more than one way. */
  ambiguous: boolean;
}

const AMBIGUOUS = 'must not repeat a group that repeats, branches or has optional parts inside';

function faultOfStructure(pattern: string): string | null {
  const groups: Group[] = [{ ambiguous: false }];
  let justClosed: Group | undefined;
  let quantifiers = 0;
  for (const token of tokensOf(pattern)) {
    if (/^\(\?(?!:)/.test(token)) {
      return 'must not look ahead or behind, nor name its groups';
    }
    if (/^\\[1-9k]/.test(token)) {
      return 'must not refer back to a group';
    }
    const repeats = isQuantifier(token);
    if (repeats && justClosed?.ambiguous) {
      return AMBIGUOUS;
    }
    if (token.startsWith('(')) {
      groups.push({ ambiguous: false });
    }
    justClosed = token === ')' ? groups.pop() : undefined;
    quantifiers += repeats ? 1 : 0;
    const group = groups.at(-1);
    if (group && (repeats || token === '|' || token === '?' || justClosed?.ambiguous)) {
      group.ambiguous = true;
    }
  }
  return quantifiers > MAX_QUANTIFIERS
    ? `must not repeat in more than ${MAX_QUANTIFIERS} places`
    : null;
}

/** Escapes, classes, group openings and quantifiers in one piece each; any other character alone. */
function tokensOf(pattern: string): string[] {
  return (
    pattern.match(
      /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?(?::|<[^>]*>|.)|\{\d+(?:,\d*)?\}|[\s\S]/g,
    ) ?? []
  );
}

function isQuantifier(token: string): boolean {
  return token === '*' || token === '+' || /^\{\d/.test(token);
}
