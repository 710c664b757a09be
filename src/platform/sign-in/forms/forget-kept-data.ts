/**
 * Script of the login page: whoever sees it has no session, so nothing of a former user may stay in the
 * browser. Deletes what `web/src/host/offline-copies.ts` deletes; the page may have been closed, or the
 * session ended elsewhere.
 */
export const FORGET_KEPT_DATA = `
navigator.serviceWorker?.controller?.postMessage({ isLeaving: true });
for (const storage of ['localStorage', 'sessionStorage']) {
  try {
    for (const key of Object.keys(window[storage])) {
      if (/^gatefold-(waiting|positions|listening|unsaved|saved|draft)[-:]/.test(key)) {
        window[storage].removeItem(key);
      }
    }
  } catch {
    // The browser allows no storage.
  }
}
window.caches?.keys().then((names) => {
  for (const name of names) {
    if (/^gatefold-(copies-|document$|until$)/.test(name)) {
      caches.delete(name);
    }
  }
}, () => {});
`;
