/** Whether the page is mirrored: its language is written from right to left. */
export function isMirrored(): boolean {
  return document.documentElement.dir === 'rtl';
}

/** The step of an arrow key in a row. @returns 0 for other keys */
export function stepOf(key: string): -1 | 0 | 1 {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  return isMirrored() ? ((0 - step) as typeof step) : step;
}

/** Pixels from the left edge of the window to where lines begin in an element. */
export function startOf(element: Element): number {
  const { left, right } = element.getBoundingClientRect();
  return isMirrored() ? right : left;
}
