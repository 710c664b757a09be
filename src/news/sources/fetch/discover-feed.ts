import { Turns } from '../../../common/turns.js';
import {
  linksOfHeader,
  decodeHtml,
  decodeInTurns,
  readLinkTags,
  type LinkTag,
} from './link-tags.js';

const FEED_TYPES = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/feed+json',
  'application/rdf+xml',
]);

/** Types that other documents than feeds use too. */
const AMBIGUOUS_TYPES = new Set(['application/json', 'application/xml', 'text/xml']);

/** Bounds the requests that a page can make us send. */
const MAX_CANDIDATES = 20;

/** A feed as a web page names it. */
export interface NamedFeed {
  readonly url: string;
  /** One line; may be empty. */
  readonly title: string;
}

/** Information on a web page about feeds. */
export interface PageFeeds {
  /** Feeds in `link` elements or the Link header; else links that look like feeds. */
  readonly namedFeeds: readonly NamedFeed[];
  /** Usual paths of feeds; empty if the page announces any. */
  readonly guesses: readonly string[];
  /** Redirect of the page; null if it announces feeds. */
  readonly refreshTo: string | null;
}

/** Usual addresses of feeds, below the directory of a page and below the root of its site. */
const USUAL_PLACES = ['feed', 'rss.xml', 'atom.xml', 'index.xml', 'feed.xml', 'rss', 'feed/'];

const LOOKS_LIKE_FEED =
  /\.(?:rss|atom|rdf)$|\/(?:rss2?|atom|feeds?)(?:\.(?:xml|json|php)|\/)?$|\/(?:index|[\w-]*(?:rss|atom|feed)[\w-]*)\.xml$|[?&](?:feed=|format=(?:feed|rss|atom)\b)/i;

/**
 * The feeds that a web page names, without repetitions, in the order of the page, ambiguous types last.
 *
 * @param pageUrl address of the page after redirects
 * @param linkHeader of the response
 */
export async function discoverFeeds(
  page: Uint8Array | string,
  pageUrl: string,
  linkHeader?: string | string[],
): Promise<PageFeeds> {
  const html = typeof page === 'string' ? page : await decodeInTurns(page);
  const tags = await readLinkTags(html, pageUrl);
  const alternates = [...tags, ...linksOfHeader(linkHeader, pageUrl)].filter(({ rel }) =>
    rel.includes('alternate'),
  );
  const named = distinct([
    ...alternates.filter(({ type }) => FEED_TYPES.has(type)),
    ...alternates.filter(({ type }) => AMBIGUOUS_TYPES.has(type)),
  ]);
  if (named.length > 0) {
    return { namedFeeds: named, guesses: [], refreshTo: null };
  }
  const { host } = new URL(pageUrl);
  const looking = await new Turns().map(await readLinkTags(html, pageUrl, 'a'), (link) =>
    FEED_TYPES.has(link.type) || LOOKS_LIKE_FEED.test(link.url.slice(0, 2048))
      ? { link, isOwn: new URL(link.url).host === host }
      : null,
  );
  const links = looking
    .filter((found) => found !== null)
    .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn))
    .map(({ link }) => link);
  const [refresh] = await readLinkTags(html, pageUrl, 'meta');
  const guesses = ['.', '/'].flatMap((directory) =>
    USUAL_PLACES.map((place) => new URL(place, new URL(directory, pageUrl)).href),
  );
  return {
    namedFeeds: distinct(links),
    guesses: [...new Set(guesses)],
    refreshTo: refresh !== undefined && refresh.url !== pageUrl ? refresh.url : null,
  };
}

function distinct(links: readonly Pick<LinkTag, 'url' | 'title'>[]): NamedFeed[] {
  const byUrl = new Map(links.toReversed().map(({ url, title }) => [url, title]));
  return [...new Set(links.map(({ url }) => url))]
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

/** Skips the prolog: XML declaration, processing instructions, comments. */
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
