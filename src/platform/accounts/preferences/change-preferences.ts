import { fieldsOf, type PreferenceArea, type PreferenceField } from './preference-fields.js';
import { InvalidPreference, TooManyPreferences } from './preferences.errors.js';

type Values = Readonly<Record<string, unknown>>;

/** Of one area of one user, as JSON. */
const MOST_BYTES = 131_072;

/**
 * Changes some fields. Null returns a field to its default; entries of a map are changed one by one,
 * and null removes one. Fields that this version does not know are left alone, since during an upgrade
 * a page may be newer than the service.
 *
 * @param chosen fields that differ from their default
 * @throws InvalidPreference, TooManyPreferences
 */
export function changePreferences(area: PreferenceArea, chosen: Values, changes: Values): Values {
  const changed = new Map(Object.entries(chosen));
  for (const [name, field] of fieldsOf(area)) {
    if (!Object.hasOwn(changes, name)) {
      continue;
    }
    const value = merged(field, changed.get(name), changes[name]);
    const parsed = field.schema.safeParse(value);
    if (value === null && field.initial !== null) {
      changed.delete(name);
    } else if (parsed.success) {
      changed.set(name, parsed.data);
    } else {
      throw new InvalidPreference(area, name, ruleOf(parsed.error.issues[0]?.message));
    }
  }
  const result = Object.fromEntries(changed);
  if (Buffer.byteLength(JSON.stringify(result)) > MOST_BYTES) {
    throw new TooManyPreferences(area, MOST_BYTES);
  }
  return result;
}

/** Every field of an area. Stored values that no longer fit are replaced by the default. */
export function completePreferences(area: PreferenceArea, chosen: Values): Values {
  const complete = [...fieldsOf(area)].map(([name, { schema, initial }]) => {
    const parsed = Object.hasOwn(chosen, name) ? schema.safeParse(chosen[name]) : undefined;
    return [name, parsed?.success === true ? parsed.data : initial];
  });
  return Object.fromEntries(complete) as Values;
}

function merged(field: PreferenceField, before: unknown, change: unknown): unknown {
  if (!field.isMap || !isObject(change)) {
    return change;
  }
  const entries = Object.entries({ ...(isObject(before) ? before : {}), ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Messages of our schemas continue the sentence; those of the library are sentences. */
function ruleOf(message = ''): string {
  return /^[a-z]/.test(message) ? message : `is not valid: ${message}`;
}
