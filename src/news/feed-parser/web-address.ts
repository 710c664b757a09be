/** Longest address kept; longer ones are dropped, since a cut address leads elsewhere. */
const LONGEST_ADDRESS = 8_000;

/** An address that is written so plainly that it can be stored as it came. */
const PLAIN_ADDRESS =
  /^https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]*)?$/;

/**
 * Resolves an address of a document against its base. Only http and https survive, so that
 * nothing that is stored can run a script when it is clicked.
 *
 * @returns an absolute address, null when there is none or it must not be followed
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

/** The address, unless it leads to this service. */
export function notOfOrigin(address: string | null, origin: string | null): string | null {
  return isOfOrigin(address, origin) ? null : address;
}

/** @param origin of this service; null when it is not known, and then nothing is of it */
function isOfOrigin(address: string | null, origin: string | null): boolean {
  return address !== null && origin !== null && URL.parse(address)?.origin === origin;
}

/**
 * Undoes what publishers often do to an address: make a link of it, put it into quotes or brackets,
 * escape it twice, leave out its scheme, or give it the scheme that programs for feeds register.
 */
function asMeant(address: string | null): string | null {
  if (address === null || address.length > LONGEST_ADDRESS) {
    return null;
  }
  const bare = /^\s*["'<]/.test(address) ? withoutWrapping(address) : address;
  const plain = bare.includes('&') ? bare.replace(/&(?:amp|#0*38|#x0*26);/gi, '&') : bare;
  return plain
    .replace(/^\s*(?:feed|itpc|pcast):(?:(?:\/\/)?(?=https?:\/\/)|(?=\/\/))/i, '')
    .replace(/^\s*(?=www\.[a-z0-9-]+\.[a-z])/i, 'http://');
}

function withoutWrapping(address: string): string {
  const link = /^\s*<a\s(?:[^<>]{0,200}\s)?href\s*=\s*["']?([^"'\s<>]+)/i.exec(address);
  return link?.[1] ?? address.trim().replace(/^["'<]+|["'>]+$/g, '');
}

/**
 * The address as it would be followed, of whatever scheme.
 *
 * @returns null for an empty, unparsable or overlong address
 */
export function resolveAddress(address: string | null, base: string): string | null {
  if (address === null || address.length > LONGEST_ADDRESS) {
    return null;
  }
  // The same characters a browser ignores, so that `java\nscript:` is seen as what it is.
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
