import { Injectable } from '@nestjs/common';
import type { AreaPreferences, UserPreferences } from '../../../common/ports/user-preferences.js';
import { changePreferences, completePreferences } from './change-preferences.js';
import { AREA_NAMES, type PreferenceArea } from './preference-fields.js';
import { PreferencesRepository } from './preferences.repository.js';

/**
 * Preferences of people, the same in all their browsers.
 *
 * @see docs/decisions/0039-preferences.md
 */
@Injectable()
export class PreferencesService implements UserPreferences {
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
   * Changes some fields of an area; the others stay, whatever the caller knew of them.
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
