import { addressOf, page } from './page-context.js';

/** Scope of this installation; other scopes of the origin are left alone. */
const root = () => new URL(addressOf('/'), location.href).href;
const ownScript = () => new URL(addressOf('/sw.js'), location.href).href;

/**
 * Makes the pages installable and the reader open offline, and removes foreign service workers: one left behind by an external
 * app would still see the visitors' requests after the app is removed. Optional for the pages.
 */
export async function arrangeServiceWorkers(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    return;
  }
  await Promise.allSettled([
    removeForeign(),
    navigator.serviceWorker.register(ownScript(), { scope: root() }).then(keepWhatIsLoaded),
  ]);
}

/** The first page was loaded before the worker was there to keep its files. */
async function keepWhatIsLoaded(registration: ServiceWorkerRegistration): Promise<void> {
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  worker?.postMessage({ loaded });
}

/** Calls `go` with the place of a notice that was clicked, which the worker sends to a page that is open. */
export function followNotices(go: (place: string) => void): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const { open } = (data ?? {}) as { open?: unknown };
    if (typeof open === 'string' && open.startsWith(root())) {
      const { pathname, search } = new URL(open);
      go(pathname.slice(page.webRoot.length) + search);
    }
  });
}

/** Called before logging out: the worker then stores no document that is still loading. */
export async function sayGoodbye(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration(root());
  for (const worker of [registration?.installing, registration?.waiting, registration?.active]) {
    worker?.postMessage({ isLeaving: true });
  }
}

async function removeForeign(): Promise<void> {
  const registrations = await navigator.serviceWorker.getRegistrations();
  await Promise.all(registrations.filter(isForeign).map((worker) => worker.unregister()));
}

function isForeign({ scope, active, waiting, installing }: ServiceWorkerRegistration): boolean {
  const script = (installing ?? waiting ?? active)?.scriptURL;
  // A new registration briefly has no script.
  if (script === undefined || script === ownScript()) {
    return false;
  }
  return scope.startsWith(root()) || script.startsWith(root());
}
