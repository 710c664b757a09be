import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestJson } from '../../host/http.js';

/** An external app as administrators see it; see docs/app-api.md "Administration". */
export interface ExternalApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly status: AppStatus;
  /** Unix seconds of the last check that succeeded; 0 before the first. */
  readonly last_check_time: number;
  readonly base_url: string;
  readonly daemon: string | null;
}

export interface AppStatus {
  /** Per cent. */
  readonly init: number;
  readonly action: '' | 'deploy' | 'healthcheck' | 'init';
  readonly type: '' | 'install' | 'update' | 'install failed' | 'update failed';
  readonly error: string;
  /** How often the app was asked for a sign of life while it is set up. */
  readonly heartbeat_count?: number;
  readonly heartbeat_error?: string;
}

export interface AppRecord {
  readonly app: ExternalApp;
  readonly routes: readonly AppRoute[];
  readonly closed_to_browsers: readonly string[];
  readonly init_timeout_minutes: number;
  readonly registrations: readonly Announced[];
}

export interface AppRoute {
  readonly url: string;
  readonly verb: string;
  readonly access_level: 0 | 1 | 2;
}

/** One thing that the app has announced. */
export interface Announced {
  readonly kind: string;
  readonly name: string;
  readonly display_name: string;
}

export interface LogLine {
  readonly time: string;
  /** 0 debug … 4 fatal. */
  readonly level: 0 | 1 | 2 | 3 | 4;
  readonly source: 'app' | 'host';
  readonly message: string;
}

/** What came of asking an app for a sign of life. */
export interface Examination {
  readonly app: ExternalApp;
  readonly heartbeat: {
    readonly alive: boolean;
    readonly address: string;
    readonly status: number | null;
    readonly body: string;
    readonly error: string;
  };
  readonly calls_back_at: { readonly address: string; readonly answers: boolean };
}

/** As the forms have it; empty means that the info says it, or nobody does. */
export interface Introduction {
  readonly appId: string;
  readonly baseUrl: string;
  readonly secret: string;
  readonly jsonInfo: string;
  readonly infoXml: string;
}

export interface Registered {
  readonly app: ExternalApp;
  /** Shown this once. */
  readonly secret: string;
  readonly environment: readonly {
    readonly name: string;
    readonly description: string;
    readonly default: string;
  }[];
}

export type AppCondition = 'busy' | 'failed' | 'unreachable' | 'enabled' | 'disabled';

/** What an operator should see first of an app. */
export function conditionOf({ enabled, status }: ExternalApp): AppCondition {
  if (status.error !== '') {
    return 'failed';
  }
  if (status.type !== '' || status.action !== '') {
    return 'busy';
  }
  if (!enabled) {
    return 'disabled';
  }
  return (status.heartbeat_error ?? '') === '' ? 'enabled' : 'unreachable';
}

const ROOT = '/apps/app_api/apps';

const addressOf = (what: string, id: string) => `${ROOT}/${what}/${encodeURIComponent(id)}`;

export const useExternalApps = defineStore('admin-apps', () => {
  const apps = ref<readonly ExternalApp[]>([]);
  const loaded = ref(false);
  /** Apps that are being enabled or disabled from this page. */
  const changing = ref<ReadonlySet<string>>(new Set());

  async function load(): Promise<void> {
    apps.value = (await requestJson<{ apps: ExternalApp[] }>(`${ROOT}/list`)).apps;
    loaded.value = true;
  }

  async function register(introduction: Introduction): Promise<Registered> {
    const registered = await post<Registered>(`${ROOT}/register`, introduction);
    // The secret is in this answer alone, so nothing may come between it and the page.
    await load().catch(() => {});
    return registered;
  }

  /**
   * Waits for the app, which may take half a minute to answer, or not to.
   *
   * @returns what an app that was disabled complained about
   */
  async function setEnabled(id: string, enabled: boolean): Promise<string | null> {
    changing.value = new Set([...changing.value, id]);
    try {
      const what = enabled ? 'enable' : 'disable';
      return (await post<{ complaint?: string | null }>(addressOf(what, id))).complaint ?? null;
    } finally {
      await load().catch(() => {});
      changing.value = new Set([...changing.value].filter((other) => other !== id));
    }
  }

  /** @returns false when the app has that version already */
  async function update(id: string, introduction: Introduction): Promise<boolean> {
    const { baseUrl, jsonInfo, infoXml } = introduction;
    const json = { baseUrl, jsonInfo, infoXml };
    return (await post<{ updating: boolean }>(addressOf('update', id), json)).updating;
  }

  async function unregister(id: string, keepData: boolean, force: boolean): Promise<void> {
    await post(addressOf('uninstall', id), { keepData, force });
    apps.value = apps.value.filter((app) => app.id !== id);
  }

  const record = (id: string) => requestJson<AppRecord>(addressOf('info', id));
  const examine = (id: string) => post<Examination>(addressOf('check', id));

  async function logOf(id: string, limit: number): Promise<readonly LogLine[]> {
    const { lines } = await requestJson<{ lines: LogLine[] }>(addressOf('logs', id), {
      query: { limit },
    });
    return lines;
  }

  return {
    apps,
    loaded,
    changing,
    load,
    register,
    setEnabled,
    update,
    unregister,
    record,
    examine,
    logOf,
  };
});

async function post<Answer>(path: string, json: unknown = {}): Promise<Answer> {
  return requestJson<Answer>(path, { method: 'POST', json });
}
