import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';

/** A security event of an account or login. */
export interface SecurityEvent {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly kind: SecurityEventKind;
  /** Null if there is no such account. */
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
  'app_allowed',
  'app_revoked',
  'user_created',
  'user_disabled',
  'user_enabled',
  'rights_granted',
  'rights_taken',
  'user_deleted',
  'administration',
] as const;
export type SecurityEventKind = (typeof EVENT_KINDS)[number];

/** Empty fields match everything. */
export interface EventFilter {
  readonly kind: SecurityEventKind | '';
  /** Prefix of the user name. */
  readonly user: string;
  /** Prefix of the client address. */
  readonly address: string;
}

const AT_ONCE = 50;

/** Matching events, newest first, as far as loaded. */
export const useSecurityEvents = defineStore('admin-security', () => {
  const events = ref<readonly SecurityEvent[]>([]);
  const loaded = ref(false);
  const hasMore = ref(false);
  let filter: EventFilter = { kind: '', user: '', address: '' };
  let latest = 0;

  /** Starts over with the newest events. */
  async function load(wanted: EventFilter): Promise<void> {
    filter = wanted;
    latest += 1;
    await loadAfter([]);
  }

  async function loadMore(): Promise<void> {
    latest += 1;
    await loadAfter(events.value);
  }

  async function loadAfter(known: readonly SecurityEvent[]): Promise<void> {
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
