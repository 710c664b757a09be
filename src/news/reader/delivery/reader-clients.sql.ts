import type { SqlRunner } from '../../../database/database.js';

/** The clients remembered per user; the least recently seen are forgotten. */
const MOST_CLIENTS = 20;

/** Writes only when the client knows more than before or was last seen over six hours ago. */
export async function noteSynchronised(
  runner: SqlRunner,
  readerId: number,
  client: string,
  untilMicros: number,
): Promise<void> {
  await runner.query(
    `insert into reader_client (reader_id, client, synchronised_micros)
     select id, $2, $3::bigint from reader where id = $1
     on conflict (reader_id, client) do update
        set synchronised_micros = greatest(reader_client.synchronised_micros,
                                           excluded.synchronised_micros),
            seen_at = excluded.seen_at
      where reader_client.synchronised_micros < excluded.synchronised_micros
         or excluded.seen_at - reader_client.seen_at > interval '6 hours'`,
    [readerId, client, untilMicros],
  );
}

/** Forgets the least recently seen clients beyond a number, but not this one. */
export async function forgetLeastSeen(
  runner: SqlRunner,
  readerId: number,
  client: string,
): Promise<void> {
  await runner.query(
    `delete from reader_client
      where reader_id = $1
        and client in (select client from reader_client where reader_id = $1 and client <> $2
                        order by seen_at desc offset ${MOST_CLIENTS - 1})`,
    [readerId, client],
  );
}

/** Of the clients seen within `days`: how many, and the lowest stamp that any of them has reached. */
export async function countClients(
  runner: SqlRunner,
  readerId: number,
  days: number,
): Promise<{ readonly clients: number; readonly knownMicros: number | null }> {
  const [row] = await runner.query<{ clients: number; knownMicros: number | null }>(
    `select count(*)::int as clients, min(synchronised_micros) as "knownMicros" from reader_client
      where reader_id = $1 and seen_at > now() - make_interval(days => $2)`,
    [readerId, days],
  );
  return row ?? { clients: 0, knownMicros: null };
}

export async function forgetUnseenClients(runner: SqlRunner, days: number): Promise<void> {
  await runner.query(
    'delete from reader_client where seen_at < now() - make_interval(days => $1)',
    [days],
  );
}
