import { onBeforeUnmount, ref, type Ref } from 'vue';
import { pollWhileVisible } from '../../host/poll-while-visible.js';
import type { AppPassword } from '../security/access.store.js';
import { wasUsed } from './client-passwords.js';

const PAUSE_MILLISECONDS = 3000;
/** Two minutes of visible time. */
const MOST_POLLS = 40;

interface ClientCalls {
  /** `silent`: it has not called for two minutes. */
  readonly state: Ref<'idle' | 'waiting' | 'called' | 'silent'>;
  /** The app password with which it called. */
  readonly call: Ref<AppPassword | null>;
  readonly watch: () => void;
}

/**
 * Finds out whether a client has called, by the last use of its app passwords, including new ones: a client
 * that logs in with the account's password gets one of its own.
 *
 * @param known the user's app passwords as the page has shown them
 * @param isTested whether it is an app password of the client
 * @param load returns the app passwords of now
 */
export function useClientCalls(
  known: () => readonly AppPassword[],
  isTested: (appPassword: AppPassword) => boolean,
  load: () => Promise<readonly AppPassword[]>,
): ClientCalls {
  const state: ClientCalls['state'] = ref('idle');
  const call: ClientCalls['call'] = ref(null);
  let stop = () => {};

  function watch(): void {
    stop();
    const before = new Map(known().map(({ id, lastUsed }) => [id, lastUsed]));
    const startSeconds = Date.now() / 1000;
    const hasCalled = (appPassword: AppPassword) =>
      (isTested(appPassword) || !before.has(appPassword.id)) &&
      wasUsed(appPassword, before, startSeconds);
    let polls = 0;
    state.value = 'waiting';
    stop = pollWhileVisible(async () => {
      polls += 1;
      const appPasswords = await load().catch(() => []);
      call.value = appPasswords.find(hasCalled) ?? null;
      if (call.value !== null || polls === MOST_POLLS) {
        state.value = call.value === null ? 'silent' : 'called';
        stop();
      }
    }, PAUSE_MILLISECONDS);
  }

  onBeforeUnmount(() => stop());
  return { state, call, watch };
}
