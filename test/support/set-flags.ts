import type { SqlRunner } from '../../src/database/database.js';
import type { LockedReader } from '../../src/news/reader/delivery/reader-locks.repository.js';
import {
  flagsSetting,
  type ItemFlag,
} from '../../src/news/reader/items/flag-changes.repository.js';

/** Sets a flag of items in a transaction that holds the lock of their reader. */
export async function setFlags(
  tx: SqlRunner,
  reader: LockedReader,
  itemIds: readonly number[],
  flag: ItemFlag,
  value: boolean,
): Promise<void> {
  const flags = new Map(itemIds.map((id) => [id, { [flag]: value }]));
  const recording = reader.areEventsWanted ? 'with-events' : 'without-events';
  const { sql, params } = flagsSetting(reader.id, flags, recording);
  await tx.query(sql, params);
}
