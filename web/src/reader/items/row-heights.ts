import type { RowLayout } from '../model/preferences.js';

/** Heights in rem, as the texts in the rows are. */
const ROWS = { compact: 2.25, list: 6.25, cards: 8.25 } as const;
/** Two lines, below `NARROW` (as in item-row.css). */
const COMPACT_NARROW = 2.9;
export const NARROW = 30;
/** Rows that fingers press. */
const COMPACT_TOUCH = 2.75;
/** Space above and below the picture of a card. */
const PICTURE_GAP = 0.75;
const CARD_SIDES = 1.5;
const MOST_PICTURE = 18;
/** The line of other feeds that have the story. */
const ALSO = 1.5;

/** A narrower card has no room for a title beside its picture. */
const CARD = 22;

export interface RowSpace {
  readonly layout: RowLayout;
  /** Width of the list in pixels. */
  readonly width: number;
  readonly isTouched: boolean;
  readonly isNarrow: boolean;
  /** Pixels. */
  readonly rem: number;
}

/** Cards beside one another, as many as fit. */
export function lanesOf({
  layout,
  width,
  rem,
}: Pick<RowSpace, 'layout' | 'width' | 'rem'>): number {
  return layout === 'cards' ? Math.max(1, Math.floor(width / (CARD * rem))) : 1;
}

/** Pixels. The list places its rows without measuring them, so this has to be exact. */
export function rowHeight(space: RowSpace, hasPicture: boolean, hasCopies = false): number {
  const { layout, isTouched, isNarrow, rem } = space;
  if (hasCopies) {
    return rowHeight(space, hasPicture) + ALSO * rem;
  }
  if (layout === 'compact' && (isNarrow || isTouched)) {
    return (isNarrow ? COMPACT_NARROW : COMPACT_TOUCH) * rem;
  }
  const text = ROWS[layout] * rem;
  return layout === 'cards' && hasPicture ? text + pictureHeight(space) + PICTURE_GAP * rem : text;
}

/** Pixels: 16 to 9, but never more than a good part of the screen. */
export function pictureHeight({ width, rem }: Pick<RowSpace, 'width' | 'rem'>): number {
  return Math.round(Math.min(MOST_PICTURE * rem, ((width - CARD_SIDES * rem) * 9) / 16));
}
