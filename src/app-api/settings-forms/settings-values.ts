import { InvalidInput } from '../../common/errors/domain-error.js';
import { choicesOf, type SettingsField } from './settings-form.js';

/** Any scheme except script schemes: apps display the value as a link. */
const ABSOLUTE_ADDRESS = /^(?!javascript:|vbscript:|data:)[a-z][a-z0-9+.-]*:\S+$/i;

/**
 * Converts the value of a field to the text that is stored and read by the app: numbers as digits, a
 * checkbox as 1 or 0, lists and objects as JSON.
 *
 * @throws InvalidInput naming the accepted values
 */
export function toStoredValue(field: SettingsField, value: unknown): string {
  switch (field.type) {
    case 'number':
      return numberText(field, value);
    case 'checkbox':
      return truthOf(field, value) ? '1' : '0';
    case 'select':
    case 'radio':
      return choice(field, value);
    case 'multi-select':
      return JSON.stringify(choices(field, value));
    case 'multi-checkbox':
      return JSON.stringify(checked(field, value));
    case 'email':
      return matching(field, value, /^[^\s@]+@[^\s@]+$/, 'an email address');
    case 'tel':
      return matching(field, value, /^[+\d][\d\s().\-/#*,;]*$/, 'a telephone number');
    case 'url':
      return matching(field, value, ABSOLUTE_ADDRESS, 'an absolute address');
    default:
      return textOf(field, value);
  }
}

/** The default of a field, in the format of stored values. */
export function defaultOf(field: SettingsField): unknown {
  const given = field['default'];
  return typeof given === 'number' || (typeof given === 'object' && given !== null)
    ? JSON.stringify(given)
    : (given ?? null);
}

function textOf(field: SettingsField, value: unknown): string {
  const text = value === null ? '' : typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' ? text : refuse(field, 'a text');
}

/** The empty string clears a field of any type. */
function matching(field: SettingsField, value: unknown, form: RegExp, what: string): string {
  const text = textOf(field, value).trim();
  return text === '' || form.test(text) ? text : refuse(field, what);
}

function numberText(field: SettingsField, value: unknown): string {
  const text = textOf(field, value).trim();
  return text === '' || /^[+-]?\d+(\.\d+)?$/.test(text) ? text : refuse(field, 'a number');
}

function truthOf(field: SettingsField, value: unknown): boolean {
  if ([true, 1, '1', 'true', 'yes', 'on'].includes(value as string)) {
    return true;
  }
  return [false, 0, '0', 'false', 'no', 'off', '', null].includes(value as string)
    ? false
    : refuse(field, 'true or false');
}

function choice(field: SettingsField, value: unknown): string {
  const text = textOf(field, value);
  return text === '' || choicesOf(field).includes(text)
    ? text
    : refuse(field, `one of ${choicesOf(field).join(', ')}`);
}

function choices(field: SettingsField, value: unknown): string[] {
  const list = fromJson(value) ?? [];
  return Array.isArray(list)
    ? list.map((entry) => choice(field, entry))
    : refuse(field, `a list out of ${choicesOf(field).join(', ')}`);
}

function checked(field: SettingsField, value: unknown): Record<string, boolean> {
  const given = fromJson(value) ?? {};
  // PHP encodes an empty object as an empty list.
  const isObject = typeof given === 'object' && (!Array.isArray(given) || given.length === 0);
  const entries = isObject ? Object.entries(given) : [];
  const known = choicesOf(field);
  if (!isObject || entries.some(([name]) => !known.includes(name))) {
    return refuse(field, `an object of true and false for ${known.join(', ')}`);
  }
  return Object.fromEntries(entries.map(([name, state]) => [name, truthOf(field, state)]));
}

/** Pages send lists and objects as such or as JSON text. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  try {
    return value === '' ? null : (JSON.parse(value) as unknown);
  } catch {
    return value;
  }
}

function refuse(field: SettingsField, what: string): never {
  throw new InvalidInput(`The setting "${field.title || field.id}" must be ${what}.`);
}
