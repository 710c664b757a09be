import { setTimeout as pause } from 'node:timers/promises';
import { terminal } from '../../common/command-line/terminal.js';
import type { Get } from '../../common/command-line/with-app.js';
import { FAILED, type Voice } from '../apps/command-outcome.js';
import { ExAppLog, FAILED_LINE, REFUSED_LINE } from '../apps/log/ex-app-log.service.js';

const POLL_MS = 500;

/** A refusal by a rule that applies to all calls of an app. */
const EVERY_CALL_REFUSED =
  /(?:AUTHORIZATION-APP-API cannot be read|EX-APP-VERSION is missing|wrong secret) \(from /;

/**
 * Prints the host's warnings about an app during `work`, from whichever process. The caller prints
 * the failure of the work itself. Without calls that are accepted, the app cannot register anything,
 * and the command fails.
 */
export async function followWarnings<Result>(
  get: Get,
  appId: string,
  voice: Voice,
  work: () => Promise<Result>,
): Promise<Result> {
  const log = get(ExAppLog);
  let after = await log.latestId(appId);
  let isRefused = false;
  const tellNew = async () => {
    for (const { id, message } of await log.warningsAfter(appId, after)) {
      after = id;
      if (!message.startsWith(FAILED_LINE)) {
        voice.complain(message);
      }
      isRefused ||= message.startsWith(REFUSED_LINE) && EVERY_CALL_REFUSED.test(message);
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
    if (isRefused) {
      voice.complain(
        `ExApp ${appId} can register nothing while its calls are refused. Correct it, then disable and enable it.`,
      );
      terminal().exitCode = FAILED;
    }
  }
}

async function follow(tellNew: () => Promise<void>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // A short outage of the database ends the work, but not this.
    await tellNew().catch(() => {});
    await pause(POLL_MS, undefined, { signal: over }).catch(() => {});
  }
}
