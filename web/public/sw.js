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
  if (pathname.startsWith(`${scope.pathname}assets/`)) event.respondWith(kept(request));
});

async function kept(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) {
    await forgetAllBut(cache, MOST_FILES);
    await cache.put(request, response.clone());
  }
  return response;
}

/** Files of former versions go, oldest first. */
async function forgetAllBut(cache, most) {
  const requests = await cache.keys();
  await Promise.all(
    requests.slice(0, Math.max(0, requests.length - most)).map((old) => cache.delete(old)),
  );
}
