import { decodeReferences } from './character-references.js';

/** Attributes of lazily loaded pictures, the most common first. */
const LAZY_ADDRESSES = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-orig-src',
  'data-orig-file',
  'data-url',
  'data-hi-res-src',
  'data-full-src',
];
const LAZY_CANDIDATES = ['data-srcset', 'data-lazy-srcset', 'data-original-set'];

/** A placeholder picture. */
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
): Record<string, string> {
  const kept = { ...attributes };
  const address = firstOf(attributes, LAZY_ADDRESSES);
  if (address !== null && !shown.has(address) && PLACEHOLDER.test(attributes['src'] ?? '')) {
    kept['src'] = address;
  }
  const candidates = firstOf(attributes, LAZY_CANDIDATES);
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
