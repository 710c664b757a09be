import type { SqlRunner } from '../../database/database.js';

/** Claims the task unless it was done within `everySeconds`; a time in the future does not count. */
export async function takeTurn(
  runner: SqlRunner,
  task: string,
  everySeconds: number,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into housekeeping (task, done_at) values ($1, now())
     on conflict (task) do update set done_at = now()
      where housekeeping.done_at <= now() - make_interval(secs => $2)
         or housekeeping.done_at > now() + interval '1 minute'
     returning 1`,
    [task, everySeconds],
  );
  return rows.length > 0;
}
