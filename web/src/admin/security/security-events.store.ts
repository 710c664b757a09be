import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';

/** Something that happened to an account or a log-in. */
export interface SecurityEvent {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly kind: SecurityEventKind;
  /** Null where nobody of that name has an account. */
  readonly user: string | null;
  readonly address: string | null;
  readonly details: string | null;
}

export const EVENT_KINDS = [
  'login',
  'login_failed',
  'login_throttled',
  'logout',
  'session_revoked',
  'password_changed',
  'app_password_created',
  'app_password_revoked',
  'user_created',
  'user_disabled',
  'user_enabled',
  'rights_granted',
  'rights_taken',
  'user_deleted',
  'administration',
] as const;
export type SecurityEventKind = (typeof EVENT_KINDS)[number];

/** Empty fields let everything through. */
export interface EventFilter {
  readonly kind: SecurityEventKind | '';
  /** How the user name begins. */
  readonly user: string;
  /** How the address begins. */
  readonly address: string;
}

const AT_ONCE = 50;

/** The events that a filter lets through, newest first, as far back as was looked. */
export const useSecurityEvents = defineStore('admin-security', () => {
  const events = ref<readonly SecurityEvent[]>([]);
  const loaded = ref(false);
  const hasMore = ref(false);
  let filter: EventFilter = { kind: '', user: '', address: '' };
  let latest = 0;

  /** Begins anew with the newest. */
  async function load(wanted: EventFilter): Promise<void> {
    filter = wanted;
    latest += 1;
    await look([]);
  }

  async function loadMore(): Promise<void> {
    latest += 1;
    await look(events.value);
  }

  async function look(known: readonly SecurityEvent[]): Promise<void> {
    const asked = latest;
    const found = await requestOcs<SecurityEvent[]>('/apps/gatefold/api/v1/security/events', {
      query: { ...filter, limit: AT_ONCE, before: known.at(-1)?.id },
    });
    if (asked !== latest) {
      return;
    }
    events.value = [...known, ...found];
    hasMore.value = found.length === AT_ONCE;
    loaded.value = true;
  }

  return { events, loaded, hasMore, load, loadMore };
});
