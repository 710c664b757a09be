import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The last one is sent after the end of the launcher. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** A process that was told to end does not wait longer. */
const PATIENCE_MS = 5000;

/** What this process has to do before it ends by itself or by a signal: it would leave something running. */
export const lastActs = new Set<() => Promise<void>>();

export async function doLastActs(): Promise<void> {
  const done = Promise.allSettled([...lastActs].map((act) => act()));
  await Promise.race([done, pause(PATIENCE_MS, undefined, { ref: false })]);
}

/** Ends this process at once, but for its last acts. @param how an exit code, or the signal to die of */
export async function endProcess(how: number | NodeJS.Signals): Promise<void> {
  await doLastActs();
  if (typeof how === 'string') {
    process.removeAllListeners(how);
    process.kill(process.pid, how);
    // The first process of a container does not die of its own signals.
    await pause(0);
  }
  process.exit(typeof how === 'string' ? 128 + os.constants.signals[how] : how);
}

/** Signals do that unless somebody else listens for them: the service and some commands stop in order. */
export function endOnSignals(): void {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) {
        void endProcess(signal);
      }
    });
  }
}
