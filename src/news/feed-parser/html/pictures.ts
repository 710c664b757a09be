import { words } from '../words.js';
import { decodeReferences } from './character-references.js';

/**
 * Hosts whose pictures count readers or show advertisements, with all hosts below them. Collected from
 * feeds in the field: FeedBurner, Pheedo, FeedsPortal and WordPress add their own pictures to feeds;
 * the others are the advertising and statistics services that publishers embed most. Miniflux blocks
 * the first group too (`internal/reader/sanitizer`). Pictures of one pixel are dropped on any host.
 */
const TRACKING_HOSTS: ReadonlySet<string> = new Set([
  // Services for feeds.
  ...words(`
    feeds.feedburner.com feedproxy.google.com feedsportal.com pheedo.com feeds.wordpress.com
    stats.wordpress.com pixel.wp.com api.flattr.com rss.buysellads.com feedblitz.com
    counter.theconversation.com`),
  // Advertisements.
  ...words(`
    doubleclick.net googlesyndication.com googleadservices.com adsrvr.org bluekai.com adnxs.com
    criteo.com amazon-adsystem.com taboola.com outbrain.com`),
  // Statistics.
  ...words(`
    google-analytics.com googletagmanager.com scorecardresearch.com quantserve.com statcounter.com
    chartbeat.net omtrdc.net 2o7.net ioam.de cpx.golem.de bat.bing.com px.ads.linkedin.com
    analytics.twitter.com`),
]);

/** Addresses that count readers on hosts that also have pictures. */
const TRACKING_PATHS =
  /^https?:\/\/(?:www\.facebook\.com\/tr[/?]|(?:[\w-]{1,60}\.)?medium\.com\/_\/stat|[\w.-]{1,100}\.list-manage\.com\/track\/|[\w.-]{1,100}\/wf\/open\?)/i;

/** Pages to share an article on; links to them are icons in feeds. */
const SHARING =
  /^https?:\/\/(?:(?:www|m)\.)?(?:facebook\.com\/(?:sharer|share\.php|dialog\/share)|(?:twitter|x)\.com\/(?:intent\/|share\b|home\?status=)|linkedin\.com\/(?:shareArticle|sharing\/)|pinterest\.com\/pin\/create\/|reddit\.com\/submit|tumblr\.com\/share|getpocket\.com\/(?:save|edit)|(?:api\.)?addtoany\.com\/|addthis\.com\/|digg\.com\/submit|stumbleupon\.com\/submit|feeds\.feedburner\.com\/~ff\/|feeds\.wordpress\.com\/1\.0\/go|(?:plus\.)?google\.com\/share)/i;

const ONE_PIXEL = /^\s*[01](?:\.0+)?(?:px)?\s*$/;
const STYLED_ONE_PIXEL =
  /(?:^|;)\s*(?:width|height)\s*:\s*[01](?:px)?\s*(?:!\s*important\s*)?(?:;|$)/i;

/**
 * Whether a picture counts readers instead of showing something.
 *
 * @param address absolute
 * @param attributes of its element, as written
 */
export function isTracker(
  address: string | null,
  attributes: Readonly<Record<string, string>>,
): boolean {
  const isTiny = ['width', 'height'].some(
    (side) => Object.hasOwn(attributes, side) && ONE_PIXEL.test(attributes[side] ?? ''),
  );
  const style = Object.hasOwn(attributes, 'style') ? (attributes['style'] ?? '') : '';
  return isTiny || STYLED_ONE_PIXEL.test(style) || (address !== null && isTrackingAddress(address));
}

/** Whether a link leads to a page to share the article on. @param address absolute */
export function leadsToSharing(address: string): boolean {
  return SHARING.test(address);
}

function isTrackingAddress(address: string): boolean {
  if (TRACKING_PATHS.test(address)) {
    return true;
  }
  const host = /^https?:\/\/([\w.-]{1,253})/i.exec(address)?.[1]?.toLowerCase() ?? '';
  // The host and its parent domains.
  for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    if (TRACKING_HOSTS.has(name)) {
      return true;
    }
  }
  return false;
}

/** Attributes of lazily loaded pictures, the most common first. */
const LAZY_ADDRESSES = words(`
  data-src data-lazy-src data-original data-orig-src data-orig-file data-url data-hi-res-src data-full-src`);
const LAZY_CANDIDATES = ['data-srcset', 'data-lazy-srcset', 'data-original-set'];

const PLACEHOLDER =
  /^\s*$|^\s*(?:#|about:blank|data:)|(?:blank|clear|grey|lazy|lazyload|loader|loading|pixel|placeholder|spacer|transparent|1x1)[^/?#]{0,40}\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i;

const ADDRESS_ATTRIBUTE = /\ssrc\s*=\s*["']?([^"'\s<>]{1,8000})/gi;

/**
 * Addresses of pictures inside `<noscript>`, where publishers repeat lazily loaded ones.
 */
export function shownWithoutScripts(html: string): ReadonlySet<string> {
  const shown = new Set<string>();
  const lower = /<noscript/i.test(html) ? html.toLowerCase() : '';
  let at = lower.indexOf('<noscript');
  while (at !== -1) {
    const close = lower.indexOf('</noscript', at);
    const end = close === -1 ? html.length : close;
    for (const [, address = ''] of html.slice(at, end).matchAll(ADDRESS_ATTRIBUTE)) {
      shown.add(decodeReferences(address));
    }
    at = lower.indexOf('<noscript', end);
  }
  return shown;
}

/**
 * The attributes of a picture with its final addresses.
 *
 * @param shown see `shownWithoutScripts`; these pictures are not repeated
 */
export function withLazyAddresses(
  attributes: Readonly<Record<string, string>>,
  shown: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const address = firstOf(attributes, LAZY_ADDRESSES);
  const candidates = firstOf(attributes, LAZY_CANDIDATES);
  if (address === null && candidates === null) {
    return attributes;
  }
  const kept = { ...attributes };
  if (address !== null && !shown.has(address) && PLACEHOLDER.test(attributes['src'] ?? '')) {
    kept['src'] = address;
  }
  const isRepeated = address !== null && shown.has(address);
  if (candidates !== null && !isRepeated && PLACEHOLDER.test(attributes['srcset'] ?? '')) {
    kept['srcset'] = candidates;
  }
  return kept;
}

function firstOf(
  attributes: Readonly<Record<string, string>>,
  names: readonly string[],
): string | null {
  const name = names.find(
    (candidate) => Object.hasOwn(attributes, candidate) && attributes[candidate]?.trim() !== '',
  );
  return name === undefined ? null : (attributes[name] ?? null);
}

/**
 * What stands in the place of a picture that is too large: its size, in no language.
 *
 * @param alt its text, if it has one
 */
export function leftOut(characters: number, alt = ''): string {
  const size = `${Math.ceil(characters / 1024)} KiB`;
  return ` [🖼 ${[alt.trim(), size].filter(Boolean).join(', ')}] `;
}

/** A tag of sanitised HTML that holds a picture. */
const WITH_PICTURE = /<(?:img|video)\s[^<>]*?\b(?:src|poster)="data:[^"]*"[^<>]*>/gi;

/**
 * Sanitised HTML in which pictures of the document itself take only the room that the text leaves: the first ones that
 * fit.
 */
export function withRoomForText(html: string, mostBytes: number): string {
  const bytes = Buffer.byteLength(html);
  if (bytes <= mostBytes) {
    return html;
  }
  const pictures = (html.match(WITH_PICTURE) ?? []).map(({ length }) => length);
  let room = mostBytes - bytes + pictures.reduce((sum, length) => sum + length, 0);
  return html.replace(WITH_PICTURE, (tag) => {
    if (tag.length <= room) {
      room -= tag.length;
      return tag;
    }
    return tag.startsWith('<img')
      ? leftOut(tag.length, / alt="([^"]*)"/.exec(tag)?.[1])
      : tag.replace(/ poster="[^"]*"/, '');
  });
}

const INLINE_FILE = /data:[\w.+-]{1,60}\/[\w.+-]{1,60};base64,[\w+/=\s-]*/gi;
/** Shorter ones may be mentioned in a text. */
const SHORTEST_FILE = 1_000;

/** HTML whose tags are short enough to be recognised; its pictures are lost. */
export function withoutInlineFiles(html: string): string {
  return html.replace(INLINE_FILE, (file) => (file.length < SHORTEST_FILE ? file : 'data:,'));
}
