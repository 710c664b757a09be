import { Tokenizer } from 'htmlparser2';
import { Turns } from '../../../common/turns.js';
import { withoutFeedScheme } from '../../feed-parser/web-address.js';

/** A `link`, `a` or refreshing `meta` element of a web page. */
export interface LinkTag {
  /** The words of `rel`, in lower case. */
  readonly rel: readonly string[];
  /** Absolute http or https address. */
  readonly url: string;
  /** In lower case and without parameters; empty when not given. */
  readonly type: string;
  /** The words of `sizes`, in lower case. */
  readonly sizes: readonly string[];
  /** One line of plain text, cut where it is very long. */
  readonly title?: string;
}

const LONGEST_TITLE = 200;

/** Further ones are left out. */
const MOST_ELEMENTS = 10_000;

/** Characters or bytes that are read in a millisecond or two. */
const SLICE_CHARACTERS = 32 * 1024;

/**
 * Reads the elements of a name in a web page in order, with addresses resolved against its `base` element
 * or the address of the page. Any input is accepted, in linear time and in turns.
 */
export async function readLinkTags(
  html: Uint8Array | string,
  pageUrl: string,
  element: 'link' | 'a' | 'meta' = 'link',
): Promise<LinkTag[]> {
  const text = typeof html === 'string' ? html : await decodeInTurns(html);
  const turns = new Turns();
  const elements = await readElements(text, element, turns);
  const baseHref = elements
    .find(({ name, attributes }) => name === 'base' && attributes.has('href'))
    ?.attributes.get('href');
  const base = resolve(baseHref ?? '', pageUrl) ?? pageUrl;

  const tags = await turns.map(elements, ({ name, attributes }) => {
    const href = (element === 'meta' ? refreshOf(attributes) : attributes.get('href'))?.trim();
    const url = name === element && href ? resolve(href, base) : null;
    if (!url) {
      return null;
    }
    const title = oneLine(attributes.get('title'));
    return {
      rel: words(attributes.get('rel')),
      url,
      type: (attributes.get('type') ?? '').replace(/;.*$/s, '').trim().toLowerCase(),
      sizes: words(attributes.get('sizes')),
      ...(title !== '' && { title }),
    };
  });
  return tags.filter((tag) => tag !== null);
}

function refreshOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const isRefresh = attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh';
  const content = isRefresh ? attributes.get('content')?.trim() : '';
  return /^[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content ?? '')?.[1];
}

interface Element {
  readonly name: string;
  readonly attributes: Map<string, string>;
}

/**
 * The elements of a name, and the `base` elements. Reads tokens instead of a tree: tracking open elements takes
 * quadratic time on malicious pages.
 */
async function readElements(html: string, wanted: string, turns: Turns): Promise<Element[]> {
  const elements: Element[] = [];
  let current: Element | null = null;
  let attribute = '';
  let value = '';
  const close = (): void => {
    if (current) {
      elements.push(current);
    }
    current = null;
  };
  const ignore = (): void => {};

  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname: (start, end) => {
        const name = html.slice(start, end).toLowerCase();
        const isWanted = name === wanted || name === 'base';
        current =
          isWanted && elements.length < MOST_ELEMENTS ? { name, attributes: new Map() } : null;
      },
      onattribname: (start, end) => {
        if (!current) {
          return;
        }
        attribute = html.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata: (start, end) => {
        if (current) {
          value += html.slice(start, end);
        }
      },
      onattribentity: (codepoint) => {
        if (current) {
          value += String.fromCodePoint(codepoint);
        }
      },
      onattribend: () => {
        // As in browsers, the first of repeated attributes counts.
        if (current && !current.attributes.has(attribute)) {
          current.attributes.set(attribute, value);
        }
      },
      onopentagend: close,
      onselfclosingtag: close,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  for (let at = 0; at < html.length; at += SLICE_CHARACTERS) {
    await turns.take();
    tokenizer.write(html.slice(at, at + SLICE_CHARACTERS));
  }
  tokenizer.end();
  return elements;
}

/**
 * Decodes a web page well enough to find elements: except in UTF-16, markup is ASCII in every
 * encoding.
 */
export function decodeHtml(html: Uint8Array): string {
  return decoderFor(html).decode(html);
}

export async function decodeInTurns(html: Uint8Array): Promise<string> {
  const turns = new Turns();
  const decoder = decoderFor(html);
  const pieces: string[] = [];
  for (let at = 0; at < html.length; at += SLICE_CHARACTERS) {
    await turns.take();
    pieces.push(decoder.decode(html.subarray(at, at + SLICE_CHARACTERS), { stream: true }));
  }
  return pieces.join('');
}

function decoderFor([first, second]: Uint8Array) {
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8');
}

function resolve(address: string, base: string): string | null {
  const url = URL.parse(withoutFeedScheme(address), base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return null;
  }
  url.hash = '';
  return url.href;
}

function oneLine(text: string | undefined): string {
  const line = (text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.slice(0, LONGEST_TITLE).toWellFormed();
}

function words(text: string | undefined): string[] {
  return (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}

/** A hub that notifies of changes of a feed, and the address under which it knows the feed. */
export interface WebSubHub {
  readonly hubUrl: string;
  readonly topicUrl: string;
}

const LONGEST_HEADER = 8192;

/**
 * The links of a `Link` header. Several in one header are separated by commas, which addresses may
 * contain as well; so links are found by their angle brackets.
 *
 * @param pageUrl base of relative addresses
 */
export function linksOfHeader(header: string | readonly string[] | undefined, pageUrl: string) {
  const text = [header ?? ''].flat().join(', ').slice(0, LONGEST_HEADER);
  return [...text.matchAll(/<([^<>]*)>([^<]*)/g)].flatMap(([, address = '', parameters = '']) => {
    const url = URL.parse(withoutFeedScheme(address.trim()), pageUrl);
    const [rel = '', type = ''] = ['rel', 'type'].map((name) =>
      new RegExp(`;\\s*${name}\\s*=\\s*"?([^";,]*)`, 'i').exec(parameters)?.[1]?.toLowerCase(),
    );
    const isWeb = url !== null && /^https?:$/.test(url.protocol);
    return isWeb ? [{ rel: rel.split(/\s+/), type: type.trim(), url: url.href }] : [];
  });
}

/** @returns null without a hub; the default topic is the page itself */
export function hubOfLinkHeader(
  header: string | readonly string[] | undefined,
  pageUrl: string,
): WebSubHub | null {
  const links = linksOfHeader(header, pageUrl);
  const linked = (relation: string) => links.find(({ rel }) => rel.includes(relation))?.url ?? null;
  const hubUrl = linked('hub');
  return hubUrl === null ? null : { hubUrl, topicUrl: linked('self') ?? pageUrl };
}
