/** Distance from the end that still counts as the end; zoomed pages have fractional positions. */
const END_PIXELS = 2;

/** Elements that use Space themselves. */
const OTHERS = 'button, input, textarea, select, summary, audio, video, [role="toolbar"] *';

/**
 * Space scrolls an article. At its end it opens the next one, and Shift+Space at its beginning the previous
 * one.
 */
export function readOnWithSpace(event: KeyboardEvent, step: (by: 1 | -1) => void): void {
  const target = event.target as HTMLElement;
  const region = target.closest('[role="region"]');
  // The region itself, or the list that it is unfolded in.
  const scroller = region?.closest('.scroller');
  const isOther =
    event.key !== ' ' ||
    event.repeat ||
    event.ctrlKey ||
    event.altKey ||
    event.metaKey ||
    event.defaultPrevented ||
    target.matches(OTHERS);
  if (isOther || !region?.firstElementChild || !scroller) {
    return;
  }
  const article = region.firstElementChild.getBoundingClientRect();
  const shown = scroller.getBoundingClientRect();
  const isThere = event.shiftKey
    ? article.top >= shown.top - END_PIXELS
    : article.bottom <= shown.bottom + END_PIXELS;
  if (isThere) {
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  }
}
