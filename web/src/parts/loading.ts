import { onMounted, reactive, shallowRef } from 'vue';
import { usePolling } from '../host/poll-while-visible.js';

/** How the loading of a place goes; shown by `LoadFailure`. */
export interface Loading {
  /** Why the latest attempt failed; undefined after one that succeeded. */
  readonly error: unknown;
  /** Never rejects. */
  again(): Promise<void>;
}

export function trackLoading(load: () => Promise<unknown>): Loading {
  const error = shallowRef<unknown>();
  let latest = 0;
  const again = async () => {
    latest += 1;
    const attempt = latest;
    const reason: unknown = await load().then(
      () => undefined,
      (refused: unknown) => refused,
    );
    if (attempt === latest) {
      error.value = reason;
    }
  };
  return reactive({ error, again });
}

/** Loads when the component is mounted. @param pollMilliseconds repeats it while the page is visible */
export function useLoading(load: () => Promise<unknown>, pollMilliseconds?: number): Loading {
  const loading = trackLoading(load);
  if (pollMilliseconds === undefined) {
    onMounted(loading.again);
  } else {
    usePolling(loading.again, pollMilliseconds);
  }
  return loading;
}
