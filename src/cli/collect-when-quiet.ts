import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Metrics } from '../common/metrics/metrics.js';

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Between looks. The start's last jobs have ended by the first. */
const LOOK_MS = 10_000;

/** Share of a core that a quiet service takes at most. */
const QUIET_SHARE = 0.05;

/** More than the young generation: growth from which on a collection is worth its pause. */
const WORTH_BYTES = 48 * 1024 ** 2;

interface Manner {
  readonly quietShare?: number;
  readonly worthBytes?: number;
}

/**
 * Collects what the start, an import or a synchronisation has left: V8 keeps it until as much again was
 * allocated, on an idle service for days. Waits until no request is open and nothing else is done, since it
 * stops the process for about 0.3 s.
 */
export function collectWhenQuiet(
  metrics: Metrics,
  openAnswers: () => number,
  { quietShare = QUIET_SHARE, worthBytes = WORTH_BYTES }: Manner = {},
): void {
  let pauseSeconds = 0;
  metrics.read(
    {
      name: 'gatefold_quiet_collection_seconds',
      help: 'How long the latest collection in a quiet time stopped this process; 0 before.',
    },
    () => [{ labels: {}, value: pauseSeconds }],
  );
  let leastBytes = 0;
  let used = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const isQuiet = openAnswers() === 0 && (user + system) / 1000 <= quietShare * LOOK_MS;
    leastBytes = Math.min(leastBytes, process.memoryUsage.rss());
    if (isQuiet && process.memoryUsage.rss() >= leastBytes + worthBytes) {
      const began = performance.now();
      collect();
      pauseSeconds = (performance.now() - began) / 1000;
      leastBytes = process.memoryUsage.rss();
      used = process.cpuUsage();
    }
  };
  setInterval(look, LOOK_MS).unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  // Only this flavour gives the freed pages back to the system; V8 keeps them in a pool otherwise.
  (runInNewContext('gc') as Collect)({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}
