import { decodeReferences } from './character-references.js';

/** Keeps the names of places in an article from meaning anything to the page that shows it. */
export const PLACE_PREFIX = 'user-content-';

const LONGEST_PLACE = 200;

/** Names looked for in one body; a body with more has more footnotes than anybody follows. */
const MOST_PLACES = 5_000;

/** `id` of any element and `name` of a link, the older way to say the same. */
const A_PLACE =
  /<[a-z][^<>]{0,2000}?\s(?:id|name)\s*=\s*(?:"([^"<>]{1,200})"|'([^'<>]{1,200})'|([^\s"'<>]{1,200}))/gi;

/** The places that links of an article may lead to, as the publisher named them. */
export function placesIn(html: string): ReadonlySet<string> {
  const places = new Set<string>();
  if (!html.includes('#')) {
    return places;
  }
  for (const [, double, single, bare] of html.matchAll(A_PLACE)) {
    places.add(decodeReferences(double ?? single ?? bare ?? ''));
    if (places.size >= MOST_PLACES) {
      break;
    }
  }
  return places;
}

/** The `id` under which a place is kept; null when it cannot be one. */
export function placeId(written: string): string | null {
  const name = written.trim();
  if (name === '' || name.length > LONGEST_PLACE || /\s/.test(name)) {
    return null;
  }
  return name.startsWith(PLACE_PREFIX) ? name : `${PLACE_PREFIX}${name}`;
}

/**
 * The link to a place within the same article.
 *
 * @param href as written: `#note` or an address of the page itself with a fragment
 * @param base address of the page
 * @returns null when it leads elsewhere, or to a place that the article does not hold
 */
export function linkToPlace(
  href: string,
  base: string,
  places: ReadonlySet<string>,
): string | null {
  const hash = href.indexOf('#');
  if (hash === -1 || places.size === 0) {
    return null;
  }
  const page = href.slice(0, hash).trim();
  if (page !== '' && page !== base.replace(/#.*$/s, '')) {
    return null;
  }
  const written = href.slice(hash + 1).trim();
  const name = [written, decoded(written)].find((candidate) => places.has(candidate));
  const id = name === undefined ? null : placeId(name);
  return id === null ? null : `#${encodeURIComponent(id)}`;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
