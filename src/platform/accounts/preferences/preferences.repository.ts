import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { lockPreferences } from './preferences.sql.js';
import { UserPreferenceEntity } from './user-preference.entity.js';

type Chosen = UserPreferenceEntity['chosen'];

/** What users have chosen, by area. Deleted with the account. */
@Injectable()
export class PreferencesRepository {
  constructor(private readonly database: Database) {}

  async list(userId: string): Promise<Pick<UserPreferenceEntity, 'area' | 'chosen' | 'version'>[]> {
    return this.database.entities((em) =>
      em.find(
        UserPreferenceEntity,
        { userId },
        { fields: ['area', 'chosen', 'version'], disableIdentityMap: true },
      ),
    );
  }

  /**
   * Changes an area. Concurrent changes wait for one another, so that none is lost.
   *
   * @param change makes the new values of those before; may throw to change nothing
   */
  async change(
    userId: string,
    area: string,
    change: (chosen: Chosen) => Chosen,
  ): Promise<{ chosen: Chosen; version: number }> {
    return this.database.transaction(async (tx) => {
      const before = await lockPreferences(tx, userId, area);
      const chosen = change(before?.chosen ?? {});
      const version = (before?.version ?? 0) + 1;
      await tx.em.nativeUpdate(UserPreferenceEntity, { userId, area }, { chosen, version });
      return { chosen, version };
    });
  }
}
