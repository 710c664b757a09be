import { addressOf, page } from './page-context.js';
import { sayGoodbye } from './service-workers.js';

/** Answers of the service, kept in this browser for the time without a connection. */
const PREFIX = 'gatefold-copies-';
const MOST_COPIES = 600;
/** Listing all copies takes milliseconds, so they are not counted each time. */
const CHECKED_EVERY = 50;

/** Caches of the service worker: the reader's document, and until when the session lives. */
const DOCUMENT = 'gatefold-document';
const UNTIL = 'gatefold-until';
const NOTED_EVERY_MILLISECONDS = 60_000;

/** Values of one user in the storages of the browser, with the name of the user. */
const PERSONAL =
  /^gatefold-(?:(?:waiting|positions|listening)-(.+)|(?:unsaved|saved)-(.+)-\w+|draft:([^:]+):.*)$/;

let keptSinceCheck = 0;
let notedAt = -NOTED_EVERY_MILLISECONDS;
/** The session has ended: answers that are still on their way are not kept. */
let isOver = false;

const ownCopies = () => PREFIX + page.userId;
/** Browsers have caches only with https, and on the own machine. */
const isSupported = 'caches' in globalThis;

/** Replaces the copy of the same address. Failures are ignored, for example on a full disk. */
export async function keepCopy(address: string, response: Response): Promise<void> {
  if (!isSupported || isOver) {
    return;
  }
  try {
    const cache = await caches.open(ownCopies());
    await cache.put(address, response);
    if (hasEnded()) {
      await caches.delete(ownCopies());
    }
    keptSinceCheck += 1;
    if (keptSinceCheck % CHECKED_EVERY === 1) {
      const oldestFirst = await cache.keys();
      const tooMany = oldestFirst.slice(0, Math.max(0, oldestFirst.length - MOST_COPIES));
      await Promise.all(tooMany.map((old) => cache.delete(old)));
    }
  } catch {
    // Without copies, reading works while there is a connection.
  }
}

/** It may have ended during any wait. */
const hasEnded = () => isOver;

/** Deletes all copies instead if the session can only have ended. */
export async function copyOf(address: string): Promise<Response | undefined> {
  if (!isSupported || isOver) {
    return undefined;
  }
  const until = await caches.match(untilAddress(), { cacheName: UNTIL }).catch(() => undefined);
  if (until === undefined) {
    return undefined;
  }
  if (Number(await until.text()) <= Date.now()) {
    await forgetAllCopies();
    return undefined;
  }
  return caches.match(address, { cacheName: ownCopies() }).catch(() => undefined);
}

/** The service has answered in the session: copies may be shown as long as the session can live. */
export async function noteSession(): Promise<void> {
  if (!isSupported || isOver || performance.now() - notedAt < NOTED_EVERY_MILLISECONDS) {
    return;
  }
  notedAt = performance.now();
  const { endsSeconds, unusedSeconds } = page.session;
  const until = Math.min(endsSeconds * 1000, Date.now() + unusedSeconds * 1000);
  const cache = await caches.open(UNTIL);
  await cache.put(untilAddress(), new Response(String(until)));
  if (hasEnded()) {
    await caches.delete(UNTIL);
  }
}

/** The same as in `sw.js`. */
const untilAddress = () => new URL(addressOf('/kept-until'), location.href).href;

/**
 * Deletes what other users of this browser left, and makes their open pages notice that the session is
 * another.
 */
export async function forgetOtherUsers(): Promise<void> {
  const tabs = new BroadcastChannel('gatefold-user');
  tabs.addEventListener('message', ({ data }) => {
    if (data !== page.userId) {
      location.reload();
    }
  });
  tabs.postMessage(page.userId);
  forgetValues((userId) => userId !== page.userId);
  await forget((name) => name !== ownCopies());
  const kept = isSupported && (await caches.match(readerAddress(), { cacheName: DOCUMENT }));
  if (kept) {
    const { head } = new DOMParser().parseFromString(await kept.text(), 'text/html');
    if (head.dataset['user'] !== page.userId) {
      await caches.delete(DOCUMENT);
    }
  }
}

const readerAddress = () => new URL(addressOf('/apps/news/'), location.href).href;

/** The visitor has logged in again on this page. */
export function keepCopiesAgain(): void {
  isOver = false;
  notedAt = -NOTED_EVERY_MILLISECONDS;
}

/** Deletes everything that is kept for a user: the session has ended, or is about to. */
export async function forgetAllCopies(): Promise<void> {
  isOver = true;
  forgetValues(() => true);
  await forget(() => true);
  if (isSupported) {
    // Stops the worker first, which may be storing the document at this moment.
    await sayGoodbye().catch(() => {});
    await Promise.all([DOCUMENT, UNTIL].map((name) => caches.delete(name).catch(() => false)));
  }
}

async function forget(isUnwanted: (name: string) => boolean): Promise<void> {
  if (!isSupported) {
    return;
  }
  const names = await caches.keys().catch(() => []);
  const unwanted = names.filter((name) => name.startsWith(PREFIX) && isUnwanted(name));
  await Promise.all(unwanted.map((name) => caches.delete(name)));
}

function forgetValues(isUnwanted: (userId: string) => boolean): void {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      const storage = globalThis[name];
      for (const key of Object.keys(storage)) {
        const [, ...userIds] = PERSONAL.exec(key) ?? [];
        const userId = userIds.find((group) => group !== undefined);
        if (userId !== undefined && isUnwanted(userId)) {
          storage.removeItem(key);
        }
      }
    } catch {
      // The browser allows no storage.
    }
  }
}
