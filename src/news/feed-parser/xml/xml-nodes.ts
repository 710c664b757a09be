import FeedParser from 'feedparser';
import { isObject } from '../../../common/is-object.js';
import { UnreadableDocument } from '../parsed-feed.js';
import { ATTRIBUTES, isKnown, type FeedShape } from './feed-vocabulary.js';
import { CDATA_GUARD } from './repair-xml.js';
import { TEXT_MARK } from './well-formed.js';

/** An element as feedparser returns it: `@` attributes, `#` text, and children by name. */
export class XmlNode {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #document: XmlDocument;
  #children: ReadonlyMap<string, unknown> | null = null;

  constructor(raw: unknown, document: XmlDocument) {
    this.#raw = isObject(raw) ? raw : { '#': raw };
    this.#document = document;
  }

  get text(): string {
    const text = own(this.#raw, '#');
    return typeof text === 'string' ? wholeText(text, this.#document.texts).trim() : '';
  }

  attribute(name: string): string | null {
    // feedparser files the attributes of an item itself under its format.
    const attributes = own(this.#raw, `${this.#document.shape}:@`) ?? own(this.#raw, '@');
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
    const nodes: XmlNode[] = [];
    this.#children ??= childrenOf(this.#raw, this.#document.shape);
    for (const name of names) {
      const found = this.#children.get(name);
      if (Array.isArray(found)) {
        nodes.push(...found.map((raw: unknown) => new XmlNode(raw, this.#document)));
      } else if (found !== undefined) {
        nodes.push(new XmlNode(found, this.#document));
      }
    }
    return nodes;
  }

  /** Whether any stored element inside has a text or an attribute. */
  get holdsAnything(): boolean {
    return Object.entries(this.#raw).some(
      ([name, value]) => isKnown(plainName(name, this.#document.shape)) && isWritten(value),
    );
  }

  /** The first non-empty text among the children of these names. */
  textOf(...names: readonly string[]): string | null {
    return this.all(...names).find((node) => node.text !== '')?.text ?? null;
  }
}

/** The name without the prefix that feedparser gives to an item's elements of its own format. */
function plainName(name: string, shape: FeedShape): string {
  return name.startsWith(shape) && name.charAt(shape.length) === ':'
    ? name.slice(shape.length + 1)
    : name;
}

function childrenOf(
  raw: Readonly<Record<string, unknown>>,
  shape: FeedShape,
): ReadonlyMap<string, unknown> {
  const children = new Map<string, unknown>();
  for (const name of Object.keys(raw)) {
    const plain = plainName(name, shape);
    if (plain === name || !Object.hasOwn(raw, plain)) {
      children.set(plain, raw[name]);
    }
  }
  return children;
}

/** The relation of a link in lower case; default `alternate`. */
export function relationOf(link: XmlNode): string {
  const relation = link.attribute('rel')?.trim().toLowerCase() ?? 'alternate';
  return relation.replace(/^http:\/\/www\.iana\.org\/assignments\/relation\//, '');
}

/** What the nodes of a document share. */
export interface XmlDocument {
  readonly shape: FeedShape;
  /** Long texts, which stand in the nodes as marks. @see readWellFormed */
  readonly texts: readonly string[];
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
export async function readNodes({
  xml,
  ...document
}: XmlDocument & { readonly xml: string }): Promise<XmlFeed> {
  const parser = new FeedParser({ normalize: false, addmeta: false });
  const items: XmlNode[] = [];
  const errors: string[] = [];
  parser.on('data', (item: unknown) => items.push(new XmlNode(item, document)));
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
  return { feed: new XmlNode(parser.meta, document), items, errors };
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
const MARKED_TEXT = /\u0002(\d+)\u0002/g;

function wholeText(text: string, texts: readonly string[]): string {
  if (texts.length > 0) {
    return text.includes(TEXT_MARK)
      ? text.replace(MARKED_TEXT, (_, number: string) => texts[Number(number)] ?? '')
      : text;
  }
  return text.replaceAll(CDATA_GUARD, '');
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
