import { page } from './page-context.js';
import { sayGoodbye } from './service-workers.js';

/** Answers of the service, kept in this browser for the time without a connection. */
const PREFIX = 'gatefold-copies-';
const MOST_COPIES = 600;
/** Listing all copies takes milliseconds, so they are not counted each time. */
const CHECKED_EVERY = 50;

let keptSinceCheck = 0;

const ownCopies = () => PREFIX + page.userId;
/** Browsers have caches only with https, and on the own machine. */
const isSupported = 'caches' in globalThis;

/** Replaces the copy of the same address. Failures are ignored, for example on a full disk. */
export async function keepCopy(address: string, response: Response): Promise<void> {
  if (!isSupported) {
    return;
  }
  try {
    const cache = await caches.open(ownCopies());
    await cache.put(address, response);
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

export async function copyOf(address: string): Promise<Response | undefined> {
  if (!isSupported) {
    return undefined;
  }
  return caches.match(address, { cacheName: ownCopies() }).catch(() => undefined);
}

/** Deletes copies of other users of this browser. */
export async function forgetCopiesOfOthers(): Promise<void> {
  await forget((name) => name !== ownCopies());
}

/** Deletes everything that would be shown without logging in; for logging out. */
export async function forgetAllCopies(): Promise<void> {
  await forget(() => true);
  if (isSupported) {
    // Stops the worker first, which may be storing the document at this moment.
    await sayGoodbye().catch(() => {});
    await caches.delete('gatefold-document').catch(() => false);
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
