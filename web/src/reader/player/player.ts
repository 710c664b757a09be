import { shallowRef } from 'vue';
import { page } from '../../host/page-context.js';

export interface Recording {
  readonly itemId: number;
  readonly title: string;
  readonly url: string;
}

/** The current recording, independent of the open article. */
export const playing = shallowRef<Recording | null>(null);

const KEPT_AS = `gatefold-positions-${page.userId}`;
const MOST_POSITIONS = 300;

/** Position in each recording in seconds, stored in this browser; the latest is last. */
const positions = new Map<number, number>(kept());

export function positionOf(itemId: number): number {
  return positions.get(itemId) ?? 0;
}

/** @param seconds 0 removes the entry */
export function keepPosition(itemId: number, seconds: number): void {
  positions.delete(itemId);
  if (seconds > 0) {
    positions.set(itemId, seconds);
  }
  for (const oldest of positions.keys()) {
    if (positions.size <= MOST_POSITIONS) {
      break;
    }
    positions.delete(oldest);
  }
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify([...positions]));
  } catch {
    // Without storage the position lasts until the page is reloaded.
  }
}

function kept(): [number, number][] {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]') as [number, number][];
  } catch {
    return [];
  }
}
