import { sendToHost } from './host-bridge.js';
import { visitor } from './visitor.js';

/** Routers of apps may change the address many times in a row. */
const GATHERED_MILLISECONDS = 200;

/** Path below the pages of this app; addresses may have `/index.php`. Null elsewhere. */
function placeNow(): string | null {
  const { pathname, search, hash } = location;
  const plain = pathname.slice(visitor.webRoot.length).replace(/^\/index\.php\//, '/');
  const [, place] = /^\/apps\/app_api\/embedded\/[^/]+\/(.+)$/.exec(plain) ?? [];
  return place === undefined ? null : place + search + hash;
}

/** Reports the app's place to the page around the frame, so that it can be reloaded and bookmarked. */
export function reportPlace(): void {
  let told = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = () => {
    timer = undefined;
    const path = placeNow();
    if (path !== null && path !== told) {
      told = path;
      sendToHost({ type: 'place', path });
    }
  };
  const tellSoon = () => {
    timer ??= setTimeout(tell, GATHERED_MILLISECONDS);
  };

  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name].bind(history);
    history[name] = (...parameters) => {
      change(...parameters);
      tellSoon();
    };
  }
  addEventListener('popstate', tellSoon);
  addEventListener('hashchange', tellSoon);
  tell();
}
