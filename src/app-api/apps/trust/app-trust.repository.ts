import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';

/** The answer of an administrator, once for the installation, that external apps are trusted. */
export class AppTrustAnswerEntity extends entityOf('app_trust_answer', {
  id: p.integer().primary().default(1),
  /** Null for the command line, and after the account was deleted. */
  userId: p.text().strictNullable(),
  answeredAt: p.datetime().defaultRaw('now()'),
}) {}

export interface TrustAnswer {
  /** The administrator; null for the command line and a deleted account. */
  readonly userId: string | null;
  readonly answeredAt: Date;
}

/** The answer about trust in external apps. */
@Injectable()
export class AppTrustRepository {
  constructor(private readonly database: Database) {}

  async find(): Promise<TrustAnswer | null> {
    return this.database.entities((em) => em.findOne(AppTrustAnswerEntity, { id: 1 }));
  }

  /** @returns false if there is an answer already */
  async add(userId: string | null): Promise<boolean> {
    const rows = await this.database.query(
      'insert into app_trust_answer (user_id) values ($1) on conflict (id) do nothing returning 1',
      [userId],
    );
    return rows.length > 0;
  }
}
