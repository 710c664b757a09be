/** Longer addresses are dropped rather than cut. */
const LONGEST_ADDRESS = 8_000;

/** A plain absolute address, which needs no normalisation. */
const PLAIN_ADDRESS =
  /^https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]*)?$/;

/**
 * Resolves an address against its base. Only http and https are allowed, so that no stored link can
 * run a script.
 *
 * @returns an absolute address; null if it is missing or not allowed
 */
export function webAddress(address: string | null, base: string): string | null {
  const url = resolveAddress(asMeant(address), base);
  return url && (url.startsWith('http://') || url.startsWith('https://')) ? url : null;
}

/** Like `webAddress`, but an item may also point to a torrent. */
export function itemAddress(address: string | null, base: string): string | null {
  const url = resolveAddress(asMeant(address), base);
  return url && (url.startsWith('magnet:') || /^https?:\/\//.test(url)) ? url : null;
}

/** The address; null if it leads to this service. */
export function notOfOrigin(address: string | null, origin: string | null): string | null {
  return isOfOrigin(address, origin) ? null : address;
}

/** @param origin of this service; null if unknown */
function isOfOrigin(address: string | null, origin: string | null): boolean {
  return address !== null && origin !== null && originOf(address) === originOf(origin);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The base of relative addresses in a feed that gives none: its site, where that is on another host than the
 * document, which services for feeds deliver.
 *
 * @param site address of the website; null if unknown
 */
export function impliedBase(site: string | null, documentUrl: string): string {
  const hostOf = (address: string) => URL.parse(address)?.hostname.replace(/^www\./, '') ?? '';
  const isElsewhere = site !== null && hostOf(site) !== hostOf(documentUrl);
  return isElsewhere && !LOOPBACK.test(hostOf(site)) ? site : documentUrl;
}

/** All names of this machine are the same. */
function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url !== null && LOOPBACK.test(url.hostname) ? `loopback:${url.port}` : url?.origin;
}

/**
 * Corrects common mistakes in addresses: a link, quotes or brackets around them, double escaping, a
 * missing scheme, or the scheme `feed:`.
 */
function asMeant(address: string | null): string | null {
  if (address === null || address.length > LONGEST_ADDRESS) {
    return null;
  }
  const bare = /^\s*["'<]/.test(address) ? withoutWrapping(address) : address;
  const plain = bare.includes('&') ? bare.replace(/&(?:amp|#0*38|#x0*26);/gi, '&') : bare;
  return withoutFeedScheme(plain).replace(/^\s*(?=www\.[a-z0-9-]+\.[a-z])/i, 'http://');
}

/** `feed://host/x` becomes `//host/x`, of the scheme of the page; `feed:https://host/x` `https://host/x`. */
export function withoutFeedScheme(address: string): string {
  return address.replace(FEED_SCHEME, '');
}

const FEED_SCHEME = /^\s*(?:feeds?|itpc|pcast|podcast|rss):(?:(?:\/\/)?(?=https?:\/\/)|(?=\/\/))/i;

function withoutWrapping(address: string): string {
  const link = /^\s*<a\s(?:[^<>]{0,200}\s)?href\s*=\s*["']?([^"'\s<>]+)/i.exec(address);
  return link?.[1] ?? address.trim().replace(/^["'<]+|["'>]+$/g, '');
}

/**
 * The absolute address, with any scheme.
 *
 * @returns null for an empty, unparsable or overlong address
 */
export function resolveAddress(address: string | null, base: string): string | null {
  if (address === null || address.length > LONGEST_ADDRESS) {
    return null;
  }
  // Removes characters that browsers ignore, so that `java\nscript:` is recognised.
  // oxlint-disable-next-line no-control-regex
  const trimmed = address.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$|[\t\n\r]+/g, '');
  if (trimmed === '') {
    return null;
  }
  if (PLAIN_ADDRESS.test(trimmed)) {
    return trimmed;
  }
  const url = URL.parse(trimmed, URL.canParse(base) ? base : undefined);
  if (!url || url.href.length > LONGEST_ADDRESS) {
    return null;
  }
  return url.href;
}
