import { liveUpdatesAddress } from './news-request.js';

/** Several events of one moment are one. */
const GATHERED_MILLISECONDS = 400;
/** How often to ask while the service cannot tell. */
const ASK_MILLISECONDS = 60_000;

/**
 * Calls `sync` whenever something may have changed: told by the service, and asking from time to
 * time while it cannot tell.
 *
 * @returns ends it
 */
export function followChanges(sync: () => Promise<void>): () => void {
  let stream: EventSource | null = null;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let wasInterrupted = false;

  const change = () => {
    clearTimeout(soon);
    // The next event, or the next round, is the next attempt.
    soon = setTimeout(() => void sync().catch(() => {}), GATHERED_MILLISECONDS);
  };

  const listen = () => {
    stream?.close();
    stream = new EventSource(liveUpdatesAddress());
    for (const name of ['items', 'pending', 'changed']) {
      stream.addEventListener(name, change);
    }
    stream.addEventListener('open', () => {
      if (wasInterrupted) {
        change();
      }
      wasInterrupted = false;
    });
    stream.addEventListener('error', () => {
      wasInterrupted = true;
    });
  };

  const asking = setInterval(() => {
    if (stream?.readyState === EventSource.OPEN) {
      return;
    }
    change();
    if (stream?.readyState === EventSource.CLOSED && !document.hidden) {
      listen();
    }
  }, ASK_MILLISECONDS);

  // Browsers open few connections to one address: those of pages that nobody sees are given back.
  const onVisibility = () => {
    if (document.hidden) {
      stream?.close();
    } else {
      listen();
      change();
    }
  };

  document.addEventListener('visibilitychange', onVisibility);
  listen();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    stream?.close();
    clearTimeout(soon);
    clearInterval(asking);
  };
}
