import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';

/** The preferences of a user in one area: fields that differ from their default. */
export class UserPreferenceEntity extends entityOf('user_preference', {
  userId: p.text().primary(),
  area: p.text().primary(),
  chosen: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw("'{}'::jsonb"),
  version: p.integer().default(0),
}) {}

type Chosen = UserPreferenceEntity['chosen'];

const ROW = selectList(UserPreferenceEntity, 'user_preference', ['chosen', 'version']);

/** Chosen preferences of users, by area. Deleted with the account. */
@Injectable()
export class PreferencesRepository {
  constructor(private readonly database: Database) {}

  async list(userId: string): Promise<Pick<UserPreferenceEntity, 'area' | 'chosen' | 'version'>[]> {
    return this.database.entities((em) =>
      em.find(UserPreferenceEntity, { userId }, { fields: ['area', 'chosen', 'version'] }),
    );
  }

  /**
   * Changes an area. Concurrent changes wait for one another, so that none is lost.
   *
   * @param change maps old values to new ones; may throw to change nothing
   */
  async change(
    userId: string,
    area: string,
    change: (chosen: Chosen) => Chosen,
  ): Promise<{ chosen: Chosen; version: number }> {
    return this.database.transaction(async (tx) => {
      // Locks the row, after adding it if missing.
      const [before] = await tx.query<RowOf<typeof ROW>>(
        `insert into user_preference (user_id, area) values ($1, $2)
         on conflict (user_id, area) do update set version = user_preference.version
         returning ${ROW}`,
        [userId, area],
      );
      const chosen = change(before?.chosen ?? {});
      const version = (before?.version ?? 0) + 1;
      await tx.em.nativeUpdate(UserPreferenceEntity, { userId, area }, { chosen, version });
      return { chosen, version };
    });
  }
}
