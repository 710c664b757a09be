import { onBeforeUnmount, onMounted } from 'vue';

/**
 * Polls now, again some time after each answer while the page is visible, and as soon as it becomes visible
 * again. Failures are ignored, since the next attempt may succeed.
 *
 * @param onFirstFailure called when the first attempt fails, before anything is shown
 * @returns stops polling
 */
export function pollWhileVisible(
  poll: () => Promise<unknown>,
  pauseMilliseconds: number,
  onFirstFailure: (error: unknown) => void = () => {},
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let isPolling = false;
  let onFailure = onFirstFailure;

  const pollIfVisible = async () => {
    if (isPolling || document.visibilityState !== 'visible') {
      return;
    }
    clearTimeout(timer);
    isPolling = true;
    await poll().catch(onFailure);
    isPolling = false;
    onFailure = () => {};
    if (!isStopped) {
      timer = setTimeout(pollIfVisible, pauseMilliseconds);
    }
  };

  document.addEventListener('visibilitychange', pollIfVisible);
  void pollIfVisible();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', pollIfVisible);
  };
}

/** Polls while the component is mounted and the page is visible. */
export function usePolling(...parameters: Parameters<typeof pollWhileVisible>): void {
  let stop = () => {};
  onMounted(() => {
    stop = pollWhileVisible(...parameters);
  });
  onBeforeUnmount(() => stop());
}
