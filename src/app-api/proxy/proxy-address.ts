/** The address of a proxied request. */
export interface ProxyAddress {
  readonly appId: string;
  /** The path above the app's id, of the two that there are. */
  readonly root: string;
  /** Path with leading slash, encoded as it was sent. */
  readonly sentPath: string;
  /** `sentPath` with merged slashes. */
  readonly path: string;
  /** Decoded, with merged slashes, without a leading one; matched by the rules. */
  readonly plainPath: string;
  /** Other interpretations by a server: slashes as they were sent, or `//a/b` as the path `b` of a host. */
  readonly otherReadings: readonly string[];
  /** Query with its question mark, as it was sent; empty if there is none. */
  readonly query: string;
}

const ADDRESS = /^(\/(?:apps\/app_api\/proxy|exapps))\/([^/?]+)(\/[^?]*)?(\?.*)?$/is;

/** `.` and `..`, also with path parameters as in servlet containers. */
const DOTS = /^\.{1,2}(?:;.*)?$/s;

/** So often a path is decoded at most, to see what an app may read in it. */
export const DEEPEST_ENCODING = 5;

const merged = (path: string) => path.replace(/\/{2,}/g, '/');

/**
 * @param address path and query as `plainAddress` returns them
 * @returns null for other addresses, and for addresses that the rules and the app might interpret
 *   differently: dot segments in any encoding, control characters, invalid encodings
 */
export function readProxyAddress(address: string): ProxyAddress | null {
  const [, root = '', encodedAppId = '', sentPath = '/', query = ''] = ADDRESS.exec(address) ?? [];
  const appId = decoded(encodedAppId);
  const written = decoded(sentPath);
  if (!appId || written === null || !isPlain(written)) {
    return null;
  }
  const plainPath = merged(written).slice(1);
  const isMerged = merged(sentPath) === sentPath;
  const otherReadings = isMerged
    ? []
    : [written.slice(1), written.replace(/^\/(?:\/+[^/]*\/?)?/, '')];
  return { appId, root, sentPath, path: merged(sentPath), plainPath, otherReadings, query };
}

/** Whether a path has no dot segments or control characters, however often the app decodes it. */
export function isPlain(path: string, depth = 0): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path) || path.split(/[/\\]/).some((name) => DOTS.test(name))) {
    return false;
  }
  const deeper = decoded(path);
  if (deeper === null || deeper === path) {
    return true;
  }
  return depth < DEEPEST_ENCODING && isPlain(deeper, depth + 1);
}

/** @returns null for an invalid encoding */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
