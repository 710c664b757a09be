import { browserName } from '../../host/browser-names.js';
import { requestJson } from '../../host/http.js';
import { keepLocalValue, localValue } from '../../host/local-values.js';
import { page } from '../../host/page-context.js';
import { change, NEWS_ROOT } from '../model/news-request.js';
import { KnownPositions, type Position, type SavedPosition } from './known-positions.js';

/** Storage key of positions from before the service stored them, and while it is unreachable. */
const KEPT_AS = `gatefold-positions-${page.userId}`;
/** The recording in the player, for the time without a connection. */
const LATEST_KEPT_AS = `gatefold-listening-${page.userId}`;

export const positions = new KnownPositions(localValue(KEPT_AS));
let loading: Promise<void> | undefined;

const latest = localValue(LATEST_KEPT_AS) as Position | null;
positions.take(latest === null ? [] : [{ ...latest, listenedAt: 0 }]);

/** Loads all positions; repeated each time, since other devices may have changed them. */
export function loadPositions(): Promise<void> {
  // Unsaved ones may be older than those of other devices: the service compares.
  loading ??= savePositions()
    .then(() => requestJson<{ positions: SavedPosition[] }>(`${NEWS_ROOT}/playback`))
    .then((answer) => positions.take(answer.positions))
    // Recordings begin at their beginning then.
    .catch(() => {})
    .finally(() => (loading = undefined));
  return loading;
}

/** Whether it was the last one in the player of this browser. */
export function wasHere(itemId: number): boolean {
  return latest?.itemId === itemId;
}

/** Stores the state of a recording in this browser. */
export function keepLatest(itemId: number): void {
  const position = positions.positionOf(itemId);
  keepLocalValue(LATEST_KEPT_AS, { itemId, position, duration: positions.durationOf(itemId) });
}

/** @param now position 0: from the beginning */
export function keepPosition(now: Position): void {
  positions.keep(now, Date.now());
  keepLatest(now.itemId);
  void savePositions();
}

/** Saves unsaved positions; failures are retried with the next position. */
export async function savePositions(): Promise<void> {
  await positions.save(async (itemId, { at, ...unsaved }) => {
    const secondsAgo = Math.max(0, (Date.now() - at) / 1000);
    const heard = { ...unsaved, device: browserName(navigator.userAgent).slice(0, 64), secondsAgo };
    return (await change<{ position: SavedPosition }>('PUT', `/playback/${itemId}`, heard))
      .position;
  });
  keepLocalValue(KEPT_AS, positions.unsaved);
}
