// Keeps the files of the pages, whose names change with their contents, so that an installed app
// opens at once. Articles and everything else always come from the service.
const CACHE = 'gatefold-assets';
const MOST_FILES = 200;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const scope = new URL(self.registration.scope);
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.origin) return;
  if (pathname.startsWith(`${scope.pathname}assets/`)) event.respondWith(kept(event));
});

async function kept(event) {
  const { request } = event;
  const known = await caches.match(request, { cacheName: CACHE }).catch(() => undefined);
  if (known) return known;
  const response = await fetch(request);
  // The page does not wait for it, and can do without: a full disk is no reason to show nothing.
  if (response.ok) event.waitUntil(keep(request, response.clone()).catch(() => {}));
  return response;
}

async function keep(request, response) {
  const cache = await caches.open(CACHE);
  await forgetAllBut(cache, MOST_FILES);
  await cache.put(request, response);
}

/** Files of former versions go, oldest first. */
async function forgetAllBut(cache, most) {
  const requests = await cache.keys();
  await Promise.all(
    requests.slice(0, Math.max(0, requests.length - most)).map((old) => cache.delete(old)),
  );
}
