import { reactive, toRaw, watch } from 'vue';
import { RequestFailed, requestOcs } from './http.js';
import { page } from './page-context.js';

/*
 * Preferences of the visitor, kept by the service for all browsers. The document contains them, so that
 * nothing flickers and no request is needed. Components read and write the reactive object of an area;
 * changed fields are saved a moment later. Fields changed here win over changes of other tabs and devices
 * until they are saved.
 */

/** The preferences of an area as the service has them. */
interface AreaState {
  readonly values: Readonly<Record<string, unknown>>;
  /** Grows with every change; 0: never changed. */
  readonly version: number;
}

const ROOT = '/apps/gatefold/api/v1/preferences';
/** A change is saved at once, further ones within this time together. */
const GATHERED_MILLISECONDS = 500;
/** Browsers refuse larger bodies of requests that outlive the page. */
const MOST_KEEPALIVE_CHARACTERS = 15_000;
const RETRY_MILLISECONDS = [2_000, 10_000, 60_000];
/** The service is not asked again sooner when the page becomes visible. */
const FRESH_MILLISECONDS = 3_000;

const areas = new Map<string, PreferenceArea>();
const tabs = new BroadcastChannel(`gatefold-preferences-${page.userId}`);
let onNotSaved = (_error: unknown) => {};
let askedAt = performance.now();

/** Calls `tell` when preferences could not be saved; once until saving works again. */
export function tellOfUnsavedPreferences(tell: (error: unknown) => void): void {
  onNotSaved = tell;
}

/**
 * The preferences of an area, with a default for each field.
 *
 * @param defaults the same as in the service's `preference-fields.ts`
 */
export function preferenceArea<Fields extends object>(name: string, defaults: Fields): Fields {
  const area = new PreferenceArea(name, defaults, latestState(name));
  areas.set(name, area);
  area.resume();
  return area.values as Fields;
}

/** Saves everything that is not saved yet. */
export async function savePreferences(): Promise<void> {
  await Promise.all([...areas.values()].map((area) => area.save()));
}

/**
 * The state in the document, or the state that this tab saved while the document was loading: the service
 * may have written it before. Used once, so that a service restored from a backup takes effect.
 */
function latestState(name: string): AreaState | undefined {
  const inDocument = page.preferences[name];
  const saved = JSON.parse(sessionStorage.getItem(savedAs(name)) ?? 'null') as AreaState | null;
  sessionStorage.removeItem(savedAs(name));
  return saved !== null && saved.version > (inDocument?.version ?? 0) ? saved : inDocument;
}

function keepSaved(name: string, state: AreaState): void {
  try {
    sessionStorage.setItem(savedAs(name), JSON.stringify(state));
  } catch {
    // Without storage, the page requests the state when it next becomes visible.
  }
}

function savedAs(name: string): string {
  return `gatefold-saved-${page.userId}-${name}`;
}

class PreferenceArea {
  readonly values: Record<string, unknown>;
  /** Fields with an object as default, whose entries are changed one by one. */
  readonly #maps: ReadonlySet<string>;
  /** The service's values, as far as this page knows. */
  #saved: Record<string, unknown>;
  #version: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** The changes in the current request. */
  #sent: Readonly<Record<string, unknown>> = {};
  #failures = 0;
  #sentAt = -GATHERED_MILLISECONDS;

  constructor(
    private readonly name: string,
    defaults: object,
    state: AreaState | undefined,
  ) {
    const fields = Object.entries(defaults);
    this.#maps = new Set(fields.flatMap(([field, value]) => (isObject(value) ? [field] : [])));
    this.#version = state?.version ?? 0;
    this.#saved = copyOf({ ...defaults, ...state?.values });
    this.values = reactive(copyOf(this.#saved));
    watch(this.values, () => this.#saveSoon(this.#pause()));
  }

  /** Shows a newer state, except in fields that are being changed here. */
  take(state: AreaState): void {
    if (state.version < this.#version) {
      return;
    }
    const changes = this.#changes();
    this.#version = state.version;
    for (const [field, value] of Object.entries(copyOf(state.values))) {
      this.#saved[field] = value;
      if (Object.hasOwn(this.#sent, field)) {
        // The answer is pending; the field may have been changed back meanwhile.
        continue;
      }
      if (!Object.hasOwn(changes, field)) {
        this.#show(field, value);
      } else if (this.#maps.has(field)) {
        this.#show(field, withEntries(value as object, changes[field] as object));
      }
    }
  }

  async save(leaving = false): Promise<void> {
    clearTimeout(this.#timer);
    if (leaving) {
      await this.#send(true);
      return;
    }
    // Serialised, so that an older value cannot overtake a newer one.
    await this.#saving;
    this.#saving ??= this.#send(false).finally(() => (this.#saving = undefined));
    await this.#saving;
  }

  /** Milliseconds until the next save. */
  #pause(): number {
    return performance.now() - this.#sentAt < GATHERED_MILLISECONDS ? GATHERED_MILLISECONDS : 0;
  }

  #saveSoon(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), milliseconds);
  }

  async #send(leaving: boolean): Promise<void> {
    const values = this.#changes();
    if (Object.keys(values).length === 0) {
      return;
    }
    this.#sentAt = performance.now();
    this.#sent = values;
    if (leaving) {
      // Browsers may drop the request.
      this.#remember(values);
    }
    try {
      const state = await requestOcs<AreaState>(`${ROOT}/${this.name}`, {
        method: 'PATCH',
        json: { values },
        keepalive: JSON.stringify(values).length < MOST_KEEPALIVE_CHARACTERS,
      });
      this.#failures = 0;
      localStorage.removeItem(this.rememberedAs);
      this.#confirm(values, state);
      keepSaved(this.name, state);
      tabs.postMessage({ area: this.name, state });
    } catch (error) {
      this.#fail(values, error);
    }
  }

  /** Storage key of unsaved changes. */
  get rememberedAs(): string {
    return `gatefold-unsaved-${page.userId}-${this.name}`;
  }

  #remember(values: object): void {
    try {
      const unsaved: AreaState = { version: this.#version, values: { ...values } };
      localStorage.setItem(this.rememberedAs, JSON.stringify(unsaved));
    } catch {
      // Without storage, the request has to arrive.
    }
  }

  /** Restores unsaved changes of the previous page, unless anything was saved since. */
  resume(): void {
    const unsaved = localStorage.getItem(this.rememberedAs);
    localStorage.removeItem(this.rememberedAs);
    const { version, values } = JSON.parse(unsaved ?? '{"values":{}}') as AreaState;
    for (const [field, value] of version === this.#version ? Object.entries(values) : []) {
      const now = toRaw(this.values)[field];
      this.values[field] = this.#maps.has(field)
        ? withEntries(now as object, value as object)
        : value;
    }
  }

  #confirm(sent: Readonly<Record<string, unknown>>, state: AreaState): void {
    // Includes fields unknown to the service, which would be sent forever. Later changes, even back to the
    // former value, differ from the sent value, and are sent next.
    for (const [field, value] of Object.entries(sent)) {
      this.#saved[field] = this.#maps.has(field)
        ? withEntries(this.#saved[field] as object, value as object)
        : value;
    }
    this.#sent = {};
    this.take(state);
  }

  #fail(sent: Readonly<Record<string, unknown>>, error: unknown): void {
    this.#sent = {};
    const status = error instanceof RequestFailed ? error.status : 0;
    const isRefused = status >= 400 && status < 500 && status !== 429 && status !== 412;
    if (this.#failures === 0) {
      onNotSaved(error);
    }
    this.#failures += 1;
    if (isRefused) {
      // The value stays on this page until it is changed; sending it again would not help.
      for (const field of Object.keys(sent)) {
        this.#saved[field] = copyOf(toRaw(this.values)[field]);
      }
      this.#failures = 0;
      return;
    }
    this.#saveSoon(RETRY_MILLISECONDS[this.#failures - 1] ?? 60_000);
  }

  #show(field: string, value: unknown): void {
    if (!sameJson(toRaw(this.values)[field], value)) {
      this.values[field] = copyOf(value);
    }
  }

  /** Fields that differ from the saved ones; of a map the changed entries, null for removed ones. */
  #changes(): Record<string, unknown> {
    const changes: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(toRaw(this.values))) {
      const before = this.#saved[field];
      if (sameJson(value, before)) {
        continue;
      }
      const isMap = this.#maps.has(field) && isObject(value) && isObject(before);
      changes[field] = isMap ? entryChanges(before, value) : value;
    }
    return copyOf(changes);
  }
}

function entryChanges(before: object, now: object): Record<string, unknown> {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(now).filter(([key, value]) => !sameJson(old.get(key), value));
  const removed = [...old.keys()].filter((key) => !Object.hasOwn(now, key));
  return Object.fromEntries([...changed, ...removed.map((key) => [key, null])]);
}

function withEntries(map: object, changes: object): object {
  const entries = Object.entries({ ...map, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function copyOf<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

function takeAll(states: Readonly<Record<string, AreaState>>): void {
  for (const [name, state] of Object.entries(states)) {
    areas.get(name)?.take(state);
  }
}

/** Loads changes of other devices. Failures are ignored: it is repeated soon. */
async function askAgain(): Promise<void> {
  if (document.hidden || performance.now() - askedAt < FRESH_MILLISECONDS) {
    return;
  }
  askedAt = performance.now();
  await requestOcs<Readonly<Record<string, AreaState>>>(ROOT).then(takeAll, () => {});
}

// The previous page may have stored its changes after this one read them.
window.addEventListener('storage', ({ key, newValue }) => {
  for (const area of areas.values()) {
    if (area.rememberedAs === key && newValue !== null) {
      area.resume();
    }
  }
});
tabs.addEventListener('message', (event: MessageEvent<{ area: string; state: AreaState }>) => {
  takeAll({ [event.data.area]: event.data.state });
});
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    for (const area of areas.values()) {
      void area.save(true);
    }
  } else {
    void askAgain();
  }
});
for (const moment of ['focus', 'online', 'pageshow']) {
  window.addEventListener(moment, () => void askAgain());
}
