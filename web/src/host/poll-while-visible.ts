/**
 * Looks now, from time to time while the page is seen, and whenever it is seen again. A look that
 * fails is let go: the next one may succeed.
 *
 * @returns what ends that
 */
export function lookWhileSeen(look: () => Promise<void>, everyMilliseconds: number): () => void {
  const lookIfSeen = () => {
    if (document.visibilityState === 'visible') {
      look().catch(() => {});
    }
  };
  lookIfSeen();
  const timer = setInterval(lookIfSeen, everyMilliseconds);
  document.addEventListener('visibilitychange', lookIfSeen);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', lookIfSeen);
  };
}
