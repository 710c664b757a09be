import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type {
  EventActor,
  NewSecurityEvent,
  SecurityEvent,
  SecurityEventFilter,
} from './security-events.service.js';

/** A statement and what is bound to it. */
export interface EventsStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

@Injectable()
export class SecurityEventsRepository {
  constructor(private readonly database: Database) {}

  async add(event: NewSecurityEvent & EventActor, at: Date): Promise<void> {
    const { kind, userId, address, details, actorId, credential } = event;
    await this.database.query(
      `insert into security_event
              (happened_at, kind, user_id, address, details, actor_id, credential)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        at,
        kind,
        userId ?? null,
        address || null,
        details ?? null,
        actorId ?? null,
        credential ?? null,
      ],
    );
  }

  /**
   * Newest first.
   *
   * @param beforeId only older ones than this; null starts at the newest
   */
  async list(
    filter: SecurityEventFilter,
    limit: number,
    beforeId: number | null,
  ): Promise<SecurityEvent[]> {
    const { sql, params } = eventsStatement(filter, limit, beforeId);
    return this.database.query<SecurityEvent>(sql, params);
  }

  async removeAllOfUser(userId: string): Promise<void> {
    await this.database.query('delete from security_event where user_id = $1', [userId]);
    await this.database.query('update security_event set actor_id = null where actor_id = $1', [
      userId,
    ]);
  }

  /** The oldest of those that strangers bring about; what happened to accounts stays. */
  async removeFailuresBeyond(mostKept: number): Promise<void> {
    await this.database.query(
      `delete from security_event
        where kind in ('login_failed', 'login_throttled')
          and id <= (select id from security_event
                      where kind in ('login_failed', 'login_throttled')
                      order by id desc offset $1 limit 1)`,
      [mostKept],
    );
  }

  async removeOlderThan(time: Date): Promise<void> {
    await this.database.query('delete from security_event where happened_at < $1', [time]);
  }
}

/**
 * Says only what is asked for, so that each filter rides on its index: security_event_kind_index,
 * security_event_user_id_begins_index or security_event_address_begins_index.
 */
export function eventsStatement(
  { kind, user, address }: SecurityEventFilter,
  limit: number,
  beforeId: number | null,
): EventsStatement {
  const params: unknown[] = [];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const conditions = [
    ...(beforeId === null ? [] : [`id < ${bind(beforeId)}`]),
    ...(kind === null ? [] : [`kind = ${bind(kind)}`]),
    ...(user === null ? [] : [`lower(user_id) ^@ lower(${bind(user)})`]),
    ...(address === null ? [] : [`lower(address) ^@ lower(${bind(address)})`]),
  ];
  return {
    sql: `
      select id, floor(extract(epoch from happened_at))::bigint as "happenedSeconds", kind,
             user_id as "userId", address, details, actor_id as "actorId", credential
        from security_event ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by id desc limit ${bind(limit)}`,
    params,
  };
}
