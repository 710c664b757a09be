import { Injectable } from '@nestjs/common';
import { invalid } from '../../../common/errors/domain-error.js';
import { isObject } from '../../../common/is-object.js';
import {
  AREA_NAMES,
  type PreferenceArea,
  fieldsOf,
  type PreferenceField,
} from './preference-fields.js';
import { PreferencesRepository } from './preferences.repository.js';

/** @param rule continues the sentence: `must be …` */
class InvalidPreference extends invalid(
  (area: string, name: string, rule: string) => `The preference "${name}" of "${area}" ${rule}.`,
) {}

class TooManyPreferences extends invalid(
  (area: string, mostBytes: number) =>
    `The preferences of "${area}" would take more than ${mostBytes} bytes.`,
) {}

type Values = Readonly<Record<string, unknown>>;

export interface AreaPreferences {
  /** Every field of the area; unset ones have their default. */
  readonly values: Values;
  /** Grows with every change; 0: never changed. */
  readonly version: number;
}

/** Limit per area and user, as JSON. */
const MOST_BYTES = 131_072;

/**
 * Changes some fields. Null returns a field to its default; entries of a map are changed one by one,
 * and null removes one. Fields that this version does not know are left alone, since during an upgrade
 * a page may be newer than the service.
 *
 * @param chosen fields that differ from their default
 * @throws InvalidPreference, TooManyPreferences
 */
function changePreferences(area: PreferenceArea, chosen: Values, changes: Values): Values {
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
function completePreferences(area: PreferenceArea, chosen: Values): Values {
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

/** Messages of our schemas continue the sentence; the library's are whole sentences. */
function ruleOf(message = ''): string {
  return /^[a-z]/.test(message) ? message : `is not valid: ${message}`;
}

/**
 * Preferences of users, shared by all their browsers.
 *
 * @see docs/decisions/0039-preferences.md
 */
@Injectable()
export class PreferencesService {
  constructor(private readonly preferences: PreferencesRepository) {}

  async all(userId: string): Promise<Readonly<Record<PreferenceArea, AreaPreferences>>> {
    const rows = new Map((await this.preferences.list(userId)).map((row) => [row.area, row]));
    const areas = AREA_NAMES.map((area) => {
      const { chosen = {}, version = 0 } = rows.get(area) ?? {};
      return [area, { values: completePreferences(area, chosen), version }];
    });
    return Object.fromEntries(areas) as Record<PreferenceArea, AreaPreferences>;
  }

  /**
   * Changes some fields of an area; the others are unchanged.
   *
   * @param changes by name; null: the default
   */
  async change(
    userId: string,
    area: PreferenceArea,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<AreaPreferences> {
    const { chosen, version } = await this.preferences.change(userId, area, (before) =>
      changePreferences(area, before, changes),
    );
    return { values: completePreferences(area, chosen), version };
  }
}
