/** The lifecycle routes of every app. */
const LIFECYCLE_ROUTES = ['enabled', 'heartbeat', 'init'];

const DEEPEST_ENCODING = 5;

/**
 * Whether a path of an app is reserved for the gateway: a lifecycle route or a registered handler. Apps
 * trust requests there, so browsers never reach them, whatever routes the app declares.
 *
 * Servers differ in which spellings they treat as the same path. All spellings that any common server
 * treats as equal are reserved together.
 *
 * @param plainPath decoded, without a query
 * @param handlers as registered, with or without slash and query
 */
export function isForGatewayAlone(plainPath: string, handlers: readonly string[]): boolean {
  const asked = comparable(plainPath);
  return [...LIFECYCLE_ROUTES, ...handlers].some((path) => comparable(path) === asked);
}

/** Normalizes case, slashes, encodings, path parameters and query. */
function comparable(path: string): string {
  return fullyDecoded(path)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[?#].*$/s, '')
    .split(/[/\\]/)
    .map((segment) => segment.replace(/;.*$/s, '').trim())
    .filter((segment) => segment !== '')
    .join('/');
}

function fullyDecoded(path: string, depth = 0): string {
  const decoded = decodedOnce(path);
  return decoded === path || depth === DEEPEST_ENCODING
    ? decoded
    : fullyDecoded(decoded, depth + 1);
}

function decodedOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
