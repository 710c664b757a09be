import { onBeforeUnmount, onMounted } from 'vue';

/**
 * Looks now, and again from time to time while the page is seen.
 *
 * @param onFirstFailure for when there is nothing to show yet; later looks fail in silence, since
 *   the next one may succeed
 */
export function useLookAgain(
  look: () => Promise<void>,
  everyMilliseconds: number,
  onFirstFailure: (error: unknown) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gone = false;

  const plan = () => {
    if (!gone) {
      timer = setTimeout(lookAndPlan, everyMilliseconds);
    }
  };
  const lookAndPlan = () => {
    if (document.visibilityState !== 'visible') {
      plan();
      return;
    }
    look()
      .catch(() => {})
      .finally(plan);
  };

  onMounted(() => {
    look().catch(onFirstFailure).finally(plan);
  });
  onBeforeUnmount(() => {
    gone = true;
    clearTimeout(timer);
  });
}
