/** The address of a page, as far as it stays when a site moves. */
export interface Page {
  /** Without `www.` and port. */
  readonly host: string;
  /** Path and query. Without `index.html`, a slash at the end, and differences of case. */
  readonly path: string;
  /** The last part of the path without its ending; null at the root. */
  readonly slug: string | null;
}

export function pageOf(address: string | null): Page | null {
  const url = address === null ? null : URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return null;
  }
  const path = url.pathname.toLowerCase().replace(/\/(?:index\.\w{3,5})?$/, '');
  return {
    host: url.hostname.replace(/^www\./, ''),
    path: path + url.search + url.hash,
    slug: path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{2,5}$/, '') || null,
  };
}

/** Fewer words in the last part of a path name a section, like `/now-playing`. */
const WORDS_OF_ENTRY = 3;

/**
 * Whether an address is the page of one entry. It is not if it is that of the site or of the feed; nor,
 * in a document of one entry, if it reads like a section: such documents show the present state of
 * something.
 *
 * @param others addresses of the site and of the feed
 */
export function isOwnPage(
  address: string | null,
  others: readonly (string | null)[],
  isOnlyEntry: boolean,
): boolean {
  const page = pageOf(address);
  if (page === null || others.some((other) => isSame(pageOf(other), page))) {
    return false;
  }
  const words = page.slug?.split(/[-_+]|%20/).length ?? 0;
  return !isOnlyEntry || words >= WORDS_OF_ENTRY || /[\d?#]/.test(page.path);
}

function isSame(one: Page | null, other: Page): boolean {
  return one?.host === other.host && one.path === other.path;
}
