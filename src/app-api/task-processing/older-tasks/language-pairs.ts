import type { LanguagePair } from '../../../common/ports/translation.js';

/** Languages of a provider: code to name. */
export type Languages = Readonly<Record<string, string>>;

/** Beyond this, only enough pairs are listed to name each language as source and as target. */
const MOST_PAIRS = 5000;

/** All pairs of two different languages, as far as they are not too many. */
export function pairsOf(from: Languages, to: Languages): LanguagePair[] {
  const sources = Object.entries(from);
  const targets = Object.entries(to);
  const isHuge = sources.length * targets.length > MOST_PAIRS;
  return sources.flatMap(([source, fromLabel], place) =>
    targets
      .filter(([target], nth) => target !== source && (!isHuge || place <= 1 || nth <= 1))
      .map(([target, toLabel]) => ({ from: source, fromLabel, to: target, toLabel })),
  );
}

/**
 * Finds a language among a provider's codes: `de` is also found as `de_DE`, and `de-DE` as `de`.
 *
 * @returns the provider's code
 */
export function matchLanguage(codes: readonly string[], wanted: string): string | null {
  const same = (normal: (code: string) => string) =>
    codes.find((code) => normal(code) === normal(wanted));
  return (
    same((code) => code) ??
    same(plain) ??
    same((code) => plain(code).split('-', 1)[0] ?? '') ??
    null
  );
}

function plain(code: string): string {
  return code.toLowerCase().replaceAll('_', '-');
}
