import { setTimeout as pause } from 'node:timers/promises';
import type { FeedFarm } from './feed-farm.js';

const POLL_MS = 25;
const PATIENCE_MS = 900_000;

/** A program that fetches feeds by a schedule. */
export interface FeedFetcher {
  readonly name: string;
  /** Makes all feeds due now. */
  makeAllDue(): Promise<void>;
  /** Whether any feed is due or being fetched. */
  isFetching(): Promise<boolean>;
}

/**
 * Makes all feeds due and waits until each was fetched.
 *
 * @returns milliseconds until the first request, and from there to the end
 */
export async function runRound(
  farm: FeedFarm,
  fetcher: FeedFetcher,
  feeds: number,
): Promise<{ readonly delayMs: number; readonly wallMs: number }> {
  await farm.watch();
  const dueMs = Date.now();
  await fetcher.makeAllDue();
  await untilFetched(farm, fetcher, feeds);
  const endedMs = Date.now();
  const { firstMs = endedMs } = await farm.activity();
  return { delayMs: firstMs - dueMs, wallMs: endedMs - firstMs };
}

/** Waits until the farm has answered for so many feeds, and none is due or being fetched. */
export async function untilFetched(
  farm: FeedFarm,
  fetcher: FeedFetcher,
  feeds: number,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    await pause(POLL_MS);
    const { documents, notModified } = await farm.activity();
    if (documents + notModified >= feeds && !(await fetcher.isFetching())) {
      return;
    }
  }
  throw new Error(
    `${fetcher.name} has not fetched ${feeds} feeds in ${PATIENCE_MS / 60_000} minutes.`,
  );
}

/** A list of feeds to import. */
export function opmlOf(urls: readonly string[]): string {
  const outlines = urls.map((url, n) => `<outline type="rss" text="Feed ${n}" xmlUrl="${url}"/>`);
  return `<?xml version="1.0"?><opml version="2.0"><head/><body>${outlines.join('')}</body></opml>`;
}
