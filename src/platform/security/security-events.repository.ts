import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { NewSecurityEvent, SecurityEvent } from './security-events.service.js';

@Injectable()
export class SecurityEventsRepository {
  constructor(private readonly database: Database) {}

  async add({ kind, userId, address, details }: NewSecurityEvent, at: Date): Promise<void> {
    await this.database.query(
      `insert into security_event (happened_at, kind, user_id, address, details)
       values ($1, $2, $3, $4, $5)`,
      [at, kind, userId ?? null, address || null, details ?? null],
    );
  }

  /**
   * Newest first.
   *
   * @param beforeId only older ones than this; null starts at the newest
   */
  async list(limit: number, beforeId: number | null): Promise<SecurityEvent[]> {
    return this.database.query<SecurityEvent>(
      `select id, floor(extract(epoch from happened_at))::bigint as "happenedSeconds", kind,
         user_id as "userId", address, details
       from security_event where $2::bigint is null or id < $2 order by id desc limit $1`,
      [limit, beforeId],
    );
  }

  async removeAllOfUser(userId: string): Promise<void> {
    await this.database.query('delete from security_event where user_id = $1', [userId]);
  }

  async removeOlderThan(time: Date): Promise<void> {
    await this.database.query('delete from security_event where happened_at < $1', [time]);
  }
}
