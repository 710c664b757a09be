/*
 * Messages between a page of ours and the page of an external app in its frame, which has an origin of its
 * own. The app may send anything: unlisted or malformed messages are ignored.
 *
 * @see docs/operations/external-apps.md "An origin of their own"
 */

/** Version of the messages, in each of them. */
const VERSION = 1;

/** Pages of ours that an app may open; some by id. */
export const PLACES = {
  reader: '/apps/news/',
  starred: '/apps/news/starred/',
  feed: '/apps/news/feeds/{id}/',
  folder: '/apps/news/folders/{id}/',
  item: '/apps/news/all/items/{id}',
  files: '/apps/files/',
  chat: '/apps/spreed/',
  settings: '/settings/user/profile',
} as const;

export type Place = keyof typeof PLACES;

/** Messages from the frame. */
export type FrameMessage =
  /** The page has loaded. */
  | { readonly type: 'ready' }
  /** The browser has no valid pass. */
  | { readonly type: 'lost' }
  /** The page stays empty, since the app does not answer; it loads itself again. */
  | { readonly type: 'away' }
  /** Asks for a new pass; answered by `renewed`. */
  | { readonly type: 'renew' }
  | { readonly type: 'title'; readonly text: string }
  /** Place in the app's pages: menu entry, path, query and fragment. */
  | { readonly type: 'place'; readonly path: string }
  | { readonly type: 'toast'; readonly text: string; readonly kind: 'info' | 'error' }
  | { readonly type: 'open'; readonly place: Place; readonly id: number | null };

/** Messages to the frame. */
export type HostMessage =
  | { readonly type: 'theme'; readonly theme: string }
  | { readonly type: 'renewed' };

const LONGEST_TITLE = 200;
const LONGEST_TOAST = 500;
const LONGEST_PATH = 2000;

export function sealed(message: FrameMessage | HostMessage): object {
  return { gatefold: VERSION, ...message };
}

/** @returns null for anything else than a valid message; long texts are cut */
export function readFrameMessage(data: unknown): FrameMessage | null {
  const fields = fieldsOf(data);
  const { type, text, path, kind, place, id = null } = fields;
  if (type === 'ready' || type === 'lost' || type === 'away' || type === 'renew') {
    return { type };
  }
  if (type === 'title' && typeof text === 'string') {
    return { type, text: text.slice(0, LONGEST_TITLE) };
  }
  if (type === 'toast' && typeof text === 'string' && (kind === 'info' || kind === 'error')) {
    return { type, text: text.slice(0, LONGEST_TOAST), kind };
  }
  if (type === 'place' && typeof path === 'string' && isPath(path)) {
    return { type, path };
  }
  if (type === 'open' && typeof place === 'string' && Object.hasOwn(PLACES, place)) {
    const known = place as Place;
    return needsId(known) === isId(id) ? { type, place: known, id: isId(id) ? id : null } : null;
  }
  return null;
}

export function readHostMessage(data: unknown): HostMessage | null {
  const { type, theme } = fieldsOf(data);
  if (type === 'theme' && typeof theme === 'string') {
    return { type, theme };
  }
  return type === 'renewed' ? { type } : null;
}

/** Address of a place of ours, below the root of the installation. */
export function addressOfPlace({ place, id }: Extract<FrameMessage, { type: 'open' }>): string {
  return PLACES[place].replace('{id}', String(id));
}

/** Rate limit for messages, with a burst. */
export class MessageBudget {
  #left: number;
  #at: number;

  constructor(
    private readonly most: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#left = most;
    this.#at = now();
  }

  /** @returns false for a message too many */
  take(): boolean {
    const now = this.now();
    const earned = ((now - this.#at) / 1000) * this.perSecond;
    this.#left = Math.min(this.most, this.#left + earned);
    this.#at = now;
    if (this.#left < 1) {
      return false;
    }
    this.#left -= 1;
    return true;
  }
}

function fieldsOf(data: unknown): Readonly<Record<string, unknown>> {
  const isOurs =
    typeof data === 'object' && data !== null && Reflect.get(data, 'gatefold') === VERSION;
  return isOurs ? (data as Readonly<Record<string, unknown>>) : {};
}

/** A relative path that stays below where it is: no dot segments, however they are written. */
function isPath(path: string): boolean {
  const base = 'http://host/apps/';
  return (
    path.length <= LONGEST_PATH &&
    /^[A-Za-z0-9%._~-][!-~]*$/.test(path) &&
    URL.parse(base + path)?.href.startsWith(base) === true &&
    !/^[^?#]*(?:\\|\/\/|(?:^|\/)(?:\.|%2e){1,2}(?:\/|[?#]|$))/i.test(path)
  );
}

function needsId(place: Place): boolean {
  return PLACES[place].includes('{id}');
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) >= 0;
}
