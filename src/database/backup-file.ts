import { z } from 'zod';

/**
 * A backup is a gzipped text: a line of JSON that says what it is, then for each table a line of JSON
 * that names it, its rows as PostgreSQL's COPY writes them, and the line `\.`, which is no row; at
 * last a line of JSON with what all of it adds up to. A file without that last line is not whole.
 */
export const END_OF_ROWS = '\\.';

export const BackupHeader = z.object({
  format: z.literal('gatefold backup 1'),
  /** Of the program that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  /** Names of the migrations of its schema, oldest first. */
  migrations: z.array(z.string()).min(1),
  /** Version of pg-boss's schema. */
  jobSchema: z.number(),
});
export type BackupHeader = z.output<typeof BackupHeader>;

/** Names are quoted as SQL needs them. */
export const BackupTable = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
export type BackupTable = z.output<typeof BackupTable>;

export const BackupSummary = z.object({
  /** By table. */
  rows: z.record(z.string(), z.number()),
  /** Last values by name; sequences that were never used are not here. */
  sequences: z.record(z.string(), z.string()),
});
export type BackupSummary = z.output<typeof BackupSummary>;

/** Splits bytes into lines, each with its line end. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = chunk.subarray(from, end + 1);
      yield begun.length === 0 ? line : Buffer.concat([...begun, line]);
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) {
      begun.push(chunk.subarray(from));
    }
  }
  if (begun.length > 0) {
    yield Buffer.concat(begun);
  }
}
