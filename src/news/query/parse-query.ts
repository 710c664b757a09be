import { domainToASCII } from 'node:url';
import { Pattern } from './pattern.js';
import { Phrase } from './phrase.js';
import { QueryError } from './query-error.js';
import { fieldNamed, PARTS, PART_ALIASES, STATES, type Field } from './query-language.js';
import { ageOrDate, dateRange, dayOf, numberRange, type Written } from './query-values.js';
import type { Query, TextFind, TextQuery } from './query.js';

export interface ParseOptions {
  /** `or` in lower case is an operator, too. */
  readonly anyCaseOr?: boolean;
  /** The last word may be the beginning of one, since people search while they type. */
  readonly lastIsPrefix?: boolean;
  /** 16,000 unless given; 1,000 for what is typed into the box of the search. */
  readonly mostCharacters?: number;
}

const MOST_CHARACTERS = 16_000;
const MOST_DEPTH = 20;
const MOST_WORDS = 2000;
const MOST_PATTERNS = 50;
const MOST_TEXT_PATTERNS = 10;
/** With the same words and other signs or accents, which are compared one by one. */
const MOST_ALIKE = 50;

/** @throws QueryError with the place, for a text that is no query */
export function parseQuery(text: string, options: ParseOptions = {}): Query {
  const most = options.mostCharacters ?? MOST_CHARACTERS;
  if (text.length > most) {
    throw new QueryError(`A query has at most ${most} characters.`, most);
  }
  return new Parser(text.toWellFormed().replaceAll('\0', '\uFFFD'), options).parse();
}

/** A word, a phrase or a pattern, before it is known what it means. */
type Term =
  | {
      readonly kind: 'phrase';
      readonly text: string;
      readonly at: number;
      readonly isPrefix: false;
    }
  | {
      readonly kind: 'word';
      readonly text: string;
      readonly at: number;
      readonly isPrefix: boolean;
      /** Whether it is written with a `*` at its end, which is not in `text`. */
      readonly isStarred: boolean;
    }
  | {
      readonly kind: 'pattern';
      readonly source: string;
      readonly flags: string;
      readonly at: number;
    };

// All begin where the parser stands.
const BLANK = /\s+/y;
const OPERATOR = /(?:OR|AND|NOT)(?=[\s()]|$)/y;
const ANY_CASE_OPERATOR = /(?:or|AND|NOT)(?=[\s()]|$)/iy;
const NAME = /([\p{L}][\p{L}_-]*):/uy;
const PHRASE = /"((?:[^"\\]|\\[^])*)"/y;
/** As some keyboards write quotation marks. */
const TYPESET_PHRASE = /[“„‟”]((?:[^“„‟”"\\]|\\[^])*)[“„‟”"]/y;
const SINGLE_QUOTED = /'([^']*)'(?=[\s()]|$)/y;
const PATTERN = /\/((?:[^/\\]|\\[^])+)\/([ims]*)(?=[\s)]|$)/y;
const WORD = /(?:\\[^]|[^\s()\\]|\\$)+/y;

/** Recursive descent, one method a line of the grammar. */
class Parser {
  readonly #text: string;
  readonly #options: ParseOptions;
  #at = 0;
  #words = 0;
  #patterns = 0;
  #textPatterns = 0;
  readonly #alike = new Map<string, number>();

  constructor(text: string, options: ParseOptions) {
    this.#text = text;
    this.#options = options;
  }

  parse(): Query {
    this.#take(BLANK);
    if (this.#at === this.#text.length) {
      return { kind: 'everything' };
    }
    const query = this.#or(null, 0);
    if (this.#at < this.#text.length) {
      throw new QueryError('The bracket was not opened. Write \\) for the sign.', this.#at);
    }
    return query;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #isAtEnd(): boolean {
    return this.#at === this.#text.length || this.#text.charAt(this.#at) === ')';
  }

  #operator(): 'OR' | 'AND' | 'NOT' | null {
    const from = this.#at;
    const found = this.#take(this.#options.anyCaseOr === true ? ANY_CASE_OPERATOR : OPERATOR)?.[0];
    this.#at = from;
    const isWord = found !== undefined && found !== found.toUpperCase() && !/^or$/i.test(found);
    return found === undefined || isWord ? null : (found.toUpperCase() as 'OR');
  }

  /** Takes an operator and what must follow; in lower case it is a word at the ends. */
  #takeOperator(operator: 'OR' | 'AND' | 'NOT'): boolean {
    const from = this.#at;
    if (this.#operator() !== operator) {
      return false;
    }
    const isTyped = this.#text.startsWith(operator, from);
    this.#at += operator.length;
    this.#take(BLANK);
    const next = this.#operator();
    if (this.#isAtEnd() || next === 'OR' || next === 'AND') {
      if (!isTyped) {
        this.#at = from;
        return false;
      }
      throw new QueryError(
        `Something must follow ${operator}. Write "${operator}" for the word.`,
        this.#at,
      );
    }
    return true;
  }

  #or(field: Field | null, depth: number): Query {
    const parts = [this.#and(field, depth)];
    while (this.#takeOperator('OR')) {
      parts.push(this.#and(field, depth));
    }
    return joined('or', parts);
  }

  #and(field: Field | null, depth: number): Query {
    const parts = [this.#not(field, depth)];
    this.#take(BLANK);
    while (!this.#isAtEnd()) {
      const from = this.#at;
      const isOr = this.#takeOperator('OR');
      this.#at = from;
      if (isOr) {
        break;
      }
      this.#takeOperator('AND');
      parts.push(this.#not(field, depth));
      this.#take(BLANK);
    }
    return joined('and', parts);
  }

  #not(field: Field | null, depth: number): Query {
    const from = this.#at;
    const sign = /[-!](?=[^\s)])/y;
    const operator = this.#operator();
    if ((operator === 'OR' || operator === 'AND') && this.#text.startsWith(operator, from)) {
      throw new QueryError(
        `Something must stand before ${operator}. Write "${operator}" for the word.`,
        from,
      );
    }
    if (this.#take(sign) !== null || this.#takeOperator('NOT')) {
      const of = this.#primary(field, depth, true);
      return of.kind === 'not' ? of.of : { kind: 'not', of };
    }
    return this.#primary(field, depth, false);
  }

  #primary(field: Field | null, depth: number, isExcluded: boolean): Query {
    const from = this.#at;
    if (this.#text.charAt(from) === '(') {
      return this.#group(field, depth);
    }
    const name = this.#take(NAME)?.[1] ?? '';
    const named = fieldNamed(name);
    if (named !== undefined && !(field !== null && this.#isEmpty())) {
      if (field !== null) {
        throw new QueryError(
          `Within the brackets of ${field.name}: there can be no ${name}: field.`,
          from,
        );
      }
      if (this.#text.charAt(this.#at) === '(') {
        return this.#group(named, depth);
      }
      if (this.#isEmpty()) {
        throw new QueryError(`There is nothing after ${name}: (no space may follow it).`, from);
      }
      return this.#meaning(named, this.#term(true, isExcluded));
    }
    this.#at = from;
    const category = fieldNamed('category');
    if (
      field === null &&
      category !== undefined &&
      /^#[^\s()#]/.test(this.#text.slice(from, from + 2))
    ) {
      this.#at += 1;
      return this.#meaning(category, this.#term(true, isExcluded));
    }
    return this.#meaning(field, this.#term(field !== null, isExcluded));
  }

  #isEmpty(): boolean {
    return this.#isAtEnd() || /\s/.test(this.#text.charAt(this.#at));
  }

  #group(field: Field | null, depth: number): Query {
    const from = this.#at;
    if (depth === MOST_DEPTH) {
      throw new QueryError(`There are more than ${MOST_DEPTH} brackets in each other.`, from);
    }
    this.#at += 1;
    this.#take(BLANK);
    if (this.#text.charAt(this.#at) === ')') {
      throw new QueryError('There is nothing in the brackets. Write \\( for the sign.', from);
    }
    if (this.#at === this.#text.length) {
      throw new QueryError(NOT_CLOSED, from);
    }
    const query = this.#or(field, depth + 1);
    if (this.#text.charAt(this.#at) !== ')') {
      throw new QueryError(NOT_CLOSED, from);
    }
    this.#at += 1;
    return query;
  }

  #term(isValue: boolean, isExcluded: boolean): Term {
    const at = this.#at;
    this.#words += 1;
    if (this.#words > MOST_WORDS) {
      throw new QueryError(`A query has at most ${MOST_WORDS} words.`, at);
    }
    const pattern = this.#take(PATTERN);
    if (pattern !== null) {
      const [, source = '', flags = ''] = pattern;
      return { kind: 'pattern', source, flags: [...new Set(flags)].toSorted().join(''), at };
    }
    const phrase =
      this.#take(PHRASE) ??
      this.#take(TYPESET_PHRASE) ??
      (isValue ? this.#take(SINGLE_QUOTED) : null);
    if (phrase !== null) {
      const isLiteral = phrase[0].startsWith("'");
      const text = isLiteral ? (phrase[1] ?? '') : unescaped(phrase[1] ?? '');
      if (text.trim() === '') {
        throw new QueryError('There is nothing between the quotation marks.', at);
      }
      this.#words += text.trim().split(/\s+/).length - 1;
      return { kind: 'phrase', text: text.trim().replace(/\s+/g, ' '), at, isPrefix: false };
    }
    if (/["“„]/.test(this.#text.charAt(at))) {
      throw new QueryError('The quotation mark is not closed. Write \\" for the sign.', at);
    }
    const word = this.#take(WORD)?.[0];
    if (word === undefined) {
      throw new QueryError('The bracket was not opened. Write \\) for the sign.', at);
    }
    if (/^\*./.test(word)) {
      throw new QueryError(
        'A word cannot begin with *. A pattern such as /deal/i finds parts of words.',
        at,
      );
    }
    const isStarred = /^(?:\\[^]|[^\\])+\*$/.test(word);
    const text = unescaped(isStarred ? word.slice(0, -1) : word);
    const isLast =
      this.#options.lastIsPrefix === true &&
      !isExcluded &&
      this.#at === this.#text.length &&
      /[\p{L}\p{M}\p{N}]$/u.test(word);
    return { kind: 'word', text, at, isPrefix: isStarred || isLast, isStarred };
  }

  #find(term: Term, where: TextQuery['in']): TextFind {
    if (term.kind === 'pattern') {
      this.#patterns += 1;
      this.#textPatterns += where === 'words' || where === 'text' ? 1 : 0;
      if (this.#patterns > MOST_PATTERNS || this.#textPatterns > MOST_TEXT_PATTERNS) {
        throw new QueryError(
          `A query has at most ${MOST_PATTERNS} patterns, ${MOST_TEXT_PATTERNS} of them in texts.`,
          term.at,
        );
      }
      Pattern.of(term.source, term.flags, term.at + 1);
      return { kind: 'pattern', source: term.source, flags: term.flags };
    }
    if (term.kind === 'word' && term.text === '*' && where !== 'words') {
      return { kind: 'any' };
    }
    const text = term.text.normalize('NFC').replace(/\s+/g, ' ').trim();
    const isWhole = where === 'category' && term.kind === 'phrase';
    const find = { kind: 'phrase', text, isPrefix: term.isPrefix, isWhole } as const;
    const { firstWords, isPlain, chunks } = new Phrase(find);
    if (chunks[0]?.bare === '') {
      throw new QueryError('There is no word.', term.at);
    }
    const alike = (this.#alike.get(firstWords) ?? 0) + (isPlain ? 0 : 1);
    this.#alike.set(firstWords, alike);
    if (alike > MOST_ALIKE) {
      throw new QueryError(`More than ${MOST_ALIKE} phrases have the same words.`, term.at);
    }
    return find;
  }

  #meaning(field: Field | null, term: Term): Query {
    const meaning = field?.meaning ?? { kind: 'text', in: 'words' as const };
    if (meaning.kind === 'text') {
      return { kind: 'text', in: meaning.in, find: this.#find(term, meaning.in) };
    }
    const name = field?.name ?? '';
    if (term.kind === 'pattern') {
      throw new QueryError(`A pattern is not possible in ${name}:.`, term.at);
    }
    const { at } = term;
    const text = term.kind === 'word' && term.isStarred ? `${term.text}*` : term.text;
    const written: Written = { text, at };
    const word = text.toLowerCase();
    switch (meaning.kind) {
      case 'site': {
        const host = domainToASCII(
          word.replace(/^(?:https?:\/\/|\*?\.)/, '').replace(/[:/].*$/, ''),
        );
        if (host === '') {
          throw new QueryError(`"${text}" is no host. Write it like example.org.`, at);
        }
        return { kind: 'site', host };
      }
      case 'place': {
        const { of } = meaning;
        const typed = { at, orFeed: of === 'in' };
        const id = term.kind === 'word' ? /^#(\d{1,15})$/.exec(text)?.[1] : undefined;
        const isAny = of === 'label' && term.kind === 'word' && text === '*';
        return {
          kind: 'place',
          of: of === 'in' ? 'folder' : of,
          id: id === undefined ? null : Number(id),
          name: text,
          ...(isAny ? {} : { typed }),
        };
      }
      case 'is': {
        if (word === 'unstarred') {
          return { kind: 'not', of: { kind: 'is', state: 'starred' } };
        }
        const state = STATES.find((one) => one === word);
        return { kind: 'is', state: QueryError.unless(state, unknown('is', text, STATES), at) };
      }
      case 'has': {
        const what = PARTS.find((one) => one === word) ?? PART_ALIASES.get(word);
        return { kind: 'has', what: QueryError.unless(what, unknown('has', text, PARTS), at) };
      }
      case 'date': {
        const { of, as } = meaning;
        if (as === 'range') {
          return dateRange(of, written);
        }
        const day = dayOf(written);
        return as === 'from'
          ? { kind: 'date', of, from: day, to: null }
          : { kind: 'date', of, from: null, to: null, before: day };
      }
      case 'age': {
        return ageOrDate(meaning.than, written);
      }
      case 'number': {
        return numberRange(meaning.of, written);
      }
      case 'ask': {
        return { kind: 'ask', question: text };
      }
    }
  }
}

const NOT_CLOSED = 'The bracket is not closed. Write \\( for the sign.';

const unknown = (field: string, value: string, known: readonly string[]) =>
  `${field}:${value} is unknown. There is ${known.join(', ')}.`;

const unescaped = (text: string) => text.replace(/\\([^])/g, '$1');

/** Of one thing itself; of the same kind within, its parts. */
function joined(kind: 'and' | 'or', parts: readonly Query[]): Query {
  const [first, ...rest] = parts;
  return first !== undefined && rest.length === 0
    ? first
    : { kind, of: parts.flatMap((part) => (part.kind === kind ? part.of : [part])) };
}
