import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Metrics } from '../common/metrics/metrics.js';

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** The start's last jobs have ended by then. */
const FIRST_LOOK_MS = 10_000;
const NEXT_LOOK_MS = 1000;

/**
 * Collects once what the start has left: some 30 MB, which V8 keeps until as much again was allocated, on an
 * idle service for days. Waits until no request is open, since it stops the process for about 0.3 s.
 */
export function collectStart(
  metrics: Metrics,
  openAnswers: () => number,
  firstLookMs = FIRST_LOOK_MS,
): void {
  let pauseSeconds = 0;
  metrics.read(
    {
      name: 'gatefold_start_collection_seconds',
      help: 'How long the collection of what the start had left stopped this process; 0 before.',
    },
    () => [{ labels: {}, value: pauseSeconds }],
  );
  const look = (): void => {
    if (openAnswers() > 0) {
      setTimeout(look, NEXT_LOOK_MS).unref();
      return;
    }
    const began = performance.now();
    collect();
    pauseSeconds = (performance.now() - began) / 1000;
  };
  setTimeout(look, firstLookMs).unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  // Only this flavour gives the freed pages back to the system; V8 keeps them in a pool otherwise.
  (runInNewContext('gc') as Collect)({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}
