// Caches the built files, whose names change with their contents, so that an installed app opens at
// once. Articles and everything else always come from the service.
const CACHE = 'gatefold-assets';
const MOST_FILES = 200;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const scope = new URL(self.registration.scope);
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.origin) {
    return;
  }
  if (pathname.startsWith(`${scope.pathname}assets/`)) {
    event.respondWith(kept(event));
  }
});

async function kept(event) {
  const { request } = event;
  const known = await caches.match(request, { cacheName: CACHE }).catch(() => undefined);
  if (known) {
    return known;
  }
  const response = await fetch(request);
  // Not awaited, and failures are ignored: the page works without the cache, for example on a full disk.
  if (response.ok) {
    event.waitUntil(keep(request, response.clone()).catch(() => {}));
  }
  return response;
}

async function keep(request, response) {
  const cache = await caches.open(CACHE);
  await forgetAllBut(cache, MOST_FILES);
  await cache.put(request, response);
}

/** Removes files of former versions, oldest first. */
async function forgetAllBut(cache, most) {
  const requests = await cache.keys();
  await Promise.all(
    requests.slice(0, Math.max(0, requests.length - most)).map((old) => cache.delete(old)),
  );
}
