/** Clauses that are translated like sentences: `The password {rule}.` */
const CLAUSES: ReadonlySet<string> = new Set(['message', 'reason', 'rule', 'warning', 'what']);

/** An English sentence with named gaps, `There is no folder {id}.`, and its translation. */
export class SentenceTemplate {
  readonly #pieces: readonly string[];
  readonly #names: readonly string[];
  readonly #translation: string;

  constructor(english: string, translation: string) {
    this.#pieces = english.split(/\{\w+\}/);
    this.#names = Array.from(english.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    this.#translation = translation;
  }

  /** Characters outside of gaps: of two templates that fit, the one with more says more. */
  get literalLength(): number {
    return this.#pieces.join('').length;
  }

  /**
   * @param clause translates the text in the gap of a clause @returns undefined if `sentence` does not
   *   match
   */
  translate(sentence: string, clause: (english: string) => string): string | undefined {
    const values = this.#valuesIn(sentence);
    return values === undefined
      ? undefined
      : fill(this.#translation, (name) => {
          const value = values.get(name) ?? '';
          return CLAUSES.has(name) ? clause(value) : value;
        });
  }

  /** Scans the sentence once, since it may contain untrusted text. */
  #valuesIn(sentence: string): ReadonlyMap<string, string> | undefined {
    const first = this.#pieces[0] ?? '';
    const last = this.#pieces.at(-1) ?? '';
    if (this.#names.length === 0) {
      return sentence === first ? new Map() : undefined;
    }
    const end = sentence.length - last.length;
    if (!sentence.startsWith(first) || !sentence.endsWith(last) || end < first.length) {
      return undefined;
    }
    const values = new Map<string, string>();
    let at = first.length;
    for (const [index, name] of this.#names.entries()) {
      const isLast = index === this.#names.length - 1;
      const next = isLast ? end : sentence.indexOf(this.#pieces[index + 1] ?? '', at);
      // A gap in front is a number: it does not represent a preceding sentence.
      if (
        next < at ||
        next > end ||
        (next > 0 && at === 0 && sentence.slice(0, next).includes(' '))
      ) {
        return undefined;
      }
      values.set(name, sentence.slice(at, next));
      at = next + (this.#pieces[index + 1]?.length ?? 0);
    }
    return values;
  }
}

/** Replaces `{name}`. */
export function fill(text: string, value: (name: string) => string): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => value(name));
}
