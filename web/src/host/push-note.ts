import { keepLocalValue, localValue } from './local-values.js';
import { addressOf, page } from './page-context.js';
import type { PushNote } from './push-rules.js';

export const CHANNELS = '/apps/news/api/v1-3/channels';
const MOST_LEAVING_MILLISECONDS = 3_000;

const noteName = () => `gatefold-told-${page.userId}`;

/** The channel of this browser, if the user has turned on notices here. */
export function pushNote(): PushNote | null {
  return localValue(noteName()) as PushNote | null;
}

export function keepPushNote(note: PushNote | null): void {
  keepLocalValue(noteName(), note);
}

/**
 * Removes the channel before logging out; the worker ends the subscription of the browser. Never rejects,
 * and does not ask for a login if the session has ended.
 */
export async function leavePush(): Promise<void> {
  const note = pushNote();
  if (note !== null) {
    keepPushNote(null);
    await fetch(addressOf(`${CHANNELS}/${note.channelId}`), {
      method: 'DELETE',
      headers: { requesttoken: page.requestToken },
      keepalive: true,
      signal: AbortSignal.timeout(MOST_LEAVING_MILLISECONDS),
    }).catch(() => {});
  }
}
