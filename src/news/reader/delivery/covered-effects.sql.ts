import type { SqlRunner } from '../../../database/database.js';
import type { LockedReader } from './reader-locks.repository.js';

/**
 * A CTE that notes, of read items, that their user has marked a list read that has them: what rules marked read
 * is then read for the user as well, and stays so when they are undone. Costs one look-up for readers without
 * rules.
 *
 * @param conditions on `item`; the reader is `$1`
 */
export const coverEffects = (conditions: string) => `covered as (
      update rule_effect set covered = true
        from item
       where rule_effect.reader_id = $1 and rule_effect.effect in ('read', 'hide')
         and not rule_effect.covered
         and item.reader_id = $1 and item.id = rule_effect.item_id and not item.unread
         and ${conditions}
    )`;

/**
 * A CTE that notes, of items that their user marked as they are already, that this is the user's wish: a client may
 * not know yet what a rule did to them, and its undoing leaves them alone. Costs a look-up for each of these items.
 *
 * @param unchanged SQL of their ids; the reader is `$1`
 */
export const keepEffects = (unchanged: string) => `kept as (
      update rule_effect set stamp_micros = 0, covered = true
        from (${unchanged}) same (item_id)
       where rule_effect.reader_id = $1 and rule_effect.item_id = same.item_id
    )`;

/**
 * Called before items are stamped though their user has not changed them: what rules and stories did to them can
 * still be undone.
 *
 * @param conditions on `item`, with `params` as `$3` and so on
 */
export async function carryEffects(
  { id, stampMicros }: LockedReader,
  conditions: string,
  params: readonly unknown[],
  tx: SqlRunner,
): Promise<void> {
  await tx.query(
    `insert into item_mark (reader_id, item_id, untouched_micros)
     select $1, item.id, $2
       from item left join item_mark mark on mark.reader_id = $1 and mark.item_id = item.id
      where item.reader_id = $1 and ${conditions}
        and item.last_modified_micros in (item.arrived_micros, mark.untouched_micros)
        and item.id in (select done.item_id from rule_effect done
                         where done.reader_id = $1 group by done.item_id having not bool_or(done.covered))
     on conflict (reader_id, item_id) do update set untouched_micros = excluded.untouched_micros`,
    [id, stampMicros, ...params],
  );
  await tx.query(
    `update rule_effect set stamp_micros = $2 from item
      where rule_effect.reader_id = $1 and item.reader_id = $1 and item.id = rule_effect.item_id
        and item.last_modified_micros = rule_effect.stamp_micros and ${conditions}`,
    [id, stampMicros, ...params],
  );
}
