import { isKeptSecret, type FieldOption, type SettingsField } from './settings-forms.store.js';

/** An option, identified by its value as text. */
export interface Choice {
  readonly label: string;
  readonly value: string;
}

export function choicesOf({ options = [] }: SettingsField): readonly Choice[] {
  return options.map(toChoice);
}

function toChoice(option: FieldOption): Choice {
  return typeof option === 'object'
    ? { label: option.name, value: String(option.value) }
    : { label: String(option), value: String(option) };
}

/** Value of a text or number field; empty for secrets. */
export function textOf(field: SettingsField): string {
  const { value } = field;
  if (isKeptSecret(field) || value === null || value === undefined) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isChecked({ value }: SettingsField): boolean {
  return [true, 1, '1', 'true', 'yes', 'on'].includes(value as string);
}

/** Chosen values of a multiple-choice field, in any of its storage formats. */
export function chosenOf({ value }: SettingsField): readonly string[] {
  const stored = typeof value === 'string' ? fromJson(value) : value;
  if (Array.isArray(stored)) {
    return stored.map(String);
  }
  const marks = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  return marks.filter(([, chosen]) => chosen === true).map(([name]) => name);
}

/** The value to save for `chosen`. */
export function chosenValue(field: SettingsField, chosen: readonly string[]): unknown {
  if (field.type === 'multi-select') {
    return chosen;
  }
  return Object.fromEntries(choicesOf(field).map(({ value }) => [value, chosen.includes(value)]));
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
