import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { SecurityEventEntity } from './security-event.entity.js';
import type { SecurityEventFilter } from './security-event.js';

const COLUMNS = selectList(SecurityEventEntity, 'e', [
  'id',
  'kind',
  'userId',
  'address',
  'details',
  'actorId',
  'credential',
]);

export type SecurityEvent = RowOf<typeof COLUMNS> & {
  /** Unix seconds. */
  readonly happenedSeconds: number;
};

/** A statement and its parameters. */
interface EventsStatement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** Newest first. */
export async function listEvents(
  runner: SqlRunner,
  filter: SecurityEventFilter,
  limit: number,
  beforeId: number | null,
): Promise<SecurityEvent[]> {
  const { sql, params } = eventsStatement(filter, limit, beforeId);
  return runner.query<SecurityEvent>(sql, params);
}

/**
 * Removes the oldest failed logins beyond `mostKept`, which anonymous clients can cause; other
 * events remain.
 */
export async function removeFailuresBeyond(runner: SqlRunner, mostKept: number): Promise<void> {
  await runner.query(
    `delete from security_event
      where kind in ('login_failed', 'login_throttled')
        and id <= (select id from security_event
                    where kind in ('login_failed', 'login_throttled')
                    order by id desc offset $1 limit 1)`,
    [mostKept],
  );
}

/**
 * Has only the conditions of the filter, so that each uses its index: security_event_kind_index,
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
      select ${COLUMNS}, floor(extract(epoch from e.happened_at))::bigint as "happenedSeconds"
        from security_event e ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       order by id desc limit ${bind(limit)}`,
    params,
  };
}
