import type { Grant } from '../../../common/ports/allowances.js';
import type { SqlRunner } from '../../../database/database.js';

export interface WantedUse {
  readonly owner: string;
  readonly kind: string;
  readonly wanted: number;
  readonly most: number;
  readonly now: Date;
  /** Of a period that begins now. */
  readonly endsAt: Date;
}

/** Uses what is left, at most what is wanted; atomic among concurrent statements. */
export async function useAllowance(
  runner: SqlRunner,
  { owner, kind, wanted, most, now, endsAt }: WantedUse,
): Promise<Grant[]> {
  return runner.query<Grant>(
    `insert into used_allowance as u (owner, kind, ends_at, used, granted)
     values ($1, $2, $6, least($3::int, $4::int), least($3::int, $4::int))
     on conflict (owner, kind) do update set
       ends_at = case when u.ends_at > $5 then u.ends_at else $6 end,
       used = case when u.ends_at > $5
         then greatest(u.used, least(u.used + $3::int, $4::int)) else least($3::int, $4::int) end,
       granted = case when u.ends_at > $5
         then greatest(0, least($3::int, $4::int - u.used)) else least($3::int, $4::int) end
     returning u.granted, ceil(extract(epoch from u.ends_at - $5))::int as "waitSeconds"`,
    [owner, kind, wanted, most, now, endsAt],
  );
}

/** Removes periods that have ended. Reads the whole table. */
export async function removeEndedAllowances(runner: SqlRunner, now: Date): Promise<void> {
  await runner.query('delete from used_allowance where ends_at <= $1', [now]);
}

export async function removeAllowancesOf(runner: SqlRunner, owner: string): Promise<void> {
  await runner.query('delete from used_allowance where owner = $1', [owner]);
}
