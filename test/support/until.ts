import { setImmediate as turn } from 'node:timers/promises';

/** Asks, with a turn of the event loop in between, until the answer is yes; the spec's timeout ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await turn();
  }
}
