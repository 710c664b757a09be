import { StringDecoder } from 'node:string_decoder';
import { printable } from '../../common/texts/printable.js';

/** Tags of the Symfony console as ANSI codes. */
const STYLES: Readonly<Record<string, string>> = {
  info: '\u001B[32m',
  comment: '\u001B[33m',
  question: '\u001B[30;46m',
  error: '\u001B[37;41m',
};

const RESET = '\u001B[0m';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const ATTRIBUTES = new Map([
  ['bold', 1],
  ['underscore', 4],
  ['blink', 5],
  ['reverse', 7],
  ['conceal', 8],
]);

/** A known tag, or an escaped `<`. */
const TAG =
  /\\<|<(?:\/(?:info|comment|question|error)?|info|comment|question|error|(?:fg|bg|options|href)=[^<>]*)>/g;

/** Exceeds any tag; bounds the text held back for an incomplete tag. */
const LONGEST_TAG = 512;

/**
 * Converts console markup to colours, or removes it for outputs without colours. Works on a stream: a
 * tag or a character may be split between two chunks.
 */
export class ConsoleMarkup {
  readonly #decoder = new StringDecoder('utf8');
  readonly #open: string[] = [];
  #held = '';

  constructor(private readonly hasColours: boolean) {}

  write(bytes: Uint8Array): string {
    const text = this.#held + this.#decoder.write(Buffer.from(bytes));
    const mayBegin = /(?:\\|\\?<[^<>]*)$/.exec(text)?.index ?? text.length;
    const cut = text.length - mayBegin > LONGEST_TAG ? text.length : mayBegin;
    this.#held = text.slice(cut);
    return this.#show(text.slice(0, cut));
  }

  end(): string {
    const left = this.#held + this.#decoder.end();
    this.#held = '';
    return this.#show(left) + (this.hasColours && this.#open.length > 0 ? RESET : '');
  }

  #show(text: string): string {
    // A terminal obeys escape sequences, so only the markup's own are kept, and returns of progress bars.
    const safe = this.hasColours ? text.split('\r').map(printable).join('\r') : text;
    return safe.replace(TAG, (tag) => (tag === '\\<' ? '<' : this.#styleOf(tag)));
  }

  #styleOf(tag: string): string {
    if (tag.startsWith('</')) {
      this.#open.pop();
    } else {
      this.#open.push(codeOf(tag.slice(1, -1)));
    }
    return this.hasColours ? `${RESET}${this.#open.join('')}` : '';
  }
}

function codeOf(style: string): string {
  const named = STYLES[style];
  if (named !== undefined) {
    return named;
  }
  const codes = style.split(';').flatMap((part) => {
    const [key = '', value = ''] = part.split('=');
    return key === 'options'
      ? value.split(',').map((name) => ATTRIBUTES.get(name))
      : colour(key, value);
  });
  const known = codes.filter((code) => code !== undefined);
  return known.length === 0 ? '' : `\u001B[${known.join(';')}m`;
}

function colour(key: string, name: string): number | undefined {
  const place = COLOURS.indexOf(name);
  return place === -1 || key === 'href' ? undefined : place + (key === 'bg' ? 40 : 30);
}
