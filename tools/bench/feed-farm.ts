import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Answers of the farm since `watch`. */
export interface FarmActivity {
  documents: number;
  notModified: number;
  /** Time of the first request and of the last answer, in milliseconds since 1970. */
  firstMs: number | undefined;
  lastMs: number | undefined;
}

export type FarmOrder =
  | { readonly latencyMs: number }
  | { readonly publish: readonly number[] }
  | { readonly watch: true }
  | { readonly startAnew: true }
  | { readonly report: true };

/** A web server with any number of feeds of 30 items of about 4 KB, each with an ETag. */
export interface FeedFarm {
  /** @param feed its number, from 0 */
  urlOf(feed: number): string;
  /** From now on each answer takes this long. */
  setLatency(latencyMs: number): Promise<void>;
  /** Each of these feeds publishes three new items. */
  publish(feeds: readonly number[]): Promise<void>;
  /** Resets the published items since the start. */
  startAnew(): Promise<void>;
  /** Forgets the activity so far. */
  watch(): Promise<void>;
  activity(): Promise<FarmActivity>;
  stop(): Promise<void>;
}

/** @param hosts over how many hosts the feeds are spread: 127.0.0.1, 127.0.0.2 … */
export async function startFeedFarm(hosts: number): Promise<FeedFarm> {
  const child = fork(fileURLToPath(new URL('feed-farm-process.ts', import.meta.url)), {
    execArgv: [
      '--no-warnings',
      '--import',
      fileURLToPath(new URL('../../test/support/run-typescript.mjs', import.meta.url)),
    ],
  });
  const [port] = (await once(child, 'message')) as [number];
  const tell = async <Answer>(order: FarmOrder): Promise<Answer> => {
    child.send(order);
    const [answer] = (await once(child, 'message')) as [Answer];
    return answer;
  };
  return {
    urlOf(feed) {
      const host = feed % hosts;
      return `http://127.0.${Math.floor(host / 250)}.${1 + (host % 250)}:${port}/feeds/${feed}.xml`;
    },
    setLatency: (latencyMs) => tell({ latencyMs }),
    publish: (feeds) => tell({ publish: feeds }),
    startAnew: () => tell({ startAnew: true }),
    watch: () => tell({ watch: true }),
    activity: () => tell({ report: true }),
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
