import type { TestApp } from './start-app.js';

/** Makes all changes and arrivals of a reader's items older. */
export async function letTimePass(
  { database }: Pick<TestApp, 'database'>,
  readerId: number,
  seconds: number,
): Promise<void> {
  const micros = seconds * 1_000_000;
  await database.query(
    `update item set last_modified_micros = last_modified_micros - $2::bigint,
                     arrived_micros = arrived_micros - $2::bigint where reader_id = $1`,
    [readerId, micros],
  );
  await database.query(
    'update reader set last_modified_micros = last_modified_micros - $2::bigint where id = $1',
    [readerId, micros],
  );
}
