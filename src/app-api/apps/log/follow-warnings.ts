import { setTimeout as pause } from 'node:timers/promises';
import { ExAppLog, FAILED_LINE } from './ex-app-log.js';
import type { Voice } from '../command-outcome.js';
import type { Get } from '../../../common/command-line/with-app.js';

const POLL_MS = 500;

/**
 * Prints the host's warnings about an app during `work`, from whichever process. The caller prints
 * the failure of the work itself.
 */
export async function followWarnings<Result>(
  get: Get,
  appId: string,
  voice: Voice,
  work: () => Promise<Result>,
): Promise<Result> {
  const log = get(ExAppLog);
  let after = await log.latestId(appId);
  const tellNew = async () => {
    for (const { id, message } of await log.warningsAfter(appId, after)) {
      after = id;
      if (!message.startsWith(FAILED_LINE)) {
        voice.complain(message);
      }
    }
  };
  const over = new AbortController();
  const following = follow(tellNew, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await following;
    await log.written();
    await tellNew();
  }
}

async function follow(tellNew: () => Promise<void>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // A short outage of the database ends the work, but not this.
    await tellNew().catch(() => {});
    await pause(POLL_MS, undefined, { signal: over }).catch(() => {});
  }
}
