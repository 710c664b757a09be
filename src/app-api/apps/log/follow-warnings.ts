import { setTimeout as pause } from 'node:timers/promises';
import { ExAppLog, FAILED_LINE } from './ex-app-log.js';
import type { Voice } from '../outcome.js';
import type { Get } from '../../../common/command-line/with-app.js';

const POLL_MS = 500;

/**
 * Tells what the host warns of about an app while `work` goes on, whichever process writes it. The
 * failure of the work itself is for the caller to tell.
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
    // A database that is away for a moment ends the work, not the telling.
    await tellNew().catch(() => {});
    await pause(POLL_MS, undefined, { signal: over }).catch(() => {});
  }
}
