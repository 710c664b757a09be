import { MikroORM } from '@mikro-orm/postgresql';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { Database, type Transaction } from '../../src/database/database.js';
import { ScheduleRepository } from '../../src/news/sources/schedule/schedule.repository.js';

/*
 * One of several processes that claim due sources as the schedule does, but fetch nothing:
 * `growth-claimer.ts DATABASE_URL SECONDS`. At the end it writes its claims, with the time of each slot,
 * into the table `bench_claim`.
 */

const CLAIM = { sources: 160, perHost: 16, gapMs: 1000, horizonMs: 10_000 };
const DAY_SECONDS = 86_400;
const ROWS_PER_INSERT = 50_000;

/** Notes the time of each transaction, from which the slots of a claim are counted. */
class NotingDatabase extends Database {
  nowMs = 0;

  override async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return super.transaction(async (tx) => {
      const result = await work(tx);
      const [row] = await tx.query<{ ms: string }>('select extract(epoch from now()) * 1000 as ms');
      this.nowMs = Number(row?.ms);
      return result;
    });
  }
}

const [, , url = '', seconds = '10'] = process.argv;
const orm = await MikroORM.init(ormConfig({ url }, [], 4));
const database = new NotingDatabase(orm);
const schedule = new ScheduleRepository(database);
const claimed: { sourceId: number; hostKey: string; slotMs: number }[] = [];

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const began = Date.now();
let endedMs = began;
while (endedMs - began < Number(seconds) * 1000) {
  const { leases, left } = await schedule.claimDue({ ...CLAIM, held: [] });
  for (const { sourceId, hostKey, waitMs } of leases) {
    claimed.push({ sourceId, hostKey, slotMs: database.nowMs + waitMs });
  }
  await schedule.release(leases, DAY_SECONDS);
  endedMs = Date.now();
  if (left === 'none') {
    break;
  }
}
for (let from = 0; from < claimed.length; from += ROWS_PER_INSERT) {
  const some = claimed.slice(from, from + ROWS_PER_INSERT);
  await database.query(
    'insert into bench_claim select * from unnest($1::bigint[], $2::text[], $3::float8[])',
    [
      some.map(({ sourceId }) => sourceId),
      some.map(({ hostKey }) => hostKey),
      some.map(({ slotMs }) => slotMs),
    ],
  );
}
process.send?.({ claims: claimed.length, seconds: (endedMs - began) / 1000 });
await orm.close(true);
process.disconnect();
