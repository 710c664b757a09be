import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { Statement } from '../../../database/statement.js';
import type {
  EventActor,
  NewSecurityEvent,
  SecurityEventFilter,
  SecurityEventKind,
} from './security-event.js';

/** A login, a failed login, or a change to an account; kept for 90 days, also longer than the account. */
export class SecurityEventEntity extends entityOf('security_event', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  happenedAt: p.datetime(),
  kind: p.text().$type<SecurityEventKind>(),
  /** The affected user. */
  userId: p.text().strictNullable(),
  /** Null while the account exists; a later account may have the same name. */
  userDeletedAt: p.datetime().strictNullable(),
  /** Kind of the subject, besides the user: `group`, `app`. */
  subjectKind: p.text().strictNullable(),
  subjectId: p.text().strictNullable(),
  /** Client address. */
  address: p.text().strictNullable(),
  details: p.text().strictNullable(),
  /** User or app that caused it. */
  actorId: p.text().strictNullable(),
  actorDeletedAt: p.datetime().strictNullable(),
  /** Kind of credential of the actor. */
  credential: p.text().strictNullable(),
}) {}

const COLUMNS = selectList(SecurityEventEntity, 'e', [
  'id',
  'kind',
  'userId',
  'subjectKind',
  'subjectId',
  'address',
  'details',
  'actorId',
  'credential',
]);

export type SecurityEvent = RowOf<typeof COLUMNS> & {
  /** Unix seconds. */
  readonly happenedSeconds: number;
  /** Unix seconds; null while the account exists. */
  readonly userDeletedSeconds: number | null;
  readonly actorDeletedSeconds: number | null;
};

const ROWS_PER_READ = 500;

const SELECT = `
  select ${COLUMNS}, floor(extract(epoch from e.happened_at))::bigint as "happenedSeconds",
         floor(extract(epoch from e.user_deleted_at))::bigint as "userDeletedSeconds",
         floor(extract(epoch from e.actor_deleted_at))::bigint as "actorDeletedSeconds"
    from security_event e`;

@Injectable()
export class SecurityEventsRepository {
  constructor(private readonly database: Database) {}

  async add(event: NewSecurityEvent & EventActor, happenedAt: Date): Promise<void> {
    const {
      kind,
      userId = null,
      subject,
      address,
      details = null,
      actorId = null,
      credential = null,
    } = event;
    const row = {
      kind,
      userId,
      subjectKind: subject?.kind ?? null,
      subjectId: subject?.id ?? null,
      address: address || null,
      details,
      actorId,
      credential,
      happenedAt,
    };
    await this.database.entities((em) => em.insert(SecurityEventEntity, row));
  }

  /**
   * Newest first.
   *
   * @param beforeId cursor: only older events; null starts at the newest
   */
  async list(
    filter: SecurityEventFilter,
    limit: number,
    beforeId: number | null,
  ): Promise<SecurityEvent[]> {
    const { sql, params } = eventsStatement(filter, limit, beforeId);
    return this.database.query<SecurityEvent>(sql, params);
  }

  /** The events present at the start, oldest first. */
  async *stream(filter: SecurityEventFilter): AsyncGenerator<SecurityEvent> {
    const [newest] = await this.database.query<{ id: number }>(
      'select coalesce(max(id), 0) as id from security_event',
    );
    const params: unknown[] = [newest?.id];
    const conditions = ['e.id <= $1', ...conditionsOf(filter, params)];
    const after = params.push(0);
    const sql = `${SELECT} ${whereAll([...conditions, `e.id > $${after}`])}
                  order by e.id limit ${ROWS_PER_READ}`;
    for (;;) {
      const rows = await this.database.query<SecurityEvent>(sql, params);
      yield* rows;
      if (rows.length < ROWS_PER_READ) {
        return;
      }
      params[after - 1] = rows.at(-1)?.id;
    }
  }

  /** Separates the user's events from a later account's of the same name. */
  async markDeleted(userId: string, time: Date): Promise<void> {
    await this.database.entities(async (em) => {
      const asUser = { userId, userDeletedAt: null };
      const asActor = { actorId: userId, actorDeletedAt: null };
      await em.nativeUpdate(SecurityEventEntity, asUser, { userDeletedAt: time });
      await em.nativeUpdate(SecurityEventEntity, asActor, { actorDeletedAt: time });
    });
  }

  /**
   * Removes the oldest failed logins beyond `mostKept`, which anonymous clients can cause; other
   * events remain.
   */
  async removeFailuresBeyond(mostKept: number): Promise<void> {
    await this.database.query(
      `delete from security_event
        where kind in ('login_failed', 'login_throttled', 'second_factor_failed')
          and id <= (select id from security_event
                      where kind in ('login_failed', 'login_throttled', 'second_factor_failed')
                      order by id desc offset $1 limit 1)`,
      [mostKept],
    );
  }

  async removeOlderThan(time: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(SecurityEventEntity, { happenedAt: { $lt: time } }),
    );
  }
}

/**
 * Has only the conditions of the filter, so that each uses its index: security_event_kind_index,
 * security_event_user_id_begins_index, security_event_actor_id_begins_index,
 * security_event_subject_id_begins_index or security_event_address_begins_index.
 */
export function eventsStatement(
  filter: SecurityEventFilter,
  limit: number,
  beforeId: number | null,
): Statement {
  const params: unknown[] = [];
  const conditions = conditionsOf(filter, params);
  if (beforeId !== null) {
    conditions.push(`e.id < $${params.push(beforeId)}`);
  }
  const sql = `${SELECT} ${whereAll(conditions)} order by e.id desc limit $${params.push(limit)}`;
  return { sql, params };
}

/** Conditions for the fields that are set. @param params receives the values */
function conditionsOf(filter: SecurityEventFilter, params: unknown[]): string[] {
  const { kinds, user, actor, subject, address, text, fromSeconds, toSeconds } = filter;
  const conditions: string[] = [];
  const add = (value: unknown, condition: (placeholder: string) => string) => {
    if (value !== null) {
      conditions.push(condition(`$${params.push(value)}`));
    }
  };
  // One kind by equality, so that the index gives the order, too.
  add(kinds?.length === 1 ? (kinds[0] ?? null) : null, (kind) => `e.kind = ${kind}`);
  add(kinds !== null && kinds.length > 1 ? kinds : null, (some) => `e.kind = any(${some})`);
  add(user, (begin) => `lower(e.user_id) ^@ lower(${begin})`);
  add(actor, (begin) => `lower(e.actor_id) ^@ lower(${begin})`);
  add(subject, (begin) => `lower(e.subject_id) ^@ lower(${begin})`);
  add(address, (begin) => `lower(e.address) ^@ lower(${begin})`);
  add(text, (part) => `position(lower(${part}) in lower(e.details)) > 0`);
  add(fromSeconds, (seconds) => `e.happened_at >= to_timestamp(${seconds})`);
  add(toSeconds, (seconds) => `e.happened_at < to_timestamp(${seconds})`);
  return conditions;
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
