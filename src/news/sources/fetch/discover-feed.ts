import { decodeHtml, readLinkTags } from './link-tags.js';

const FEED_TYPES = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/feed+json',
  'application/rdf+xml',
]);

/** Also used for other documents than feeds. */
const AMBIGUOUS_TYPES = new Set(['application/json', 'application/xml', 'text/xml']);

/** Bounds the requests that a page can make us send. */
const MAX_CANDIDATES = 20;

/** A feed as a web page names it. */
export interface NamedFeed {
  readonly url: string;
  /** One line; may be empty. */
  readonly title: string;
}

/**
 * The feeds that a web page names in its `link` elements, without repetitions, in the order of the
 * page, ambiguous types last.
 *
 * @param pageUrl address of the page after redirects
 */
export function discoverNamedFeeds(html: Uint8Array | string, pageUrl: string): NamedFeed[] {
  const alternates = readLinkTags(html, pageUrl).filter(({ rel }) => rel.includes('alternate'));
  const announced = [
    ...alternates.filter(({ type }) => FEED_TYPES.has(type)),
    ...alternates.filter(({ type }) => AMBIGUOUS_TYPES.has(type)),
  ];
  const byUrl = new Map(announced.toReversed().map(({ url, title }) => [url, title]));
  return [...new Set(announced.map(({ url }) => url))]
    .slice(0, MAX_CANDIDATES)
    .map((url) => ({ url, title: byUrl.get(url) ?? '' }));
}

const SNIFF_BYTES = 4096;

/**
 * Whether a document is a web page. The first element decides, since publishers often send feeds as
 * text/html; the content type counts only without one.
 */
export function looksLikeHtml(document: Uint8Array, contentType: string | null): boolean {
  const content = skipProlog(decodeHtml(document.subarray(0, SNIFF_BYTES)));
  if (content.startsWith('<')) {
    return HTML_BEGINS_WITH.test(content);
  }
  return !content.startsWith('{') && /\bx?html\b/i.test(contentType ?? '');
}

const HTML_BEGINS_WITH =
  /^<(!doctype\s+html|html|head|body|title|meta|link|base|script|style|div|p|h1)\b/i;

/** Skips what may precede the first element: XML declaration, processing instructions, comments. */
function skipProlog(text: string): string {
  const rest = text.replace(/^\uFEFF/, '').trimStart();
  const end = PROLOG_ENDS.find(([start]) => rest.startsWith(start))?.[1];
  if (end === undefined) {
    return rest;
  }
  const endsAt = rest.indexOf(end);
  return endsAt === -1 ? '' : skipProlog(rest.slice(endsAt + end.length));
}

const PROLOG_ENDS = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const;
