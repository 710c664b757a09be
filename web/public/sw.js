// Lets the installed app open without a connection: keeps the built files, whose names change with
// their contents, and the document of the reader. Articles are kept by the page itself
// (src/host/offline-copies.ts), because only it knows whose they are.
const ASSETS = 'gatefold-assets';
const DOCUMENT = 'gatefold-document';
/** Until when the session lives at most; pages note it (src/host/offline-copies.ts). */
const UNTIL = 'gatefold-until';
const COPIES = 'gatefold-copies-';
const MOST_FILES = 250;

/** Files of the reader, relative to the scope; the build writes them here. */
const READER_FILES = [];

/** How often a session was seen to end. A document that was asked for before is not kept. */
let departures = 0;

const scope = new URL(self.registration.scope);
const readerAddress = new URL('apps/news/', scope).href;
const untilAddress = new URL('kept-until', scope).href;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  if (scope.href !== new URL('.', self.location).href) {
    // Registered for a part of the installation, where these files are not.
    return;
  }
  event.waitUntil(keepAll(READER_FILES.map((file) => new URL(file, scope).href)));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  // Sent by a page after it was loaded: the files that it loaded before this worker controlled it.
  const { loaded, isLeaving } = event.data ?? {};
  if (Array.isArray(loaded)) {
    // The document last: without its files it would be an empty page.
    event.waitUntil(
      keepAll(loaded.filter(isAsset)).then(() => keepFirstDocument().catch(() => {})),
    );
  }
  // Sent before logging out, which a worker that does not control the page yet does not notice.
  if (isLeaving === true) {
    event.waitUntil(forgetUser());
  }
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== scope.origin) {
    return;
  }
  if (isAsset(request.url)) {
    event.respondWith(keptOrFetched(event));
  } else if (request.mode === 'navigate' && isReader(request.url)) {
    event.respondWith(fetchedOrKept(event));
  } else if (request.url.startsWith(`${scope.href}logout`)) {
    event.waitUntil(forgetUser());
  }
});

self.addEventListener('push', (event) => event.waitUntil(showNotice(event.data)));

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { buttons, navigate } = notification.data ?? {};
  const address = buttons?.[action];
  event.waitUntil(address === undefined ? openPlace(navigate) : act(address, navigate));
});

/**
 * Shows a notice of the service (Declarative Web Push, which newer browsers show by themselves). Something is shown in any case:
 * browsers end subscriptions whose messages show nothing.
 */
async function showNotice(message) {
  const { notification = {} } = contentsOf(message);
  const { title = 'Gatefold', navigate, data, ...others } = notification;
  const { buttons } = data ?? {};
  const actions = buttons === undefined ? [] : ['read', 'star'];
  await self.registration.showNotification(title, {
    icon: new URL('icon-192.png', scope).href,
    ...others,
    actions: actions
      .slice(0, self.Notification?.maxActions ?? 0)
      .map((action) => ({ action, title: buttons.words[action] })),
    data: { ...data, navigate },
  });
}

function contentsOf(message) {
  try {
    return message.json();
  } catch {
    return {};
  }
}

/** A button of a notice. Its address works for this notice only, and needs no session. */
async function act(address, navigate) {
  const response = await fetch(address, { method: 'POST', credentials: 'omit' }).catch(() => null);
  if (!response?.ok) {
    await openPlace(navigate);
  }
}

/** In a page of the reader that is open, since it may be playing something; else in a new one. */
async function openPlace(place) {
  // The service may have been opened at another of its addresses.
  const { pathname, search } = URL.canParse(place) ? new URL(place) : new URL(readerAddress);
  const wanted = new URL(pathname + search, scope).href;
  const address = wanted.startsWith(scope.href) ? wanted : readerAddress;
  const pages = await self.clients.matchAll({ type: 'window' });
  const open = pages.find(({ url }) => isReader(url));
  if (open === undefined) {
    await self.clients.openWindow(address);
    return;
  }
  open.postMessage({ open: address });
  await open.focus().catch(() => {});
}

function isAsset(address) {
  return address.startsWith(`${scope.href}assets/`);
}

/** The reader's own addresses, and the start of the installation, which leads to it. */
function isReader(address) {
  const [place] = address.split(/[?#]/);
  return place === scope.href || (place.startsWith(readerAddress) && !place.includes('/api/'));
}

async function keptOrFetched(event) {
  const { request } = event;
  const known = await caches.match(request, { cacheName: ASSETS }).catch(() => undefined);
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

async function fetchedOrKept(event) {
  const since = departures;
  try {
    const response = await fetch(event.request);
    if (isDocument(response)) {
      event.waitUntil(keepDocument(response.clone(), since).catch(() => {}));
    } else if (isEndOfSession(event.request, response)) {
      await forgetUser().catch(() => {});
    }
    return response;
  } catch (error) {
    const known = await caches.match(readerAddress, { cacheName: DOCUMENT }).catch(() => undefined);
    if (known && (await mayBeAlive())) {
      return known;
    }
    if (known) {
      await forgetUser().catch(() => {});
    }
    throw error;
  }
}

/** The reader leads elsewhere only to the log-in page; browsers do not tell workers where. */
function isEndOfSession({ url }, { type, redirected, status }) {
  return (
    url.startsWith(readerAddress) && (type === 'opaqueredirect' || redirected || status === 401)
  );
}

async function mayBeAlive() {
  const until = await caches.match(untilAddress, { cacheName: UNTIL }).catch(() => undefined);
  return until !== undefined && Number(await until.text()) > Date.now();
}

/** The log-in page comes by a redirect. */
function isDocument(response) {
  return response.ok && !response.redirected && isReader(response.url);
}

/** @param since the departures when it was asked for */
async function keepDocument(response, since) {
  const cache = await caches.open(DOCUMENT);
  await cache.put(readerAddress, response);
  if (since !== departures) {
    await caches.delete(DOCUMENT);
  }
}

/** Values in the storages, which workers cannot reach, are deleted by the page and by the log-in page. */
async function forgetUser() {
  departures += 1;
  const names = (await caches.keys()).filter((name) => name.startsWith(COPIES));
  await Promise.all([DOCUMENT, UNTIL, ...names].map((name) => caches.delete(name)));
  // Nobody is told here what another could read. The page subscribes anew when the user is back.
  const subscription = await self.registration.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

async function keepFirstDocument() {
  const since = departures;
  const isKept = await caches.match(readerAddress, { cacheName: DOCUMENT });
  if (isKept) {
    return;
  }
  const response = await fetch(readerAddress).catch(() => undefined);
  if (response && isDocument(response)) {
    await keepDocument(response, since);
  } else if (response?.redirected) {
    await forgetUser();
  }
}

async function keepAll(addresses) {
  await Promise.allSettled(
    addresses.map(async (address) => {
      if (!(await caches.match(address, { cacheName: ASSETS }))) {
        const response = await fetch(address);
        if (response.ok) {
          await keep(address, response);
        }
      }
    }),
  );
}

async function keep(request, response) {
  const cache = await caches.open(ASSETS);
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
