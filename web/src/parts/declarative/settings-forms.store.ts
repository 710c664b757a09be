import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { page } from '../../host/page-context.js';

export type SettingsArea = 'personal' | 'admin';

export const FIELD_TYPES = [
  'text',
  'password',
  'email',
  'tel',
  'url',
  'number',
  'checkbox',
  'multi-checkbox',
  'radio',
  'select',
  'multi-select',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type FieldOption =
  | string
  | number
  | { readonly name: string; readonly value: string | number };

export interface SettingsField {
  readonly id: string;
  readonly title: string;
  readonly type: FieldType;
  readonly description?: string | null;
  readonly placeholder?: string | null;
  /** Label beside a single checkbox. */
  readonly label?: string | null;
  readonly options?: readonly FieldOption[];
  readonly sensitive?: boolean;
  /** The stored value: text, or JSON for lists and objects. */
  readonly value: unknown;
}

/** A settings form of an external app; see docs/app-api-reference.md "Settings forms". */
export interface SettingsForm {
  readonly id: string;
  readonly app: string;
  readonly section_type: SettingsArea;
  readonly section_id: string;
  readonly title: string;
  readonly description?: string | null;
  readonly doc_url?: string | null;
  readonly fields: readonly SettingsField[];
}

export interface SettingsSection {
  readonly id: string;
  readonly name: string;
  readonly priority: number;
}

const ROOT = '/settings/api/declarative';

/** Placeholder sent by the service instead of a saved secret. */
const KEPT_SECRET = 'dummySecret';

export const useSettingsForms = defineStore('settings-forms', () => {
  const forms = ref<readonly SettingsForm[]>([]);
  const sections = ref<readonly SettingsSection[]>([]);
  const loaded = ref(false);

  async function load(): Promise<void> {
    if (!page.parts.has('apps')) {
      loaded.value = true;
      return;
    }
    [forms.value, sections.value] = await Promise.all([
      requestOcs<SettingsForm[]>(`${ROOT}/forms`),
      requestOcs<SettingsSection[]>(`${ROOT}/sections`),
    ]);
    loaded.value = true;
  }

  /** Forms of an area, optionally of one section, by descending priority. */
  function formsOf(area: SettingsArea, sectionId?: string): readonly SettingsForm[] {
    return forms.value.filter(
      (form) =>
        form.section_type === area && (sectionId === undefined || form.section_id === sectionId),
    );
  }

  const byPriority = computed(() =>
    sections.value.toSorted((one, other) => one.priority - other.priority),
  );

  /** Sections of an area that have forms. */
  function sectionsOf(area: SettingsArea): readonly SettingsSection[] {
    return byPriority.value.filter(({ id }) => formsOf(area, id).length > 0);
  }

  /** @throws RequestFailed with the reason why the value was refused */
  async function save(form: SettingsForm, field: SettingsField, value: unknown): Promise<void> {
    await requestOcs(`${ROOT}/${isSecret(field) ? 'value-sensitive' : 'value'}`, {
      method: 'POST',
      json: { app: form.app, formId: form.id, fieldId: field.id, value },
    });
    const shown = isSecret(field) && value !== '' ? KEPT_SECRET : storedForm(value);
    forms.value = forms.value.map((other) =>
      other.app === form.app && other.id === form.id ? withValue(other, field.id, shown) : other,
    );
  }

  return { loaded, load, formsOf, sectionsOf, save };
});

function withValue(form: SettingsForm, fieldId: string, value: unknown): SettingsForm {
  const fields = form.fields.map((field) => (field.id === fieldId ? { ...field, value } : field));
  return { ...form, fields };
}

function storedForm(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return value ? '1' : '0';
  }
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

export function isSecret({ type, sensitive }: SettingsField): boolean {
  return type === 'password' || sensitive === true;
}

/** Whether a secret is saved. */
export function isKeptSecret(field: SettingsField): boolean {
  return isSecret(field) && field.value === KEPT_SECRET;
}
