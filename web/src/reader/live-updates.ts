import { watch } from 'vue';
import { isOffline, waitingCount } from '../host/connection.js';
import { liveUpdatesAddress } from './model/news-request.js';

/** Events within this time are combined. */
const GATHERED_MILLISECONDS = 400;
/** Polling interval while there is no event stream, or changes wait. */
const ASK_MILLISECONDS = 60_000;

/**
 * Calls `sync` when the service reports a change, and periodically while there is no event stream, or
 * changes made offline wait.
 *
 * @param since time of the last change that the page knows: later ones are reported at the beginning
 * @returns stops following
 */
export function followChanges(sync: () => Promise<void>, since: () => number): () => void {
  let stream: EventSource | null = null;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let wasInterrupted = false;

  const change = () => {
    clearTimeout(soon);
    // Failures are ignored: the next event or poll tries again.
    soon = setTimeout(() => void sync().catch(() => {}), GATHERED_MILLISECONDS);
  };

  const listen = () => {
    stream?.close();
    stream = new EventSource(liveUpdatesAddress(since()));
    ['items', 'pending', 'changed'].forEach((name) => stream?.addEventListener(name, change));
    stream.addEventListener('open', () => {
      if (wasInterrupted) {
        change();
      }
      wasInterrupted = false;
    });
    stream.addEventListener('error', () => (wasInterrupted = true));
  };

  const asking = setInterval(() => {
    if (stream?.readyState === EventSource.OPEN && waitingCount.value === 0) {
      return;
    }
    change();
    if (stream?.readyState === EventSource.CLOSED && !document.hidden) {
      listen();
    }
  }, ASK_MILLISECONDS);

  // Browsers limit the connections per host, so hidden pages close theirs.
  const onVisibility = () => {
    if (document.hidden) {
      stream?.close();
    } else {
      listen();
      change();
    }
  };

  document.addEventListener('visibilitychange', onVisibility);
  // Sends changes made offline at once, possibly before the page was opened.
  const isWaiting = () => !isOffline.value && waitingCount.value > 0;
  const stopWatching = watch([isOffline, isWaiting], () => isOffline.value || change(), {
    immediate: isWaiting(),
  });
  listen();
  return () => {
    stopWatching();
    document.removeEventListener('visibilitychange', onVisibility);
    stream?.close();
    clearTimeout(soon);
    clearInterval(asking);
  };
}
