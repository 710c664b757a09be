import { withoutControls } from '../feed-parser/html/character-references.js';
import type { Omissions } from './imports.entities.js';

const MOST_PLACES = 100;
const LONGEST_PLACE = 200;

/** Tells why something is left out. @param place null for several places */
export type TellOmission = (place: string | null, reason: string, count?: number) => void;

/** Adds to what is left out. */
export function omissionsOf({ reasons, places }: Omissions): {
  readonly tell: TellOmission;
  readonly all: () => Omissions;
} {
  const counts = new Map(reasons.map(({ reason, count }) => [reason, count]));
  const first = [...places];
  return {
    tell: (place, reason, count = 1) => {
      counts.set(reason, (counts.get(reason) ?? 0) + count);
      if (place !== null && first.length < MOST_PLACES) {
        first.push({ place: withoutControls(place.slice(0, LONGEST_PLACE)), reason });
      }
    },
    all: () => ({
      reasons: Array.from(counts, ([reason, count]) => ({ reason, count })),
      places: first,
    }),
  };
}
