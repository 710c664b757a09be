import { RE2JS, RE2JSSyntaxException } from 're2js';
import { CLUSTERS, SPACES, UNSEEN, WORD_CLASS } from './folded-text.js';
import { QueryError } from './query-error.js';

/** Of one pattern. A literal is a tenth, what may fit several ways is one; repetitions multiply. */
const MOST_STEPS = 1000;

/** What follows in a text is not looked at: less if the pattern is dear, so that it costs 0.1 s at worst. */
const MOST_CHARACTERS = 50_000;
const MOST_STEPS_IN_TEXT = 1_000_000;

const LITERAL = 0.1;
const MOST_REPEATS = 1000;
const MOST_DEPTH = 20;

const MOST_COMPILED = 500;

const compiled = new Map<string, Pattern>();

/** A pattern in RE2 syntax, whose time is linear in the length of the text. */
export class Pattern {
  readonly anyCase: boolean;
  readonly #re: RE2JS;
  readonly #hasBoundary: boolean;
  readonly #most: number;

  /** @param at place of `source` in the typed text @throws QueryError */
  static of(source: string, flags: string, at = 0): Pattern {
    const key = `${flags}/${source}`;
    const known = compiled.get(key);
    if (known !== undefined) {
      return known;
    }
    const pattern = new Pattern(source, flags, at);
    if (compiled.size >= MOST_COMPILED) {
      compiled.clear();
    }
    compiled.set(key, pattern);
    return pattern;
  }

  private constructor(source: string, flags: string, at: number) {
    this.anyCase = flags.includes('i');
    const { text, size, hasBoundary } = new PatternReader(source, at, this.anyCase).read();
    this.#hasBoundary = hasBoundary;
    this.#most = Math.min(MOST_CHARACTERS, Math.ceil(MOST_STEPS_IN_TEXT / size));
    try {
      this.#re = RE2JS.compile(
        text,
        (this.anyCase ? RE2JS.CASE_INSENSITIVE : 0) |
          (flags.includes('m') ? RE2JS.MULTILINE : 0) |
          (flags.includes('s') ? RE2JS.DOTALL : 0),
      );
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) {
        const part = error.input ?? '';
        const found = part === '' ? -1 : source.indexOf(part);
        throw new QueryError(
          `The pattern cannot be read at "${part.slice(0, 30)}".`,
          at + Math.max(found, 0),
        );
      }
      throw error;
    }
    if (this.#re.test('')) {
      throw new QueryError('The pattern fits everything, since it fits an empty text.', at);
    }
  }

  /** @param folded by `fold` of a pattern with the same `anyCase` */
  test(folded: string): boolean {
    return this.#re.test(folded.slice(0, this.#most));
  }

  /** The text in which patterns are sought: composed letters, plain spaces. */
  fold(text: string): string {
    const plain = text
      .slice(0, MOST_CHARACTERS)
      .normalize('NFC')
      .replace(UNSEEN, '')
      .replace(SPACES, ' ');
    return this.anyCase ? plain.replace(/[ßẞ]/g, 'ss').replaceAll('İ', 'I') : plain;
  }

  /** The first places in a short text. */
  placesIn(text: string, most: number): readonly (readonly [from: number, to: number])[] {
    const typedAt: number[] = [];
    let folded = '';
    for (const { 0: cluster, index } of text.matchAll(CLUSTERS)) {
      const one = this.fold(cluster);
      typedAt.push(...Array.from({ length: one.length }, () => index));
      folded += one;
    }
    const places: [number, number][] = [];
    const matcher = this.#re.matcher(folded);
    while (places.length < most && matcher.find()) {
      let [from, to] = [matcher.start(), matcher.end()];
      if (this.#hasBoundary) {
        from += IS_WORD.test(folded.charAt(from)) ? 0 : 1;
        to -= IS_WORD.test(folded.charAt(to - 1)) ? 0 : 1;
      }
      places.push([typedAt[from] ?? text.length, typedAt[to] ?? text.length]);
    }
    return places;
  }
}

const IS_WORD = new RegExp(`[${WORD_CLASS}\\p{Cs}]`, 'u');
/** What is no word, where `[^…]` cannot stand. */
const NO_WORD_CLASS = String.raw`\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}`;

const ONLY_AT_ENDS =
  'In a pattern, \\b can only stand at the ends of the whole or of an alternative.';
const NO_LOOKING_AROUND = 'In a pattern, look-around and back references are not possible.';
const NOT_CLOSED = 'The pattern has a bracket that is not closed.';

const REPEAT = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;
const FLAGS = /\(\?[imsU-]+\)/y;
const OPENING = /\((?:\?(?:P?<[A-Za-z_]\w*>|[imsU-]*:))?/y;
const LOOKING_AROUND = /\(\?(?:[=!>]|<[=!]|P=)|\\[1-9kB]/y;
const ESCAPE = /\\(?:[pPx]\{[^}]*\}|Q[^]*?(?:\\E|$)|[^])/y;
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]/y;

interface Piece {
  readonly text: string;
  readonly size: number;
  /** Where a `\b` stands that nothing may follow. */
  readonly end: number | null;
  readonly hasBoundary: boolean;
}

/**
 * Reads a pattern to refuse what RE2 has not, with its place, and to rewrite `\w` and `\b`, which are ASCII
 * in RE2. `\b` takes the character beside the word along, therefore it can stand at the ends only.
 */
class PatternReader {
  #next = 0;

  constructor(
    private readonly source: string,
    private readonly at: number,
    private readonly anyCase: boolean,
  ) {}

  read(): Piece {
    const whole = this.#alternatives(true, 0);
    if (this.#next < this.source.length) {
      throw this.#error('The pattern has a bracket that was not opened.', this.#next);
    }
    if (whole.size > MOST_STEPS) {
      throw this.#error('The pattern is too dear: it is long, or its repetitions multiply.', 0);
    }
    return { ...whole, text: whole.text.normalize('NFC') };
  }

  #error(message: string, place: number): QueryError {
    return new QueryError(message, this.at + place);
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#next;
    const found = expression.exec(this.source);
    this.#next += found?.[0].length ?? 0;
    return found;
  }

  #alternatives(isStart: boolean, depth: number): Piece {
    if (depth > MOST_DEPTH) {
      throw this.#error(
        `The pattern has more than ${MOST_DEPTH} brackets in each other.`,
        this.#next,
      );
    }
    const pieces = [this.#sequence(isStart, depth)];
    while (this.source.charAt(this.#next) === '|') {
      this.#next += 1;
      pieces.push(this.#sequence(isStart, depth));
    }
    return {
      text: pieces.map(({ text }) => text).join('|'),
      // Long words differ soon, so that few of them are followed at once.
      size: pieces.reduce((sum, { text, size }) => sum + size + 1 / (text.length + 1), 0),
      end: pieces.find(({ end }) => end !== null)?.end ?? null,
      hasBoundary: pieces.some(({ hasBoundary }) => hasBoundary),
    };
  }

  #sequence(isStart: boolean, depth: number): Piece {
    const texts: string[] = [];
    let [size, end, hasBoundary, mayBegin]: [number, number | null, boolean, boolean] = [
      0,
      null,
      false,
      isStart,
    ];
    while (!['', '|', ')'].includes(this.source.charAt(this.#next))) {
      if (end !== null) {
        throw this.#error(ONLY_AT_ENDS, end);
      }
      const from = this.#next;
      const flags = this.#take(FLAGS);
      if (flags !== null) {
        texts.push(flags[0]);
        continue;
      }
      const atom = this.#atom(mayBegin, depth);
      const repeatAt = this.#next;
      const repeat = this.#take(REPEAT);
      const times = Math.max(Number(repeat?.[1] ?? 1), Number(repeat?.[2] ?? 1), 1);
      if (times > MOST_REPEATS) {
        throw this.#error('In a pattern, a repetition is at most 1000.', repeatAt);
      }
      if (repeat !== null && atom.hasBoundary) {
        throw this.#error(ONLY_AT_ENDS, from);
      }
      texts.push(atom.text + (repeat?.[0] ?? ''));
      size += atom.size * times + (repeat === null ? 0 : 1);
      hasBoundary ||= atom.hasBoundary;
      ({ end } = atom);
      mayBegin = false;
    }
    return { text: texts.join(''), size, end, hasBoundary };
  }

  #atom(mayBegin: boolean, depth: number): Piece {
    const from = this.#next;
    if (this.#take(LOOKING_AROUND) !== null) {
      throw this.#error(NO_LOOKING_AROUND, from);
    }
    const opening = this.#take(OPENING);
    if (opening !== null) {
      const inner = this.#alternatives(mayBegin, depth + 1);
      if (this.source.charAt(this.#next) !== ')') {
        throw this.#error(NOT_CLOSED, from);
      }
      this.#next += 1;
      return { ...inner, text: `${opening[0]}${inner.text})` };
    }
    const piece = (text: string, size: number): Piece => ({
      text,
      size,
      end: null,
      hasBoundary: false,
    });
    const escape = this.#take(ESCAPE)?.[0];
    switch (escape) {
      case undefined: {
        break;
      }
      case '\\w': {
        return piece(`[${WORD_CLASS}]`, 1);
      }
      case '\\W': {
        return piece(`[^${WORD_CLASS}]`, 1);
      }
      case '\\b': {
        return this.#boundary(mayBegin, from);
      }
      default: {
        return piece(
          escape,
          /^\\[^\p{L}]/u.test(escape)
            ? LITERAL
            : escape.startsWith('\\Q')
              ? LITERAL * escape.length
              : 1,
        );
      }
    }
    if (this.source.charAt(from) === '[') {
      const found = this.#take(CLASS)?.[0];
      if (found === undefined) {
        throw this.#error(NOT_CLOSED, from);
      }
      const rewritten = found.replace(/\\([^])/g, (whole, letter: string) =>
        letter === 'w' ? WORD_CLASS : letter === 'W' ? NO_WORD_CLASS : whole,
      );
      return piece(this.#folded(rewritten), 1);
    }
    const character = String.fromCodePoint(this.source.codePointAt(from) ?? 0);
    this.#next += character.length;
    return /[ßẞ]/.test(character) && this.anyCase
      ? piece('(?:ss)', 2 * LITERAL)
      : piece(this.#folded(character), character === '.' ? 1 : LITERAL);
  }

  #folded(text: string): string {
    const plain = text.replace(SPACES, ' ');
    return this.anyCase ? plain.replaceAll('İ', 'I') : plain;
  }

  /** Beside a sign, the other side of the boundary is a word; else the boundary is an end of the word. */
  #boundary(mayBegin: boolean, from: number): Piece {
    const isEnd = ['', '|', ')'].includes(this.source.charAt(this.#next));
    if (!isEnd && !mayBegin) {
      throw this.#error(ONLY_AT_ENDS, from);
    }
    const neighbour = isEnd ? this.source.slice(0, from) : this.source.slice(this.#next);
    const besideSign = (isEnd ? SIGN_BEFORE : SIGN_AFTER).test(neighbour);
    const other = besideSign ? `[${WORD_CLASS}]` : `(?:${isEnd ? '\\z' : '\\A'}|[^${WORD_CLASS}])`;
    return { text: other, size: 3, end: isEnd ? from : null, hasBoundary: true };
  }
}

const SIGN_BEFORE = /(?:\\[^\p{L}\p{N}_\s]|[^\p{L}\p{M}\p{N}_\\.\])}*+?])$/u;
const SIGN_AFTER = /^(?:\\[^\p{L}\p{N}_\s]|[^\p{L}\p{M}\p{N}_\\.[(^$])/u;
