import { shallowRef, watch, watchEffect } from 'vue';
import { reportWaiting } from '../../host/connection.js';
import { RequestFailed } from '../../host/http.js';
import { localValue } from '../../host/local-values.js';
import { page } from '../../host/page-context.js';
import { countOf, isTooMuch, type WaitingChanges, type WaitingStorage } from './waiting-rules.js';

const STORED_AS = `gatefold-waiting-${page.userId}`;

/** In local storage; see `waitingChanges`. */
export const waitingStorage: WaitingStorage = {
  read: () => (localValue(STORED_AS) as WaitingChanges | null) ?? { lists: [], flags: [] },
  write(now) {
    if (isTooMuch(now, waitingChanges.value)) {
      throw new RequestFailed('', 0);
    }
    try {
      localStorage.setItem(STORED_AS, JSON.stringify(now));
    } catch {
      throw new RequestFailed('', 0);
    }
    waitingChanges.value = now;
  },
};

/** Changes of flags that were made offline and are not sent yet; kept when the page is closed. */
export const waitingChanges = shallowRef(waitingStorage.read());

watchEffect(() => reportWaiting(countOf(waitingChanges.value)));

// The end of the session deletes them from the storage. Logged in again on this page, the same user goes on.
watch(
  () => page.requestToken,
  () => {
    if (countOf(waitingChanges.value) > 0 && countOf(waitingStorage.read()) === 0) {
      waitingStorage.write(waitingChanges.value);
    }
  },
);

// Another tab has added or sent changes; without a value, it has noticed the end of the session.
addEventListener('storage', ({ key, newValue }) => {
  if (key === STORED_AS && newValue !== null) {
    waitingChanges.value = waitingStorage.read();
  }
});

/** Browsers have locks only with https, and on the own machine. Without them two tabs may send the same. */
export async function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(STORED_AS, work) : work();
}
