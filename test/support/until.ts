import { EventEmitter, once as happened } from 'node:events';
// The modules have the real timers when a spec replaces the global ones.
import { clearInterval, setInterval } from 'node:timers';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

const USUAL_SECONDS = 10;

/** For what waits until a process has started or ended: the service, a command, a database server. */
export const PROCESS_SECONDS = 60;

const TICK_MS = 100;

/** Without a pause, for what is about to be so. */
const FIRST_TURNS = 10;

const LONGEST_PAUSE_MS = 50;

/**
 * Asks until the answer is yes.
 *
 * @param what as in "Waited in vain for the second mail."
 * @param seconds other than the default only for what takes longer by itself
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  seconds?: number,
): Promise<void> {
  await asking(inVain(what, until), async () => (await isSo()) || null, seconds);
}

/** Asks like `until` for something that is not there yet, and resolves with it. */
export async function found<Found>(
  what: string,
  look: () => Found | null | undefined | Promise<Found | null | undefined>,
  seconds?: number,
): Promise<Found> {
  return asking(inVain(what, found), look, seconds);
}

/**
 * Waits for what an event resolves.
 *
 * @param what like that of `until`
 */
export async function within<Value>(
  what: string,
  coming: PromiseLike<Value>,
  seconds?: number,
): Promise<Value> {
  return limited(inVain(what, within), coming, seconds);
}

/** `once` of Node.js, within the usual time from now on. */
export function once(emitter: EventEmitter, event: string): Promise<unknown[]> {
  const vain = inVain(`the event "${event}" of ${emitter.constructor.name}`, once);
  const coming = limited(vain, happened(emitter, event));
  // A spec that has failed meanwhile does not await it any more.
  coming.catch(() => {});
  return coming;
}

/** Names the line that called the function. */
function inVain(what: string, caller: (...given: never[]) => unknown): Error {
  const vain = new Error(`Waited in vain for ${what}.`);
  Error.captureStackTrace(vain, caller);
  return vain;
}

async function asking<Found>(
  vain: Error,
  look: () => Found | null | undefined | Promise<Found | null | undefined>,
  seconds: number | undefined,
): Promise<Found> {
  const end = new AbortController();
  const ask = async (): Promise<Found> => {
    for (let turns = 0; ; turns += 1) {
      const it = await look();
      if (it !== null && it !== undefined) {
        return it;
      }
      const pauseMs = Math.min(turns, LONGEST_PAUSE_MS);
      await (turns < FIRST_TURNS ? turn() : pause(pauseMs, undefined, { signal: end.signal }));
    }
  };
  try {
    return await limited(vain, ask(), seconds);
  } finally {
    end.abort();
  }
}

/**
 * Time is counted by ticks of a timer, which come late while this process is kept waiting itself, so that a
 * starved process does not give up.
 */
async function limited<Value>(
  vain: Error,
  coming: PromiseLike<Value>,
  seconds = USUAL_SECONDS,
): Promise<Value> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks * TICK_MS >= seconds * 1000) {
      reject(vain);
    }
  }, TICK_MS);
  try {
    return await Promise.race([coming, end]);
  } finally {
    clearInterval(timer);
  }
}
