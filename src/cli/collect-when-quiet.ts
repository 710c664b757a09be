import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Shares } from '../common/http/shares.js';
import type { Metrics } from '../common/metrics/metrics.js';

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Of the memory of the process. Less is not worth the pause, and comes back with the next requests. */
const WORTH_BYTES = 32 * 1024 ** 2;

const LOOKS = {
  everyMs: 10_000,
  /** So many in a row find a quiet process: threads that read documents end later than the work. */
  inRow: 4,
  /** Between two looks, a quiet process works at most this share, as of one core. */
  shareOfWork: 0.1,
};

/**
 * Gives back what the start, an import or a large answer has left: V8 keeps it until as much again was allocated,
 * on an idle service for days. Waits until no request is worked on and little else is done, since it stops the
 * process for about 0.3 s. What the start has left is collected at the first look.
 */
export function collectWhenQuiet(metrics: Metrics, countBusy: () => number, looks = LOOKS): void {
  let pauseSeconds = 0;
  metrics.read(
    {
      name: 'gatefold_start_collection_seconds',
      help: 'How long the last collection of a quiet process stopped this one; 0 before the first, of what the start had left.',
    },
    () => [{ labels: {}, value: pauseSeconds }],
  );
  let keptBytes = 0;
  let quietLooks = looks.inRow - 1;
  let worked = process.cpuUsage();
  let looked = performance.now();
  const look = (): void => {
    const { user, system } = process.cpuUsage(worked);
    const share = (user + system) / 1000 / (performance.now() - looked);
    worked = process.cpuUsage();
    looked = performance.now();
    quietLooks = countBusy() === 0 && share <= looks.shareOfWork ? quietLooks + 1 : 0;
    if (quietLooks >= looks.inRow && process.memoryUsage.rss() >= keptBytes + WORTH_BYTES) {
      collect();
      pauseSeconds = (performance.now() - looked) / 1000;
      keptBytes = process.memoryUsage.rss();
    }
  };
  setInterval(look, looks.everyMs).unref();
}

/** Answers under way that do not wait for news: a page that is open all day has one that does. */
export function busyAnswers(openAnswers: number, shares: Pick<Shares, 'count'>): number {
  // A share may be given back a moment after its answer.
  return Math.max(
    0,
    openAnswers - shares.count('live updates') - shares.count('waiting chat requests'),
  );
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  // Only this flavour gives the freed pages back to the system; V8 keeps them in a pool otherwise.
  (runInNewContext('gc') as Collect)({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString('--no-expose-gc');
}
