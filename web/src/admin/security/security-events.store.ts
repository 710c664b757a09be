import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';
import type { SecurityEventKind } from './event-kinds.js';
import { queryOf, type EventFilter } from './event-query.js';

/** An entry of the audit log. */
export interface SecurityEvent {
  readonly id: number;
  /** Unix seconds. */
  readonly time: number;
  readonly kind: SecurityEventKind;
  /** The affected user. Null if there is none, or no such account. */
  readonly user: string | null;
  /** When that account was deleted, in Unix seconds; null while it exists. */
  readonly userDeleted: number | null;
  /** The affected group, app and so on, besides the user. */
  readonly subject: { readonly kind: string; readonly id: string } | null;
  /** User or app that caused it; null for the service itself and commands. */
  readonly actor: string | null;
  readonly actorDeleted: number | null;
  /** How they had logged in: `session`, `app password 7`, `command line`. */
  readonly credential: string | null;
  readonly address: string | null;
  readonly details: string | null;
}

export const EVERYTHING: EventFilter = {
  kind: '',
  user: '',
  actor: '',
  subject: '',
  address: '',
  text: '',
  from: '',
  to: '',
};

const EVENTS = '/apps/gatefold/api/v1/security/events';

const AT_ONCE = 50;

/** Address of the file with all matching events. */
export function exportAddress(filter: EventFilter): string {
  const given = Object.entries(queryOf(filter)).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given).toString();
  return addressOf(`/ocs/v2.php${EVENTS}/export${query === '' ? '' : `?${query}`}`);
}

/** Matching events, newest first, as far as loaded. */
export const useSecurityEvents = defineStore('admin-security', () => {
  const events = ref<readonly SecurityEvent[]>([]);
  const loaded = ref(false);
  const hasMore = ref(false);
  let filter = EVERYTHING;
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
    const found = await requestOcs<SecurityEvent[]>(EVENTS, {
      query: { ...queryOf(filter), limit: AT_ONCE, before: known.at(-1)?.id },
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
