import { addressOf } from './page-context.js';

/** Of this installation; anything else of the origin is not our business. */
const root = () => new URL(addressOf('/'), location.href).href;
const ownScript = () => new URL(addressOf('/sw.js'), location.href).href;

/**
 * Makes the pages installable, and removes service workers that are not ours: one that an external
 * app left behind would go on seeing the requests of its visitors after the app is gone. The pages
 * work without any of this.
 */
export async function arrangeServiceWorkers(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    return;
  }
  await Promise.allSettled([
    removeForeign(),
    navigator.serviceWorker.register(ownScript(), { scope: root() }),
  ]);
}

async function removeForeign(): Promise<void> {
  const registrations = await navigator.serviceWorker.getRegistrations();
  await Promise.all(registrations.filter(isForeign).map((worker) => worker.unregister()));
}

function isForeign({ scope, active, waiting, installing }: ServiceWorkerRegistration): boolean {
  const script = (installing ?? waiting ?? active)?.scriptURL;
  // For a moment a new one has no script yet.
  if (script === undefined || script === ownScript()) {
    return false;
  }
  return scope.startsWith(root()) || script.startsWith(root());
}
