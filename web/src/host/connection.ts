import { readonly, ref } from 'vue';

const offline = ref(!navigator.onLine);
const network = ref(navigator.onLine);
const waiting = ref(0);

/** Whether the last request had no answer. */
export const isOffline = readonly(offline);

/** Whether the browser has a network: without, it is offline; with one, the service is away. */
export const hasNetwork = readonly(network);

/** Changes that were made offline and are not sent yet. */
export const waitingCount = readonly(waiting);

/** Called by `http.ts` with the outcome of each request. */
export function reportConnection(isReached: boolean): void {
  offline.value = !isReached;
  network.value = navigator.onLine;
}

export function reportWaiting(count: number): void {
  waiting.value = count;
}

addEventListener('offline', () => reportConnection(false));
