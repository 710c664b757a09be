/** The next page is loaded this many rows before the end. */
const LOAD_AHEAD_ROWS = 30;

/** @param last index of the last row that is rendered */
export function isNearEnd(last: number, length: number): boolean {
  return last >= length - LOAD_AHEAD_ROWS;
}

/** Keeps the open article rendered while it is off screen. @param unfolded -1: none */
export function renderedIndexes(indexes: readonly number[], unfolded: number): number[] {
  return [...new Set([...indexes, unfolded])]
    .filter((index) => index >= 0)
    .sort((one, other) => one - other);
}
