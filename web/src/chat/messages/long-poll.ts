import { WAIT_SECONDS } from '../chat-api.js';

/** Longer than the service waits; detects connections that died silently. */
const ATTEMPT_TIMEOUT_MILLISECONDS = (WAIT_SECONDS + 15) * 1_000;
const SHORTEST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

interface LongPoll {
  /** @returns false if the service had nothing to report, as when it shuts down */
  poll(signal: AbortSignal): Promise<boolean>;
  /**
   * @param isAborted the attempt timed out or the network changed
   * @returns false to stop polling
   */
  onFailure(error: unknown, isAborted: boolean): boolean;
}

/** Polls until `signal` aborts, with exponential backoff after failures. Never rejects. */
export async function longPoll(signal: AbortSignal, { poll, onFailure }: LongPoll): Promise<void> {
  let pauseMilliseconds = 0;
  while (!signal.aborted) {
    const begun = Date.now();
    const attempt = beginAttempt(signal);
    try {
      const hasAnswer = await poll(attempt.signal);
      // A service that is shutting down answers immediately.
      const isTooFast = !hasAnswer && Date.now() - begun < SHORTEST_PAUSE_MILLISECONDS;
      pauseMilliseconds = isTooFast ? SHORTEST_PAUSE_MILLISECONDS : 0;
    } catch (error) {
      if (signal.aborted || !onFailure(error, attempt.signal.aborted)) {
        return;
      }
      pauseMilliseconds = Math.min(
        Math.max(pauseMilliseconds * 2, SHORTEST_PAUSE_MILLISECONDS),
        LONGEST_PAUSE_MILLISECONDS,
      );
    } finally {
      attempt.end();
    }
    await pause(pauseMilliseconds, signal);
  }
}

/** Aborts when the network changes, since requests on the old one never end. */
function beginAttempt(signal: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const changed = new AbortController();
  const abort = () => changed.abort();
  window.addEventListener('online', abort);
  window.addEventListener('offline', abort);
  const timer = setTimeout(abort, ATTEMPT_TIMEOUT_MILLISECONDS);
  return {
    signal: AbortSignal.any([signal, changed.signal]),
    end: () => {
      clearTimeout(timer);
      window.removeEventListener('online', abort);
      window.removeEventListener('offline', abort);
    },
  };
}

/** Resolves early when the network is back. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0 || signal.aborted) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
