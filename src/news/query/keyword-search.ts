import type { Turns } from '../../common/turns.js';

const STATES_IN_A_STEP = 256;

/** The beginning of a keyword: another one, and a code unit. */
interface State {
  readonly state: number;
  readonly from: number;
  readonly code: number;
}

/** Searches a text for many keywords in one pass (Aho-Corasick): linear time for any keywords and texts. */
export class KeywordSearch {
  /** Keyed by state and code unit: the next state. A state is a beginning of a keyword; 0 is the empty one. */
  readonly #next = new Map<number, number>();
  /** By state: that of the longest other beginning with which it ends. */
  readonly #shorter = [0];
  /** By state: the keyword that it is, or -1. */
  readonly #keyword = [-1];
  /** By state: the nearest shorter one that is a keyword, or 0. */
  readonly #ending = [0];
  #lengths: readonly number[] = [];

  /** @param keywords distinct, none of them empty */
  constructor(keywords: readonly string[]) {
    for (const _step of this.#build(keywords)) {
      // All at once.
    }
  }

  /** For thousands of keywords. */
  static async inTurns(keywords: readonly string[], turns: Turns): Promise<KeywordSearch> {
    const search = new KeywordSearch([]);
    for (const _step of search.#build(keywords)) {
      await turns.take();
    }
    return search;
  }

  *#build(keywords: readonly string[]): Generator<void> {
    this.#lengths = keywords.map(({ length }) => length);
    /** By length. */
    const states: State[][] = [];
    for (const [keyword, text] of keywords.entries()) {
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        let next = this.#next.get(state * 65_536 + code);
        if (next === undefined) {
          next = this.#keyword.push(-1) - 1;
          this.#next.set(state * 65_536 + code, next);
          (states[at] ??= []).push({ state: next, from: state, code });
        }
        state = next;
      }
      this.#keyword[state] = keyword;
      yield;
    }
    // Shorter ones first, so that they are complete before longer ones link to them.
    for (const some of states) {
      for (const [n, { state, from, code }] of some.entries()) {
        const shorter = from === 0 ? 0 : this.#step(this.#shorter[from] ?? 0, code);
        this.#shorter[state] = shorter;
        this.#ending[state] =
          (this.#keyword[shorter] ?? -1) < 0 ? (this.#ending[shorter] ?? 0) : shorter;
        if (n % STATES_IN_A_STEP === 0) {
          yield;
        }
      }
    }
  }

  get isEmpty(): boolean {
    return this.#lengths.length === 0;
  }

  /**
   * Whether one is found.
   *
   * @param found called in the order of ends, of each the longest first; true ends the search, null leaves out
   *   shorter ones at this end
   */
  find(
    text: string,
    found: (keyword: number, start: number, end: number) => boolean | null,
  ): boolean {
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#step(state, text.charCodeAt(at));
      let ending = (this.#keyword[state] ?? -1) < 0 ? (this.#ending[state] ?? 0) : state;
      while (ending > 0) {
        const keyword = this.#keyword[ending] ?? 0;
        const isFound = found(keyword, at + 1 - (this.#lengths[keyword] ?? 0), at + 1);
        if (isFound === true) {
          return true;
        }
        if (isFound === null) {
          break;
        }
        ending = this.#ending[ending] ?? 0;
      }
    }
    return false;
  }

  #step(from: number, code: number): number {
    for (let state = from; ; state = this.#shorter[state] ?? 0) {
      const next = this.#next.get(state * 65_536 + code);
      if (next !== undefined) {
        return next;
      }
      if (state === 0) {
        return 0;
      }
    }
  }
}
