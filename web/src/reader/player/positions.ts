import { keepLocalValue, localValue } from '../../host/local-values.js';
import { page } from '../../host/page-context.js';
import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from '../model/news-request.js';

/** A position in a recording, on any device. In seconds. */
interface Position {
  readonly itemId: number;
  readonly position: number;
  readonly duration: number | null;
}

interface Unsaved {
  readonly position: number;
  readonly duration: number | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Storage key of positions from before the service stored them, and while it is unreachable. */
const KEPT_AS = `gatefold-positions-${page.userId}`;
const MOST_UNSAVED = 50;
/** The recording in the player, for the time without a connection. */
const LATEST_KEPT_AS = `gatefold-listening-${page.userId}`;

const positions = new Map<number, number>();
const durations = new Map<number, number>();
const unsaved = new Map<number, Unsaved>(readUnsaved());
let loading: Promise<void> | undefined;

const latest = localValue(LATEST_KEPT_AS) as Position | null;
if (latest !== null) {
  positions.set(latest.itemId, latest.position);
  durations.set(latest.itemId, latest.duration ?? 0);
}

/** Loads all positions; repeated each time, since other devices may have changed them. */
export function loadPositions(): Promise<void> {
  loading ??= readPositions()
    // Recordings begin at their beginning then.
    .catch(() => {})
    .finally(() => (loading = undefined));
  return loading;
}

async function readPositions(): Promise<void> {
  const answer = await requestJson<{ positions: Position[] }>(`${NEWS_ROOT}/playback`);
  for (const { itemId, position, duration } of answer.positions) {
    positions.set(itemId, position);
    durations.set(itemId, duration ?? 0);
  }
}

/** In seconds; 0 if unknown. */
export function positionOf(itemId: number): number {
  return unsaved.get(itemId)?.position ?? positions.get(itemId) ?? 0;
}

/** In seconds; 0 if unknown. */
export function durationOf(itemId: number): number {
  return durations.get(itemId) ?? 0;
}

/** Whether it was the last one in the player of this browser. */
export function wasHere(itemId: number): boolean {
  return latest?.itemId === itemId;
}

/** Stores the state of a recording in this browser. */
export function keepLatest(itemId: number): void {
  const known = { itemId, position: positionOf(itemId), duration: durationOf(itemId) };
  keepLocalValue(LATEST_KEPT_AS, known);
}

/** @param seconds 0: from the beginning */
export function keepPosition(itemId: number, seconds: number, duration: number | null): void {
  positions.set(itemId, seconds);
  unsaved.delete(itemId);
  unsaved.set(itemId, { position: seconds, duration, at: Date.now() });
  durations.set(itemId, duration ?? durationOf(itemId));
  keepLatest(itemId);
  void savePositions();
}

/** Saves unsaved positions; failures are retried with the next position. */
export async function savePositions(): Promise<void> {
  for (const [itemId, { position, duration, at }] of unsaved) {
    try {
      await change('PUT', `/playback/${itemId}`, {
        position,
        duration,
        device: deviceName(),
        secondsAgo: Math.max(0, (Date.now() - at) / 1000),
      });
    } catch (error) {
      if ((error as { status?: number }).status !== 404) {
        break;
      }
    }
    if (unsaved.get(itemId)?.at === at) {
      unsaved.delete(itemId);
    }
  }
  writeUnsaved();
}

/** Example: `Firefox, Linux`. */
function deviceName(): string {
  const { userAgent } = navigator;
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)(?=[/A-Za-z]*\/)/.exec(userAgent)?.[1] ?? '';
  const system = /Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux/.exec(userAgent)?.[0] ?? '';
  return [browser, system].filter((name) => name !== '').join(', ');
}

function writeUnsaved(): void {
  keepLocalValue(KEPT_AS, [...unsaved].slice(-MOST_UNSAVED));
}

/** Entries of earlier versions are plain seconds: older than anything that the service knows. */
function readUnsaved(): [number, Unsaved][] {
  const kept = localValue(KEPT_AS);
  const entries = (Array.isArray(kept) ? kept : []) as [number, Unsaved | number][];
  return entries.map(([itemId, entry]) => [
    itemId,
    typeof entry === 'number' ? { position: entry, duration: null, at: 0 } : entry,
  ]);
}
