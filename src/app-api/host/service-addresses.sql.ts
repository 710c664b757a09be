import type { SqlRunner } from '../../database/database.js';

/** A process that crashes leaves its address behind. */
const MOST_KEPT = 20;

/** Inserts or renews an address and deletes the oldest ones. */
export async function announceAddress(runner: SqlRunner, address: string): Promise<void> {
  await runner.query(
    `with pruned as (
       delete from service_address where address in (
         select address from service_address order by announced_at desc offset $2)
     )
     insert into service_address (address) values ($1)
     on conflict (address) do update set announced_at = now()`,
    [address, MOST_KEPT - 1],
  );
}
