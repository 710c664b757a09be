import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestJson } from '../../host/http.js';
import { useToasts } from '../../parts/toasts.store.js';

/** An external app; see docs/operations/external-apps.md "Administration". */
export interface ExternalApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly status: AppStatus;
  /** Unix seconds of the last successful check; 0: none yet. */
  readonly last_check_time: number;
  readonly base_url: string;
  readonly daemon: string | null;
  /** Unix seconds until which the secret before the last rotation is valid; 0: none. */
  readonly previous_secret_until: number;
}

/** The answer of an administrator that external apps are trusted. */
export interface TrustAnswer {
  readonly user_id: string | null;
}

export interface AppStatus {
  /** Percent. */
  readonly init: number;
  readonly action: '' | 'deploy' | 'healthcheck' | 'init';
  readonly type: '' | 'install' | 'update' | 'install failed' | 'update failed';
  readonly error: string;
  /** Number of heartbeats sent during the installation. */
  readonly heartbeat_count?: number;
  readonly heartbeat_error?: string;
}

export interface AppRecord {
  readonly app: ExternalApp;
  readonly routes: readonly AppRoute[];
  readonly closed_to_browsers: readonly string[];
  readonly init_timeout_minutes: number;
  readonly registrations: readonly Announced[];
  /** What of them has no effect; one English sentence each. */
  readonly registered_in_vain?: readonly string[];
}

export interface AppRoute {
  readonly url: string;
  readonly verb: string;
  readonly access_level: 0 | 1 | 2;
}

/** A registration of the app, such as a menu entry. */
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

/** Result of a heartbeat. */
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

/** Input of the forms. Empty: taken from the info, or unset. */
export interface Introduction {
  readonly appId: string;
  readonly baseUrl: string;
  readonly secret: string;
  readonly jsonInfo: string;
  readonly infoXml: string;
}

export const NOTHING_SAID: Introduction = {
  appId: '',
  baseUrl: '',
  secret: '',
  jsonInfo: '',
  infoXml: '',
};

export interface Registered {
  readonly app: ExternalApp;
  /** Not shown again. */
  readonly secret: string;
  readonly environment: readonly {
    readonly name: string;
    readonly description: string;
    readonly default: string;
  }[];
}

const ROOT = '/apps/app_api/apps';

const addressOf = (what: string, id: string) => `${ROOT}/${what}/${encodeURIComponent(id)}`;

export const useExternalApps = defineStore('admin-apps', () => {
  const toasts = useToasts();
  const apps = ref<readonly ExternalApp[]>([]);
  const loaded = ref(false);
  /** Null before the first answer. */
  const trust = ref<TrustAnswer | null>(null);
  /** Ids of apps that this page is enabling or disabling. */
  const changing = ref<ReadonlySet<string>>(new Set());

  async function load(): Promise<void> {
    const list = await requestJson<{ apps: ExternalApp[]; trust: TrustAnswer | null }>(
      `${ROOT}/list`,
    );
    apps.value = list.apps;
    trust.value = list.trust;
    loaded.value = true;
  }

  async function register(
    introduction: Introduction & { readonly trustsApps: boolean },
  ): Promise<Registered> {
    const registered = await post<Registered>(`${ROOT}/register`, introduction);
    // Ignores errors: only this answer contains the secret, and it must be shown.
    await load().catch(() => {});
    return registered;
  }

  /** Waits for the app to answer, up to half a minute. Shows its error if it was disabled. */
  async function setEnabled(id: string, enabled: boolean): Promise<void> {
    changing.value = new Set([...changing.value, id]);
    try {
      const what = enabled ? 'enable' : 'disable';
      const { complaint } = await post<{ complaint?: string | null }>(addressOf(what, id));
      if (complaint) {
        toasts.show(complaint, { kind: 'error' });
      }
    } finally {
      await load().catch(() => {});
      changing.value = new Set([...changing.value].filter((other) => other !== id));
    }
  }

  async function unregister(id: string, keepData: boolean, force: boolean): Promise<void> {
    await post(addressOf('uninstall', id), { keepData, force });
    apps.value = apps.value.filter((app) => app.id !== id);
  }

  return {
    apps,
    loaded,
    trust,
    changing,
    load,
    register,
    setEnabled,
    unregister,
  };
});

/** @returns false if the app already has that version */
export async function updateApp(id: string, introduction: Introduction): Promise<boolean> {
  const { baseUrl, jsonInfo, infoXml } = introduction;
  const json = { baseUrl, jsonInfo, infoXml };
  return (await post<{ updating: boolean }>(addressOf('update', id), json)).updating;
}

/**
 * @param graceSeconds how long the present secret stays valid
 * @returns the new secret, which is not shown again
 */
export async function rotateSecret(id: string, graceSeconds: number): Promise<string> {
  return (await post<{ secret: string }>(addressOf('rotate-secret', id), { graceSeconds })).secret;
}

export const recordOf = (id: string) => requestJson<AppRecord>(addressOf('info', id));
export const examineApp = (id: string) => post<Examination>(addressOf('check', id));

export async function logOf(id: string, limit: number): Promise<readonly LogLine[]> {
  const { lines } = await requestJson<{ lines: LogLine[] }>(addressOf('logs', id), {
    query: { limit },
  });
  return lines;
}

async function post<Answer>(path: string, json: unknown = {}): Promise<Answer> {
  return requestJson<Answer>(path, { method: 'POST', json });
}
