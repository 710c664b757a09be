import { shallowRef } from 'vue';
import { page } from '../../host/page-context.js';

export interface Recording {
  readonly itemId: number;
  readonly title: string;
  readonly url: string;
}

/** What is being listened to, whichever article is open. */
export const playing = shallowRef<Recording | null>(null);

const KEPT_AS = `gatefold-positions-${page.userId}`;
const MOST_POSITIONS = 300;

/** How far each recording was heard, in seconds; kept in this browser, the latest last. */
const positions = new Map<number, number>(kept());

export function positionOf(itemId: number): number {
  return positions.get(itemId) ?? 0;
}

/** @param seconds 0 forgets it */
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
    // Without storage the position holds until the page is loaded again.
  }
}

function kept(): [number, number][] {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]') as [number, number][];
  } catch {
    return [];
  }
}
