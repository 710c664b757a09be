/** Where a browser wants to go inside an app. */
export interface ProxyAddress {
  readonly appId: string;
  /** Begins with a slash, encoded as it was sent: what the app gets. */
  readonly path: string;
  /** Decoded, without slashes in front: what rules are about. */
  readonly plainPath: string;
  /** With its question mark, as it was sent; empty without one. */
  readonly query: string;
}

const ADDRESS = /^\/(?:apps\/app_api\/proxy|exapps)\/([^/?]+)(\/[^?]*)?(\?.*)?$/is;

/** Names of the folder itself and the one above, also in the form that servlet containers read. */
const DOTS = /^\.{1,2}(?:;.*)?$/s;

const DEEPEST_ENCODING = 5;

/**
 * @param address path and query in their plain form, see `plainAddress`
 * @returns null for what is no address of an app, or would mean different things to the rules and
 *   to the app: dots that lead elsewhere in any encoding, control characters, broken encodings
 */
export function readProxyAddress(address: string): ProxyAddress | null {
  const [, encodedAppId = '', path = '/', query = ''] = ADDRESS.exec(address) ?? [];
  const appId = decoded(encodedAppId);
  const plainPath = decoded(path);
  if (!appId || plainPath === null || !isPlain(plainPath)) {
    return null;
  }
  return { appId, path, plainPath: plainPath.replace(/^\/+/, ''), query };
}

/** Whether a path inside an app leads where it seems to lead, however often the app decodes it. */
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

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
