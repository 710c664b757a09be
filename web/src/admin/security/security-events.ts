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
] as const;
export type SecurityEventKind = (typeof EVENT_KINDS)[number];

export interface EventFilter {
  /** Empty means all. */
  readonly kind: SecurityEventKind | '';
  /** In the name of the user, the address or the details. */
  readonly text: string;
}

const SHOWN_AT_ONCE = 50;
const MOST_AT_ONCE = 500;

/** The events that a filter lets through, newest first, as far back as was looked. */
export const useSecurityEvents = defineStore('admin-security', () => {
  const events = ref<readonly SecurityEvent[]>([]);
  const loaded = ref(false);
  const hasMore = ref(false);
  let filter: EventFilter = { kind: '', text: '' };
  let oldestSeen: number | undefined;
  let latest = 0;

  /** Begins anew with the newest. */
  async function load(wanted: EventFilter = filter): Promise<void> {
    filter = wanted;
    latest += 1;
    await look(latest, undefined, []);
  }

  async function loadMore(): Promise<void> {
    await look(latest, oldestSeen, events.value);
  }

  /** The service does not filter, so what a filter leaves of a page may be nothing: then goes on. */
  async function look(
    asked: number,
    startBefore: number | undefined,
    known: readonly SecurityEvent[],
  ): Promise<void> {
    const atOnce = filter.kind === '' && filter.text === '' ? SHOWN_AT_ONCE : MOST_AT_ONCE;
    const found = [...known];
    let before = startBefore;
    for (;;) {
      const page = await requestOcs<SecurityEvent[]>('/apps/gatefold/api/v1/security/events', {
        query: { limit: atOnce, before },
      });
      if (asked !== latest) {
        return;
      }
      found.push(...page.filter((event) => passes(event, filter)));
      before = page.at(-1)?.id;
      const isEnd = page.length < atOnce;
      if (isEnd || found.length >= known.length + SHOWN_AT_ONCE) {
        events.value = found;
        oldestSeen = before;
        hasMore.value = !isEnd;
        loaded.value = true;
        return;
      }
    }
  }

  return { events, loaded, hasMore, load, loadMore };
});

function passes({ kind, user, address, details }: SecurityEvent, filter: EventFilter): boolean {
  return (
    (filter.kind === '' || kind === filter.kind) &&
    `${user ?? ''} ${address ?? ''} ${details ?? ''}`
      .toLowerCase()
      .includes(filter.text.toLowerCase())
  );
}
