import { useSwipe } from './swipe.js';

/** Controls that are moved sideways themselves. */
const SWIPED_BY_THEMSELVES = 'input, audio, video, [role="slider"]';

/** Swipes over the article, the element that listens: to where lines begin for the next one. */
export function useArticleSwipe(isOpen: () => boolean, step: (by: 1 | -1) => void) {
  return useSwipe<true>({
    of: (target) => {
      const isOther =
        !isOpen() ||
        target.closest(SWIPED_BY_THEMSELVES) !== null ||
        scrollsSideways(target) ||
        document.getSelection()?.isCollapsed === false;
      return isOther ? null : true;
    },
    onBack: () => step(1),
    onAhead: () => step(-1),
  });
}

/** Whether a sideways movement scrolls the element or something around it. */
function scrollsSideways(target: Element): boolean {
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    const isWider = at.scrollWidth > at.clientWidth;
    if (isWider && /auto|scroll/.test(getComputedStyle(at).overflowX)) {
      return true;
    }
  }
  return false;
}
