import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { AppTrustAnswerEntity } from './app-trust-answer.entity.js';

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
