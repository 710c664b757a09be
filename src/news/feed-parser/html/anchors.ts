import { decodeReferences } from './character-references.js';

/** Keeps anchors of an article from colliding with names of the page. */
const ANCHOR_PREFIX = 'user-content-';

const LONGEST_ANCHOR = 200;

/** Anchors per body; further ones lose their links. */
const MOST_ANCHORS = 5_000;

/** `id` of any element, or the older `name`. */
const ANCHOR =
  /<[a-z][^<>]{0,2000}?\s(?:id|name)\s*=\s*(?:"([^"<>]{1,200})"|'([^'<>]{1,200})'|([^\s"'<>]{1,200}))/gi;

const NAMED = /\s(?:id|name)\s*=/i;

/** The anchors of an article, as written. */
export function anchorsIn(html: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  if (!NAMED.test(html)) {
    return anchors;
  }
  for (const [, double, single, bare] of html.matchAll(ANCHOR)) {
    anchors.add(decodeReferences(double ?? single ?? bare ?? ''));
    if (anchors.size >= MOST_ANCHORS) {
      break;
    }
  }
  return anchors;
}

/** The prefixed `id` of an anchor; null if it is not a valid one. */
export function anchorId(written: string): string | null {
  const name = written.trim();
  if (name === '' || name.length > LONGEST_ANCHOR || /\s/.test(name)) {
    return null;
  }
  return name.startsWith(ANCHOR_PREFIX) ? name : `${ANCHOR_PREFIX}${name}`;
}

/**
 * The link to an anchor of the same article.
 *
 * @param href as written: `#note`, or the address of the page with a fragment
 * @param base address of the page
 * @returns null if it leads elsewhere or to an unknown anchor
 */
export function linkToAnchor(
  href: string,
  base: string,
  anchors: () => ReadonlySet<string>,
): string | null {
  const hash = href.indexOf('#');
  if (hash === -1) {
    return null;
  }
  const page = href.slice(0, hash).trim();
  if (page !== '' && page !== base.replace(/#.*$/s, '')) {
    return null;
  }
  const written = href.slice(hash + 1).trim();
  const name = [written, decoded(written)].find((candidate) => anchors().has(candidate));
  const id = name === undefined ? null : anchorId(name);
  return id === null ? null : `#${encodeURIComponent(id)}`;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
