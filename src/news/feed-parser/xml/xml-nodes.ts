import FeedParser from 'feedparser';
import { isObject } from '../../../common/is-object.js';
import { UnreadableDocument } from '../parsed-feed.js';
import { ATTRIBUTES, isKnown, type FeedShape } from './feed-vocabulary.js';
import { CDATA_GUARD } from './repair-xml.js';

/** Prefixed names of elements; few, and used for every item. */
const namesWithPrefix = { rss: withPrefix('rss:'), atom: withPrefix('atom:') };

function withPrefix(prefix: string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    let joined = known.get(name);
    if (joined === undefined) {
      joined = prefix + name;
      known.set(name, joined);
    }
    return joined;
  };
}

/** An element as feedparser returns it: `@` attributes, `#` text, and children by name. */
export class XmlNode {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #corePrefix: string;

  constructor(raw: unknown, shape: FeedShape) {
    this.#raw = isObject(raw) ? raw : { '#': raw };
    this.#corePrefix = `${shape}:`;
  }

  get text(): string {
    const text = own(this.#raw, '#');
    return typeof text === 'string' ? text.replaceAll(CDATA_GUARD, '').trim() : '';
  }

  attribute(name: string): string | null {
    // feedparser files the attributes of an item itself under its format.
    const attributes = own(this.#raw, `${this.#corePrefix}@`) ?? own(this.#raw, '@');
    return isObject(attributes) ? attributeOf(attributes, name) : null;
  }

  /** An attribute of the feed itself: of its channel, or else of the element around it. */
  frameAttribute(name: string): string | null {
    const frames = [this, ...this.all('root').reverse()];
    const outermost = own(this.#raw, '@');
    return (
      frames.map((frame) => frame.attribute(name)).find((value) => value !== null) ??
      (Array.isArray(outermost)
        ? outermost.map((one) => attributeOf(one, name)).find((value) => value !== null)
        : null) ??
      null
    );
  }

  /** The children of these names, in the order of the names and then of the document. */
  all(...names: readonly string[]): XmlNode[] {
    const shape = this.#corePrefix === 'rss:' ? 'rss' : 'atom';
    return names.flatMap((name) => {
      const found = own(this.#raw, name) ?? own(this.#raw, namesWithPrefix[shape](name));
      if (found === undefined) {
        return [];
      }
      const nodes: readonly unknown[] = Array.isArray(found) ? found : [found];
      return nodes.map((node) => new XmlNode(node, shape));
    });
  }

  /** Whether any stored element inside has a text or an attribute. */
  get holdsAnything(): boolean {
    return Object.entries(this.#raw).some(
      ([name, value]) =>
        isKnown(name.startsWith(this.#corePrefix) ? name.slice(this.#corePrefix.length) : name) &&
        isWritten(value),
    );
  }

  /** The first non-empty text among the children of these names. */
  textOf(...names: readonly string[]): string | null {
    return this.all(...names).find((node) => node.text !== '')?.text ?? null;
  }
}

/** The relation of a link in lower case; default `alternate`. */
export function relationOf(link: XmlNode): string {
  const relation = link.attribute('rel')?.trim().toLowerCase() ?? 'alternate';
  return relation.replace(/^http:\/\/www\.iana\.org\/assignments\/relation\//, '');
}

export interface XmlFeed {
  readonly feed: XmlNode;
  readonly items: readonly XmlNode[];
  readonly errors: readonly string[];
}

/**
 * Reads a document that is well-formed or repaired into nodes, without the normalised fields of
 * feedparser. A repaired document has resolved bases in the attribute `base`.
 *
 * @see docs/decisions/0026-reading-documents.md
 *
 * @throws UnreadableDocument when feedparser finds no feed
 */
export async function readNodes(xml: string, shape: FeedShape): Promise<XmlFeed> {
  const parser = new FeedParser({ normalize: false, addmeta: false });
  const items: XmlNode[] = [];
  const errors: string[] = [];
  parser.on('data', (item: unknown) => items.push(new XmlNode(item, shape)));
  await new Promise<void>((resolve) => {
    parser.on('error', (error: Error) => {
      errors.push(plainMessage(error.message));
      resolve();
    });
    parser.on('end', resolve);
    try {
      saxStreamOf(parser).write(xml);
      parser.end();
    } catch (error) {
      parser.destroy(error as Error);
    }
  });
  if (errors.length > 0 && items.length === 0) {
    throw new UnreadableDocument(`The document could not be read: ${errors[0]}.`);
  }
  return { feed: new XmlNode(parser.meta, shape), items, errors };
}

/** The part of sax that reads the text. */
interface SaxStream {
  readonly _parser: { trackPosition: boolean };
  write(text: string): void;
}

/**
 * The stream below feedparser, which takes a text as it is: feedparser itself would encode it and sax
 * decode it again. Positions are for messages, of which only the first line is used; counting lines and
 * columns takes longer than the rest of sax.
 */
function saxStreamOf(parser: FeedParser): SaxStream {
  const { stream } = parser as unknown as { readonly stream: SaxStream };
  stream._parser.trackPosition = false;
  return stream;
}

/** The first line of a parser message; the others quote the document. */
function plainMessage(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return /^[\x20-\x7E]{1,200}$/.test(line) ? line : 'it is damaged';
}

// oxlint-disable-next-line no-control-regex
const WRITTEN = /[^\s\u0001]/;

/** Whether a value of feedparser (text, element or list) has any content that is stored. */
function isWritten(value: unknown): boolean {
  if (typeof value === 'string') {
    return WRITTEN.test(value);
  }
  if (Array.isArray(value)) {
    return value.some(isWritten);
  }
  return (
    isObject(value) &&
    Object.entries(value).some(([name, held]) =>
      name === '@'
        ? isObject(held) &&
          Object.keys(held).some(
            (attribute) => ATTRIBUTES.has(attribute) && attributeOf(held, attribute) !== null,
          )
        : (name === '#' || isKnown(name)) && isWritten(held),
    )
  );
}

function attributeOf(attributes: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = own(attributes, name) ?? own(attributes, `xml:${name}`);
  return typeof value === 'string' && value !== '' ? value.replace(/\s/g, ' ') : null;
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
