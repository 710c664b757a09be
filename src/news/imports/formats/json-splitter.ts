import { LONGEST_ROW, UnreadableImport } from './found-row.js';

/** Lists of rows: the root, one of these of the root object, or the links of Linkwarden's collections. */
const ROW_LISTS =
  /^(?:\[|\{(?:items|entries|articles|stories|bookmarks)\[|\{collections\[\{links\[)$/;

/** Nesting limit, of rows and of what is around them. */
const DEEPEST = 100;
/** Characters around the rows. */
const LONGEST_ENVELOPE = 4 * 1024 ** 2;
const LONGEST_KEY = 100;

const BRACKET_OR_QUOTE = /["{}[\]]/g;
const NO_SPACE = /\S/g;
const END_OF_TEXT = /["\\]/g;

/** A row's text; null for one that is too long or too deep. `list` counts the lists, from 0. */
export type OnJsonRow = (text: string | null, list: number) => void;

/**
 * Splits JSON of any length into its rows, and what is around them: the envelope, with empty lists. A file
 * that is cut off has its whole rows.
 */
export class JsonSplitter {
  readonly #onRow: OnJsonRow;
  /** Open brackets around the rows, `{` with its last key. */
  readonly #open: string[] = [];
  readonly #envelope: string[] = [];
  #envelopeLength = 0;
  /** Of the envelope, up to the last whole value of the root. */
  #wholeLength = 0;
  #row: string[] = [];
  #rowLength = 0;
  /** Open brackets of the row; 0 outside. */
  #depth = 0;
  #isTooDeep = false;
  #isInList = false;
  #lists = 0;
  #isInText = false;
  #isEscaped = false;
  #text = '';
  #hasEnded = false;
  /** Something comes behind the end. */
  hasRest = false;

  constructor(onRow: OnJsonRow) {
    this.#onRow = onRow;
  }

  /** @throws UnreadableImport for an envelope that is too long or too deep */
  write(chunk: string): void {
    let from = 0;
    let i = 0;
    while (i < chunk.length && !this.hasRest) {
      if (this.#isInText) {
        i = this.#skipText(chunk, i);
        continue;
      }
      i = nextOf(this.#depth > 0 ? BRACKET_OR_QUOTE : NO_SPACE, chunk, i);
      const character = chunk[i];
      if (character === undefined) {
        break;
      }
      if (character === '"') {
        this.#isInText = true;
        this.#text = '';
      } else if (this.#depth > 0) {
        if (this.#stepInRow(character)) {
          this.#keepRow(chunk.slice(from, i + 1));
          this.#endRow();
          from = i + 1;
        }
      } else if (this.#isInList && character !== ']') {
        if (character === '{' || character === '[') {
          this.#depth = 1;
          from = i;
        }
      } else if (this.#hasEnded) {
        this.hasRest = true;
      } else {
        if (this.#isInList) {
          this.#isInList = false;
          from = i;
        }
        if (this.#stepOutside(character)) {
          this.#keepEnvelope(chunk.slice(from, i + 1));
          this.#wholeLength = this.#open.length > 1 ? this.#wholeLength : this.#envelopeLength;
          from = i + 1;
        }
      }
      i += 1;
    }
    if (this.#depth > 0) {
      this.#keepRow(chunk.slice(from));
    } else if (!this.#isInList && !this.#hasEnded) {
      this.#keepEnvelope(chunk.slice(from));
    }
  }

  /** What is around the rows, closed where the file is cut off. */
  end(): { readonly envelope: string; readonly isCut: boolean } {
    const envelope = this.#envelope.join('');
    if (this.#hasEnded) {
      return { envelope, isCut: false };
    }
    const end = this.#open.at(0) === '[' ? ']' : '}';
    const openList = this.#isInList ? this.#open.map((it) => (it === '[' ? ']' : '}')) : null;
    return {
      envelope:
        openList === null
          ? envelope.slice(0, this.#wholeLength).replace(/,$/, '') + end
          : envelope + openList.reverse().join(''),
      isCut: true,
    };
  }

  #skipText(chunk: string, from: number): number {
    let i = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      i += 1;
    }
    i = nextOf(END_OF_TEXT, chunk, i);
    if (this.#depth === 0 && this.#text.length < LONGEST_KEY) {
      this.#text += chunk.slice(from, i).slice(0, LONGEST_KEY);
    }
    if (chunk[i] === '\\') {
      this.#isEscaped = true;
    } else if (i < chunk.length) {
      this.#isInText = false;
    }
    return i + 1;
  }

  /** @returns whether the row ends here */
  #stepInRow(character: string): boolean {
    this.#depth += character === '{' || character === '[' ? 1 : -1;
    this.#isTooDeep ||= this.#depth > DEEPEST;
    return this.#depth === 0;
  }

  /** @returns whether the envelope is kept up to here, as what follows is not part of it */
  #stepOutside(character: string): boolean {
    const top = this.#open.length - 1;
    switch (character) {
      case ':':
        if (this.#open[top]?.startsWith('{')) {
          this.#open[top] = `{${this.#text}`;
        }
        return false;
      case '{':
      case '[':
        this.#open.push(character);
        if (this.#open.length > DEEPEST) {
          throw new UnreadableImport(`The file is nested more than ${DEEPEST} levels deep.`);
        }
        this.#isInList = character === '[' && ROW_LISTS.test(this.#open.join(''));
        return this.#isInList;
      case '}':
      case ']':
        if (this.#open.length > 0 && ROW_LISTS.test(this.#open.join(''))) {
          this.#lists += 1;
        }
        this.#open.pop();
        this.#hasEnded = this.#open.length === 0;
        return this.#open.length <= 1;
      case ',':
        return this.#open.length === 1;
      default:
        return false;
    }
  }

  #keepRow(piece: string): void {
    this.#rowLength += piece.length;
    if (this.#rowLength > LONGEST_ROW || this.#isTooDeep) {
      this.#row = [];
    } else {
      this.#row.push(piece);
    }
  }

  #endRow(): void {
    const isWhole = this.#rowLength <= LONGEST_ROW && !this.#isTooDeep;
    const row = isWhole ? this.#row.join('') : null;
    this.#row = [];
    this.#rowLength = 0;
    this.#isTooDeep = false;
    this.#onRow(row, this.#lists);
  }

  #keepEnvelope(piece: string): void {
    this.#envelopeLength += piece.length;
    if (this.#envelopeLength > LONGEST_ENVELOPE) {
      throw new UnreadableImport(UNKNOWN_JSON);
    }
    this.#envelope.push(piece);
  }
}

function nextOf(mark: RegExp, text: string, from: number): number {
  mark.lastIndex = from;
  return mark.test(text) ? mark.lastIndex - 1 : text.length;
}

export const UNKNOWN_JSON = 'The file is JSON, but of no program whose files Gatefold can read.';

/** Whole numbers that JavaScript cannot hold. */
const LONG_NUMBER = /\d{16}/;

/** JSON whose long numbers are kept as texts. @returns undefined if it cannot be read */
export function readJson(text: string): unknown {
  const keep = (_key: string, value: unknown, context: { readonly source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)
      ? (context.source ?? value)
      : value;
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keep) : JSON.parse(text);
  } catch {
    return undefined;
  }
}
